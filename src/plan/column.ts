import type { Granularity } from '../ask/time/granularity.ts';

/** What the values of a column are as data, for formats that have types. All of them may be null. */
export type ValueType =
  | { readonly kind: 'text' | 'boolean' | 'double' }
  /** Whole numbers of 64 bits, with sign. */
  | { readonly kind: 'integer' }
  /** At most 38 digits, `scale` of them after the point. */
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  /** To the millisecond. `utc`: an instant; else a wall time that knows no zone. */
  | { readonly kind: 'time'; readonly utc: boolean };

/** What an engine says of a column before anyone has seen its values. `whole`: whole numbers of any length. */
export type TypeClaim = ValueType | { readonly kind: 'whole' };

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
  /**
   * What people call it, `Page views`; `title` and `shortTitle` are what the wire calls it. undefined: its title was written by
   * somebody, and people read that.
   */
  readonly label?: string | undefined;
  /** `percent`, `currency` or a number format of the model; `seconds` that read as durations. */
  readonly format?: string | undefined;
  /** Groups can be added up to a total (counts and sums, not distinct counts, averages or ratios). */
  readonly additive: boolean;
  /**
   * What a measure is where it is proven that there was nothing: 0 for counts and sums, null for averages, ratios and
   * extremes; of a formula, what it is of these.
   */
  readonly whenAbsent: number | null;
  /** Full names; only for measures. */
  readonly drillMembers?: readonly string[] | undefined;
}

/**
 * One value of an answer.
 * - number where that is exact, NaN and infinities included; bigint for larger integers; text for decimals that a
 * number would bend.
 * - times: buckets of a day and longer as local wall time `YYYY-MM-DDTHH:mm:ss.SSS`; shorter buckets the same with
 *   their offset (`+02:00`, `Z`); a time dimension without granularity as UTC wall time without offset;
 *   the least or greatest time as UTC with `Z`.
 * - null: no value, never 0.
 */
export type Value = string | number | bigint | boolean | null;

/** What people call a column: `Page views`. */
export function labelOf({ label, shortTitle }: Pick<Column, 'label' | 'shortTitle'>): string {
  return label ?? shortTitle;
}

/** The same with its cube, as it tells columns of one label apart: `Sessions unique users`. */
export function fullLabelOf({ label, title, shortTitle }: Pick<Column, 'label' | 'title' | 'shortTitle'>): string {
  return label !== undefined && title.endsWith(shortTitle)
    ? `${title.slice(0, title.length - shortTitle.length)}${inSentence({ label, shortTitle })}`
    : title;
}

/** The label inside a sentence: `Page views by browser`. A title that somebody wrote stays as it is. */
export function inSentence({ label, shortTitle }: Pick<Column, 'label' | 'shortTitle'>): string {
  if (label === undefined) return shortTitle;
  return /^\p{Lu}(?!\p{Lu})/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** The names that a column has when another is made of it: `rename` gives each of them its new form. */
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
