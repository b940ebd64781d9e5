import { bad, badWith, errorIssue, type Issue, type Outcome, settle, warningIssue } from '../../ask/outcome.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import { splitGranularity } from '../../ask/query/member-name.ts';
import { earlierRange, isRelativeRange } from '../../ask/query/earlier-range.ts';
import type { CanonicalQuery, DateRangeText, Filter, Query } from '../../ask/query/query.ts';
import { quote } from '../../ask/text.ts';
import { hasGrid } from '../../ask/time/granularity.ts';
import { firstInstant, isInstant, lastInstant, type TimeContext } from '../../ask/time/range.ts';
import { readZone } from '../../ask/time/zone.ts';
import { writtenEnds } from '../asked-ranges.ts';
import type { Column } from '../column.ts';
import { toCatalog } from '../model/catalog.ts';
import { type ListCube, listCube, listsIn, partsOf } from '../list-conditions.ts';
import { type Cube, isPerUser, type Model } from '../model/model.ts';
import type { BoundTime, Condition, Plan, PlanOrder, PlanSeries } from '../plan.ts';
import { leadsFromOneToMany } from '../sql/repeated-rows.ts';
import type { BindContext, Binding } from './bind-context.ts';
import { bindFilter, type BoundFilter, takeRangeFilter } from './bind-filter.ts';
import { bindDerived } from './bind-derived.ts';
import { overRange, readFormulas } from './read-formulas.ts';
import { bindComputation, bindNeededCohorts } from './bind-analysis.ts';
import { sortCohortConditions } from './bind-cohort-filter.ts';
import { bindJoins, cubesOf, type FoundSubQueries, type FoundSwitches, toBoundSwitches } from './bind-joins.ts';
import { findMember } from './find-member.ts';
import { bindDimensions, bindMembers, type BoundMembers } from './bind-members.ts';
import { type BindOne, bindOthers } from './bind-others.ts';
import { bindSubQueries } from './bind-sub-queries.ts';
import { checkMeasures, openSwitches } from './check-measures.ts';

/**
 * Binds a query to a model: one plan, or one for each range of a comparison. Reports all issues at once, with paths
 * into the canonical query (`['filters', 0, 'operator']`).
 */
export function bind(query: Query, model: Model, context: BindContext): Outcome<readonly Plan[]> {
  const canonical = toCanonicalQuery(query);
  const issues: Issue[] = [];
  const zone = readZone(canonical.timezone ?? context.zone ?? 'UTC');
  issues.push(...zone.issues.map((issue) => ({ ...issue, path: ['timezone'] })));
  const name = zone.ok ? zone.value : 'UTC';
  const now = typeof context.now === 'function' ? context.now(name) : context.now;
  if (!isInstant(now)) {
    const hint = `Use milliseconds since 1970, from ${firstInstant} to ${lastInstant}.`;
    return badWith('invalid-present', `${now} is not a valid reference time for relative ranges.`, { hint });
  }
  const binding: Binding = {
    catalog: toCatalog(model),
    time: { now, zone: name, weekStart: context.weekStart },
    issues,
    paths: [],
    cohorts: new Set(),
    ignoresUnknownOrder: context.ignoresUnknownOrder,
    isRemote: context.reach === 'remote',
    noTouches:
      context.reach === 'remote'
        ? {
            reason: 'Servers do not compute it.',
            hint: 'Export the events with `sluice export`, then run the same query with `--backend embedded`.',
          }
        : undefined,
  };
  const written = query.filters ?? [];
  const formulas = canonical.formulas && readFormulas(canonical, model, binding, context);
  if (canonical.formulas && !formulas) return bad(dropRepeats(issues));
  const greatest = context.reach === 'remote' ? greatestRemoteLimit : undefined;
  const plans = comparedQueries(canonical, binding).map((single, range) => {
    const known = issues.length;
    const bindOne: BindOne = (asked, { beside, isRank = false } = {}) =>
      formulas
        ? bindDerived(
            asked,
            isRank ? overRange(formulas) : formulas,
            { ...binding, beside },
            {
              bindQuery: (plain, extended, inner) =>
                bindQuery(plain, written, extended, context, inner, single.compared),
              bindOrder,
              bindLimit: (limited, outer) => bindLimit(limited, context, outer),
              greatest,
              isSplit: beside !== undefined,
            },
          )
        : bindQuery(asked, written, model, context, { ...binding, beside }, single.compared);
    const plan = single.query.other ? bindOthers(single.query, bindOne, greatest, binding) : bindOne(single.query);
    if (single.compared !== undefined)
      issues.push(...issues.splice(known).map((issue) => asWritten(issue, single.compared!, range)));
    return plan;
  });
  if (plans[0]) warnOfTotal(plans[0], issues);
  return settle(
    plans.filter((plan) => plan !== undefined),
    dropRepeats(issues),
  );
}

/** Warns if a condition on a measure tests the only row: people may mean those of each customer. */
function warnOfTotal({ columns, groupConditions, ungrouped, computed }: Plan, issues: Issue[]): void {
  if (groupConditions.length === 0 || ungrouped || computed || columns.some(({ kind }) => kind !== 'measure')) return;
  issues.push(
    warningIssue('total-tested', 'The condition on a measure tests the whole answer, because nothing groups it.', {
      path: ['filters'],
      hint: 'To test each group, add its dimension after `by`.',
    }),
  );
}

/** Moves an issue of a compared range to its place in `compareDateRange`. */
function asWritten(issue: Issue, compared: number, range: number): Issue {
  const [part, index, key, ...rest] = issue.path;
  if (part !== 'timeDimensions' || index !== compared || key !== 'dateRange') return issue;
  return { ...issue, path: [part, index, 'compareDateRange', range, ...rest] };
}

interface ComparedQuery {
  readonly query: CanonicalQuery;
  /** Index of the compared time dimension. */
  readonly compared?: number;
}

/** A query for each range of `compareDateRange`, or the query itself. */
function comparedQueries(query: CanonicalQuery, binding: Binding): readonly ComparedQuery[] {
  const times = query.timeDimensions ?? [];
  const index = times.findIndex((time) => time.compareDateRange);
  const compared = times[index];
  if (!compared?.compareDateRange) return [{ query }];
  if (times.some((time, other) => other !== index && time.compareDateRange)) {
    binding.issues.push(
      errorIssue('two-comparisons', 'Only one time dimension can be compared.', { path: ['timeDimensions'] }),
    );
  }
  const { compareDateRange, ...rest } = compared;
  const [first] = compareDateRange;
  if (typeof first === 'string' && isRelativeRange(first)) {
    binding.issues.push(
      errorIssue('no-range', `Without a range there is nothing to compare ${quote(first)} with.`, {
        path: ['timeDimensions', index, 'compareDateRange', 0],
        hint: 'Put a range before it, such as `last 7 days`.',
      }),
    );
    return [];
  }
  return toRanges(compareDateRange, binding.time).map((dateRange) => ({
    compared: index,
    query: { ...query, timeDimensions: times.with(index, { ...rest, dateRange }) },
  }));
}

/**
 * `previous …` means the period before the preceding range in the list. Ranges that cannot be read report their own
 * issues later.
 */
function toRanges([first, ...others]: readonly DateRangeText[], time: TimeContext): readonly DateRangeText[] {
  const ranges = first === undefined ? [] : [first];
  for (const other of others) {
    const before = ranges.at(-1);
    const range = before === undefined ? other : earlierRange(before, other, time);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

/** A comparison binds its common parts once per range but reports their issues once. */
function dropRepeats(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Set<string>();
  return issues.filter((issue) => {
    const key = JSON.stringify([issue.code, issue.path, issue.message]);
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * Binds one query. Returns undefined and adds issues if it is invalid. `compared`: index of the time dimension whose
 * range is one of several compared ranges.
 */
function bindQuery(
  query: CanonicalQuery,
  writtenFilters: readonly Filter[],
  model: Model,
  context: BindContext,
  binding: Binding,
  compared?: number,
): Plan | undefined {
  const members = bindMembers(query, binding);
  const { times, filters } = takeRangeFilter(members.times, query.filters ?? [], binding);
  const conditions = filters
    .map(({ filter, index }) => bindFilter(filter, ['filters', index], binding))
    .filter((filter) => filter !== undefined);
  if (members.columns.length === 0 && !binding.issues.some((issue) => issue.severity === 'error')) {
    binding.issues.push(
      errorIssue('empty-query', 'The query requests nothing.', {
        hint: 'Add a measure, a dimension, or a time dimension with a granularity.',
      }),
    );
  }
  const order = bindOrder(query, members, binding);
  const limit = bindLimit(query, context, binding);
  const subQueries: FoundSubQueries = new Map();
  const beside = bindDimensions(binding.beside ?? [], [], binding);
  const dimensions = [...members.dimensions, ...beside];
  const needs = { ...members, dimensions, times, conditions: conditions.map((filter) => filter.condition) };
  const switches: FoundSwitches = new Map();
  const cubes = cubesOf(model, needs, subQueries, switches);
  const onRows = ofLevel(conditions, 'rows');
  const testsLists = onRows.some((condition) => listsIn(condition).length > 0);
  const tested = testsLists ? onRows.flatMap(partsOf) : onRows;
  const apart = testsLists ? onlyTested(cubes, cubesOf(model, { ...needs, conditions: [] }), tested) : [];
  const tree = cubes.length === 0 ? undefined : joinWithout(apart, cubes, model, binding);
  if (!tree) return undefined;
  const alone: Plan = {
    query,
    writtenFilters,
    model,
    zone: binding.time.zone,
    weekStart: context.weekStart ?? 'monday',
    project: context.project,
    now: binding.time.now,
    columns: members.columns,
    dimensions: members.dimensions,
    measures: members.measures,
    segments: members.segments,
    times,
    rowConditions: tested,
    groupConditions: ofLevel(conditions, 'groups'),
    ...tree,
    ...(switches.size > 0 && { switches: toBoundSwitches(switches) }),
    order,
    limit,
    offset: query.offset ?? 0,
    total: query.total ?? false,
    ungrouped: query.ungrouped ?? false,
    series: seriesOf(times),
    comparison: compared === undefined ? undefined : comparisonOf(query.timeDimensions?.[compared]?.dateRange, binding),
  };
  const plan: Plan = {
    ...alone,
    subQueries: bindSubQueries(subQueries, alone, binding, (inner) => checkMeasures(inner, binding)),
  };
  checkMeasures(plan, binding);
  warnOfRepeats(plan, binding.issues);
  return withComputation(withoutSums(plan), binding);
}

/** Warns if a condition on a joined cube with many rows lists the rows of others several times. */
function warnOfRepeats({ ungrouped, dimensions, measures, times, multiplied }: Plan, issues: Issue[]): void {
  const shown = times.filter(({ column }) => column !== undefined);
  const listed = [...dimensions, ...measures, ...shown].map(({ cube }) => cube.name);
  if (!ungrouped || listed.length === 0 || !listed.every((name) => multiplied.includes(name))) return;
  issues.push(
    warningIssue(
      'repeated-rows',
      `Rows of ${quote(listed[0]!)} are listed several times, once for each of their rows in a joined cube.`,
      { path: ['ungrouped'], hint: 'Add a dimension of the joined cube, or leave "ungrouped" out.' },
    ),
  );
}

/** The lists that conditions test and nothing else reads. A condition on two lists needs both beside each other. */
function onlyTested(
  cubes: readonly Cube[],
  ofMembers: readonly Cube[],
  tested: readonly Condition[],
): readonly ListCube[] {
  const together = tested.map(listsIn).filter((lists) => lists.length > 1);
  const needed = [...ofMembers, ...together.flat()];
  return cubes.flatMap((cube) => (needed.includes(cube) ? [] : (listCube(cube) ?? [])));
}

/**
 * Joins the cubes of a query, except lists that are only tested: their rows are those of which a value meets the
 * conditions, and no figure counts them twice.
 */
function joinWithout(
  lists: readonly ListCube[],
  cubes: readonly Cube[],
  model: Model,
  binding: Binding,
): ReturnType<typeof bindJoins> {
  if (lists.length === 0) return bindJoins(cubes, model, binding);
  const names = new Set(lists.map(({ name }) => name));
  const owners = model.cubes.filter(({ name }) => lists.some(({ source }) => source.of === name));
  const others = [...new Set([...cubes.filter(({ name }) => !names.has(name)), ...owners])];
  const paths = binding.paths?.filter((path) => !names.has(path.at(-1) ?? ''));
  return bindJoins(others, model, { ...binding, paths });
}

/**
 * Groups can contain the same rows, so that their values do not add up: those of several values of a switch, and those
 * of a cube that has many rows for one of the measure's.
 */
function withoutSums(plan: Plan): Plan {
  const all = openSwitches(plan).length > 0;
  if (!all && plan.multiplied.length === 0) return plan;
  const groups = cubesOf(plan.model, {
    dimensions: plan.dimensions,
    times: plan.times.filter(({ column }) => column !== undefined),
    measures: [],
    segments: [],
    conditions: [],
    columns: [],
  });
  const overlap = plan.measures
    .filter(({ cube }) => all || groups.some((other) => leadsFromOneToMany(cube, other, plan.joins)))
    .map(({ column }) => column);
  return {
    ...plan,
    columns: plan.columns.map((column, index) => (overlap.includes(index) ? { ...column, additive: false } : column)),
  };
}

/** Adds the computation to the plan. Conditions on cohorts apply to the events that it is computed from. */
function withComputation(plan: Plan, binding: Binding): Plan {
  const isComputed = plan.root.source.kind === 'computed';
  const { events, rows } = isComputed
    ? sortCohortConditions(plan.rowConditions, binding.issues)
    : { events: [], rows: plan.rowConditions };
  const computed = bindComputation({ ...plan, rowConditions: rows }, binding, events);
  const cohorts = bindNeededCohorts(plan, binding);
  return { ...plan, rowConditions: rows, ...(computed && { computed }), ...(cohorts.length > 0 && { cohorts }) };
}

function ofLevel(filters: readonly BoundFilter[], level: BoundFilter['level']): readonly Condition[] {
  return filters.filter((filter) => filter.level === level).map((filter) => filter.condition);
}

function seriesOf(times: readonly BoundTime[]): PlanSeries | undefined {
  const axis = times.find((time) => time.granularity !== undefined);
  if (!axis?.granularity || !hasGrid(axis.granularity) || axis.column === undefined || !axis.range) return undefined;
  return { column: axis.column, granularity: axis.granularity, range: axis.range };
}

/** Cube's name for the range: first and last millisecond in the query's zone. */
function comparisonOf(written: DateRangeText | undefined, { time }: Binding): string | undefined {
  return written === undefined ? undefined : writtenEnds(written, time)?.join(' - ');
}

/** Default number of rows. Source: the platform's documentation and Cube's default. */
const defaultLimit = 10_000;

/** The most rows that the platform and Cube return in one answer. */
export const greatestRemoteLimit = 50_000;

/**
 * The number of rows asked for; undefined for all. Local engines take any explicit limit; remote ones reject a limit
 * above their maximum.
 */
function bindLimit(query: CanonicalQuery, context: BindContext, binding: Binding): number | undefined {
  const limit = query.limit ?? (context.limits === 'none' ? undefined : defaultLimit);
  checkCount('limit', limit ?? 0, binding);
  checkCount('offset', query.offset ?? 0, binding);
  if (context.limits === 'remote' && limit !== undefined && limit > greatestRemoteLimit) {
    binding.issues.push(
      errorIssue(
        'limit-too-high',
        `A limit of ${limit} exceeds the maximum of ${greatestRemoteLimit} rows for remote queries.`,
        {
          path: ['limit'],
          hint: `Use at most ${greatestRemoteLimit}, page with offset, or export everything with \`sluice export\`.`,
        },
      ),
    );
  }
  return limit;
}

/** Queries built by programs were not checked by a schema. */
function checkCount(key: 'limit' | 'offset', count: number, { issues }: Binding): void {
  if (Number.isSafeInteger(count) && count >= 0) return;
  issues.push(
    errorIssue('out-of-range', `"${key}" must be a whole number of at least 0, not ${count}.`, {
      path: [key],
      hint: `Write, for example, \`${key}: 10\`.`,
    }),
  );
}

/**
 * The order of rows. Defaults to the first of these that exists: the first time bucket ascending, the first hour,
 * weekday or figure of each user ascending, the first measure descending, the first dimension ascending. The remaining
 * dimensions and buckets break ties, so that pages are stable; measures as well if rows are not grouped. Source: Cube's
 * query format; the ties are sluice's own.
 */
function bindOrder(query: CanonicalQuery, members: BoundMembers, binding: Binding): readonly PlanOrder[] {
  const { columns } = members;
  const asked = query.order ? askedOrder(query, columns, binding) : defaultOrder(members);
  const used = new Set(asked.map((order) => order.column));
  const ties = columns.flatMap((column, index): PlanOrder[] =>
    (column.kind === 'measure' && !query.ungrouped) || used.has(index) ? [] : [{ column: index, descending: false }],
  );
  return [...asked, ...ties];
}

function askedOrder(
  { order = [], limit, offset }: CanonicalQuery,
  columns: readonly Column[],
  binding: Binding,
): readonly PlanOrder[] {
  const found: PlanOrder[] = [];
  // The load API ignores such an order, whatever it chooses.
  const choosesRows = (limit !== undefined || offset !== undefined) && !binding.ignoresUnknownOrder;
  order.forEach(([member, direction], index) => {
    const column = columns.findIndex((candidate) => candidate.key === member || candidate.member === member);
    if (column >= 0) {
      if (!found.some((earlier) => earlier.column === column)) found.push({ column, descending: direction === 'desc' });
      return;
    }
    const name = binding.catalog.find(member) ? member : (splitGranularity(member)?.member ?? member);
    // Adds the issue of an unknown name.
    if (binding.ignoresUnknownOrder || findMember(name, ['dimension', 'measure'], ['order', index], binding))
      binding.issues.push(
        (choosesRows ? errorIssue : warningIssue)(
          'order-not-selected',
          choosesRows
            ? `The query orders by "${member}" to choose rows, but does not select it.`
            : `The order by "${member}" has no effect, because the query does not select it.`,
          {
            path: ['order', index],
            hint: 'Add it to the measures or dimensions, or remove it from the order.',
          },
        ),
      );
  });
  return found;
}

function defaultOrder({ columns, dimensions }: BoundMembers): readonly PlanOrder[] {
  const time = columns.findIndex((column) => column.kind === 'time');
  if (time >= 0) return [{ column: time, descending: false }];
  const part = dimensions.find(({ dimension }) => dimension.expression.kind === 'time-part' || isPerUser(dimension));
  if (part) return [{ column: part.column, descending: false }];
  const measure = columns.findIndex((column) => column.kind === 'measure');
  if (measure >= 0) return [{ column: measure, descending: true }];
  return columns.length > 0 ? [{ column: 0, descending: false }] : [];
}
