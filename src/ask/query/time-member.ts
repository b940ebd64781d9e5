/**
 * The time dimension that a date range filters where a query names none, by the platform's own rule:
 * each built-in cube has one, every other cube (a funnel) has `date`.
 */
export function usualTimeMember(cube: string): string {
  return `${cube}.${usual.get(cube) ?? 'date'}`;
}

const usual: ReadonlyMap<string, string> = new Map([
  ['TrackedEvents', 'utcTime'],
  ['Sessions', 'startAt'],
  ['ReturningUsers', 'first_timestamp'],
]);

/** What a time is called in a query of short names that has a range and names no time: the usual one of its cube. */
export const usualTime = 'time';
