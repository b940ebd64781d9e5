import type { CanonicalQuery } from '../../ask/query/query.ts';
import type { RejectedLines } from '../../run/backend.ts';

/** How an answer came about, so that every number can explain itself. The same inputs give the same text. */
export interface SteadyProvenance {
  /** Hash of the canonical query. */
  readonly queryHash: string;
  readonly query: CanonicalQuery;
  /** `embedded`, `platform`, `cube`, `clickhouse`. */
  readonly backend: string;
  /** Where the rows come from, in words that a person knows: `events/*.ndjson.gz`. */
  readonly source: string;
  /** The range that was asked for: ISO instants, the start inside, the end outside. Null: all of time. */
  readonly range: { readonly start: string; readonly end: string } | null;
  /** Canonical IANA name of the zone that days are counted in. */
  readonly zone: string;
  /** The present that relative phrases were read against: ISO instant. */
  readonly asOf: string;
  readonly rows: number;
  /** Missing buckets were looked for and added: limit and offset are applied, and nothing is left to fill. */
  readonly filled: boolean;
  /** How many cells of measures were added by zero-fill. */
  readonly filledCells: number;
  /** How many of the time buckets are cut by the range or by the present. */
  readonly partialBuckets: number;
  /** The limit that the answer reached, where there may be more rows. */
  readonly truncated: { readonly limit: number } | null;
  /** Rows without limit and offset, where the query asked for them. */
  readonly total?: number | undefined;
  /** Rows of the source that a measure could not count. */
  readonly uncounted: readonly { readonly what: string; readonly rows: number }[];
  /** Lines of the source that could not be read. */
  readonly rejected: RejectedLines;
  /** What the question asks about and the events lack, in sentences; left out where they lack nothing. */
  readonly lacking?: readonly string[] | undefined;
  /**
   * The latest time seen in the source, and no later than the present asked about: ISO instant. Null where nobody
   * knows.
   */
  readonly freshness: string | null;
  /** The data end before the range does, in a sentence; left out where they do not, or nobody knows. */
  readonly endsEarly?: string | undefined;
  /** Whole sentences for people: what was left out, and why. */
  readonly notes: readonly string[];
}

export interface Provenance extends SteadyProvenance {
  /** When a server computed the figures, ISO instant, where it tells. Varies like the time below. */
  readonly refreshed?: string | undefined;
  /** Wall time from the question to the last row. Varies from run to run: not for files that should be the same. */
  readonly elapsedMs: number;
}

/** The part that is the same for the same inputs. */
export function toSteadyProvenance({ elapsedMs: _, refreshed: _refreshed, ...steady }: Provenance): SteadyProvenance {
  return steady;
}

/** The provenance with one more sentence, unless it is there already. */
export function withNote<P extends SteadyProvenance>(provenance: P, note: string): P {
  return provenance.notes.includes(note) ? provenance : { ...provenance, notes: [...provenance.notes, note] };
}

/** Whether the range began before the present and ends after it, so that its figures will still change. */
export function isRangeOpen({ range, asOf }: Pick<SteadyProvenance, 'range' | 'asOf'>): boolean {
  if (range === null) return false;
  const now = Date.parse(asOf);
  return Date.parse(range.start) < now && Date.parse(range.end) > now + 1;
}
