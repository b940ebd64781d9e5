import type { IssuePath } from '../outcome.ts';

/** Far deeper than people nest, and shallow enough for later stages to recurse. */
const maxDepth = 64;

/** The path to a part that is nested too deeply, or that contains itself; undefined if there is none. */
export function tooDeepPath(value: unknown): IssuePath | undefined {
  const cleared = new Map<object, number>();
  if (!isDeeper(value, maxDepth, cleared)) return undefined;
  const path: (string | number)[] = [];
  for (let part = value, left = maxDepth; left > 0; left -= 1) {
    const deeper: readonly [string, unknown] | undefined = Object.entries(part as object).find(([, inner]) =>
      isDeeper(inner, left - 1, cleared),
    );
    if (!deeper) return path;
    path.push(Array.isArray(part) ? Number(deeper[0]) : deeper[0]);
    part = deeper[1];
  }
  return path;
}

/**
 * Whether a value is nested more than `left` levels deep. `cleared` holds the remaining depth at which an object
 * passed, so that shared parts are not walked again.
 */
function isDeeper(value: unknown, left: number, cleared: Map<object, number>): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (left === 0) return true;
  if ((cleared.get(value) ?? Infinity) <= left) return false;
  if (Object.values(value).some((part) => isDeeper(part, left - 1, cleared))) return true;
  cleared.set(value, left);
  return false;
}
