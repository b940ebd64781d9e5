import type { FillKey } from './fill-order.ts';
import type { SeriesGrid } from './series-grid.ts';

/** The rows of a filled answer, in their order. */
export interface FilledRows {
  /** The row of the answer, or −1 where it is a missing one. */
  readonly rows: Int32Array;
  /** Series and bucket of the missing ones. */
  readonly series: Int32Array;
  readonly buckets: Int32Array;
  readonly added: number;
}

/** Merges the surviving rows, as they stand, with the cells of the grid that the whole answer lacks. */
export function mergeMissing(grid: SeriesGrid, keys: readonly FillKey[], start: number, end: number): FilledRows {
  const missing = findMissing(grid, keys);
  const compare = keys.some((key) => key.by === 'measure') ? compareByKeys(grid, keys, missing, start) : compareByPlace(grid, missing);
  const size = end - start + missing.count;
  const rows = new Int32Array(size);
  const series = new Int32Array(size);
  const buckets = new Int32Array(size);
  let row = start;
  let next = 0;
  for (let index = 0; index < size; index += 1) {
    if (next === missing.count || (row < end && compare(row, next) <= 0)) {
      rows[index] = row;
      row += 1;
    } else {
      rows[index] = -1;
      series[index] = missing.series[next] as number;
      buckets[index] = missing.buckets[next] as number;
      next += 1;
    }
  }
  return { rows, series, buckets, added: missing.count };
}

interface MissingCells {
  readonly count: number;
  readonly series: Int32Array;
  readonly buckets: Int32Array;
  /** Of every cell of the grid (series × buckets + bucket): its place in the order. */
  readonly places: Int32Array;
}

/**
 * The missing cells in their order. All of them have the same measures, so that the order is: what stands before time
 * among the keys, then time, then the rest. The cells are made in that order instead of being sorted.
 */
function findMissing(grid: SeriesGrid, keys: readonly FillKey[]): MissingCells {
  const { seriesCount, bucketCount } = grid;
  const { present, count } = findPresent(grid);
  const series = new Int32Array(count);
  const buckets = new Int32Array(count);
  const places = new Int32Array(present.length);
  const descending = keys.some((key) => key.by === 'bucket' && key.descending);
  const beforeTime = ranksOf(keys.slice(0, keys.findIndex((key) => key.by === 'bucket')));
  const all = ranksOf(keys);
  const ordered = Int32Array.from({ length: seriesCount }, (_, one) => one).sort((a, b) => compareRanks(all, a, b));
  let place = 0;
  let at = 0;
  for (let first = 0, last = 0; first < seriesCount; first = last) {
    while (last < seriesCount && compareRanks(beforeTime, ordered[first] as number, ordered[last] as number) === 0) last += 1;
    for (let step = 0; step < bucketCount; step += 1) {
      const bucket = descending ? bucketCount - 1 - step : step;
      for (let index = first; index < last; index += 1) {
        const one = ordered[index] as number;
        const cell = one * bucketCount + bucket;
        places[cell] = place;
        place += 1;
        if (present[cell]) continue;
        series[at] = one;
        buckets[at] = bucket;
        at += 1;
      }
    }
  }
  return { count, series, buckets, places };
}

/** Which cells of the grid the whole answer has, and how many it lacks. */
function findPresent({ seriesCount, bucketCount, seriesOf, bucketOf }: SeriesGrid): { readonly present: Uint8Array; readonly count: number } {
  const present = new Uint8Array(seriesCount * bucketCount);
  let count = present.length;
  for (let row = 0; row < seriesOf.length; row += 1) {
    const one = seriesOf[row] as number;
    const bucket = bucketOf[row] as number;
    if (one < 0 || bucket < 0 || present[one * bucketCount + bucket]) continue;
    present[one * bucketCount + bucket] = 1;
    count -= 1;
  }
  return { present, count };
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

type Compare = (row: number, missing: number) => number;

/** Compares a surviving row with a missing cell by their places on the grid. A row on no bucket comes last. */
function compareByPlace({ bucketCount, seriesOf, bucketOf }: SeriesGrid, { series, buckets, places }: MissingCells): Compare {
  return (row, missing) => {
    const bucket = bucketOf[row] as number;
    if (bucket < 0) return 1;
    const there = places[(series[missing] as number) * bucketCount + (buckets[missing] as number)] as number;
    return (places[(seriesOf[row] as number) * bucketCount + bucket] as number) - there;
  };
}

/** The same where a measure decides too, key by key. */
function compareByKeys({ bucketCount, seriesOf, bucketOf }: SeriesGrid, keys: readonly FillKey[], cells: MissingCells, start: number): Compare {
  const steps = keys.map((key): Compare => {
    if (key.by === 'measure') return (row) => key.sides[row - start] as number;
    if (key.by === 'series') return (row, missing) => (key.ranks[seriesOf[row] as number] as number) - (key.ranks[cells.series[missing] as number] as number);
    const sign = key.descending ? -1 : 1;
    return (row, missing) => {
      const bucket = bucketOf[row] as number;
      return bucket < 0 ? bucketCount : (bucket - (cells.buckets[missing] as number)) * sign;
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
