/**
 * Starts a stopwatch; the function returns the elapsed milliseconds. Loading `performance` would take the first of
 * them.
 */
export function startStopwatch(): () => number {
  const started = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - started) / 1e6;
}
