import type { IssuePath } from '../outcome.ts';

/**
 * `['query', 'filters', 0, 'operator']` as `query.filters[0].operator`. A key that is no plain word stands in quotes.
 */
export function writePath(path: IssuePath): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!/^[\w$-]+$/.test(step)) return `[${JSON.stringify(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

/** What a path leads to in a nested value; undefined where it leads nowhere. */
export function valueAt(value: unknown, path: IssuePath): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, step)
        ? (at as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );
}
