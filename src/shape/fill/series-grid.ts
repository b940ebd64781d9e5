import { invariant } from '../../ask/invariant.ts';
import type { Plan, PlanSeries } from '../../plan/plan.ts';
import type { Result } from '../result/result.ts';
import { type Codes, lookUp, toGroups } from '../values/codes.ts';
import type { FillKey } from './fill-order.ts';
import { toBuckets, writeBucketLabel } from '../../ask/time/buckets.ts';
import { isCalendarUnit } from '../../ask/time/granularity.ts';
import type { Bucket } from '../../ask/time/range.ts';

/** The position of an answer's rows on the grid of series × buckets. */
export interface SeriesGrid {
  readonly bucketCount: number;
  readonly seriesCount: number;
  /** The bucket of each row; −1 if its time is outside all of them. */
  readonly bucketOf: Int32Array;
  /** The series of each row; −1 if the series has no remaining row. */
  readonly seriesOf: Int32Array;
  /** One row of each series. */
  readonly rowOfSeries: Int32Array;
  /** Codes of the dimensions that form a series, by column index. */
  readonly codes: ReadonlyMap<number, Codes>;
}

/** A series is a combination of the other dimensions with a row from `start` to before `end`, the remaining rows. */
export function toSeriesGrid(
  result: Result<object>,
  plan: Plan,
  labels: readonly string[],
  axisColumn: number,
  start: number,
  end: number,
): SeriesGrid {
  const codes = new Map<number, Codes>();
  plan.columns.forEach((column, index) => {
    if (column.kind !== 'measure' && index !== axisColumn) codes.set(index, result.codes(column.key));
  });
  const { groups, firstRows } = toGroups([...codes.values()], result.rowCount);
  const seriesOfGroup = new Int32Array(Math.max(1, firstRows.length)).fill(-1);
  const rowOfSeries: number[] = [];
  // Without other dimensions, there is one series, even without rows.
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

/** The rows of a filled answer, in order. */
export interface FilledRows {
  /** The row of the answer, or −1 for a missing one. */
  readonly rows: Int32Array;
  readonly series: Int32Array;
  /** −1 for a row outside all buckets. */
  readonly buckets: Int32Array;
  /** The number of missing rows. */
  readonly added: number;
}

const missing = -1;
const cut = -2;

/**
 * The fast way to fill, for answers in the order of the grid: puts rows into their cells, and reads the grid from start
 * to end. Undefined if the order differs: by a measure, by a row outside all buckets, or because the answer is not
 * sorted.
 */
export function layOut(grid: SeriesGrid, keys: readonly FillKey[], start: number, end: number): FilledRows | undefined {
  if (keys.some((key) => key.by === 'measure')) return undefined;
  const { seriesCount, bucketCount, seriesOf, bucketOf } = grid;
  const cells = new Int32Array(seriesCount * bucketCount).fill(missing);
  let size = cells.length;
  for (let row = 0; row < seriesOf.length; row += 1) {
    const series = seriesOf[row] as number;
    const bucket = bucketOf[row] as number;
    const survives = row >= start && row < end;
    if (series < 0) continue;
    if (bucket < 0) {
      if (survives) return undefined;
      continue;
    }
    const cell = series * bucketCount + bucket;
    if (cells[cell] !== missing) return undefined;
    cells[cell] = survives ? row : cut;
    if (!survives) size -= 1;
  }
  const rows = new Int32Array(size);
  const series = new Int32Array(size);
  const buckets = new Int32Array(size);
  let at = 0;
  let before = missing;
  walkGrid(grid, keys, (one, bucket) => {
    const row = cells[one * bucketCount + bucket] as number;
    if (row === cut) return true;
    if (row !== missing) {
      if (row < before) return false;
      before = row;
    }
    rows[at] = row;
    series[at] = one;
    buckets[at] = bucket;
    at += 1;
    return true;
  });
  return at === size ? { rows, series, buckets, added: size - (end - start) } : undefined;
}

/** Called with each cell of the grid, in order, until it returns `false`. */
type VisitCell = (series: number, bucket: number) => boolean | undefined;

/**
 * Walks the grid in the order of its keys, ignoring measures: keys before time, then time, then the other keys. Only
 * the series are sorted, once; the cells are not.
 */
export function walkGrid({ seriesCount, bucketCount }: SeriesGrid, keys: readonly FillKey[], visit: VisitCell): void {
  const descending = keys.some((key) => key.by === 'bucket' && key.descending);
  const beforeTime = ranksOf(
    keys.slice(
      0,
      keys.findIndex((key) => key.by === 'bucket'),
    ),
  );
  const all = ranksOf(keys);
  const ordered = Int32Array.from({ length: seriesCount }, (_, series) => series).sort((a, b) =>
    compareRanks(all, a, b),
  );
  for (let first = 0, last = 0; first < seriesCount; first = last) {
    while (last < seriesCount && compareRanks(beforeTime, ordered[first] as number, ordered[last] as number) === 0)
      last += 1;
    for (let step = 0; step < bucketCount; step += 1) {
      const bucket = descending ? bucketCount - 1 - step : step;
      for (let index = first; index < last; index += 1) if (visit(ordered[index] as number, bucket) === false) return;
    }
  }
}

function ranksOf(keys: readonly FillKey[]): readonly Int32Array[] {
  return keys.flatMap((key) => (key.by === 'series' ? [key.ranks] : []));
}

function compareRanks(ranks: readonly Int32Array[], a: number, b: number): number {
  for (const of of ranks) {
    const difference = (of[a] as number) - (of[b] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The buckets of a series in order, each with its label in answers. */
interface SeriesLabels {
  readonly buckets: readonly Bucket[];
  readonly labels: readonly string[];
}

export function toSeriesLabels(
  { range, granularity }: PlanSeries,
  { zone, weekStart }: Pick<Plan, 'zone' | 'weekStart'>,
): SeriesLabels {
  const buckets = toBuckets(range, granularity, zone, weekStart);
  const labels = isCalendarUnit(granularity)
    ? buckets.map((bucket) => bucket.label)
    : buckets.map((bucket) => writeBucketLabel(bucket.start, granularity, zone));
  return { buckets, labels };
}
