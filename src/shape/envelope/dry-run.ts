import type { Plan } from '../../plan/plan.ts';
import { toNormalizedQuery, toPivotQuery, type NormalizedQuery, type QueryType } from './envelope-query.ts';

/** What `dry-run` answers: how the query would be read, without running it. */
export interface DryRunResponse {
  readonly queryType: QueryType;
  readonly normalizedQueries: readonly NormalizedQuery[];
  readonly queryOrder: readonly Readonly<Record<string, 'asc' | 'desc'>>[];
  readonly transformedQueries: readonly TransformedQuery[];
  readonly pivotQuery: NormalizedQuery;
}

/** The part of Cube's pre-aggregation matching that says something about the query itself. */
export interface TransformedQuery {
  readonly measures: readonly string[];
  readonly sortedDimensions: readonly string[];
  readonly timeDimensions: readonly (readonly [dimension: string, granularity: string | null])[];
}

/** Every plan as it was understood. Source: Cube's `/v1/dry-run`. */
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

/** The order that was asked for, or the one entry of the default order; what decides ties is not told. */
function toQueryOrder({ query, order, columns }: Plan): Readonly<Record<string, 'asc' | 'desc'>> {
  if (query.order) return Object.fromEntries(query.order);
  return Object.fromEntries(
    order.slice(0, 1).map(({ column, descending }) => [columns[column]?.member ?? '', descending ? 'desc' : 'asc']),
  );
}
