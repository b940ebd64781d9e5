import { toCanonicalQuery } from './canonical-query.ts';
import type { CanonicalQuery, DateRangeText, Filter, OrderPair, Query, TimeDimension } from './query.ts';

/** Parts to merge over a query. */
export interface QueryParts {
  readonly measures?: readonly string[] | undefined;
  /** The formulas of those measures that have one. */
  readonly formulas?: Query['formulas'];
  readonly dimensions?: readonly string[] | undefined;
  /** Times and their buckets, without ranges. */
  readonly times?: readonly Pick<TimeDimension, 'dimension' | 'granularity'>[] | undefined;
  /** Keys of the groups whose columns come first. */
  readonly columns?: readonly string[] | undefined;
  readonly range?: DateRangeText | undefined;
  readonly filters?: readonly Filter[] | undefined;
  readonly segments?: readonly string[] | undefined;
  readonly order?: readonly OrderPair[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly timezone?: string | undefined;
}

/**
 * Merges parts over a query. Measures, dimensions, times, order, limit, offset and zone replace the old ones; filters
 * and segments are added. The range replaces the query's range (on a time dimension, or in an `inDateRange` filter on
 * it), or else goes on the first time dimension, or on `timeMember`. An order by members that are gone is dropped.
 */
export function mergeQuery(base: Query, parts: QueryParts, timeMember: string): CanonicalQuery {
  const old = toCanonicalQuery(base);
  const merged: Query = {
    ...old,
    measures: parts.measures ?? old.measures,
    formulas: parts.measures ? formulasOf({ ...old.formulas, ...parts.formulas }, parts.measures) : old.formulas,
    dimensions: parts.dimensions ?? old.dimensions,
    timeDimensions: parts.times ? withOldRanges(parts, old.timeDimensions ?? []) : old.timeDimensions,
    columns: parts.columns ?? old.columns,
    filters: old.filters,
    segments: [...(old.segments ?? []), ...(parts.segments ?? [])],
    limit: parts.limit ?? old.limit,
    offset: parts.offset ?? old.offset,
    timezone: parts.timezone ?? old.timezone,
  };
  const ranged = parts.range === undefined ? merged : withRange(merged, parts.range, timeMember);
  const filtered = { ...ranged, filters: [...(ranged.filters ?? []), ...(parts.filters ?? [])] };
  return toCanonicalQuery({ ...filtered, order: parts.order ?? keptOrder(old, filtered) });
}

/** The formulas of the remaining measures. */
function formulasOf(formulas: NonNullable<Query['formulas']>, measures: readonly string[]): Query['formulas'] {
  return Object.fromEntries(Object.entries(formulas).filter(([name]) => measures.includes(name)));
}

/** New times keep the ranges of the old ones, unless there is a new range. */
function withOldRanges({ times = [], range }: QueryParts, old: readonly TimeDimension[]): readonly TimeDimension[] {
  if (range !== undefined) return times;
  const result: TimeDimension[] = [...times];
  for (const { dimension, dateRange, compareDateRange } of old) {
    if (dateRange === undefined && compareDateRange === undefined) continue;
    const at = result.findIndex((time) => time.dimension === dimension);
    const time = { ...(result[at] ?? { dimension }), dateRange, compareDateRange };
    result.splice(at === -1 ? result.length : at, 1, time);
  }
  return result;
}

function withRange(query: Query, range: DateRangeText, timeMember: string): Query {
  const times = query.timeDimensions ?? [];
  const ranged = times.findIndex((time) => time.dateRange !== undefined || time.compareDateRange !== undefined);
  const member = times[0]?.dimension ?? timeMember;
  const filters = query.filters ?? [];
  const isRange = (filter: Filter) =>
    'member' in filter && filter.operator === 'inDateRange' && filter.member === member;
  if (ranged === -1 && filters.some(isRange)) {
    const values = typeof range === 'string' ? [range] : range;
    return { ...query, filters: filters.map((filter) => (isRange(filter) ? { ...filter, values } : filter)) };
  }
  if (times.length === 0) return { ...query, timeDimensions: [{ dimension: timeMember, dateRange: range }] };
  const at = Math.max(0, ranged);
  return {
    ...query,
    timeDimensions: times.map(({ dimension, granularity, ...rest }, index) =>
      index === at ? { dimension, granularity, dateRange: range } : { dimension, granularity, ...rest },
    ),
  };
}

function keptOrder(old: CanonicalQuery, query: Query): CanonicalQuery['order'] {
  const wasAsked = namesIn(old);
  const isAsked = namesIn(query);
  const kept = old.order?.filter(([member]) => isAsked.has(member) || !wasAsked.has(member));
  return kept?.length === 0 && (old.order?.length ?? 0) > 0 ? undefined : kept;
}

function namesIn({ measures = [], dimensions = [], timeDimensions = [] }: Query): ReadonlySet<string> {
  return new Set([
    ...measures,
    ...dimensions,
    ...timeDimensions.flatMap(({ dimension, granularity }) => [dimension, `${dimension}.${granularity}`]),
  ]);
}
