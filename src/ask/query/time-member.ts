/**
 * The time dimension that a date range filters where a query names none, by the platform's own rule:
 * each built-in cube has one, every other cube (a funnel) has `date`.
 */
export function usualTimeMember(cube: string): string {
  return `${cube}.${usual[cube] ?? 'date'}`;
}

const usual: Readonly<Record<string, string>> = {
  TrackedEvents: 'utcTime',
  Sessions: 'startAt',
  ReturningUsers: 'first_timestamp',
};
