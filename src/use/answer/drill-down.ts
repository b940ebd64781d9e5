import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { CanonicalFilter, CanonicalQuery, Query, TimeDimension } from '../../ask/query/query.ts';
import { readBucketLabel } from '../../ask/time/buckets.ts';
import { day, type Granularity, hasGrid, hour, minute } from '../../ask/time/granularity.ts';
import { writeRange } from '../../ask/time/previous-range.ts';
import type { TimeRange, Weekday } from '../../ask/time/range.ts';
import { type Column, granularityName, type Value } from '../../plan/column.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { Plan } from '../../plan/plan.ts';
import { withoutMeasures } from './without-measures.ts';

/** Facts about an answer that drill-downs need. */
export interface DrillFacts {
  readonly query: CanonicalQuery;
  readonly columns: readonly Column[];
  /** Time zone of the answer's days: a canonical IANA name. */
  readonly zone: string;
  readonly weekStart: Weekday | undefined;
  /** The range of each time dimension of the query, in order, as resolved when the question was asked. */
  readonly ranges: readonly (TimeRange | undefined)[];
  /** The same for each range of a comparison, the current one first. */
  readonly compared: readonly (readonly (TimeRange | undefined)[])[];
  /** Full names of measures that the query's filters may contain. */
  readonly measures: ReadonlySet<string>;
  /** Full name of the time dimension that a range without a member applies to. */
  readonly timeMember: string | undefined;
}

/** Collects the facts from a query and its plans, one for each range of a comparison. */
export function toDrillFacts(query: Query, plans: readonly [Plan, ...Plan[]]): DrillFacts {
  const { columns, zone, weekStart, root, model } = plans[0];
  const catalog = toCatalog(model);
  const canonical = toCanonicalQuery(query);
  return {
    query: canonical,
    columns,
    zone,
    weekStart,
    ranges: rangesOf(canonical, plans[0]),
    compared: plans.length > 1 ? plans.map((plan) => rangesOf(canonical, plan)) : [],
    measures: new Set(
      model.cubes.flatMap(({ name, measures }) => measures.map((measure) => `${name}.${measure.name}`)),
    ),
    timeMember: catalog.timeMemberOf(root.name),
  };
}

// A plan keeps the order of the query's time dimensions.
function rangesOf({ timeDimensions = [] }: CanonicalQuery, { times }: Plan): readonly (TimeRange | undefined)[] {
  return timeDimensions.map((_, index) => times[index]?.range);
}

/** How to break a figure down. `nothing`: no breakdown. `rows`: list the events themselves. */
export type DrillBy =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'time' }
  | { readonly kind: 'rows' }
  | { readonly kind: 'member'; readonly member: string };

export interface DrillOptions {
  readonly by?: DrillBy | undefined;
  /** For `rows`: the columns to list, and conditions on the rows. */
  readonly rows?:
    | {
        readonly columns: (filters: readonly CanonicalFilter[]) => readonly string[];
        readonly counted: readonly CanonicalFilter[];
      }
    | undefined;
  /** False if the row is known not to be the row of all other groups. */
  readonly isOther?: boolean | undefined;
}

/**
 * Returns the query behind one figure: its measures over exactly the rows that it counts. The query groups by the next
 * finer time buckets, by another dimension, or not at all, or lists the rows themselves. Additive measures sum up to
 * the row. `valueOf` returns the row's value of a column key. `key` is the column of the figure, which identifies the
 * range of a comparison. Issues: `not-drillable` if nothing is left to ask.
 */
export function drillDown(
  asked: DrillFacts,
  valueOf: (key: string) => Value,
  options: DrillOptions = {},
  key?: string,
): Outcome<CanonicalQuery> {
  const position = rangeOfKey(key, asked);
  const facts = ofOneRange(asked, position);
  const { by = { kind: 'time' }, isOther = true } = options;
  const { query, columns } = facts;
  if (query.other && isOther)
    return refuse('A row of this answer stands for all other groups.', 'Remove `with other`, then drill down.');
  if (!query.measures && by.kind !== 'rows')
    return refuse('The question has no measure to drill down into.', 'Add a measure, such as `count`.');
  const fixed = columns
    .filter(({ kind }) => kind === 'dimension')
    .map((column) => toFilter(column, valueOf(column.key)));
  const times: TimeDimension[] = (query.timeDimensions ?? []).map(({ granularity: _, ...time }) => time);
  let finest: Granularity | undefined;
  for (const column of columns) {
    const { granularity } = column;
    const size = column.custom ?? granularity;
    if (column.kind !== 'time' || granularity === undefined || size === undefined) continue;
    const index = (query.timeDimensions ?? []).findIndex(
      (time) => time.dimension === column.member && time.granularity === granularityName(column),
    );
    const label = valueOf(position === 0 ? column.key : `${column.key}.previous${suffixOf(position)}`);
    if (label === null || index === -1) {
      fixed.push({ member: column.member, operator: 'notSet' });
      continue;
    }
    if (!hasGrid(size))
      return refuse(
        'Only the model knows where this bucket ends.',
        'Group by a standard granularity, then drill down.',
      );
    const range = within(readBucketLabel(String(label), size, facts), facts.ranges[index]);
    const step = typeof size === 'string' ? finer[size] : finerThan(range);
    times[index] = {
      ...(times[index] as TimeDimension),
      dateRange: writeRange(range, facts.zone),
      ...(finest === undefined && step && by.kind === 'time' ? { granularity: step } : {}),
    };
    finest ??= step ?? granularity;
  }
  const {
    dimensions: _dimensions,
    timeDimensions: _times,
    filters,
    order: _order,
    limit: _limit,
    offset: _offset,
    total: _total,
    other: _other,
    ungrouped: _ungrouped,
    ...rest
  } = query;
  const kept = [...withoutMeasures(filters ?? [], facts.measures), ...fixed];
  const ranged = times.filter(({ dateRange }) => dateRange);
  if (by.kind === 'rows') {
    const { measures: _measures, formulas: _formulas, ...bare } = rest;
    const { columns, counted = [] } = options.rows ?? {};
    const filters = [...kept, ...counted.filter((one) => !kept.some((own) => isSame(own, one)))];
    const time = facts.timeMember;
    return good({
      ...bare,
      dimensions: columns?.(filters) ?? [],
      ...some('timeDimensions', ranged),
      ...some('filters', filters),
      ...(time !== undefined && { order: [[time, 'desc']] }),
      ungrouped: true,
    });
  }
  if (by.kind === 'member')
    return good({
      ...rest,
      dimensions: [by.member],
      ...some('timeDimensions', ranged),
      ...some('filters', kept),
      ...(rest.measures?.[0] !== undefined && { order: [[rest.measures[0], 'desc']] }),
    });
  const cut = by.kind === 'nothing' ? ranged : finest === undefined ? alongTime(times, facts) : times;
  return good({
    ...rest,
    ...some(
      'timeDimensions',
      cut.filter(({ granularity, dateRange }) => granularity ?? dateRange),
    ),
    ...some('filters', kept),
  });
}

function isSame(one: CanonicalFilter, other: CanonicalFilter): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns the range of a comparison that a column belongs to: `Cube.count.previous` belongs to the second. Changes
 * belong to the current range.
 */
function rangeOfKey(key: string | undefined, { compared }: DrillFacts): number {
  const [, number] = /\.previous(?:\.(\d+))?$/.exec(key ?? '') ?? [];
  if (key === undefined || !/\.previous(?:\.\d+)?$/.test(key)) return 0;
  return Math.max(0, Math.min(number === undefined ? 1 : Number(number), compared.length - 1));
}

function suffixOf(range: number): string {
  return range === 1 ? '' : `.${range}`;
}

/** Reduces a comparison to one of its ranges. */
export function ofOneRange(facts: DrillFacts, range: number): DrillFacts {
  const { query, compared, zone } = facts;
  const ranges = compared[range];
  if (!ranges || !query.timeDimensions) return facts;
  const timeDimensions = query.timeDimensions.map((time, index): TimeDimension => {
    const { compareDateRange, ...rest } = time;
    const own = ranges[index];
    if (!compareDateRange || !own) return time;
    const [current] = compareDateRange;
    return { ...rest, dateRange: range === 0 && current !== undefined ? current : writeRange(own, zone) };
  });
  return { ...facts, query: { ...query, timeDimensions }, ranges };
}

/** The next finer granularity. */
export const finer: Readonly<Partial<Record<Granularity, Granularity>>> = {
  year: 'month',
  quarter: 'month',
  month: 'day',
  week: 'day',
  day: 'hour',
  hour: 'minute',
  minute: 'second',
};

/** Returns the largest standard granularity of which the range holds several units. */
function finerThan({ start, end }: TimeRange): Granularity | undefined {
  const length = end - start;
  if (length > 62 * day) return 'month';
  if (length > day) return 'day';
  return length > hour ? 'hour' : length > minute ? 'minute' : 'second';
}

function refuse(message: string, hint: string): Outcome<never> {
  return badWith('not-drillable', message, { hint });
}

/** A filter for one value of a dimension. */
export function toFilter({ member, type }: Column, value: Value): CanonicalFilter {
  if (value === null) return { member, operator: 'notSet' };
  // A time without a granularity is UTC wall time with milliseconds.
  if (type === 'time') return { member, operator: 'inDateRange', values: [`${String(value)}Z`, `${String(value)}Z`] };
  return { member, operator: 'equals', values: [String(value)] };
}

/** Cuts a bucket to the requested range, because only rows inside both were counted. */
export function within(bucket: TimeRange, asked: TimeRange | undefined): TimeRange {
  return asked ? { start: Math.max(bucket.start, asked.start), end: Math.min(bucket.end, asked.end) } : bucket;
}

/** Groups the time of a question by day, or by hour if its range is at most two days. */
export function alongTime(
  times: readonly TimeDimension[],
  { timeMember, ranges }: DrillFacts,
): readonly TimeDimension[] {
  const ranged = times.findIndex(({ dateRange }) => dateRange !== undefined);
  const range = ranges[ranged];
  const granularity = range && range.end - range.start <= 2 * day ? 'hour' : 'day';
  if (ranged !== -1) return times.map((time, index) => (index === ranged ? { ...time, granularity } : time));
  return timeMember === undefined ? times : [{ dimension: timeMember, granularity }];
}

function some<Key extends string, T>(key: Key, list: readonly T[]) {
  return (list.length === 0 ? {} : { [key]: list }) as { readonly [K in Key]?: readonly T[] };
}
