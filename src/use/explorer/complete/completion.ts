import type { Catalog } from '../../../plan/model/catalog.ts';

export type CandidateKind =
  | 'measure' | 'dimension' | 'time' | 'segment' | 'operator' | 'value' | 'range' | 'granularity' | 'clause' | 'zone' | 'number' | 'query' | 'funnel';

/** Something that can stand at the cursor. Its texts are as they are: whoever draws them makes them harmless. */
export interface Candidate {
  /** What is put into the line, instead of what stands from `from` to `to`. */
  readonly text: string;
  /** What the list shows. */
  readonly label: string;
  readonly title: string;
  readonly description: string;
  readonly kind: CandidateKind;
}

export interface Completion {
  /** UTF-16 units of the line. */
  readonly from: number;
  readonly to: number;
  /** The best first. */
  readonly candidates: readonly Candidate[];
  /** Full name of the member whose values should be looked up: ask again with them among `values`. */
  readonly wantsValues?: string | undefined;
}

export interface NamedThing {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

export interface CompletionWorld {
  readonly catalog: Catalog;
  /** The cube that short names belong to. */
  readonly home: string;
  /** A line may be the name of one of them. */
  readonly savedQueries?: readonly NamedThing[] | undefined;
  /** Values of members that were looked up, by full name, the commonest first. */
  readonly values?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Names of time zones. */
  readonly zones?: readonly string[] | undefined;
  /** So many candidates at most; 50 where not set. */
  readonly most?: number | undefined;
}
