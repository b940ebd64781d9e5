import type { Granularity } from '../ask/time/granularity.ts';

/** A column of an answer: what it means, and how its values read. */
export interface Column {
  /** The key of the value in a row: the member's name; `Cube.time.day` for a bucket; `compareDateRange`. */
  readonly key: string;
  /** Full name of the member, e.g. `TrackedEvents.count`. */
  readonly member: string;
  readonly kind: 'dimension' | 'time' | 'measure' | 'compare';
  /** `time`: ISO text, see `Value`. */
  readonly type: 'string' | 'number' | 'boolean' | 'time';
  /** Buckets of this size; only for kind `time`. */
  readonly granularity?: Granularity | undefined;
  readonly title: string;
  readonly shortTitle: string;
  /** `percent`, `currency` or a number format of the model; `seconds` that read as durations. */
  readonly format?: string | undefined;
  /** Groups can be added up to a total (counts and sums, not distinct counts, averages or ratios). */
  readonly additive: boolean;
  /** What a measure is where it is proven that there was nothing: 0 for counts and sums, null for averages, ratios and extremes. */
  readonly whenAbsent: 0 | null;
  /** Full names; only for measures. */
  readonly drillMembers?: readonly string[] | undefined;
}

/**
 * One value of an answer.
 * - number where that is exact, NaN and infinities included; bigint for larger integers; text for decimals that a number would bend.
 * - times: buckets of a day and longer as local wall time `YYYY-MM-DDTHH:mm:ss.SSS`; shorter buckets the same with
 *   their offset (`+02:00`, `Z`); a time dimension without granularity as UTC wall time without offset;
 *   the least or greatest time as UTC with `Z`.
 * - null: no value, never 0.
 */
export type Value = string | number | bigint | boolean | null;
