import path from 'node:path';

/** A path as a person in `cwd` would write it: relative where it lies below, else absolute. Patterns keep their stars. */
export function showPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
