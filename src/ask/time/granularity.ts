/** The sizes of bucket that a time dimension can be grouped by, smallest first. */
export const granularities = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;

/** The size of a time bucket. Weeks start on Monday unless the configuration sets another day. */
export type Granularity = (typeof granularities)[number];

export function isGranularity(text: string): text is Granularity {
  return (granularities as readonly string[]).includes(text);
}

export type ShortUnit = 'second' | 'minute' | 'hour';

type CalendarUnit = Exclude<Granularity, ShortUnit>;

/** Day and longer are local calendar units; shorter buckets are stretches of instants. */
export function isCalendarUnit(granularity: Granularity): granularity is CalendarUnit {
  return granularities.indexOf(granularity) >= granularities.indexOf('day');
}

/** Lengths in milliseconds. A day is 24 hours of wall clock; how long it lasts is the zone's business. */
export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
