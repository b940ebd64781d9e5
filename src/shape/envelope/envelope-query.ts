import { invariant } from '../../ask/invariant.ts';
import type { DateRangeText, Filter } from '../../ask/query/query.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { writtenEnds } from '../../plan/asked-ranges.ts';
import type { Plan } from '../../plan/plan.ts';

export type QueryType = 'regularQuery' | 'compareDateRangeQuery' | 'blendingQuery';

interface NormalizedTime {
  readonly dimension: string;
  readonly granularity?: string | undefined;
  /** First and last instant as local wall times, both inclusive. */
  readonly dateRange?: readonly string[] | undefined;
}

/** A query with all its defaults, as `load` and `dry-run` return it. */
export interface NormalizedQuery {
  readonly measures?: readonly string[];
  readonly dimensions: readonly string[];
  readonly timeDimensions: readonly NormalizedTime[];
  readonly segments?: readonly string[];
  readonly filters: readonly Filter[];
  readonly order?: readonly { readonly id: string; readonly desc: boolean }[];
  readonly limit: number | undefined;
  readonly offset?: number;
  readonly timezone: string;
  readonly total?: boolean;
  readonly ungrouped?: boolean;
  readonly responseFormat?: string;
  readonly rowLimit: number | undefined;
  /** Only in an answer to `queryType=multi`. */
  readonly queryType?: QueryType;
}

/** Source: recordings of Cube's answers. `queryType` is included only if the client asked for several results. */
export function toNormalizedQuery(plan: Plan, queryType?: QueryType): NormalizedQuery {
  const {
    measures,
    dimensions = [],
    timeDimensions = [],
    segments,
    order,
    offset,
    total,
    ungrouped,
    responseFormat,
  } = plan.query;
  return {
    ...(measures && { measures }),
    dimensions,
    timeDimensions: timeDimensions.map((time) => toNormalizedTime(time, plan)),
    ...(segments && { segments }),
    filters: plan.writtenFilters.map(toNormalizedFilter),
    ...(order && { order: order.map(([id, direction]) => ({ id, desc: direction === 'desc' })) }),
    limit: plan.limit,
    ...(offset !== undefined && { offset }),
    timezone: plan.zone,
    ...(total && { total }),
    ...(ungrouped && { ungrouped }),
    ...(responseFormat && { responseFormat }),
    rowLimit: plan.limit,
    ...(queryType && { queryType }),
  };
}

/** Converts values to text, whatever the operator. */
function toNormalizedFilter(filter: Filter): Filter {
  if ('and' in filter) return { and: filter.and.map(toNormalizedFilter) };
  if ('or' in filter) return { or: filter.or.map(toNormalizedFilter) };
  const { member, operator, values } = filter;
  return {
    member,
    operator,
    ...(values && { values: values.map((value) => (value === null ? null : String(value))) }),
  };
}

function toNormalizedTime(time: NonNullable<Plan['query']['timeDimensions']>[number], plan: Plan): NormalizedTime {
  // Times are bound one by one, in the query's order.
  const bound = plan.times[plan.query.timeDimensions?.indexOf(time) ?? -1];
  const range = time.dateRange === undefined ? undefined : toldRange(time.dateRange, bound?.range, plan);
  return {
    dimension: time.dimension,
    ...(time.granularity && { granularity: time.granularity }),
    ...(range && { dateRange: range }),
  };
}

function toldRange(written: DateRangeText, range: TimeRange | undefined, plan: Plan): readonly string[] | undefined {
  if (range && range.start >= range.end) return writtenEnds(written, plan);
  return range && [writeInstantLocal(range.start, plan.zone), writeInstantLocal(range.end - 1, plan.zone)];
}

/**
 * The query for the client's layout of a table: all members of a blend, or the ranges of a comparison as a dimension.
 */
export function toPivotQuery(queries: readonly NormalizedQuery[], queryType: QueryType): NormalizedQuery {
  const [first] = queries;
  invariant(first, 'there is a query to answer');
  if (queryType === 'compareDateRangeQuery') return { ...first, dimensions: ['compareDateRange', ...first.dimensions] };
  if (queryType === 'regularQuery') return first;
  const ranges = queries.flatMap((query) => query.timeDimensions[0]?.dateRange ?? []).toSorted();
  return {
    ...first,
    measures: [...new Set(queries.flatMap((query) => query.measures ?? []))],
    dimensions: [...new Set(queries.flatMap((query) => query.dimensions))],
    timeDimensions: [
      {
        dimension: 'time',
        granularity: first.timeDimensions[0]?.granularity,
        ...(ranges.length > 0 && { dateRange: [ranges[0] as string, ranges.at(-1) as string] }),
      },
    ],
  };
}

/** The answer of `dry-run`: how the query is understood, without running it. */
export interface DryRunResponse {
  readonly queryType: QueryType;
  readonly normalizedQueries: readonly NormalizedQuery[];
  readonly queryOrder: readonly Readonly<Record<string, 'asc' | 'desc'>>[];
  readonly transformedQueries: readonly TransformedQuery[];
  readonly pivotQuery: NormalizedQuery;
}

/** The part of Cube's pre-aggregation matching that describes the query itself. */
interface TransformedQuery {
  readonly measures: readonly string[];
  readonly sortedDimensions: readonly string[];
  readonly timeDimensions: readonly (readonly [dimension: string, granularity: string | null])[];
}

/** Describes every plan as it was understood. Source: Cube's `/v1/dry-run`. */
export function toDryRun(plans: readonly Plan[], queryType: QueryType): DryRunResponse {
  const normalizedQueries = plans.map((plan) => toNormalizedQuery(plan, queryType));
  return {
    queryType,
    normalizedQueries,
    queryOrder: plans.map(toQueryOrder),
    transformedQueries: plans.map(({ query }) => ({
      measures: query.measures ?? [],
      sortedDimensions: (query.dimensions ?? []).toSorted(),
      timeDimensions: (query.timeDimensions ?? []).map((time) => [time.dimension, time.granularity ?? null] as const),
    })),
    pivotQuery: toPivotQuery(normalizedQueries, queryType),
  };
}

/** The requested order, or the first entry of the default order, without tie breakers. */
function toQueryOrder({ query, order, columns }: Plan): Readonly<Record<string, 'asc' | 'desc'>> {
  if (query.order) return Object.fromEntries(query.order);
  return Object.fromEntries(
    order.slice(0, 1).map(({ column, descending }) => [columns[column]?.member ?? '', descending ? 'desc' : 'asc']),
  );
}
