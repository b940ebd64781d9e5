import type { Batch } from '../../run/backend.ts';
import type { Result } from '../../shape/result/result.ts';

/** All rows of a result as one batch. */
export function toBatch(result: Result<object>): Batch {
  return { rowCount: result.rowCount, columns: result.columns.map(({ key }) => result.values(key)) };
}
