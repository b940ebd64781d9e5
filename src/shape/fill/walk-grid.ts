import type { FillKey } from './fill-order.ts';
import type { SeriesGrid } from './series-grid.ts';

/** Called with each cell of the grid, in order, until it says `false`. */
export type VisitCell = (series: number, bucket: number) => boolean | void;

/**
 * Walks the grid in the order of its keys, measures aside: what stands before time among the keys, then time, then the
 * rest. The order is walked, not sorted: only the series are sorted, once.
 */
export function walkGrid({ seriesCount, bucketCount }: SeriesGrid, keys: readonly FillKey[], visit: VisitCell): void {
  const descending = keys.some((key) => key.by === 'bucket' && key.descending);
  const beforeTime = ranksOf(keys.slice(0, keys.findIndex((key) => key.by === 'bucket')));
  const all = ranksOf(keys);
  const ordered = Int32Array.from({ length: seriesCount }, (_, series) => series).sort((a, b) => compareRanks(all, a, b));
  for (let first = 0, last = 0; first < seriesCount; first = last) {
    while (last < seriesCount && compareRanks(beforeTime, ordered[first] as number, ordered[last] as number) === 0) last += 1;
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
