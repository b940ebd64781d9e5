/** Throws a bare `Error` when something that sluice itself guarantees does not hold: a bug, never a user's mistake. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`sluice: broken invariant: ${message}`);
}
