import type { FillKey } from './fill-order.ts';
import { layOut, type FilledRows } from './lay-out.ts';
import type { SeriesGrid } from './series-grid.ts';
import { walkGrid } from './walk-grid.ts';

/** The surviving rows, as they stand, and between them the cells of the grid that the whole answer lacks. */
export function mergeMissing(grid: SeriesGrid, keys: readonly FillKey[], start: number, end: number): FilledRows {
  return layOut(grid, keys, start, end) ?? merge(grid, keys, start, end);
}

/** The general way: two ordered lists are merged by comparing their heads. */
function merge(grid: SeriesGrid, keys: readonly FillKey[], start: number, end: number): FilledRows {
  const missing = findMissing(grid, keys);
  const compare = toComparer(grid, keys, missing, start);
  const added = missing.length;
  const size = end - start + added;
  const rows = new Int32Array(size);
  const series = new Int32Array(size);
  const buckets = new Int32Array(size);
  let row = start;
  let next = 0;
  for (let index = 0; index < size; index += 1) {
    if (next === added || (row < end && compare(row, next) <= 0)) {
      rows[index] = row;
      series[index] = grid.seriesOf[row] as number;
      buckets[index] = grid.bucketOf[row] as number;
      row += 1;
    } else {
      rows[index] = -1;
      series[index] = missing[next]?.series ?? 0;
      buckets[index] = missing[next]?.bucket ?? 0;
      next += 1;
    }
  }
  return { rows, series, buckets, added };
}

interface Cell {
  readonly series: number;
  readonly bucket: number;
}

/** The missing cells in their order. They tie in all measures, so that these do not matter among them. */
function findMissing(grid: SeriesGrid, keys: readonly FillKey[]): readonly Cell[] {
  const { seriesCount, bucketCount, seriesOf, bucketOf } = grid;
  const present = new Uint8Array(seriesCount * bucketCount);
  seriesOf.forEach((series, row) => {
    const bucket = bucketOf[row] as number;
    if (series >= 0 && bucket >= 0) present[series * bucketCount + bucket] = 1;
  });
  const missing: Cell[] = [];
  walkGrid(grid, keys, (series, bucket) => {
    if (!present[series * bucketCount + bucket]) missing.push({ series, bucket });
  });
  return missing;
}

type Compare = (row: number, missing: number) => number;

/** Compares a surviving row with a missing cell, key by key. A row on no bucket comes behind all buckets. */
function toComparer({ bucketCount, seriesOf, bucketOf }: SeriesGrid, keys: readonly FillKey[], cells: readonly Cell[], start: number): Compare {
  const steps = keys.map((key): Compare => {
    if (key.by === 'measure') return (row) => key.sides[row - start] as number;
    if (key.by === 'series') return (row, missing) => (key.ranks[seriesOf[row] as number] as number) - (key.ranks[cells[missing]?.series ?? 0] as number);
    const sign = key.descending ? -1 : 1;
    return (row, missing) => {
      const bucket = bucketOf[row] as number;
      return bucket < 0 ? bucketCount : (bucket - (cells[missing]?.bucket ?? 0)) * sign;
    };
  });
  return (row, missing) => {
    for (const step of steps) {
      const difference = step(row, missing);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}
