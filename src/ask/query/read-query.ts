import { readValue } from '../document/read-value.ts';
import type { IssuePath, Outcome } from '../outcome.ts';
import { querySchema } from './query-schema.ts';
import type { Query } from './query.ts';

/**
 * A query out of plain data, such as the `query` of a JSON body. All issues at once, with their paths; never throws.
 */
export function readQuery(value: unknown): Outcome<Query> {
  return readValue(value, querySchema);
}

/** Filters compare as text: `1.10` and `007` are not the numbers 1.1 and 7. */
export function isFilterValue(path: IssuePath): boolean {
  return path.at(-2) === 'values' && typeof path.at(-1) === 'number';
}
