import type { Value } from '../plan/column.ts';
import type { Plan } from '../plan/plan.ts';

export const backendNames = ['embedded', 'platform', 'cube', 'clickhouse'] as const;

export type BackendName = (typeof backendNames)[number];

/** `local`: the engine can be asked for everything. `remote`: an answer is one page of a server's. */
export function reachOf(backend: BackendName): 'local' | 'remote' {
  return backend === 'embedded' || backend === 'clickhouse' ? 'local' : 'remote';
}

/** Answers plans. One implementation for each place that data can live in. */
export interface Backend extends AsyncDisposable {
  readonly name: BackendName;
  /**
   * Starts answering. Rejects with a `BackendError` or `AbortedError`; so may each step of the batches.
   * Batches come in the plan's order and hold the plan's columns in their order.
   */
  run(plan: Plan, options?: RunOptions): Promise<Answer>;
  /** How the plan would be answered, without answering it. */
  explain(plan: Plan, options?: RunOptions): Promise<Explanation>;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A stream of rows, column by column, and what became known beside them. */
export interface Answer {
  readonly batches: AsyncIterable<Batch>;
  /** Complete only after the last batch. */
  facts(): AnswerFacts;
}

export interface Batch {
  readonly rowCount: number;
  /** One array for each of the plan's columns. */
  readonly columns: readonly (readonly Value[] | Float64Array)[];
}

export interface AnswerFacts {
  /** Rows of the whole answer without limit and offset; only where the query asked for the total. */
  readonly total?: number | undefined;
  /** Rows of the source that a measure could not count, e.g. events without a user. */
  readonly uncounted: readonly { readonly what: string; readonly rows: number }[];
  /** Lines of the source that could not be read, and are therefore in no figure. */
  readonly rejected: RejectedLines;
  /** The latest time of the source's events, an ISO instant; undefined where it is not known without a search. */
  readonly freshness?: string | undefined;
}

export interface RejectedLines {
  readonly count: number;
  /** The first ones, in the files' order. */
  readonly examples: readonly RejectedLine[];
}

export const nothingRejected: RejectedLines = { count: 0, examples: [] };

export interface RejectedLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

export interface Explanation {
  /** The statement as sent, with its parameters beside it. */
  readonly statement: string;
  readonly parameters: readonly (string | number | bigint | boolean | null)[];
  /** The engine's own plan, as it prints it. */
  readonly enginePlan?: string | undefined;
}
