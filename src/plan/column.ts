import { withinSentence } from '../ask/text.ts';
import { type CustomGranularity, type Granularity, type GranularityName, sizeTitle } from '../ask/time/granularity.ts';

/** The type of the values of a column, for typed formats. Every type includes null. */
export type ValueType =
  | { readonly kind: 'text' | 'boolean' | 'double' }
  /** Signed 64-bit integers. */
  | { readonly kind: 'integer' }
  /** At most 38 digits, `scale` of them after the decimal point. */
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  /** A time in milliseconds. `utc`: an instant; else a wall time without a zone. */
  | { readonly kind: 'time'; readonly utc: boolean };

/** The type that an engine declares for a column before its values are read. `whole`: integers of any length. */
export type TypeClaim = ValueType | { readonly kind: 'whole' };

/** A column of a result: its member, type and format. */
export interface Column {
  /** The key of the value in a row: the member's name; `Cube.time.day` for a bucket; `compareDateRange`. */
  readonly key: string;
  /** Full name of the member, e.g. `TrackedEvents.count`. */
  readonly member: string;
  /** `compare`: the text of the range that a row of a comparison belongs to. */
  readonly kind: 'dimension' | 'time' | 'measure' | 'compare';
  /** `time`: ISO text, see `Value`. */
  readonly type: 'string' | 'number' | 'boolean' | 'time';
  /** Size of the buckets; only for kind `time`. For a model's own granularity, the standard size that labels use. */
  readonly granularity?: Granularity | undefined;
  /** The model's granularity that `granularity` stands for. */
  readonly custom?: CustomGranularity | undefined;
  /** What `rows()` has as the times of this column, as the option `times` asked; text if missing. */
  readonly times?: 'date' | 'temporal' | undefined;
  /** The title in the load API: `Tracked Events Count`. */
  readonly title: string;
  /** The title without the name of the cube: `Count`. */
  readonly shortTitle: string;
  /**
   * Label for people: `Page views`. The load API uses `title` and `shortTitle`. undefined if the model sets a title,
   * which then serves as the label.
   */
  readonly label?: string | undefined;
  /** `percent`, `currency`, `seconds` (shown as durations), or a number format of the model. */
  readonly format?: string | undefined;
  /** The usual order of the values, if it is not that of their letters: the statuses of a lifecycle. */
  readonly values?: readonly string[] | undefined;
  /** True if groups add up to a total: counts and sums, but not distinct counts, averages or ratios. */
  readonly additive: boolean;
  /** True if groups never overlap at one time, so that they can be stacked, although they overlap across times. */
  readonly disjoint?: boolean | undefined;
  /**
   * The value of a measure for a bucket without rows: 0 for counts and sums, null for averages, ratios and extremes. A
   * formula is computed from these.
   */
  readonly whenAbsent: number | null;
  /** Full names; only for measures. */
  readonly drillMembers?: readonly string[] | undefined;
}

/**
 * One value of a result.
 * - numbers: number if that is exact, NaN and infinities included; bigint for larger integers; text for decimals that a
 *   number cannot represent exactly, and for larger integers that are computed as decimals, such as sums of a property.
 * - times: buckets of a day and longer as local wall time `YYYY-MM-DDTHH:mm:ss.SSS`; shorter buckets the same with
 *   their offset (`+02:00`, `Z`); a time dimension without granularity as UTC wall time without offset;
 *   the least or greatest time as UTC with `Z`.
 * - null: no value, never 0.
 */
export type Value = string | number | bigint | boolean | null;

/** True if a column contains hours of the day or weekdays. */
export function isTimePart({ format }: Pick<Column, 'format'>): boolean {
  return format === 'hour' || format === 'weekday';
}

/** The granularity's name in queries; undefined without buckets. */
export function granularityName({ granularity, custom }: Pick<Column, 'granularity' | 'custom'>) {
  return (custom?.name ?? granularity) as GranularityName | undefined;
}

/** The name for people of a column's bucket: `day`, `fiscal quarter`; undefined without buckets. */
export function bucketTitle({ granularity, custom }: Pick<Column, 'granularity' | 'custom'>): string | undefined {
  const size = custom ?? granularity;
  return size && sizeTitle(size);
}

/** A column's label for people: `Page views`. */
export function labelOf({ label, shortTitle }: Pick<Column, 'label' | 'shortTitle'>): string {
  return label ?? shortTitle;
}

/** The label with its cube, to tell apart columns with the same label: `Sessions unique users`. */
export function fullLabelOf({ label, title, shortTitle }: Pick<Column, 'label' | 'title' | 'shortTitle'>): string {
  return label !== undefined && title.endsWith(shortTitle)
    ? `${title.slice(0, title.length - shortTitle.length)}${inSentence({ label, shortTitle })}`
    : title;
}

/** The label inside a sentence: `Page views by browser`. Titles set by a model stay unchanged. */
export function inSentence({ label, shortTitle }: Pick<Column, 'label' | 'shortTitle'>): string {
  if (label === undefined) return shortTitle;
  return withinSentence(label);
}

/** The names of a column that is derived from another; `rename` changes each of them. */
export function renamed(
  { title, shortTitle, label }: Pick<Column, 'label' | 'title' | 'shortTitle'>,
  rename: (name: string) => string,
): Pick<Column, 'label' | 'title' | 'shortTitle'> {
  return {
    title: rename(title),
    shortTitle: rename(shortTitle),
    ...(label !== undefined && { label: rename(label) }),
  };
}
