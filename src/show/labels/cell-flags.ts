import type { Column } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';

/**
 * The flags that a column's cells show a sign for. The bucket of time stands for its row: where it has a flag, the
 * other cells of the row do not repeat it. Beside one another, the ranges of a comparison have a bucket each.
 */
export function toShownFlags(result: Pick<Result, 'columns' | 'marks'>, column: Column): (row: number) => number {
  const flags = result.marks.flags(column.key);
  if (!flags) return () => 0;
  const range = earlierRange(column);
  const axis = result.columns.find(
    (each) => each.kind === 'time' && earlierRange(each) === range && result.marks.flags(each.key) !== undefined,
  );
  const said = axis && axis.key !== column.key ? result.marks.flags(axis.key) : undefined;
  if (said === flags) return () => 0;
  return (row) => (flags[row] ?? 0) & ~(said?.[row] ?? 0);
}

/** `.previous`, `.previous.2` … of a column of an earlier range of a comparison. */
function earlierRange({ key, member }: Column): string | undefined {
  return /\.previous(\.\d+)?$/.exec(key.slice(member.length))?.[0];
}
