import { invariant } from '../../ask/invariant.ts';
import type { Column } from '../../plan/column.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import {
  type DrillMembersGrouped,
  groupDrillMembers,
  type MetaGranularity,
  metaTypeOf,
} from '../../plan/model/write-meta.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Result } from '../result/result.ts';
import { type EnvelopeData, toEnvelopeData } from './envelope-data.ts';
import { type NormalizedQuery, type QueryType, toNormalizedQuery, toPivotQuery } from './envelope-query.ts';

/** One plan and its answer. */
interface EnvelopePart {
  readonly plan: Plan;
  readonly result: Result<object>;
}

interface EnvelopeOptions {
  readonly queryType: QueryType;
  /** Time of computation, an ISO instant. */
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

/** The answer of `load` to `queryType=multi`, which the platform always sends. */
export interface LoadResponse {
  readonly queryType: QueryType;
  readonly results: readonly LoadResult[];
  readonly pivotQuery: NormalizedQuery;
  readonly slowQuery: boolean;
}

/** The platform's answer to a load body: numbers as text, times without zone. Source: recordings of Cube's answers. */
export function toLoadResponse(parts: readonly EnvelopePart[], options: EnvelopeOptions): LoadResponse {
  const results = parts.map((part) => toOne(part, options, options.queryType));
  const queries = results.map((result) => result.query);
  return {
    queryType: options.queryType,
    results,
    pivotQuery: toPivotQuery(queries, options.queryType),
    slowQuery: false,
  };
}

/** The answer of `load` without `queryType=multi`: a single result. */
export function toLoadResult(part: EnvelopePart, options: Pick<EnvelopeOptions, 'lastRefreshTime'>): LoadResult {
  return toOne(part, options);
}

function toOne(
  { plan, result }: EnvelopePart,
  options: Pick<EnvelopeOptions, 'lastRefreshTime'>,
  queryType?: QueryType,
): LoadResult {
  invariant(result.columns.length >= plan.columns.length, 'the result answers the plan');
  const { query, ...about } = toFrame(plan, options, queryType);
  return { query, data: toEnvelopeData(result, plan, queryType), ...about, total: result.provenance.total ?? null };
}

/** A result without its rows and their total. */
function toFrame(
  plan: Plan,
  { lastRefreshTime }: Pick<EnvelopeOptions, 'lastRefreshTime'>,
  queryType?: QueryType,
): Omit<LoadResult, 'data' | 'total'> {
  return {
    query: toNormalizedQuery(plan, queryType),
    lastRefreshTime,
    annotation: toAnnotation(plan),
    dataSource: 'default',
    dbType: 'duckdb',
    external: false,
    slowQuery: false,
  };
}

/** A piece of JSON text, as a string or in UTF-8. */
export type JsonPiece = string | Uint8Array;

/** One plan, and the JSON text of its rows as a stream. */
export interface StreamedPart {
  readonly plan: Plan;
  /** The value of `data`, piece by piece. */
  readonly data: AsyncIterable<JsonPiece> | Iterable<JsonPiece>;
  /** Called after the last piece. */
  readonly total: () => number | undefined;
}

/**
 * Writes `toLoadResponse` as JSON text, piece by piece. Each part is requested only after the previous one is written.
 * `plans` are those of all parts.
 */
export async function* writeLoadResponse(
  parts: AsyncIterable<StreamedPart>,
  plans: readonly Plan[],
  options: EnvelopeOptions,
): AsyncGenerator<JsonPiece, void, undefined> {
  const { queryType } = options;
  yield `{"queryType":${JSON.stringify(queryType)},"results":[`;
  let separator = '';
  for await (const part of parts) {
    yield separator;
    yield* writeOne(part, options, queryType);
    separator = ',';
  }
  const pivotQuery = toPivotQuery(
    plans.map((plan) => toNormalizedQuery(plan, queryType)),
    queryType,
  );
  yield `],"pivotQuery":${JSON.stringify(pivotQuery)},"slowQuery":false}`;
}

/** Writes `toLoadResult` as JSON text, piece by piece. */
export function writeLoadResult(
  part: StreamedPart,
  options: Pick<EnvelopeOptions, 'lastRefreshTime'>,
): AsyncGenerator<JsonPiece, void, undefined> {
  return writeOne(part, options);
}

async function* writeOne(
  part: StreamedPart,
  options: Pick<EnvelopeOptions, 'lastRefreshTime'>,
  queryType?: QueryType,
): AsyncGenerator<JsonPiece, void, undefined> {
  const { query, ...about } = toFrame(part.plan, options, queryType);
  yield `{"query":${JSON.stringify(query)},"data":`;
  yield* part.data;
  yield `,${JSON.stringify(about).slice(1, -1)},"total":${part.total() ?? 'null'}}`;
}

interface MemberAnnotation {
  readonly title: string;
  readonly shortTitle: string;
  readonly type?: string;
  readonly format?: string;
  /** Only of buckets that are not standard. Cube's client fills and pivots them by it. */
  readonly granularity?: MetaGranularity;
  readonly drillMembers?: readonly string[];
  readonly drillMembersGrouped?: DrillMembersGrouped;
}

/** Titles and formats of an answer's members, by full name. */
interface Annotation {
  readonly measures: Readonly<Record<string, MemberAnnotation>>;
  readonly dimensions: Readonly<Record<string, MemberAnnotation>>;
  readonly segments: Readonly<Record<string, MemberAnnotation>>;
  readonly timeDimensions: Readonly<Record<string, MemberAnnotation>>;
}

/** Source: recordings of Cube's answers. A bucket appears under its own key and under its member's. */
function toAnnotation(plan: Plan): Annotation {
  const catalog = toCatalog(plan.model);
  const dimensions: Record<string, MemberAnnotation> = {};
  const timeDimensions: Record<string, MemberAnnotation> = {};
  const measures: Record<string, MemberAnnotation> = {};
  for (const column of plan.columns) {
    if (column.kind === 'dimension') dimensions[column.key] = describe(column, column.type);
    if (column.kind === 'time') {
      const { custom } = column;
      timeDimensions[column.key] = {
        ...describe(column, 'time'),
        ...(custom?.written && { granularity: { name: custom.name, title: custom.title, ...custom.written } }),
      };
      timeDimensions[column.member] = describe(column, 'time');
    }
  }
  for (const { measure, column: index } of plan.measures) {
    const column = plan.columns[index];
    if (!column) continue;
    const { drillMembers } = measure;
    measures[column.key] = {
      ...describe(column, metaTypeOf(measure)),
      drillMembers,
      drillMembersGrouped: groupDrillMembers(measure, catalog),
    };
  }
  const segments = Object.fromEntries(
    plan.segments.map(({ cube, segment }) => [
      `${cube.name}.${segment.name}`,
      { title: segment.title, shortTitle: segment.shortTitle },
    ]),
  );
  return { measures, dimensions, segments, timeDimensions };
}

function describe({ title, shortTitle, format }: Column, type: string): MemberAnnotation {
  return { title, shortTitle, type, ...(format !== undefined && { format }) };
}
