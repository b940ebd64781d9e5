import { invariant } from '../../ask/invariant.ts';
import { compareValues } from '../values/compare-values.ts';
import type { Result } from './result.ts';
import { takeRows } from './take-rows.ts';

export interface SortKey {
  readonly key: string;
  readonly descending?: boolean | undefined;
}

/** Sorts the rows. Rows that tie keep their order, and nulls come last in both directions. */
export function sort(result: Result, keys: readonly SortKey[]): Result {
  const columns = keys.map(({ key, descending }) => {
    const column = result.columns.find((candidate) => candidate.key === key);
    invariant(column, `there is a column ${key}`);
    return { values: result.values(key), type: column.type, sign: descending ? -1 : 1 };
  });
  const rows = Int32Array.from({ length: result.rowCount }, (_, row) => row);
  rows.sort((left, right) => {
    for (const { values, type, sign } of columns) {
      const a = values[left] ?? null;
      const b = values[right] ?? null;
      const order = compareValues(a, b, type);
      if (order !== 0) return a === null || b === null ? order : order * sign;
    }
    return left - right;
  });
  return takeRows(result, rows);
}
