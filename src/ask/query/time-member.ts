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
