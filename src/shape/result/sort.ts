import { invariant } from '../../ask/invariant.ts';
import type { Column } from '../../plan/column.ts';
import { compareValues } from '../values/compare-values.ts';
import type { Values } from '../values/values.ts';
import type { Result } from './result.ts';
import { takeRows } from './take-rows.ts';

interface SortKey {
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
  return takeRows(result, rows.sort(rowOrder(columns)));
}

/** A column to sort by: ascending if `sign` is 1, descending if it is -1. */
interface SortColumn {
  readonly values: Values;
  readonly type: Column['type'];
  readonly sign: number;
}

/** Compares rows by their indexes. */
export function rowOrder(columns: readonly SortColumn[]): (left: number, right: number) => number {
  return (left, right) => {
    for (const { values, type, sign } of columns) {
      const a = values[left] ?? null;
      const b = values[right] ?? null;
      const order = compareValues(a, b, type);
      if (order !== 0) return a === null || b === null ? order : order * sign;
    }
    return left - right;
  };
}
