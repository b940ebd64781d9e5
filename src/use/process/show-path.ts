import path from 'node:path';

/** A path as a user in `cwd` would write it: relative if it lies below, else absolute. Keeps the stars of patterns. */
export function showPath(file: string, cwd: string): string {
  if (!path.isAbsolute(file)) return file;
  const relative = path.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

/** `1.2 MB`, in decimal units. */
export function showBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]!}`;
}
