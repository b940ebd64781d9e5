import {
  type Change,
  type Formula,
  isPercentile,
  mapNames,
  nameOfFormula,
  type Part,
  partsOf,
  type PerUser,
  writeChange,
  writeFormula,
} from '../../ask/formula/formula.ts';
import { readFormula } from '../../ask/notation/parse-formula.ts';
import { errorIssue, type Issue, type IssuePath } from '../../ask/outcome.ts';
import { asProperty, cubeOf, memberPattern, shortNameOf } from '../../ask/query/member-name.ts';
import type { CanonicalFilter, CanonicalQuery } from '../../ask/query/query.ts';
import { plural, quote } from '../../ask/text.ts';
import { toBuckets, toBucketStart, toUnitStart } from '../../ask/time/buckets.ts';
import { addBuckets } from '../../ask/time/calendar.ts';
import { type BucketSize, isCalendarUnit, sizeTitle } from '../../ask/time/granularity.ts';
import { writeRange } from '../../ask/time/previous-range.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { toInstant } from '../../ask/time/zone.ts';
import { type Column, labelOf } from '../column.ts';
import { type Found, toCatalog } from '../model/catalog.ts';
import { userKeyColumn } from '../model/event-fields.ts';
import { madeFrom } from '../model/made-from.ts';
import { titleize } from '../model/identifier.ts';
import {
  type Cube,
  isAggregate,
  isCount,
  type Measure,
  type Model,
  type RollingWindow,
  type Template,
} from '../model/model.ts';
import { memberLabel } from '../model/member-label.ts';
import type { Condition, FurtherPlan, Plan, PlanOrder } from '../plan.ts';
import type { BindContext, Binding } from './bind-context.ts';
import { bindFilter } from './bind-filter.ts';
import { bindMembers, type BoundMembers } from './bind-members.ts';
import { testsUsers } from './bind-sub-queries.ts';
import { findMember } from './find-member.ts';
import { userDimension } from './user-dimension.ts';

/** The formulas of a query by full name, and the model with the measures that they add. */
export interface Formulas {
  readonly model: Model;
  readonly byName: ReadonlyMap<string, Formula>;
}

type FoundMeasure = Extract<Found, { kind: 'measure' }>;

/**
 * Reads the formulas of a query. The model gets a measure for each formula, and one for each window that it lacks.
 * Returns undefined and adds issues if one is invalid.
 */
export function readFormulas(
  query: CanonicalQuery,
  model: Model,
  binding: Binding,
  { reach = 'local' }: Pick<BindContext, 'reach'>,
): Formulas | undefined {
  const before = errorCount(binding.issues);
  const written = new Map<string, Formula>();
  for (const [name, text] of Object.entries(query.formulas ?? {})) {
    const path = ['formulas', name];
    checkName(name, path, binding);
    const read = readFormula(text, cubeOf(name));
    // Spans refer to the formula's text, which is only a part of the query's text.
    binding.issues.push(...read.issues.map((issue) => ({ ...issue, span: undefined, path })));
    if (!read.ok) continue;
    // `sum(price)` is a figure of a dimension, or else of a property.
    const formula = mapNames<string, string>(read.value, (part, change) => ({
      kind: 'measure',
      name: binding.catalog.find(part) ? part : asProperty(part),
      ...(change && { change }),
    }));
    written.set(name, formula);
  }
  if (errorCount(binding.issues) > before) return undefined;
  const added = new Map<string, Measure[]>();
  const add = (cube: string, measure: Measure) => {
    const own = added.get(cube) ?? [];
    if (!own.some(({ name }) => name === measure.name)) own.push(measure);
    added.set(cube, own);
  };
  const byName = new Map<string, Formula>();
  for (const [name, formula] of written) {
    const path = ['formulas', name];
    const whole = withFormulas(formula, written, [name], path, binding);
    const parts = partsOf(whole);
    if (parts.length === 0)
      binding.issues.push(
        errorIssue('formula-without-measure', `${quote(shortNameOf(name))} uses no measure.`, { path }),
      );
    for (const part of parts) {
      const found = findMember(part.name, ['measure'], path, binding);
      if (!found || !checkPart(part, found, reach, path, binding) || !rolls(part, found)) continue;
      for (const [cube, measure] of toMeasures(part, found)) add(cube, measure);
    }
    byName.set(name, whole);
    const title = titleize(shortNameOf(name));
    add(cubeOf(name), {
      name: shortNameOf(name),
      title: `${binding.catalog.cube(cubeOf(name))?.title ?? ''} ${title}`.trim(),
      shortTitle: title,
      description: writeFormula(whole),
      type: 'number',
      filters: [],
      drillMembers: [],
      public: true,
    });
  }
  if (errorCount(binding.issues) > before) return undefined;
  const cubes = model.cubes.map((cube): Cube => {
    const measures = added.get(cube.name);
    if (!measures) return cube;
    const whole = { ...cube, measures: [...cube.measures, ...measures] };
    const ofUsers = measures.some(({ stage }) => stage?.addGroupBy) ? [userDimension] : [];
    return madeFrom({ ...whole, dimensions: [...whole.dimensions, ...ofUsers] }, [cube, measures]);
  });
  return { model: { ...model, cubes }, byName };
}

/** The formulas over a whole range: instead of averages and sums of buckets, the measures themselves. */
export function overRange({ model, byName }: Formulas): Formulas {
  const whole = (formula: Formula) =>
    mapNames<string, string>(formula, (name, change) => ({
      kind: 'measure',
      name,
      ...(change && change.kind !== 'average' && change.kind !== 'cumulative' && { change }),
    }));
  return { model, byName: new Map([...byName].map(([name, formula]) => [name, whole(formula)])) };
}

function errorCount(issues: readonly Issue[]): number {
  return issues.filter(({ severity }) => severity === 'error').length;
}

function checkName(name: string, path: IssuePath, { catalog, issues }: Binding): void {
  if (!memberPattern().test(name) || !/^[a-zA-Z_]\w*$/.test(shortNameOf(name))) {
    issues.push(
      errorIssue('not-a-name', `${quote(name)} is not a valid name for a formula.`, {
        path,
        hint: 'Write `Cube.name`.',
      }),
    );
  } else if (!catalog.cube(cubeOf(name))) {
    issues.push(
      errorIssue('unknown-member', `There is no cube ${quote(cubeOf(name))}.`, {
        path,
        hint: 'Start the name with the cube of the first measure.',
      }),
    );
  }
  const known = catalog.find(name);
  if (known)
    issues.push(
      errorIssue('formula-shadows', `${quote(name)} is a ${known.kind} of the model.`, {
        path,
        hint: 'Choose another name for the formula.',
      }),
    );
}

/** Replaces names of other formulas by their formulas. */
function withFormulas(
  formula: Formula,
  written: ReadonlyMap<string, Formula>,
  above: readonly string[],
  path: IssuePath,
  binding: Binding,
): Formula {
  return mapNames<string, string>(formula, (name, change): Formula => {
    const inner = written.get(name);
    const part: Part = { kind: 'measure', name, ...(change && { change }) };
    if (!inner) return part;
    if (above.includes(name) || change) {
      const message = change
        ? `${quote(shortNameOf(name))} is a formula, and "${writeChange(change)}" needs a measure.`
        : `${quote(shortNameOf(name))} refers to itself.`;
      binding.issues.push(
        errorIssue('formula-of-formula', message, { path, hint: 'Use the measures that it is computed from.' }),
      );
      return { kind: 'number', text: '0' };
    }
    return withFormulas(inner, written, [...above, name], path, binding);
  });
}

/**
 * True if a part needs a measure of its own, because it covers other rows or groups. A running sum of an additive
 * measure needs none.
 */
function rolls({ change }: Part, { member }: FoundMeasure): boolean {
  return change?.kind === 'rolling' || change?.kind === 'perUser' || (change?.kind === 'cumulative' && !addsUp(member));
}

function addsUp({ type, rollingWindow, stage }: Measure): boolean {
  return !rollingWindow && !stage && (type === 'count' || type === 'sum');
}

function checkPart(
  part: Part,
  found: FoundMeasure,
  reach: 'local' | 'remote',
  path: IssuePath,
  { issues }: Binding,
): boolean {
  const { change, name } = part;
  if (!change) return true;
  const refuse = (code: string, message: string, hint: string): false => {
    issues.push(errorIssue(code, message, { path, hint }));
    return false;
  };
  const said = `"${shortNameOf(name)} ${writeChange(change)}"`;
  if (found.cube.source.kind === 'computed')
    return refuse(
      'unfit-change',
      `${said} needs a measure of events, and "${name}" is computed.`,
      'Query the measure itself.',
    );
  if (!rolls(part, found)) return true;
  if (reach === 'remote')
    return refuse(
      'window-not-remote',
      `${said} counts events again for each bucket, which the server does not support.`,
      'Export the events with `sluice export` and query them locally, or add a measure with `rolling_window` to the model of the server.',
    );
  const { member } = found;
  if (change.kind === 'perUser' && found.cube.source.kind !== 'events' && found.cube.source.kind !== 'sessions')
    return refuse(
      'unfit-change',
      `${said} needs rows with a user, such as those of "TrackedEvents" and "Sessions".`,
      'Use a measure of one of these cubes.',
    );
  if (isPercentile(/^(\w+)\(/.exec(shortNameOf(name))?.[1] ?? ''))
    return refuse(
      'unfit-change',
      `${said} needs a measure that counts or adds up rows, and "${name}" is a median or percentile.`,
      'Use `avg`, or leave out the change and group by longer periods, such as `by week`.',
    );
  if (member.rollingWindow || member.stage || (!isAggregate(member.type) && !member.of))
    return refuse(
      'unfit-change',
      `${said} needs a measure that counts or adds up rows, and "${name}" is computed from other measures.`,
      `Write it with the measures that it is computed from, such as \`a ${writeChange(change)} / b ${writeChange(change)}\`.`,
    );
  return true;
}

/** The measures that a part needs in addition to those of the model, each with the name of its cube. */
function toMeasures(part: Part, found: FoundMeasure): readonly (readonly [string, Measure])[] {
  return part.change?.kind === 'perUser' ? ofEachUser(part, part.change.compute, found) : toWindows(part, found);
}

/**
 * A measure over groups of one user each, and the measure of each group, in the cube whose rows it counts. Leaves out
 * events without a user, and users whose count is 0.
 */
function ofEachUser(part: Part, compute: PerUser, { cube, member }: FoundMeasure): ReturnType<typeof toMeasures> {
  const counted = {
    cube: member.of?.path.at(-1) ?? cube.name,
    name: `${member.of?.member ?? member.name} of each user`,
  };
  const value = { kind: 'member' as const, cube: counted.cube, member: counted.name };
  const sql: Template = isCount(member.type)
    ? [{ kind: 'text', text: 'nullif(' }, value, { kind: 'text', text: ', 0)' }]
    : [value];
  // A user without a value has no sum.
  const own = { ...member, of: undefined, emptyIsZero: false, public: false };
  const stage = {
    addGroupBy: [`${cube.name}.${userDimension.name}`],
    skipsNull: true,
    ...(isPercentile(compute) && { percentile: compute }),
  };
  const nobody = {
    sql: [{ kind: 'cube' as const }, { kind: 'text' as const, text: `.${userKeyColumn} IS NULL` }],
    what: `${cube.source.kind} without a user`,
  };
  // Values of lists have no user of their own.
  const uncounted = [...(member.of ? [] : [nobody]), ...(member.uncounted ?? [])];
  return [
    [counted.cube, { ...own, name: counted.name, uncounted }],
    [
      cube.name,
      {
        ...own,
        name: shortNameOf(keyOf(part)),
        type: isPercentile(compute) ? 'number' : compute,
        sql,
        filters: [],
        stage,
      },
    ],
  ];
}

/** The measure with its window. For a view's measure, that of its cube as well. */
function toWindows(part: Part, { cube, member }: FoundMeasure): readonly (readonly [string, Measure])[] {
  const { change } = part;
  const rollingWindow: RollingWindow = {
    trailing: change?.kind === 'rolling' ? { amount: change.amount, unit: change.unit } : 'range',
    offset: 'end',
    clipped: true,
  };
  const name = shortNameOf(keyOf(part));
  const window: Measure = { ...member, name, rollingWindow, public: false };
  if (!member.of) return [[cube.name, window]];
  const own = `${member.of.member} ${writeChange(change as Change)}`;
  return [
    [member.of.path.at(-1)!, { ...window, of: undefined, name: own }],
    [cube.name, { ...member, name, of: { ...member.of, member: own }, public: false }],
  ];
}

/** The key of a part's column. */
function keyOf(part: Part): string {
  return writeFormula(part);
}

/** Functions that bind a plain query. */
export interface PlainBinding {
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
  const own = new Map([...byName].map(([name, formula]) => [name, formula]));
  const parts = uniqueParts([...byName.values()].flatMap(partsOf));
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
      const found = binding.catalog.find(part.name);
      const window = found?.kind === 'measure' && rolls(part, found);
      need(window ? keyOf(part) : part.name, ['formulas', name]);
    }
  for (const name of conditioned) need(name, ['filters']);

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
  const further = parts.flatMap((part) => bindFurther(part, base, asked, binding, inner, greatest, isSplit));
  const columns = members.columns.map((column): Column => {
    const formula = own.get(column.key);
    return formula ? toFormulaColumn(column, formula, base.columns) : column;
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

function namesIn(filter: CanonicalFilter): readonly string[] {
  if ('member' in filter) return [filter.member];
  return ('and' in filter ? filter.and : filter.or).flatMap(namesIn);
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
      const message = `"${shortNameOf(name)} share" compares groups with all rows, and a filter on each user's figures selects other users in each group.`;
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
  return plan
    ? [{ kind: isAverage ? 'average' : 'sum', plan, columns, ...(isAverage && { count: change.count }) }]
    : [];
}

/** `measureFilter` filters rows, not groups. */
function isOnGroups(filter: CanonicalFilter, binding: Binding): boolean {
  if ('member' in filter)
    return filter.operator !== 'measureFilter' && binding.catalog.find(filter.member)?.kind === 'measure';
  return ('and' in filter ? filter.and : filter.or).some((part) => isOnGroups(part, binding));
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

function toFormulaColumn(column: Column, formula: Formula, columns: readonly Column[]): Column {
  const known = new Map(columns.map((each) => [each.key, each]));
  const columnOf = (part: Part) => known.get(keyOf(part)) ?? known.get(part.name);
  const isNamed = shortNameOf(column.key) !== nameOfFormula(formula);
  const [only] = partsOf(formula);
  const alone = formula.kind === 'measure' && only ? columnOf(only) : undefined;
  const said = writeFormula<Part>(
    mapNames<string, Part>(formula, (name, change) => ({
      kind: 'measure',
      name: { kind: 'measure', name, ...(change && { change }) },
    })),
    (part) => {
      const of = columnOf(part);
      const name = of ? labelOf(of) : shortNameOf(part.name);
      return part.change ? `${name} (${writeChange(part.change)})` : name;
    },
  );
  const isShare = formula.kind === 'measure' && formula.change?.kind === 'share';
  return {
    ...column,
    ...(isNamed
      ? { label: memberLabel({ name: shortNameOf(column.key), shortTitle: column.shortTitle, type: 'number' }) }
      : { label: said }),
    format: isShare ? 'percent' : alone?.format,
    additive: isAdditive(formula, columnOf),
    whenAbsent: whenAbsent(formula, columnOf),
  };
}

/** True for sums, differences and multiples of additive measures. */
function isAdditive(formula: Formula, columnOf: (part: Part) => Column | undefined): boolean {
  if (formula.kind === 'measure') return formula.change === undefined && columnOf(formula)?.additive === true;
  if (formula.kind === 'number') return false;
  if (formula.kind === 'negative') return isAdditive(formula.of, columnOf);
  const { operator, left, right } = formula;
  if (operator === '+' || operator === '-') return isAdditive(left, columnOf) && isAdditive(right, columnOf);
  if (operator === '/') return isAdditive(left, columnOf) && right.kind === 'number';
  return (
    (isAdditive(left, columnOf) && right.kind === 'number') || (left.kind === 'number' && isAdditive(right, columnOf))
  );
}

/** The value of the formula for an empty bucket. */
function whenAbsent(formula: Formula, columnOf: (part: Part) => Column | undefined): number | null {
  if (formula.kind === 'number') return Number(formula.text);
  if (formula.kind === 'measure') return columnOf(formula)?.whenAbsent ?? null;
  if (formula.kind === 'negative') {
    const of = whenAbsent(formula.of, columnOf);
    return of === null ? null : 0 - of;
  }
  const left = whenAbsent(formula.left, columnOf);
  const right = whenAbsent(formula.right, columnOf);
  if (left === null || right === null) return null;
  if (formula.operator === '/') return right === 0 ? null : left / right;
  return formula.operator === '+' ? left + right : formula.operator === '-' ? left - right : left * right;
}
