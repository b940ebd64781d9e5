import type { Filter } from '../query/query.ts';

/** Which events count: one that has one of the types and one of the paths and for which all filters hold. */
export interface EventMatch {
  /** Value of `eventType`; undefined: of any type. */
  readonly event: string | undefined;
  /** Any of them; empty: any path. */
  readonly targets: readonly PathTarget[];
  readonly where: readonly Filter[];
}

/** An exact path, or a pattern: `*` matches any text without a slash, `**` any text. */
export interface PathTarget {
  readonly path: string;
  readonly isPattern: boolean;
}

/** The same as a file has it: `any_of` stands in for `target`, which the platform reads. */
export interface Matching {
  /** `any`: of every type. */
  readonly event?: string | undefined;
  readonly target?: string | undefined;
  readonly any_of?: readonly string[] | undefined;
  readonly where?: readonly Filter[] | undefined;
}
