import type { CanonicalQuery, DateRangeText, Filter } from '../../ask/query/query.ts';
import { errorIssue } from '../../ask/outcome.ts';
import { writtenEnds } from '../asked-ranges.ts';
import type { Model } from '../model/model.ts';
import type { BoundTime, Condition, Plan, PlanSeries } from '../plan.ts';
import type { BindContext, Binding } from './bind-context.ts';
import { bindFilter, type BoundFilter } from './bind-filter.ts';
import { bindJoins } from './bind-joins.ts';
import { bindLimit } from './bind-limit.ts';
import { bindMembers } from './bind-members.ts';
import { bindOrder } from './bind-order.ts';
import { checkFunnel } from './check-funnel.ts';
import { checkMeasures } from './check-measures.ts';
import { takeRangeFilter } from './take-range-filter.ts';
import { cubesOf } from './cubes-of.ts';

/**
 * One query as a plan; undefined, and issues, where it cannot be. `compared` is the time dimension (its index) whose
 * range is one of several that are compared.
 */
export function bindQuery(
  query: CanonicalQuery, writtenFilters: readonly Filter[], model: Model, context: BindContext, binding: Binding, compared?: number,
): Plan | undefined {
  const members = bindMembers(query, binding);
  const { times, filters, byFilter } = takeRangeFilter(members.times, query.filters ?? [], binding);
  const conditions = filters.map(({ filter, index }) => bindFilter(filter, ['filters', index], binding)).filter((filter) => filter !== undefined);
  if (members.columns.length === 0 && !binding.issues.some((issue) => issue.severity === 'error')) {
    binding.issues.push(errorIssue('empty-query', 'The query asks for nothing.', {
      hint: 'Name a measure, a dimension, or a time dimension with a granularity.',
    }));
  }
  const order = bindOrder(query, members.columns, binding);
  const limit = bindLimit(query, context, binding);
  const cubes = cubesOf(model, { ...members, times, conditions: conditions.map((filter) => filter.condition) });
  const tree = cubes.length === 0 ? undefined : bindJoins(cubes, model, binding);
  if (!tree) return undefined;
  const plan: Plan = {
    query, writtenFilters, model, zone: binding.time.zone, weekStart: context.weekStart ?? 'monday', project: context.project, now: binding.time.now,
    columns: members.columns, dimensions: members.dimensions, measures: members.measures, segments: members.segments, times,
    rowConditions: ofLevel(conditions, 'rows'), groupConditions: ofLevel(conditions, 'groups'),
    ...tree, order, limit, offset: query.offset ?? 0, total: query.total ?? false, ungrouped: query.ungrouped ?? false,
    series: seriesOf(times, byFilter), comparison: compared === undefined ? undefined : comparisonOf(query.timeDimensions?.[compared]?.dateRange, binding),
  };
  checkMeasures(plan, binding);
  const funnel = checkFunnel(plan, binding);
  return funnel ? { ...plan, funnel } : plan;
}

function ofLevel(filters: readonly BoundFilter[], level: BoundFilter['level']): readonly Condition[] {
  return filters.filter((filter) => filter.level === level).map((filter) => filter.condition);
}

function seriesOf(times: readonly BoundTime[], byFilter: BoundTime | undefined): PlanSeries | undefined {
  const axis = times.find((time) => time.granularity !== undefined);
  if (!axis?.granularity || axis.column === undefined || !axis.range) return undefined;
  return { column: axis.column, granularity: axis.granularity, range: axis.range, byFilter: axis === byFilter };
}

/** As Cube names it: first and last millisecond, in the query's zone. */
function comparisonOf(written: DateRangeText | undefined, { time }: Binding): string | undefined {
  return written === undefined ? undefined : writtenEnds(written, time)?.join(' - ');
}
