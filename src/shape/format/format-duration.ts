/** A duration as people read it: `320 ms`, `4.2 s`, `2 min 05 s`, `1 h 03 min`, `3 d 04 h`. Milliseconds in; what is no number gives `–`. */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return '–';
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${Math.round(milliseconds / 100) / 10} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return pair(seconds, 60, 'min', 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return pair(minutes, 60, 'h', 'min');
  return pair(Math.round(minutes / 60), 24, 'd', 'h');
}

function pair(amount: number, size: number, large: string, small: string): string {
  return `${Math.floor(amount / size)} ${large} ${String(amount % size).padStart(2, '0')} ${small}`;
}
