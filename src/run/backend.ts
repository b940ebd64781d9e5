import type { TypeClaim, Value, ValueType } from '../plan/column.ts';
import type { KnownProperties } from '../plan/model/properties.ts';
import type { Plan } from '../plan/plan.ts';
import type { BodySieve } from './http/body-sieve.ts';
import type { ColumnStatistics, RowView } from './stored-view.ts';

export const backendNames = ['embedded', 'platform', 'cube', 'clickhouse'] as const;

export type BackendName = (typeof backendNames)[number];

/** `local`: the engine can be asked for everything. `remote`: an answer is one page of a server's. */
export type Reach = 'local' | 'remote';

/** The reach of a backend that is not open. */
export function reachOf(backend: BackendName): Reach {
  return backend === 'embedded' || backend === 'clickhouse' ? 'local' : 'remote';
}

/** Answers plans. One implementation for each place that data can live in; `reach` tells what else it can do. */
export type Backend = LocalBackend | RemoteBackend;

interface AnyBackend extends AsyncDisposable {
  readonly name: BackendName;
  readonly reach: Reach;
  /**
   * Starts answering. Rejects with a `BackendError` or `AbortedError`; so may each step of the batches.
   * Batches come in the plan's order and hold the plan's columns in their order.
   */
  run(plan: Plan, options?: RunOptions): Promise<Answer>;
  /** How the plan would be answered, without answering it. */
  explain(plan: Plan, options?: RunOptions): Promise<Explanation>;
}

/** An engine that can be asked for everything. What it has no better way for is undefined: ask by `run`. */
export interface LocalBackend extends AnyBackend {
  readonly reach: 'local';
  /**
   * Answers the plan into a file of the engine's own, so that no number of rows takes more memory. The columns stand
   * as they are shown: those of `withShownColumns`. Rejects as `run`.
   */
  store(plan: Plan, options?: RunOptions): Promise<StoredAnswer | undefined>;
  /**
   * The same rows as JSON text, written by the engine itself, which is faster if there are many. Numbers are text,
   * times have no offset.
   */
  runJson(plan: Plan, row: JsonRow, options?: JsonOptions): Promise<JsonAnswer | undefined>;
  /**
   * What the events hold under these paths (keys from the outside in), and which other properties some events have.
   * Rejects as `run`.
   */
  properties(paths: readonly (readonly string[])[]): Promise<KnownProperties>;
  /** What the engine tells of an analysis beyond the rows of its cubes. */
  further<T>(what: FurtherAnswers<T>): Promise<T | undefined>;
}

/** A server that answers a page at a time. */
export interface RemoteBackend extends AnyBackend {
  readonly reach: 'remote';
  /**
   * Lets the answer's own bytes through a sieve, which takes the rows out of the array `data`: for so many rows that
   * they are neither kept nor decoded. Rejects as `run`, and as the sieve does.
   */
  siftRows(plan: Plan, sieve: BodySieve, options?: RunOptions): Promise<void>;
  /** What can be asked for, in the server's own words (its `meta`). */
  describe(options?: RunOptions): Promise<unknown>;
}

/** Names what an engine tells of an analysis beyond rows. `T` is the interface that gives it. */
export interface FurtherAnswers<T> {
  readonly analysis: string;
  /** Never set: it carries the type. */
  readonly gives?: T;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called each time a server reports that it is still working. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /** The answer is for once: it is neither kept nor looked for among those that were kept. */
  readonly once?: boolean | undefined;
}

export interface JsonOptions extends RunOptions {
  /** The rows wait on the disk rather than in memory. */
  readonly sparing?: boolean | undefined;
}

export interface Wait {
  /** Milliseconds since the query was first sent. */
  readonly waitedMs: number;
  /** From 1. */
  readonly round: number;
}

/** A stream of rows, column by column, and what became known beside them. */
export interface Answer {
  readonly batches: AsyncIterable<Batch>;
  /** What the engine says of each column's values, undefined where it says nothing. */
  readonly types?: readonly (TypeClaim | undefined)[] | undefined;
  /** Complete only after the last batch. */
  facts(): AnswerFacts;
}

/** A complete answer that lies on the disk until it is closed; it can be read again and again. */
export interface StoredAnswer extends AsyncDisposable {
  readonly rowCount: number;
  readonly facts: AnswerFacts;
  /** Each column's type, proven by its values. undefined: only all of its values together can tell. */
  readonly types: readonly (ValueType | undefined)[];
  /** From the start, in the plan's order. */
  batches(signal?: AbortSignal): AsyncIterable<Batch>;
  /** The values of a column, each once and without null, in no order; undefined where there are more than `most`. */
  distinct(column: number, most: number): Promise<readonly Value[] | undefined>;
  /** Its rows piece by piece, from any place on, in another order where wanted, or only some of them. */
  view?(view: RowView, signal?: AbortSignal): Promise<StoredView>;
  /** The least and the greatest value of each column of numbers; undefined for the others. */
  extremes?(): Promise<readonly (readonly [least: Value, greatest: Value] | undefined)[]>;
  /**
   * Its rows as text in UTF-8, without a header; undefined: they are to be written one by one, as `toCsvForm` and
   * `toNdjsonForm` do, which give the same bytes.
   */
  text?(form: 'csv' | 'ndjson', signal?: AbortSignal): AsyncIterable<Uint8Array> | undefined;
  /** The whole as a Parquet file of these types. undefined: it cannot be made of what lies there. */
  parquet?(metadata: ReadonlyMap<string, string>, signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Some rows of a stored answer, in some order, read piece by piece. Each step rejects as `run`. */
export interface StoredView extends AsyncDisposable {
  readonly rowCount: number;
  /**
   * So many rows from `start` on; fewer at the end. The batch holds the named columns (indexes into the plan's), in
   * their order.
   */
  read(start: number, count: number, columns: readonly number[], signal?: AbortSignal): Promise<Batch>;
  statistics(column: number, signal?: AbortSignal): Promise<ColumnStatistics>;
}

export interface Batch {
  readonly rowCount: number;
  /** One array for each of the plan's columns. */
  readonly columns: readonly (readonly Value[] | Float64Array)[];
}

/** How a row is written: text as it stands, and indexes of the plan's columns, whose values go there as JSON. */
export type JsonRow = readonly (string | number)[];

/** Rows as JSON text. */
export interface JsonAnswer {
  readonly chunks: AsyncIterable<JsonChunk>;
  /** Complete only after the last chunk. */
  facts(): AnswerFacts;
}

export interface JsonChunk {
  /** At least one. */
  readonly rowCount: number;
  /** The rows in UTF-8, commas between them. The bytes may be others once the next chunk is asked for. */
  readonly bytes: Uint8Array;
}

export interface AnswerFacts {
  /** Rows of the whole answer without limit and offset; only where the query asked for the total. */
  readonly total?: number | undefined;
  /** Rows of the source that a measure could not count, e.g. events without a user. */
  readonly uncounted: readonly { readonly what: string; readonly rows: number }[];
  /** Lines of the source that could not be read, and are not included. */
  readonly rejected: RejectedLines;
  /** Sentences about what the query needs and no event has, such as a user. */
  readonly lacking?: readonly string[] | undefined;
  /** The latest time of the source's events, an ISO instant; undefined where it is not known without a search. */
  readonly freshness?: string | undefined;
  /** When a server computed the figures, an ISO instant. */
  readonly refreshed?: string | undefined;
  /** When the figures were computed, an ISO instant, if an earlier question asked for them. */
  readonly kept?: string | undefined;
  /** The server's own name for the statement that it ran. */
  readonly queryId?: string | undefined;
  /** Rows at the end that a server added for days without any, where rows tell that; see `markServerFill`. */
  readonly appended?: number | undefined;
  /** Sentences about the result. */
  readonly notes?: readonly string[] | undefined;
}

/** Lines of the source that could not be read, and that no figure counts. */
export interface RejectedLines {
  /** How many there are. */
  readonly count: number;
  /** The first rejected lines, in the order of the files. */
  readonly examples: readonly RejectedLine[];
}

export const nothingRejected: RejectedLines = { count: 0, examples: [] };

/** A line that could not be read. */
export interface RejectedLine {
  /** The file, as people know it. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Why it could not be read, in one sentence. */
  readonly reason: string;
}

/** What is run to answer a query. */
export interface Explanation {
  /** The statement as sent; its parameters are separate. */
  readonly statement: string;
  /** The values for the placeholders of the statement, in order. */
  readonly parameters: readonly (string | number | bigint | boolean | null)[];
  /** The query plan as the engine prints it. */
  readonly enginePlan?: string | undefined;
  /** Which projection of the store answers; undefined: the query asks no store. */
  readonly projection?: UsedProjection | undefined;
}

/** `why`: why no projection answers, so that the events do. */
export type UsedProjection =
  | { readonly name: string; readonly why?: undefined }
  | { readonly name?: undefined; readonly why: string };
