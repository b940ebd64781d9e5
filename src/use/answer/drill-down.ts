import { bad, errorIssue, good, type Outcome } from '../../ask/outcome.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { CanonicalFilter, CanonicalQuery, Query, TimeDimension } from '../../ask/query/query.ts';
import { toBucketEnd } from '../../ask/time/buckets.ts';
import {
  type BucketSize,
  day,
  type Granularity,
  hasGrid,
  hour,
  isCalendarUnit,
  minute,
} from '../../ask/time/granularity.ts';
import { writeRange } from '../../ask/time/previous-range.ts';
import type { TimeRange, Weekday } from '../../ask/time/range.ts';
import { toInstant } from '../../ask/time/zone.ts';
import { type Column, granularityName, type Value } from '../../plan/column.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { Plan } from '../../plan/plan.ts';
import { withoutMeasures } from './without-measures.ts';

/** What it takes to ask further from an answer. */
export interface DrillFacts {
  readonly query: CanonicalQuery;
  readonly columns: readonly Column[];
  /** Of the answer's days: a canonical IANA name. */
  readonly zone: string;
  readonly weekStart: Weekday | undefined;
  /** The range of each of the query's time dimensions, in their order, as it was read when the question was asked. */
  readonly ranges: readonly (TimeRange | undefined)[];
  /** Full names of the measures that the query's filters may name. */
  readonly measures: ReadonlySet<string>;
  /** Full name of the time dimension that a bare range belongs to. */
  readonly timeMember: string | undefined;
}

/** What it takes to ask further from the answer of a query, whose plan (the first one, of a comparison) is given. */
export function toDrillFacts(query: Query, { columns, zone, weekStart, times, root, model }: Plan): DrillFacts {
  const catalog = toCatalog(model);
  const canonical = toCanonicalQuery(query);
  return {
    query: canonical,
    columns,
    zone,
    weekStart,
    // A plan has its times in the query's order.
    ranges: (canonical.timeDimensions ?? []).map((_, index) => times[index]?.range),
    measures: new Set(
      model.cubes.flatMap(({ name, measures }) => measures.map((measure) => `${name}.${measure.name}`)),
    ),
    timeMember: catalog.timeMemberOf(root.name),
  };
}

export interface DrillOptions {
  /** The row alone, not along time. */
  readonly alone?: boolean | undefined;
  /** False if the row is known not to stand for all other groups. */
  readonly isOther?: boolean | undefined;
}

/**
 * The question behind one row: its measures over exactly the rows that it was made of, along time in the next finer
 * buckets unless it is to be alone.
 * What an additive measure gives there adds up to the row. `valueOf` gives the row's values by column key.
 * Issues: `not-drillable` for rows of comparisons, and where nothing would be left to ask.
 */
export function drillDown(
  facts: DrillFacts,
  valueOf: (key: string) => Value,
  { alone, isOther = true }: DrillOptions = {},
): Outcome<CanonicalQuery> {
  const { query, columns } = facts;
  if (query.timeDimensions?.some(({ compareDateRange }) => compareDateRange))
    return refuse('A row of a comparison covers several ranges.', 'Remove the comparison, then drill down.');
  if (query.other && isOther)
    return refuse('A row of this answer stands for all other groups.', 'Remove `with other`, then drill down.');
  if (!query.measures)
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
    const label = valueOf(column.key);
    if (label === null || index === -1) {
      fixed.push({ member: column.member, operator: 'notSet' });
      continue;
    }
    if (!hasGrid(size))
      return refuse(
        'Only the model knows where this bucket ends.',
        'Group by a standard granularity, then drill down.',
      );
    const range = within(toBucket(String(label), size, facts), facts.ranges[index]);
    const step = typeof size === 'string' ? finer[size] : finerThan(range);
    times[index] = {
      ...(times[index] as TimeDimension),
      dateRange: writeRange(range, facts.zone),
      ...(finest === undefined && step ? { granularity: step } : {}),
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
  const cut: readonly TimeDimension[] = alone || finest !== undefined ? times : alongTime(times, facts);
  const left: readonly TimeDimension[] = alone ? cut.map(({ granularity: _, ...time }) => time) : cut;
  return good({
    ...rest,
    ...some(
      'timeDimensions',
      left.filter(({ granularity, dateRange }) => granularity ?? dateRange),
    ),
    ...some('filters', kept),
  });
}

/** What time is cut into, one step down. */
const finer: Readonly<Partial<Record<Granularity, Granularity>>> = {
  year: 'month',
  quarter: 'month',
  month: 'day',
  week: 'day',
  day: 'hour',
  hour: 'minute',
  minute: 'second',
};

/** The largest standard granularity of which the range holds several. */
function finerThan({ start, end }: TimeRange): Granularity | undefined {
  const length = end - start;
  if (length > 62 * day) return 'month';
  if (length > day) return 'day';
  return length > hour ? 'hour' : length > minute ? 'minute' : 'second';
}

function refuse(message: string, hint: string): Outcome<never> {
  return bad([errorIssue('not-drillable', message, { hint })]);
}

function toFilter({ member, type }: Column, value: Value): CanonicalFilter {
  if (value === null) return { member, operator: 'notSet' };
  // A time without buckets is UTC wall time, to the millisecond.
  if (type === 'time') return { member, operator: 'inDateRange', values: [`${String(value)}Z`, `${String(value)}Z`] };
  return { member, operator: 'equals', values: [String(value)] };
}

/** The stretch of time that a label stands for. */
function toBucket(label: string, granularity: BucketSize, { zone, weekStart }: DrillFacts): TimeRange {
  const start = isCalendarUnit(granularity) ? toInstant(Date.parse(`${label}Z`), zone, 'first') : Date.parse(label);
  return { start, end: toBucketEnd(start, granularity, zone, weekStart) };
}

/** A bucket that sticks out of the range that was asked for only counted what lies in both. */
function within(bucket: TimeRange, asked: TimeRange | undefined): TimeRange {
  return asked ? { start: Math.max(bucket.start, asked.start), end: Math.min(bucket.end, asked.end) } : bucket;
}

function alongTime(times: readonly TimeDimension[], { timeMember, ranges }: DrillFacts): readonly TimeDimension[] {
  const ranged = times.findIndex(({ dateRange }) => dateRange !== undefined);
  const range = ranges[ranged];
  const granularity = range && range.end - range.start <= 2 * day ? 'hour' : 'day';
  if (ranged !== -1) return times.map((time, index) => (index === ranged ? { ...time, granularity } : time));
  return timeMember === undefined ? times : [{ dimension: timeMember, granularity }];
}

function some<Key extends string, T>(key: Key, list: readonly T[]) {
  return (list.length === 0 ? {} : { [key]: list }) as { readonly [K in Key]?: readonly T[] };
}
