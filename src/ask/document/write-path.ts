import type { IssuePath } from '../outcome.ts';

/** `['query', 'filters', 0, 'operator']` as `query.filters[0].operator`. A key that is no plain word stands in quotes. */
export function writePath(path: IssuePath): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!/^[\w$-]+$/.test(step)) return `[${JSON.stringify(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}
