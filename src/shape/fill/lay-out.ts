import type { FillKey } from './fill-order.ts';
import type { SeriesGrid } from './series-grid.ts';
import { walkGrid } from './walk-grid.ts';

/** The rows of a filled answer, in their order. */
export interface FilledRows {
  /** The row of the answer, or −1 where it is a missing one. */
  readonly rows: Int32Array;
  readonly series: Int32Array;
  /** −1 where a row stands on no bucket. */
  readonly buckets: Int32Array;
  /** How many of them are missing ones. */
  readonly added: number;
}

const missing = -1;
const cut = -2;

/**
 * The quick way to fill, for answers that stand in the order of the grid: rows are put into their cells, and the grid is
 * read from its beginning to its end. Undefined where the order is another: a measure decides it, a row stands on no
 * bucket, or the answer is not in its own order.
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
