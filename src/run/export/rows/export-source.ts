import { hour, minute, second } from '../../../ask/time/granularity.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import type { RejectedLines } from '../../backend.ts';
import type { ExportQuery } from './export-query.ts';
import type { Oddity, Spool } from './window.ts';

/** The bucket sizes by which a source can count its events, largest first. */
export const countedUnits = ['hour', 'minute', 'second'] as const;

export type CountedUnit = (typeof countedUnits)[number];

/** Servers return this many rows if the query has no limit. */
export const mostBuckets = 10_000;

/** Milliseconds. */
export const unitSizes = { hour, minute, second } as const satisfies Readonly<Record<CountedUnit, number>>;

/**
 * Answers the questions of an export: the number of events in a range, and their rows. `toExportSource` wraps a
 * backend.
 */
export interface ExportSource {
  readonly query: ExportQuery;
  /** Rows per request. */
  readonly limit: number;
  /** The most events of several windows in one request; 0 if each window takes a request of its own. */
  readonly together: number;
  /** True if it may discard old events by itself, as the platform does after a year. */
  readonly expires: boolean;
  /** Known oddities of the source, shared by all windows. */
  readonly habits: Habits;
  /** Events in the range. Rejects like `Backend.run`. */
  count(range: TimeRange, signal?: AbortSignal): Promise<number>;
  /** What its answers leave out, whatever their range. Counts the range again. A server leaves out nothing. */
  leftOut(range: TimeRange, signal?: AbortSignal): Promise<LeftOut>;
  /**
   * Events by bucket, keyed by the bucket's start in UTC. Empty buckets may be missing. The source's figures are not
   * checked.
   */
  countBy(range: TimeRange, unit: CountedUnit, signal?: AbortSignal): Promise<ReadonlyMap<number, number>>;
  /**
   * Requests rows of the range once, ordered by time (for pages, in the query's order), and writes them as lines into
   * their own spool, which is restarted with each try. Rejects like `Backend.run`, and with the `ExportError`s
   * `rows-unreadable` and `rows-outside`.
   */
  fetchRows(page: RowPage, spool: Spool, signal?: AbortSignal): Promise<FetchedRows>;
}

export interface LeftOut {
  readonly rejected: RejectedLines;
  /** Sentences about rows without a time, events that repeat an ID, and pages of a list that are missing. */
  readonly notes: readonly string[];
}

export interface RowPage {
  readonly range: TimeRange;
  readonly limit: number;
  readonly offset: number;
  /** True to return marks that identify rows; see `FetchedRows.marks`. */
  readonly marked?: boolean | undefined;
}

export interface FetchedRows {
  readonly rows: number;
  readonly events: number;
  /** Rows that equal the row before them. */
  readonly repeated: number;
  /** For each row, its identity: everything except the count. Only if requested. */
  readonly marks?: readonly string[] | undefined;
}

/** Known behaviour of a source. It is learned while an export runs, and saves useless requests. */
export interface Habits {
  /** The most rows that it returns at once. */
  mostRows: number;
  /** A page limit: one earlier answer was cut off at this many rows. */
  suspected: number | undefined;
  /** True if its rows do not have the expected byte form, so that each is parsed and written anew. */
  rewrite: boolean;
  /** True if it ignores the order, so that rows are sorted here. */
  sort: boolean;
  /** True if it has rows that are equal in all columns. */
  alike: boolean;
  /** Reports each kind of oddity once. */
  note(oddity: Oddity): void;
}
