/** Throws a bare `Error` if a guarantee of sluice itself is broken: a bug, never a user's mistake. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`sluice: broken invariant: ${message}`);
}
