/** A range of instants: epoch milliseconds, `start` inclusive, `end` exclusive. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

export type Weekday = (typeof weekdays)[number];

/** The context for reading a phrase such as `last 7 days`. */
export interface TimeContext {
  /** The current instant, epoch milliseconds: injected, never read from a clock here. */
  readonly now: number;
  /** Canonical IANA name; `UTC` by default. */
  readonly zone: string;
  /** First day of a week; Monday by default. */
  readonly weekStart?: Weekday | undefined;
}

/** One bucket of a time series. `label` is the wall time of its start, `YYYY-MM-DDTHH:mm:ss.SSS`, without offset. */
export interface Bucket extends TimeRange {
  readonly label: string;
}

/** The first millisecond of the year 1 and the last of the year 9999, in UTC. */
export const firstInstant = -62_135_596_800_000;
export const lastInstant = 253_402_300_799_999;

/** Whether a value is an instant between these two, which calendars can compute with. */
export function isInstant(value: unknown): value is number {
  return typeof value === 'number' && value >= firstInstant && value <= lastInstant;
}
