import { type Column, granularityName } from './column.ts';
import type { Plan } from './plan.ts';

/**
 * The column of days that a platform fills by itself: its answers to questions with measures, by day, whose range an
 * `inDateRange` filter at the top level gives. Undefined where it adds nothing. Source: the platform's transformation
 * of answers, which looks for the key `Cube.time.day` and leaves `dateRange` of a time dimension alone.
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
