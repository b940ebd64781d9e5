import { invariant } from '../ask/invariant.ts';
import { toAnnotation, type Annotation } from './envelope-annotation.ts';
import { toEnvelopeData, type EnvelopeData } from './envelope-data.ts';
import { toNormalizedQuery, toPivotQuery, type NormalizedQuery, type QueryType } from './envelope-query.ts';
import type { Plan } from '../plan/plan.ts';
import type { Result } from './result.ts';

/** One plan and its answer. */
export interface EnvelopePart {
  readonly plan: Plan;
  readonly result: Result<object>;
}

export interface EnvelopeOptions {
  readonly queryType: QueryType;
  /** When the answer was computed: ISO instant. */
  readonly lastRefreshTime: string;
}

/** One answer on the wire. */
export interface LoadResult {
  readonly query: NormalizedQuery;
  readonly data: EnvelopeData;
  readonly lastRefreshTime: string;
  readonly annotation: Annotation;
  readonly dataSource: string;
  readonly dbType: string;
  readonly external: boolean;
  readonly slowQuery: boolean;
  readonly total: number | null;
}

/** What `load` answers when it is asked with `queryType=multi`, as the platform always does. */
export interface LoadResponse {
  readonly queryType: QueryType;
  readonly results: readonly LoadResult[];
  readonly pivotQuery: NormalizedQuery;
  readonly slowQuery: boolean;
}

/** The platform's answer to a load body: numbers as text, times without zone, null as null. Source: recordings of Cube. */
export function toLoadResponse(parts: readonly EnvelopePart[], options: EnvelopeOptions): LoadResponse {
  const results = parts.map((part) => toOne(part, options, options.queryType));
  const queries = results.map((result) => result.query);
  return { queryType: options.queryType, results, pivotQuery: toPivotQuery(queries, options.queryType), slowQuery: false };
}

/** What `load` answers without `queryType=multi`: one result, bare. */
export function toLoadResult(part: EnvelopePart, options: Pick<EnvelopeOptions, 'lastRefreshTime'>): LoadResult {
  return toOne(part, options);
}

function toOne({ plan, result }: EnvelopePart, { lastRefreshTime }: Pick<EnvelopeOptions, 'lastRefreshTime'>, queryType?: QueryType): LoadResult {
  invariant(result.columns.length >= plan.columns.length, 'the result answers the plan');
  return {
    query: toNormalizedQuery(plan, queryType),
    data: toEnvelopeData(result, plan, queryType),
    lastRefreshTime,
    annotation: toAnnotation(plan),
    dataSource: 'default',
    dbType: 'duckdb',
    external: false,
    slowQuery: false,
    total: result.provenance.total ?? null,
  };
}
