/** A short time for people: `340 ms`, `2.5 s`. */
export function showDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
