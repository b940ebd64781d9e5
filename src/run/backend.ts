import type { Model } from '../plan/model/model.ts';
import type { TypeClaim, Value, ValueType } from '../plan/column.ts';
import type { KnownProperties } from '../plan/model/properties.ts';
import type { Plan } from '../plan/plan.ts';
import type { BodySieve } from './http/body-sieve.ts';
import type { ColumnStatistics, RowView } from './stored-view.ts';

export const backendNames = ['embedded', 'platform', 'cube', 'clickhouse'] as const;

export type BackendName = (typeof backendNames)[number];

/** `local`: the engine answers any question. `remote`: an answer is one page from a server. */
export type Reach = 'local' | 'remote';

/** The reach of a backend that is not open. */
export function reachOf(backend: BackendName): Reach {
  return backend === 'embedded' || backend === 'clickhouse' ? 'local' : 'remote';
}

/** Answers plans. One implementation for each place that stores data; `reach` says which further functions it has. */
export type Backend = LocalBackend | RemoteBackend;

interface AnyBackend extends AsyncDisposable {
  readonly name: BackendName;
  readonly reach: Reach;
  /**
   * Starts answering. Rejects with a `BackendError` or `AbortedError`, and so may each step of the batches. Batches are
   * in the plan's order and contain the plan's columns in order.
   */
  run(plan: Plan, options?: RunOptions): Promise<Answer>;
  /** Explains how the plan would be answered, without answering it. */
  explain(plan: Plan, options?: RunOptions): Promise<Explanation>;
}

/**
 * An engine that answers any question. A method resolves to undefined if the engine has no faster way; use `run` then.
 */
export interface LocalBackend extends AnyBackend {
  readonly reach: 'local';
  /**
   * Answers the plan into a file of the engine, so that memory does not grow with the rows. Columns are in display
   * order, as in `withShownColumns`. Rejects like `run`.
   */
  store(plan: Plan, options?: RunOptions): Promise<StoredAnswer | undefined>;
  /**
   * The same rows as JSON text, written by the engine, which is faster for many rows. Numbers are text, and times have
   * no offset.
   */
  runJson(plan: Plan, row: JsonRow, options?: JsonOptions): Promise<JsonAnswer | undefined>;
  /**
   * Profiles the properties at these paths (keys from the outside in). If some are missing, samples other properties.
   * `optional`: further paths that no event needs to have. Rejects like `run`.
   */
  properties(
    paths: readonly (readonly string[])[],
    optional?: readonly (readonly string[])[],
  ): Promise<KnownProperties>;
  /** Columns of event files that are no properties, because a mapping takes them for a field. */
  columns?(): Promise<readonly FilledField[]>;
  /** By field: the values that mappings and presets put in the place of those in the files. */
  renames?(): Promise<NonNullable<Model['renames']> | undefined>;
  /** Facts about an analysis that are not rows of its cubes. */
  further<T>(what: FurtherAnswers<T>): Promise<T | undefined>;
  /**
   * Looks whether the data changed, and resolves to the number of changes since it was opened: what was found before
   * another number may no longer hold. Rejects like `run`.
   */
  changes?(): Promise<number>;
}

/** A column of event files, and the field that a mapping or a preset fills with it. */
export interface FilledField {
  readonly column: string;
  readonly field: string;
  /** Whether the field has no other source. */
  readonly isAlone: boolean;
}

/** A server that answers one page at a time. */
export interface RemoteBackend extends AnyBackend {
  readonly reach: 'remote';
  /**
   * Passes the answer's bytes through a sieve, which extracts the rows of the array `data`. For answers too large to
   * keep or decode. Rejects like `run` and like the sieve.
   */
  siftRows(plan: Plan, sieve: BodySieve, options?: RunOptions): Promise<void>;
  /** The server's own description of its members (its `meta`). */
  describe(options?: RunOptions): Promise<unknown>;
}

/** Names the facts that an engine knows about an analysis beyond its rows. `T` is the interface that returns them. */
export interface FurtherAnswers<T> {
  readonly analysis: string;
  /** Never set; it only carries the type. */
  readonly gives?: T;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called each time a server reports that it is still working. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /** True if the answer is used once: it is neither stored in the cache nor read from it. */
  readonly once?: boolean | undefined;
}

export interface JsonOptions extends RunOptions {
  /** Keeps the rows on disk instead of in memory. */
  readonly sparing?: boolean | undefined;
}

export interface Wait {
  /** Milliseconds since the query was first sent. */
  readonly waitedMs: number;
  /** From 1. */
  readonly round: number;
}

/** A stream of rows in columns, and facts about them. */
export interface Answer {
  readonly batches: AsyncIterable<Batch>;
  /** The types that the engine declares for the columns; undefined if it declares none. */
  readonly types?: readonly (TypeClaim | undefined)[] | undefined;
  /** Complete only after the last batch. */
  facts(): AnswerFacts;
}

/** A complete answer on disk until it is closed. It can be read repeatedly. */
export interface StoredAnswer extends AsyncDisposable {
  readonly rowCount: number;
  readonly facts: AnswerFacts;
  /** Each column's type, proven by its values; undefined if only a scan of all values could tell. */
  readonly types: readonly (ValueType | undefined)[];
  /** From the start, in the plan's order. */
  batches(signal?: AbortSignal): AsyncIterable<Batch>;
  /** The distinct values of a column without null, in any order; undefined if there are more than `most`. */
  distinct(column: number, most: number): Promise<readonly Value[] | undefined>;
  /** Reads its rows in pieces from any position, optionally in another order or filtered. */
  view?(view: RowView, signal?: AbortSignal): Promise<StoredView>;
  /** The minimum and maximum of each numeric column; undefined for other columns. */
  extremes?(): Promise<readonly (readonly [least: Value, greatest: Value] | undefined)[]>;
  /**
   * Its rows as UTF-8 text without a header. If undefined, write them one by one with `toCsvForm` or `toNdjsonForm`,
   * which produce the same bytes.
   */
  text?(form: 'csv' | 'ndjson', signal?: AbortSignal): AsyncIterable<Uint8Array> | undefined;
  /** The whole answer as a Parquet file with these types; undefined if the stored data cannot be converted. */
  parquet?(metadata: ReadonlyMap<string, string>, signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Some rows of a stored answer, in some order, read in pieces. Each step rejects like `run`. */
export interface StoredView extends AsyncDisposable {
  readonly rowCount: number;
  /**
   * Reads `count` rows from `start`, or fewer at the end. The batch contains the given columns (indexes into the
   * plan's), in that order.
   */
  read(start: number, count: number, columns: readonly number[], signal?: AbortSignal): Promise<Batch>;
  statistics(column: number, signal?: AbortSignal): Promise<ColumnStatistics>;
}

export interface Batch {
  readonly rowCount: number;
  /** One array for each of the plan's columns. */
  readonly columns: readonly (readonly Value[] | Float64Array)[];
}

/** The format of a row: literal text, and indexes of the plan's columns, whose values are inserted as JSON. */
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
  /** The rows in UTF-8, separated by commas. The buffer may be reused when the next chunk is requested. */
  readonly bytes: Uint8Array;
}

export interface AnswerFacts {
  /** Rows of the whole answer without limit and offset; only if the query asked for the total. */
  readonly total?: number | undefined;
  /** Whether there are more rows than the plan's limit; undefined if it is unknown. */
  readonly hasMore?: boolean | undefined;
  /** Rows of the source that a measure could not count, such as events without a user. */
  readonly uncounted: readonly { readonly what: string; readonly rows: number }[];
  /** Lines of the source that could not be read, and are not included. */
  readonly rejected: RejectedLines;
  /** Sentences about data that the query needs and no event has, such as a user. */
  readonly lacking?: readonly string[] | undefined;
  /** Sentences about events that repeat the ID of another one and are counted. */
  readonly repeated?: readonly string[] | undefined;
  /**
   * The earliest time of the source's events as an ISO instant; undefined if it is unknown, or if older ones were
   * removed.
   */
  readonly earliest?: string | undefined;
  /** The latest time of the source's events as an ISO instant; undefined if finding it would need a scan. */
  readonly freshness?: string | undefined;
  /** When a server computed the figures, an ISO instant. */
  readonly refreshed?: string | undefined;
  /** When the figures were computed for an earlier question, as an ISO instant; undefined if they are new. */
  readonly kept?: string | undefined;
  /** The server's own name for the statement that it ran. */
  readonly queryId?: string | undefined;
  /** Number of rows at the end that a server added for empty days, if the rows show it; see `markServerFill`. */
  readonly appended?: number | undefined;
  /** Sentences about the result. */
  readonly notes?: readonly string[] | undefined;
}

/** Lines of the source that could not be read and are not counted. */
export interface RejectedLines {
  /** Number of rejected lines. */
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

/** The statement, parameters and engine plan of a query. */
export interface Explanation {
  /** The statement as sent; its parameters are separate. */
  readonly statement: string;
  /** The values for the placeholders of the statement, in order. */
  readonly parameters: readonly (string | number | bigint | boolean | null)[];
  /** The query plan as the engine prints it. */
  readonly enginePlan?: string | undefined;
  /** The store projection that answers; undefined if the query does not use a store. */
  readonly projection?: UsedProjection | undefined;
}

/** `why`: the reason why no projection can answer, so that the events are read. */
export type UsedProjection =
  | { readonly name: string; readonly why?: undefined }
  | { readonly name?: undefined; readonly why: string };
