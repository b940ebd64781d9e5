import { invariant } from '../../ask/invariant.ts';
import type { Plan } from '../../plan/plan.ts';
import { lookUp, toGroups, type Codes } from '../values/codes.ts';
import type { Result } from '../result.ts';

/** Where the rows of an answer stand on the grid of series × buckets. */
export interface SeriesGrid {
  readonly bucketCount: number;
  readonly seriesCount: number;
  /** The bucket of each row; −1 where its time is none of them. */
  readonly bucketOf: Int32Array;
  /** The series of each row; −1 where the series has no surviving row. */
  readonly seriesOf: Int32Array;
  /** A row of each series. */
  readonly rowOfSeries: Int32Array;
  /** By column index: the codes of the dimensions that make up a series. */
  readonly codes: ReadonlyMap<number, Codes>;
}

/** A series is a combination of the other dimensions that has a row among the surviving ones, from `start` to before `end`. */
export function toSeriesGrid(result: Result<object>, plan: Plan, labels: readonly string[], axisColumn: number, start: number, end: number): SeriesGrid {
  const codes = new Map<number, Codes>();
  plan.columns.forEach((column, index) => {
    if (column.kind !== 'measure' && index !== axisColumn) codes.set(index, result.codes(column.key));
  });
  const { groups, firstRows } = toGroups([...codes.values()], result.rowCount);
  const seriesOfGroup = new Int32Array(Math.max(1, firstRows.length)).fill(-1);
  const rowOfSeries: number[] = [];
  // Without other dimensions there is one series, whether it has rows or not.
  if (codes.size === 0) seriesOfGroup[0] = rowOfSeries.push(0) - 1;
  for (let row = start; row < end; row += 1) {
    const group = groups[row] as number;
    if (seriesOfGroup[group] === -1) seriesOfGroup[group] = rowOfSeries.push(row) - 1;
  }
  const axis = plan.columns[axisColumn];
  invariant(axis, 'the axis is one of the columns');
  const times = result.codes(axis.key);
  const bucketOfLabel = new Map<unknown, number>(labels.map((label, bucket) => [label, bucket]));
  const bucketOfCode = Int32Array.from(times.dictionary, (label) => bucketOfLabel.get(label) ?? -1);
  return {
    bucketCount: labels.length,
    seriesCount: rowOfSeries.length,
    bucketOf: lookUp(bucketOfCode, times.codes),
    seriesOf: lookUp(seriesOfGroup, groups),
    rowOfSeries: Int32Array.from(rowOfSeries),
    codes,
  };
}
