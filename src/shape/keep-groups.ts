import type { Plan } from '../plan/plan.ts';
import { alignRanges } from './compare.ts';
import { filled } from './result/marks.ts';
import type { Result } from './result/result.ts';
import { takeRows } from './result/take-rows.ts';
import { stack } from './stack.ts';
import { toGroups } from './values/codes.ts';
import { withParts } from '../ask/cloneable.ts';

/**
 * Applies the limit to the groups of a comparison, the current range first. If the limit or the offset cut the current
 * range (`isCut`), exactly its groups stay. Otherwise, groups that only other ranges have follow, up to the limit. Rows
 * that zero-fill added do not count towards it.
 */
export function keepGroups(results: readonly Result[], plans: readonly Plan[], isCut: boolean): readonly Result[] {
  const [current] = results;
  const limit = plans[0]?.limit;
  if (!current || (limit === undefined && !isCut)) return results;
  const labels = plans.map((_, index) => String(index));
  const stacked = stack(results.map((result, index) => ({ result, label: String(index) })));
  const { rowsOfRange, axis } = alignRanges(stacked, plans, labels);
  const measure = stacked.columns.find(({ kind }) => kind === 'measure');
  const flags = measure && stacked.marks.flags(measure.key);
  const isFilled = (row: number) => ((flags?.[row] ?? 0) & filled) !== 0;
  const dimensions = stacked.columns.filter(
    ({ kind, key }) => kind !== 'measure' && kind !== 'compare' && key !== axis,
  );
  const { groups } = toGroups(
    dimensions.map(({ key }) => stacked.codes(key)),
    stacked.rowCount,
  );
  const offsets = results.map((_, index) => results.slice(0, index).reduce((sum, { rowCount }) => sum + rowCount, 0));
  let room = isCut ? 0 : (limit ?? Infinity) - countCounted(rowsOfRange[0] ?? new Int32Array(), isFilled);
  const droppedSeries = new Set<number>();
  const keptSeries = new Set<number>();
  const places = Array.from(rowsOfRange[0] ?? [], (_, place) => {
    const rows = rowsOfRange.map((range) => range[place] as number);
    const series = groups[rows.find((row) => row >= 0) ?? 0] as number;
    const isCurrent = (rows[0] as number) >= 0;
    const isCounted = rows.some((row) => row >= 0 && !isFilled(row));
    const fits = isCurrent || (isCounted && room > 0);
    if (!isCurrent && fits) room -= 1;
    if (fits) keptSeries.add(series);
    else if (isCounted) droppedSeries.add(series);
    return { rows, series, fits, isCounted };
  });
  // As in `fill`: filled rows do not bring back a dropped series.
  const stays = ({ fits, isCounted, series }: (typeof places)[number]) =>
    fits || (!isCut && !isCounted && (keptSeries.has(series) || !droppedSeries.has(series)));
  const kept: number[][] = results.map(() => []);
  for (const place of places) {
    if (stays(place))
      place.rows.forEach((row, range) => row >= 0 && kept[range]?.push(row - (offsets[range] as number)));
  }
  const dropped = !isCut && droppedSeries.size > 0;
  return results.map((result, range) => {
    if (range === 0) return dropped && limit !== undefined ? withLimit(result, limit) : result;
    const rows = Int32Array.from(kept[range] ?? []).sort();
    return rows.length === result.rowCount ? result : takeRows(result, rows);
  });
}

function countCounted(rows: Int32Array, isFilled: (row: number) => boolean): number {
  return rows.reduce((sum, row) => sum + (row >= 0 && !isFilled(row) ? 1 : 0), 0);
}

function withLimit(result: Result, limit: number): Result {
  return withParts(result, { provenance: { ...result.provenance, truncated: { limit } } });
}
