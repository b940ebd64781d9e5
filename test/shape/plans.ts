import type { CanonicalQuery } from '../../src/ask/query/query.ts';
import type { Granularity } from '../../src/ask/time/granularity.ts';
import type { TimeRange } from '../../src/ask/time/range.ts';
import type { Column, Value } from '../../src/plan/column.ts';
import type { Cube, Dimension, DimensionType, Measure, MeasureType } from '../../src/plan/model/model.ts';
import type { Plan, PlanOrder } from '../../src/plan/plan.ts';
import type { Answer, AnswerFacts, Batch } from '../../src/run/backend.ts';
import type { Provenance } from '../../src/shape/result/provenance.ts';

export interface PlanWish {
  readonly dimensions?: Readonly<Record<string, DimensionType>>;
  readonly measures?: Readonly<Record<string, MeasureType>>;
  readonly granularity?: Granularity;
  readonly range?: TimeRange;
  readonly zone?: string;
  readonly now?: number;
  readonly order?: readonly PlanOrder[];
  readonly limit?: number;
  readonly offset?: number;
  readonly query?: CanonicalQuery;
  readonly change?: Partial<Plan>;
}

/** Midnight in UTC. */
export function day(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** First and last day, both inside, in UTC. */
export function days(first: string, last: string): TimeRange {
  return { start: day(first), end: day(last) + 86_400_000 };
}

export const farFuture = day('2100-01-01');

/** A plan over one cube `E` with the members that are wished for; the axis is `E.time`. Columns as on the wire. */
export function makePlan({
  dimensions = {},
  measures = { count: 'count' },
  granularity,
  range,
  zone = 'UTC',
  ...preference
}: PlanWish): Plan {
  const dimensionList = Object.entries(dimensions).map(
    ([name, type]): Dimension => ({
      name,
      title: `E ${name}`,
      shortTitle: name,
      type,
      expression: { kind: 'sql', sql: [] },
      primaryKey: false,
      public: true,
    }),
  );
  const measureList = Object.entries(measures).map(
    ([name, type]): Measure => ({
      name,
      title: `E ${name}`,
      shortTitle: name,
      type,
      filters: [],
      drillMembers: [],
      public: true,
    }),
  );
  const time: Dimension = {
    name: 'time',
    title: 'E time',
    shortTitle: 'time',
    type: 'time',
    expression: { kind: 'sql', sql: [] },
    primaryKey: false,
    public: true,
  };
  const cube: Cube = {
    name: 'E',
    title: 'E',
    source: { kind: 'table', table: 'e' },
    joins: [],
    measures: measureList,
    dimensions: [...dimensionList, time],
    segments: [],
    public: true,
  };
  const columns: Column[] = [
    ...dimensionList.map(
      (dimension): Column => ({
        key: `E.${dimension.name}`,
        member: `E.${dimension.name}`,
        kind: 'dimension',
        type: dimension.type,
        title: dimension.title,
        shortTitle: dimension.shortTitle,
        additive: false,
        whenAbsent: null,
      }),
    ),
    ...(granularity
      ? [
          {
            key: `E.time.${granularity}`,
            member: 'E.time',
            kind: 'time',
            type: 'time',
            granularity,
            title: 'E time',
            shortTitle: 'time',
            additive: false,
            whenAbsent: null,
          } as const,
        ]
      : []),
    ...measureList.map(
      (measure): Column => ({
        key: `E.${measure.name}`,
        member: `E.${measure.name}`,
        kind: 'measure',
        type: 'number',
        title: measure.title,
        shortTitle: measure.shortTitle,
        additive: measure.type === 'count' || measure.type === 'sum',
        whenAbsent:
          measure.type === 'avg' || measure.type === 'max' || measure.type === 'min' || measure.type === 'number'
            ? null
            : 0,
        drillMembers: [],
      }),
    ),
  ];
  const axis = dimensionList.length;
  return {
    query: preference.query ?? {},
    writtenFilters: preference.query?.filters ?? [],
    model: { cubes: [cube] },
    zone,
    weekStart: 'monday',
    project: undefined,
    now: preference.now ?? farFuture,
    columns,
    dimensions: dimensionList.map((dimension, column) => ({ cube, dimension, column })),
    times:
      granularity || range
        ? [{ cube, dimension: time, granularity, range, column: granularity ? axis : undefined }]
        : [],
    measures: measureList.map((measure, index) => ({ cube, measure, column: axis + (granularity ? 1 : 0) + index })),
    segments: [],
    rowConditions: [],
    groupConditions: [],
    root: cube,
    multiplied: [],
    joins: [],
    order:
      preference.order ??
      (granularity
        ? [{ column: axis, descending: false }, ...dimensionList.map((_, column) => ({ column, descending: false }))]
        : []),
    limit: preference.limit,
    offset: preference.offset ?? 0,
    total: false,
    ungrouped: false,
    series: granularity && range ? { column: axis, granularity, range } : undefined,
    comparison: undefined,
    ...preference.change,
  };
}

export const noFacts: AnswerFacts = { uncounted: [], rejected: { count: 0, examples: [] } };

/** An answer whose rows come in batches of the given size. */
export function answerOf(
  plan: Plan,
  rows: readonly (readonly Value[])[],
  batchSize = 1000,
  facts: AnswerFacts = noFacts,
): Answer {
  async function* batches(): AsyncGenerator<Batch> {
    for (let start = 0; start < rows.length; start += batchSize) {
      const part = rows.slice(start, start + batchSize);
      yield { rowCount: part.length, columns: plan.columns.map((_, index) => part.map((row) => row[index] ?? null)) };
    }
  }
  return { batches: batches(), facts: () => facts };
}

export const someFacts = { queryHash: 'hash', backend: 'embedded', source: 'events.ndjson' };

export const somewhere: Provenance = {
  queryHash: 'hash',
  query: {},
  backend: 'embedded',
  source: 'events.ndjson',
  range: null,
  zone: 'UTC',
  asOf: '2100-01-01T00:00:00.000Z',
  rows: 0,
  filled: false,
  filledCells: 0,
  partialBuckets: 0,
  truncated: null,
  uncounted: [],
  rejected: { count: 0, examples: [] },
  freshness: null,
  notes: [],
  elapsedMs: 0,
};
