/** The first millisecond of the year 1 and the last of the year 9999, in UTC. */
export const firstInstant = -62_135_596_800_000;
export const lastInstant = 253_402_300_799_999;

/** Whether the value is milliseconds since 1970 that calendars can count with. */
export function isInstant(value: unknown): value is number {
  return typeof value === 'number' && value >= firstInstant && value <= lastInstant;
}
