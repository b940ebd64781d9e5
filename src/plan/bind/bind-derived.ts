import {
  type Change,
  type Conditional,
  type Formula,
  mapNames,
  type Part,
  partsOf,
} from '../../ask/notation/formula.ts';
import { writeChange } from '../../ask/notation/write-formula.ts';
import { errorIssue, type Issue, type IssuePath } from '../../ask/outcome.ts';
import { shortNameOf } from '../../ask/query/member-name.ts';
import type { CanonicalFilter, CanonicalQuery } from '../../ask/query/query.ts';
import { plural } from '../../ask/text.ts';
import { toBuckets, toBucketStart, toUnitStart } from '../../ask/time/buckets.ts';
import { addBuckets } from '../../ask/time/calendar.ts';
import { type BucketSize, isCalendarUnit, sizeTitle } from '../../ask/time/granularity.ts';
import { writeRange } from '../../ask/time/previous-range.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { toInstant } from '../../ask/time/zone.ts';
import type { Column } from '../column.ts';
import { withoutLimit } from '../groups.ts';
import { toCatalog } from '../model/catalog.ts';
import type { Model } from '../model/model.ts';
import type { Condition, FurtherPlan, Plan, PlanOrder } from '../plan.ts';
import { comparesGroups } from '../sql/stage-part.ts';
import { anyMeasure, bindConditionals, isOnGroups, namesIn, takeConditionals } from './bind-conditionals.ts';
import type { Binding } from './bind-context.ts';
import { bindFilter } from './bind-filter.ts';
import { bindMembers, type BoundMembers } from './bind-members.ts';
import { testsUsers } from './bind-sub-queries.ts';
import { conditionalColumns, toFormulaColumn } from './formula-column.ts';
import { type Formulas, keyOf, rolls } from './read-formulas.ts';

/** Functions that bind a plain query. */
interface PlainBinding {
  readonly bindQuery: (query: CanonicalQuery, model: Model, binding: Binding) => Plan | undefined;
  readonly bindOrder: (query: CanonicalQuery, members: BoundMembers, binding: Binding) => readonly PlanOrder[];
  readonly bindLimit: (query: CanonicalQuery, binding: Binding) => number | undefined;
  /** The most rows that the backend returns at once; undefined if unlimited. */
  readonly greatest: number | undefined;
  /** True if shares are those of a breakdown although the query has no dimensions. */
  readonly isSplit?: boolean | undefined;
}

/**
 * Binds formulas as a plan that computes them from the answer to a plain query. `binding` uses the model with the
 * formulas.
 */
export function bindDerived(
  query: CanonicalQuery,
  { model, byName }: Formulas,
  outer: Binding,
  { bindQuery, bindOrder, bindLimit, greatest, isSplit = false }: PlainBinding,
): Plan | undefined {
  const binding: Binding = { ...outer, catalog: toCatalog(model) };
  const { formulas: _, ...plain } = query;
  if (query.ungrouped) {
    binding.issues.push(
      errorIssue('ungrouped-formula', 'Formulas are computed over groups, and the query is ungrouped.', {
        path: ['formulas'],
        hint: 'Leave "ungrouped" out.',
      }),
    );
    return undefined;
  }
  const members = bindMembers(query, binding);
  const conditionals = new Map<string, Conditional>();
  const own = new Map([...byName].map(([name, formula]) => [name, takeConditionals(formula, name, conditionals)]));
  const parts = uniqueParts([...own.values()].flatMap(partsOf)).filter(({ name }) => !conditionals.has(name));
  const isOwn = (filter: CanonicalFilter) => namesIn(filter).some((name) => own.has(name));
  const filters = query.filters ?? [];
  const baseFilters = filters.flatMap((filter, index) => (isOwn(filter) ? [] : [{ filter, index }]));
  const ownFilters = filters.flatMap((filter, index) => (isOwn(filter) ? [{ filter, index }] : []));
  const conditions = ownFilters.flatMap(({ filter, index }): readonly Condition[] => {
    const bound = bindFilter(filter, ['filters', index], binding);
    return bound ? [bound.condition] : [];
  });
  const conditioned = ownFilters.flatMap(({ filter }) => namesIn(filter)).filter((name) => !own.has(name));

  const places: IssuePath[] = [];
  const measures: string[] = [];
  const need = (name: string, path: IssuePath) => {
    if (measures.includes(name)) return;
    measures.push(name);
    places.push(path);
  };
  (query.measures ?? []).forEach((name, index) => own.has(name) || need(name, ['measures', index]));
  for (const [name, formula] of own)
    for (const part of partsOf(formula)) {
      if (conditionals.has(part.name)) continue;
      const found = binding.catalog.find(part.name);
      const window = found?.kind === 'measure' && rolls(part, found);
      need(window ? keyOf(part) : part.name, ['formulas', name]);
    }
  for (const name of conditioned) need(name, ['filters']);
  const [conditional] = conditionals.values();
  // The base has all groups, also those of which no row meets the conditions.
  if (measures.length === 0 && conditional) need(anyMeasure(conditional, binding), ['formulas']);

  const order = bindOrder(query, members, binding);
  const isOrdered =
    ownFilters.length === 0 && order.every(({ column }) => !own.has(members.columns[column]?.key ?? ''));
  const limit = bindLimit(query, binding);
  const inner = (asked: CanonicalQuery): Plan | undefined => {
    const issues: Issue[] = [];
    const plan = bindQuery(asked, model, { ...binding, issues, paths: [] });
    binding.issues.push(...issues.map((issue) => ({ ...issue, path: toOuterPath(issue.path, places, baseFilters) })));
    return plan;
  };
  const { order: _order, limit: _limit, offset: _offset, total, ...unordered } = plain;
  const asked = { ...unordered, measures, filters: baseFilters.map(({ filter }) => filter) };
  const bound = inner(
    isOrdered
      ? {
          ...asked,
          order: order.map(({ column, descending }) => [members.columns[column]!.key, descending ? 'desc' : 'asc']),
          limit: query.limit,
          offset: query.offset,
          total,
        }
      : asked,
  );
  if (!bound) return undefined;
  const base: Plan = isOrdered ? bound : { ...bound, limit: greatest, offset: 0, total: false };
  const narrowed = bindConditionals(conditionals, asked, baseFilters, binding, (narrow, formulas, issues) => {
    const inside = { bindQuery, bindOrder, bindLimit, greatest, isSplit };
    const plan = bindDerived(narrow, { model, byName: formulas }, { ...outer, issues }, inside);
    return plan && withoutLimit(plan, greatest);
  });
  const further = [
    ...parts.flatMap((part) => bindFurther(part, base, asked, binding, inner, greatest, isSplit)),
    ...narrowed,
  ];
  const known = [...base.columns, ...narrowed.flatMap(conditionalColumns)];
  const columns = members.columns.map((column): Column => {
    const formula = own.get(column.key);
    return formula ? toFormulaColumn(column, formula, known, byName.get(column.key)!) : column;
  });
  const keys = new Map(
    [
      ...base.measures.map((each) => ({ ...each, columns: base.columns })),
      ...withColumns(members.measures, columns),
    ].map(({ measure, column, columns: of }) => [measure, of[column]!.key] as const),
  );
  return {
    ...base,
    query,
    columns,
    measures: members.measures,
    groupConditions: [...base.groupConditions, ...conditions],
    order,
    limit,
    offset: query.offset ?? 0,
    total: query.total ?? false,
    derived: {
      base,
      further,
      formulas: columns.flatMap(({ key }, column) => {
        const formula = own.get(key);
        return formula ? [{ column, formula: toKeys(formula) }] : [];
      }),
      conditions,
      keys,
      ordered: isOrdered,
    },
  };
}

function withColumns<One extends object>(measures: readonly One[], columns: readonly Column[]) {
  return measures.map((each) => ({ ...each, columns }));
}

/** The formula with its parts renamed to their column keys. */
function toKeys(formula: Formula): Formula {
  return mapNames<string, string>(
    formula,
    (name, change): Formula => ({
      kind: 'measure',
      name: keyOf({ kind: 'measure', name, ...(change && { change }) }),
    }),
  );
}

function uniqueParts(parts: readonly Part[]): readonly Part[] {
  return [...new Map(parts.map((part) => [keyOf(part), part])).values()];
}

/** Maps an issue's path in the plain query to the query with formulas. */
function toOuterPath(
  [key, index, ...rest]: IssuePath,
  places: readonly IssuePath[],
  filters: readonly { readonly index: number }[],
): IssuePath {
  if (key === 'measures' && typeof index === 'number') return places[index] ?? ['measures'];
  if (key === 'filters' && typeof index === 'number') return ['filters', filters[index]?.index ?? index, ...rest];
  return [key, index, ...rest].filter((step) => step !== undefined);
}

/** The extra plan that a moving average, a running sum or a share needs. */
function bindFurther(
  part: Part,
  base: Plan,
  asked: CanonicalQuery,
  binding: Binding,
  inner: (query: CanonicalQuery) => Plan | undefined,
  greatest: number | undefined,
  splits: boolean,
): readonly FurtherPlan[] {
  const { change, name } = part;
  const found = binding.catalog.find(name);
  if (!change || found?.kind !== 'measure' || rolls(part, found)) return [];
  const whole: CanonicalQuery = {
    ...asked,
    measures: [name],
    filters: (asked.filters ?? []).filter((filter) => !isOnGroups(filter, binding)),
    order: [],
  };
  const columns = [{ from: name, to: keyOf(part) }];
  const unlimited = (plan: Plan | undefined) => plan && { ...plan, limit: greatest, offset: 0 };
  if (change.kind === 'share') {
    const isSplit = splits || base.dimensions.length > 0;
    if (base.rowConditions.some(testsUsers)) {
      const message =
        `"${shortNameOf(name)} share" compares groups with all rows, ` +
        "and a filter on each user's figures selects other users in each group.";
      const hint = 'Leave out the share or the filter.';
      binding.issues.push(errorIssue('unfit-per-user', message, { path: ['formulas'], hint }));
      return [];
    }
    const { dimensions: _dimensions, ...all } = whole;
    const plan = unlimited(inner({ ...all, ...(isSplit ? {} : { timeDimensions: withoutBuckets(all) }) }));
    return plan ? [{ kind: 'share', plan, columns }] : [];
  }
  const series = checkSeries(part, change, base, binding);
  if (!series) return [];
  const isAverage = change.kind === 'average';
  const range = isAverage ? backBy(series.range, change.count - 1, series.granularity, base) : series.range;
  const plan = unlimited(inner(withRange(whole, series.index, range, base)));
  if (plan && comparesGroups(plan)) {
    const message =
      `"${shortNameOf(name)} ${writeChange(change)}" needs a value for each bucket, ` +
      `and "${shortNameOf(name)}" compares groups.`;
    const hint = 'Query the measure itself, or use the measures that it is computed from.';
    binding.issues.push(errorIssue('unfit-change', message, { path: ['formulas'], hint }));
    return [];
  }
  return plan
    ? [{ kind: isAverage ? 'average' : 'sum', plan, columns, ...(isAverage && { count: change.count }) }]
    : [];
}

function withoutBuckets({ timeDimensions = [] }: CanonicalQuery) {
  return timeDimensions.map(({ granularity: _, ...time }) => time);
}

interface Axis {
  readonly index: number;
  readonly granularity: BucketSize;
  readonly range: TimeRange;
}

function checkSeries(
  part: Part,
  change: Change,
  { times, series, query }: Plan,
  { issues }: Binding,
): Axis | undefined {
  const said = `"${shortNameOf(part.name)} ${writeChange(change)}"`;
  const refuse = (code: string, message: string, hint: string): undefined => {
    issues.push(errorIssue(code, message, { path: ['formulas'], hint }));
    return undefined;
  };
  const axes = times.filter(({ granularity }) => granularity !== undefined);
  const index = (query.timeDimensions ?? []).findIndex(({ granularity }) => granularity !== undefined);
  if (axes.length > 1)
    return refuse(
      'window-of-two-axes',
      `${said} needs one time with a granularity, and the query has ${axes.length}.`,
      'Keep one granularity.',
    );
  if (!series || index < 0)
    return refuse(
      'window-without-range',
      `${said} needs a time with a granularity and a range.`,
      'Write `by day last 30 days`, for example.',
    );
  const unit = change.kind === 'average' ? change.unit : undefined;
  const size = sizeTitle(series.granularity);
  if (unit !== undefined && unit !== series.granularity)
    return refuse(
      'window-of-other-unit',
      `${said} is a mean of ${plural(2, unit)}, and the buckets are ${plural(2, size)}.`,
      `Group by ${unit}, or write \`moving average N\` for the mean of N ${plural(2, size)}.`,
    );
  return { index, granularity: series.granularity, range: series.range };
}

/** The range extended by `count` whole buckets before its first one. */
function backBy(
  { start, end }: TimeRange,
  count: number,
  granularity: BucketSize,
  { zone, weekStart }: Plan,
): TimeRange {
  if (!isCalendarUnit(granularity)) {
    const first = toBucketStart(start, granularity, zone);
    const near = { start: addBuckets(first, granularity, -count - 2), end: first };
    return { start: count === 0 ? first : (toBuckets(near, granularity, zone).at(-count)?.start ?? near.start), end };
  }
  const first = toUnitStart(start, granularity, zone, weekStart);
  return { start: toInstant(addBuckets(first, granularity, -count), zone, 'first'), end };
}

/** The query with another range on its axis, however the range was written. */
function withRange(query: CanonicalQuery, index: number, range: TimeRange, { zone }: Plan): CanonicalQuery {
  const times = query.timeDimensions ?? [];
  const axis = times[index]!;
  const isRange = (filter: CanonicalFilter) =>
    'member' in filter && filter.operator === 'inDateRange' && filter.member === axis.dimension;
  const isFiltered = times.every((time) => time.dateRange === undefined);
  const first = isFiltered ? (query.filters ?? []).findIndex(isRange) : -1;
  return {
    ...query,
    timeDimensions: times
      .map((time, at) => (at === index ? { ...time, dateRange: writeRange(range, zone) } : time))
      .filter(({ dimension, granularity }) => granularity !== undefined || dimension !== axis.dimension),
    filters: (query.filters ?? []).filter((_, at) => at !== first),
  };
}
