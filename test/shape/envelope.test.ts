import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readQuery } from '../../src/ask/query/query-schema.ts';
import { bind } from '../../src/plan/bind/bind.ts';
import type { Value } from '../../src/plan/column.ts';
import { readModel } from '../../src/plan/model/read/read-model.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { toDryRun } from '../../src/shape/envelope/envelope-query.ts';
import { toLoadResponse, toLoadResult } from '../../src/shape/envelope/envelope.ts';
import { type Result, toResult } from '../../src/shape/result/result.ts';
import { day, days, makePlan, somewhere } from './plans.ts';

const lastRefreshTime = '2026-11-21T00:00:00.000Z';

function resultOf(plan: Plan, rows: readonly (readonly Value[])[], total?: number): Result {
  const data = plan.columns.map((_, index) => rows.map((row) => row[index] ?? null));
  return toResult({
    columns: plan.columns,
    data,
    provenance: { ...somewhere, ...(total === undefined ? {} : { total }) },
  });
}

describe('toLoadResponse', () => {
  const plan = makePlan({
    granularity: 'hour',
    zone: 'Europe/Berlin',
    range: days('2024-03-08', '2024-03-08'),
    dimensions: { type: 'string', flag: 'boolean' },
    measures: { count: 'count', first: 'min' },
    limit: 7,
    query: {
      measures: ['E.count', 'E.first'],
      dimensions: ['E.type', 'E.flag'],
      timeDimensions: [{ dimension: 'E.time', granularity: 'hour', dateRange: '2024-03-08' }],
    },
  });
  const rows = [
    ['view', true, '2024-03-08T10:00:00.000+01:00', 2n ** 60n, '2024-03-08T09:00:01.000Z'],
    [null, false, '2024-03-08T11:00:00.000+01:00', 2.5, null],
  ];

  it('writes numbers as text, booleans and nulls as they are, and buckets without offset under both names', () => {
    const response = toLoadResponse([{ plan, result: resultOf(plan, rows) }], {
      queryType: 'regularQuery',
      lastRefreshTime,
    });
    expect(response.results[0]?.data).toEqual([
      {
        'E.type': 'view',
        'E.flag': true,
        'E.time.hour': '2024-03-08T10:00:00.000',
        'E.time': '2024-03-08T10:00:00.000',
        'E.count': '1152921504606846976',
        'E.first': '2024-03-08T09:00:01.000Z',
      },
      {
        'E.type': null,
        'E.flag': false,
        'E.time.hour': '2024-03-08T11:00:00.000',
        'E.time': '2024-03-08T11:00:00.000',
        'E.count': '2.5',
        'E.first': null,
      },
    ]);
  });

  it('tells the range back as the first and the last local instant', () => {
    const { query } = toLoadResult({ plan, result: resultOf(plan, rows) }, { lastRefreshTime });
    expect(query.timeDimensions).toEqual([
      { dimension: 'E.time', granularity: 'hour', dateRange: ['2024-03-08T01:00:00.000', '2024-03-09T00:59:59.999'] },
    ]);
    expect(query).toMatchObject({ limit: 7, rowLimit: 7, timezone: 'Europe/Berlin', filters: [] });
    expect(query).not.toHaveProperty('queryType');
  });

  it('tells the total only where it was asked for', () => {
    const totalOf = (result: Result) => toLoadResult({ plan, result }, { lastRefreshTime }).total;
    expect([totalOf(resultOf(plan, rows)), totalOf(resultOf(plan, rows, 2))]).toEqual([null, 2]);
  });

  it('has a compact and a columnar format', () => {
    const inFormat = (responseFormat: 'compact' | 'columnar') => {
      const formatted = { ...plan, query: { ...plan.query, responseFormat } };
      return toLoadResult({ plan: formatted, result: resultOf(formatted, rows) }, { lastRefreshTime }).data;
    };
    const members = ['E.type', 'E.flag', 'E.time.hour', 'E.time', 'E.count', 'E.first'];
    const dataset = [
      [
        'view',
        true,
        '2024-03-08T10:00:00.000',
        '2024-03-08T10:00:00.000',
        '1152921504606846976',
        '2024-03-08T09:00:01.000Z',
      ],
      [null, false, '2024-03-08T11:00:00.000', '2024-03-08T11:00:00.000', '2.5', null],
    ];
    expect(inFormat('compact')).toEqual({ members, dataset });
    expect(inFormat('columnar')).toEqual({
      members,
      columns: members.map((_, index) => dataset.map((row) => row[index])),
    });
  });

  it('names the range of each row of a comparison, and makes it a dimension of the pivot', () => {
    const compared = { ...plan, comparison: 'one - two' };
    const response = toLoadResponse([{ plan: compared, result: resultOf(compared, rows) }], {
      queryType: 'compareDateRangeQuery',
      lastRefreshTime,
    });
    expect(response.results[0]?.data).toMatchObject([
      { compareDateRange: 'one - two' },
      { compareDateRange: 'one - two' },
    ]);
    expect(response.results[0]?.query.queryType).toBe('compareDateRangeQuery');
    expect(response.pivotQuery.dimensions).toEqual(['compareDateRange', 'E.type', 'E.flag']);
  });
});

const golden = join(import.meta.dirname, '../../../shared/golden');

interface Recording {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body?: { readonly query: unknown; readonly queryType?: string };
  };
  readonly status: number;
  readonly response: unknown;
}

type Json = Record<string, unknown>;

function recordings(): readonly (readonly [string, Recording])[] {
  if (!existsSync(golden)) return [];
  return readdirSync(join(golden, 'cases')).map(
    (name) =>
      [name.replace('.json', ''), JSON.parse(readFileSync(join(golden, 'cases', name), 'utf8')) as Recording] as const,
  );
}

const loads = recordings().filter(
  ([, { status, request, response }]) => status === 200 && request.body && !(response as Json)['error'],
);

describe.skipIf(loads.length === 0)('recordings of a Cube server (skipped where they are not at hand)', () => {
  const model = existsSync(golden)
    ? readModel([{ file: 'model.yaml', text: readFileSync(join(golden, 'model.yaml'), 'utf8') }])
    : undefined;

  function plansOf(query: unknown): readonly Plan[] {
    const read = readQuery(query);
    if (!read.ok || !model?.ok) throw new Error(JSON.stringify(read.issues));
    const bound = bind(read.value, model.value, {
      now: day('2026-11-21'),
      limits: 'remote',
      ignoresUnknownOrder: true,
    });
    if (!bound.ok) throw new Error(JSON.stringify(bound.issues));
    return bound.value;
  }

  /** What the engine gave, from what was put on the wire. Cut arrays keep what is left of them. */
  function answerOf(plan: Plan, data: unknown): Result {
    const rows = Array.isArray(data)
      ? (data as Json[]).filter((row) => !('$truncated' in row))
      : fromCompact(data as { members: string[]; dataset: unknown[][] });
    return resultOf(
      plan,
      rows.map((row) =>
        plan.columns.map((column) => {
          const value = row[column.key] as Value;
          return column.type === 'number' && typeof value === 'string' && String(Number(value)) === value
            ? Number(value)
            : value;
        }),
      ),
    );
  }

  function fromCompact({
    members,
    dataset,
  }: {
    readonly members: readonly string[];
    readonly dataset: readonly (readonly unknown[])[];
  }): readonly Json[] {
    return dataset.map((row) => Object.fromEntries(members.map((member, index) => [member, row[index]])));
  }

  function withoutCut(result: Json): Json {
    const { lastRefreshTime: _, data, ...rest } = result;
    return { ...rest, data: Array.isArray(data) ? data.filter((row) => !('$truncated' in (row as Json))) : data };
  }

  it.each(loads.filter(([, { request }]) => request.path.includes('/load')))(
    '%s reads as it was recorded',
    (_, { request, response }) => {
      const plans = plansOf(request.body?.query);
      const recorded = response as { readonly results?: readonly Json[]; readonly queryType?: string };
      if (!recorded.results) {
        const [plan] = plans as [Plan];
        const { lastRefreshTime: __, ...ours } = toLoadResult(
          { plan, result: answerOf(plan, (response as Json)['data']) },
          { lastRefreshTime },
        );
        expect(ours).toEqual(withoutCut(response as Json));
        return;
      }
      const results = recorded.results;
      const parts = plans.map((plan, index) => ({ plan, result: answerOf(plan, results[index]?.['data']) }));
      const ours = toLoadResponse(parts, { queryType: 'regularQuery', lastRefreshTime });
      expect({ ...ours, results: ours.results.map((result) => withoutCut(result as unknown as Json)) }).toEqual({
        ...recorded,
        results: results.map(withoutCut),
      });
    },
  );

  it.each(loads.filter(([, { request }]) => request.path.includes('/dry-run')))(
    '%s is planned as it was recorded',
    (_, { request, response }) => {
      const { transformedQueries: __, ...ours } = toDryRun(plansOf(request.body?.query), 'regularQuery');
      const { transformedQueries: ___, ...recorded } = response as Json;
      expect(ours).toEqual(recorded);
    },
  );
});
