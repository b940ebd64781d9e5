import type { Plan } from '../plan/plan.ts';
import { alignRanges } from './align-ranges.ts';
import { filled } from './marks.ts';
import type { Result } from './result.ts';
import { stack } from './stack.ts';
import { takeRows } from './values/take-rows.ts';

/**
 * The results of a comparison, the current range first, without the groups that its limit leaves out. `isCut`: the limit
 * or the offset cut the current range, so that exactly its groups stay. If not, groups that only the other ranges have
 * follow up to the limit. Rows that zero-fill added do not count towards it.
 */
export function keepGroups(results: readonly Result[], plans: readonly Plan[], isCut: boolean): readonly Result[] {
  const [current] = results;
  const limit = plans[0]?.limit;
  if (!current || (limit === undefined && !isCut)) return results;
  const stacked = stack(results.map((result, index) => ({ result, label: plans[index]?.comparison ?? '' })));
  const { rowsOfRange } = alignRanges(stacked, plans);
  const measure = stacked.columns.find(({ kind }) => kind === 'measure');
  const flags = measure && stacked.marks.flags(measure.key);
  const isFilled = (row: number) => ((flags?.[row] ?? 0) & filled) !== 0;
  const offsets = results.map((_, index) => results.slice(0, index).reduce((sum, { rowCount }) => sum + rowCount, 0));
  let room = isCut ? 0 : (limit ?? Infinity) - countCounted(rowsOfRange[0] ?? new Int32Array(), isFilled);
  let dropped = false;
  const kept: number[][] = results.map(() => []);
  for (let place = 0; place < (rowsOfRange[0]?.length ?? 0); place += 1) {
    const rows = rowsOfRange.map((range) => range[place] as number);
    const isCounted = (rows[0] as number) < 0 && rows.some((row) => row >= 0 && !isFilled(row));
    const stays = (rows[0] as number) >= 0 || (!isCut && (!isCounted || room > 0));
    if (isCounted && stays) room -= 1;
    dropped ||= !stays && !isCut;
    if (stays) rows.forEach((row, range) => row >= 0 && kept[range]?.push(row - (offsets[range] as number)));
  }
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
  return { ...result, provenance: { ...result.provenance, truncated: { limit } } };
}
