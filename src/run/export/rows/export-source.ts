import { hour, minute, second } from '../../../ask/time/granularity.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import type { ExportQuery } from './export-query.ts';
import type { Oddity, Spool } from './window.ts';

/** The sizes by which a source can count its events, largest first. */
export const countedUnits = ['hour', 'minute', 'second'] as const;

export type CountedUnit = (typeof countedUnits)[number];

/** Milliseconds. */
export const unitSizes = { hour, minute, second } as const satisfies Readonly<Record<CountedUnit, number>>;

/**
 * Answers the questions of an export: how many events there are in a stretch of time, and what their rows are.
 * `toExportSource` makes one of a backend.
 */
export interface ExportSource {
  readonly query: ExportQuery;
  /** Rows that are asked for at once. */
  readonly limit: number;
  /** What the source has been found to do; shared by all windows. */
  readonly habits: Habits;
  /** Events in the stretch. Rejects as `Backend.run`. */
  count(range: TimeRange, signal?: AbortSignal): Promise<number>;
  /**
   * Events in each bucket of the stretch, by the bucket's start in UTC; buckets without any may be left out. As the
   * source says it: nothing is checked.
   */
  countBy(range: TimeRange, unit: CountedUnit, signal?: AbortSignal): Promise<ReadonlyMap<number, number>>;
  /**
   * Asks once for rows of the stretch, in the order of their time (of pages, in the query's order), and writes them
   * as lines into a spool that is theirs alone:
   * it is restarted with each try. Rejects as `Backend.run`, and with
   * `ExportError`s `rows-unreadable` and `rows-outside`.
   */
  fetchRows(page: RowPage, spool: Spool, signal?: AbortSignal): Promise<FetchedRows>;
}

export interface RowPage {
  readonly range: TimeRange;
  readonly limit: number;
  readonly offset: number;
  /** Whether rows are to be told apart: see `FetchedRows.marks`. */
  readonly marked?: boolean | undefined;
}

export interface FetchedRows {
  readonly rows: number;
  readonly events: number;
  /** Rows that are the one before once more. */
  readonly repeated: number;
  /** For each row what it is known by: all that it holds but its count. Only where it was asked for. */
  readonly marks?: readonly string[] | undefined;
}

/** What a source has been found to do. It grows while an export runs, and saves asking in vain. */
export interface Habits {
  /** The most rows that it gives at once. */
  mostRows: number;
  /** As many rows came once where more were there. */
  suspected: number | undefined;
  /** Its rows do not come as they were seen first, byte by byte: each is read and written anew. */
  rewrite: boolean;
  /** It gives rows in no order: they are sorted here. */
  sort: boolean;
  /** It has rows that are alike in all that it shows. */
  alike: boolean;
  /** Told once of each kind of oddity. */
  note(oddity: Oddity): void;
}
