/** A stretch of instants: epoch milliseconds, `start` inside, `end` outside. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export type Weekday = (typeof weekdays)[number];

/** What a phrase such as `last 7 days` needs to mean something. */
export interface TimeContext {
  /** The present instant, epoch milliseconds: injected, never read from a clock here. */
  readonly now: number;
  /** Canonical IANA name, `UTC` where none is set. */
  readonly zone: string;
  /** First day of a week; Monday by default. */
  readonly weekStart?: Weekday | undefined;
}

/**
 * One bucket of a time series. `label` is the local wall time of its start, `YYYY-MM-DDTHH:mm:ss.SSS`, without offset.
 */
export interface Bucket extends TimeRange {
  readonly label: string;
}

/** The first millisecond of the year 1 and the last of the year 9999, in UTC. */
export const firstInstant = -62_135_596_800_000;
export const lastInstant = 253_402_300_799_999;

/** Whether the value is milliseconds since 1970 that calendars can count with. */
export function isInstant(value: unknown): value is number {
  return typeof value === 'number' && value >= firstInstant && value <= lastInstant;
}
