import type { CanonicalQuery } from '../../ask/query/query.ts';
import { nothingRejected, type RejectedLines } from '../../run/backend.ts';

/** The origin of a result: query, source, range and notes. The same for the same inputs. */
export interface SteadyProvenance {
  /** Hash of the canonical query. */
  readonly queryHash: string;
  /** The query in canonical form, with relative ranges as requested. */
  readonly query: CanonicalQuery;
  /** `embedded`, `platform`, `cube`, `clickhouse`. */
  readonly backend: string;
  /** The source of the rows, for people: `events/*.ndjson.gz`. */
  readonly source: string;
  /** The range of the query in ISO instants: `start` inclusive, `end` exclusive. null for all time. */
  readonly range: { readonly start: string; readonly end: string } | null;
  /** Canonical IANA name of the time zone of days and buckets. */
  readonly zone: string;
  /** Reference time of relative ranges, an ISO instant. */
  readonly asOf: string;
  /** Number of rows. */
  readonly rows: number;
  /** True if zero-fill has run, and limit and offset are applied: nothing is left to fill. */
  readonly filled: boolean;
  /** Number of measure cells that zero-fill added. */
  readonly filledCells: number;
  /** Number of time buckets that are cut by the range or by the reference time. */
  readonly partialBuckets: number;
  /** The `limit` that the result reached, if there may be more rows. */
  readonly truncated: { readonly limit: number } | null;
  /** Number of rows without limit and offset, if the query requested the total. */
  readonly total?: number | undefined;
  /** `rows` of the source that a measure could not count, and `what` they are: `events without a user`. */
  readonly uncounted: readonly { readonly what: string; readonly rows: number }[];
  /** Lines of the source that could not be read. */
  readonly rejected: RejectedLines;
  /** Sentences about members of the query that no event has. */
  readonly lacking?: readonly string[] | undefined;
  /** Sentences about events that repeat the ID of another one and are counted. */
  readonly repeated?: readonly string[] | undefined;
  /** The latest event time in the source, capped at the reference time: an ISO instant. null if unknown. */
  readonly freshness: string | null;
  /** The earliest event time in the source, an ISO instant; undefined if it is unknown. */
  readonly earliest?: string | undefined;
  /** A sentence if the data begins after the range; undefined if it does not, or if this is unknown. */
  readonly beginsLate?: string | undefined;
  /** A sentence if the data ends before the range; undefined if it does not, or if this is unknown. */
  readonly endsEarly?: string | undefined;
  /**
   * Ranges of which the store lacks events that the figures need: they were removed, or no loaded export has them. ISO
   * instants; `start` is null for all earlier events. undefined if there are none.
   */
  readonly lost?: readonly LostRange[] | undefined;
  /** Sentences for people about omissions and their reasons. */
  readonly notes: readonly string[];
}

/** A range of which a store lacks events. */
export interface LostRange {
  readonly start: string | null;
  readonly end: string;
}

/** The origin of a result, including fields that vary from run to run. */
export interface Provenance extends SteadyProvenance {
  /** When the server computed the figures, an ISO instant, if it says so. Varies from run to run. */
  readonly refreshed?: string | undefined;
  /** The server's ID of the statement, if it returned one. Varies from run to run. */
  readonly queryId?: string | undefined;
  /** When the figures were computed, an ISO instant, if they come from the cache. */
  readonly kept?: string | undefined;
  /** Milliseconds from the query to the last row. Varies from run to run: omit it from reproducible files. */
  readonly elapsedMs: number;
}

/** Omits the fields that vary from run to run. */
export function toSteadyProvenance({
  elapsedMs: _,
  refreshed: _refreshed,
  kept: _kept,
  queryId: _queryId,
  ...steady
}: Provenance): SteadyProvenance {
  return steady;
}

/** Adds a sentence to the provenance, unless it is there already. */
export function withNote<P extends SteadyProvenance>(provenance: P, note: string): P {
  return provenance.notes.includes(note) ? provenance : { ...provenance, notes: [...provenance.notes, note] };
}

/** Whether the range contains the reference time, so that its figures will still change. */
export function isRangeOpen({ range, asOf }: Pick<SteadyProvenance, 'range' | 'asOf'>): boolean {
  if (range === null) return false;
  const now = Date.parse(asOf);
  return Date.parse(range.start) < now && Date.parse(range.end) > now + 1;
}

/** For figures without a query. */
export const noProvenance: Provenance = {
  queryHash: '',
  query: {},
  backend: '',
  source: '',
  range: null,
  zone: 'UTC',
  asOf: '',
  rows: 0,
  filled: false,
  filledCells: 0,
  partialBuckets: 0,
  truncated: null,
  uncounted: [],
  rejected: nothingRejected,
  freshness: null,
  notes: [],
  elapsedMs: 0,
};
