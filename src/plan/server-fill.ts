import { type Column, granularityName } from './column.ts';
import type { Plan } from './plan.ts';

/**
 * The column of days that the platform fills itself; undefined if it fills nothing. It fills queries with measures, by
 * day, whose range comes from a top-level `inDateRange` filter. Source: the platform's transformation of answers, which
 * looks for the key `Cube.time.day` and ignores `dateRange` of a time dimension.
 */
export function serverFillColumn(plan: Plan): Column | undefined {
  if (plan.measures.length === 0) return undefined;
  const ranged = new Set(
    (plan.query.filters ?? []).flatMap((filter) =>
      'member' in filter && filter.operator === 'inDateRange' ? [filter.member] : [],
    ),
  );
  return plan.columns.find(
    (column) =>
      column.kind === 'time' && granularityName(column) === 'day' && !column.custom && ranged.has(column.member),
  );
}
