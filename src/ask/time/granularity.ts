/** The sizes of bucket that a time dimension can be grouped by, smallest first. */
export const granularities = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;

/** The size of a time bucket. Weeks start on Monday unless the configuration sets another day. */
export type Granularity = (typeof granularities)[number];

/** A granularity of the model besides those, by its name; what it means, the model knows. */
export type GranularityName = string;

/**
 * A granularity that a model defines. Without `grid` only the engine knows where its buckets begin: none can be filled,
 * counted or told to be partial.
 */
export interface CustomGranularity {
  readonly name: string;
  readonly title: string;
  readonly grid: BucketGrid | undefined;
}

/**
 * Buckets on the wall clock: the one of number k begins k steps behind the origin, and then by the offset later. A day
 * that a month lacks is its last.
 */
export interface BucketGrid {
  /** Wall time, epoch ms as if UTC. */
  readonly origin: number;
  readonly step: GridStep;
  /** Milliseconds of wall clock. */
  readonly offset: number;
}

/** So many months, and then milliseconds of wall clock. */
export interface GridStep {
  readonly months: number;
  readonly length: number;
}

/** What time is cut into. */
export type BucketSize = Granularity | CustomGranularity;

/** What queries call it. */
export function sizeName(size: BucketSize): GranularityName {
  return typeof size === 'string' ? size : size.name;
}

/** What people call one of its buckets: `day`, `fiscal quarter`. */
export function sizeTitle(size: BucketSize): string {
  return typeof size === 'string' ? size : size.title;
}

/** Whether it is known where its buckets begin. */
export function hasGrid(size: BucketSize): boolean {
  return typeof size === 'string' || size.grid !== undefined;
}

export function isGranularity(text: string): text is Granularity {
  return (granularities as readonly string[]).includes(text);
}

export type ShortUnit = 'second' | 'minute' | 'hour';

type CalendarUnit = Exclude<Granularity, ShortUnit>;

/** Day and longer are local calendar units; shorter buckets are stretches of instants. */
export function isCalendarUnit(size: Granularity): size is CalendarUnit;
export function isCalendarUnit(size: BucketSize): boolean;
export function isCalendarUnit(size: BucketSize): boolean {
  if (typeof size === 'string') return granularities.indexOf(size) >= granularities.indexOf('day');
  return size.grid === undefined || size.grid.step.months > 0 || size.grid.step.length >= day;
}

/** Lengths in milliseconds. A day is 24 hours of wall clock; how long it lasts is the zone's business. */
export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
