/** Starts one: it tells the milliseconds since then. `performance` would take the first of them to load. */
export function startStopwatch(): () => number {
  const started = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - started) / 1e6;
}
