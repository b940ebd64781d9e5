import type { Column } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';

/**
 * The flags that a column's cells show a sign for. The bucket of time stands for its row: where it has a flag, the
 * other cells of the row do not repeat it.
 */
export function toShownFlags(result: Pick<Result, 'columns' | 'marks'>, column: Column): (row: number) => number {
  const flags = result.marks.flags(column.key);
  if (!flags) return () => 0;
  const axis = result.columns.find(({ kind, key }) => kind === 'time' && result.marks.flags(key) !== undefined);
  const said = axis && axis.key !== column.key ? result.marks.flags(axis.key) : undefined;
  if (said === flags) return () => 0;
  return (row) => (flags[row] ?? 0) & ~(said?.[row] ?? 0);
}
