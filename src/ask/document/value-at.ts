import type { IssuePath } from '../outcome.ts';

/** What a path leads to in a nested value; undefined where it leads nowhere. */
export function valueAt(value: unknown, path: IssuePath): unknown {
  return path.reduce<unknown>((at, step) => (at !== null && typeof at === 'object' && Object.hasOwn(at, step) ? (at as Readonly<Record<string | number, unknown>>)[step] : undefined), value);
}
