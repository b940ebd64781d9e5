import type { Filter } from '../query/query.ts';

/** Which events count: one that has one of the types and one of the paths and for which all filters hold. */
export interface EventMatch {
  /** Value of `eventType`; undefined: of any type. */
  readonly event: string | undefined;
  /** Any of them; empty: any path. */
  readonly targets: readonly PathTarget[];
  readonly where: readonly Filter[];
}

/** A path to the letter, or a pattern: `*` stands for any text without a slash, `**` for any text. */
export interface PathTarget {
  readonly path: string;
  readonly isPattern: boolean;
}
