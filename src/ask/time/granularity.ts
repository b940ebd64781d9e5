/** The standard granularities, smallest first. */
export const granularities = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;

/** The size of a time bucket. Weeks start on Monday unless the configuration sets another day. */
export type Granularity = (typeof granularities)[number];

/** The name of a granularity: a standard one, or one that the model defines. */
export type GranularityName = string;

/**
 * A granularity that a model defines. Without `grid`, only the engine knows where its buckets begin, so they cannot be
 * filled, counted or marked as partial.
 */
export interface CustomGranularity {
  readonly name: string;
  readonly title: string;
  readonly grid: BucketGrid | undefined;
  /** The grid as a model defines it; undefined for buckets that `sql` or only a server defines. */
  readonly written?: WrittenGrid | undefined;
}

/** The buckets as Cube models define them: `{interval: '3 months', offset: '1 month'}`. */
export interface WrittenGrid {
  readonly interval: string;
  readonly origin?: string;
  readonly offset?: string;
}

/**
 * Buckets on the wall clock: bucket k begins k steps after the origin, plus the offset. A day that a month lacks
 * becomes its last day.
 */
export interface BucketGrid {
  /** Wall time, epoch ms as if UTC. */
  readonly origin: number;
  readonly step: GridStep;
  /** Milliseconds on the wall clock. */
  readonly offset: number;
}

/** A number of months, then milliseconds on the wall clock. */
export interface GridStep {
  readonly months: number;
  readonly length: number;
}

/** A standard or custom granularity. */
export type BucketSize = Granularity | CustomGranularity;

/** Its name in queries. */
export function sizeName(size: BucketSize): GranularityName {
  return typeof size === 'string' ? size : size.name;
}

/** The word for one of its buckets: `day`, `fiscal quarter`. */
export function sizeTitle(size: BucketSize): string {
  return typeof size === 'string' ? size : size.title;
}

/** Whether the starts of its buckets are known. */
export function hasGrid(size: BucketSize): boolean {
  return typeof size === 'string' || size.grid !== undefined;
}

export function isGranularity(text: string): text is Granularity {
  return (granularities as readonly string[]).includes(text);
}

export type ShortUnit = 'second' | 'minute' | 'hour';

type CalendarUnit = Exclude<Granularity, ShortUnit>;

/** Buckets of a day or longer are units of the local calendar; shorter ones are spans of elapsed time. */
export function isCalendarUnit(size: Granularity): size is CalendarUnit;
export function isCalendarUnit(size: BucketSize): boolean;
export function isCalendarUnit(size: BucketSize): boolean {
  if (typeof size === 'string') return granularities.indexOf(size) >= granularities.indexOf('day');
  return size.grid === undefined || size.grid.step.months > 0 || size.grid.step.length >= day;
}

/** Lengths in milliseconds. A day is 24 hours on the wall clock; its elapsed time depends on the zone. */
export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
