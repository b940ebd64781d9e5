import { describe, expect, expectTypeOf, test } from 'vitest';
import { query, type Queryable, type QueryBuilder, type RowOf, toQuery } from '../../../src/ask/query/builder.ts';
import type { AnyModel, LooseRow, RowValue } from '../../../src/ask/query/model-types.ts';
import type { Query } from '../../../src/ask/query/query.ts';
import { readQuery } from '../../../src/ask/query/query-schema.ts';

interface Events {
  measures: { 'TrackedEvents.count': number; 'TrackedEvents.uniqueUsersCount': number };
  dimensions: { 'TrackedEvents.docPath': string; 'TrackedEvents.isMobile': boolean };
  times: { 'TrackedEvents.utcTime': string };
  segments: 'TrackedEvents.knownUsers';
}

describe('the query builder', () => {
  test('writes the same query as the load body', () => {
    const asked = query<Events>()
      .measures('TrackedEvents.count')
      .by('TrackedEvents.docPath')
      .time('TrackedEvents.utcTime', 'day')
      .range('last 7 days')
      .segments('TrackedEvents.knownUsers')
      .where('TrackedEvents.docPath', 'startsWith', '/docs', '/help')
      .whereAny([['TrackedEvents.count', 'gt', 3], { and: [['TrackedEvents.docPath', 'set']] }])
      .whereAll([['TrackedEvents.utcTime', 'afterDate', '2024-01-01']])
      .order('TrackedEvents.utcTime.day')
      .order('TrackedEvents.count', 'desc')
      .limit(10)
      .offset(5)
      .zone('Europe/Berlin')
      .total()
      .ungrouped();
    expect(asked.toQuery()).toEqual({
      measures: ['TrackedEvents.count'],
      dimensions: ['TrackedEvents.docPath'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: 'last 7 days' }],
      segments: ['TrackedEvents.knownUsers'],
      filters: [
        { member: 'TrackedEvents.docPath', operator: 'startsWith', values: ['/docs', '/help'] },
        {
          or: [
            { member: 'TrackedEvents.count', operator: 'gt', values: [3] },
            { and: [{ member: 'TrackedEvents.docPath', operator: 'set' }] },
          ],
        },
        { and: [{ member: 'TrackedEvents.utcTime', operator: 'afterDate', values: ['2024-01-01'] }] },
      ],
      order: [
        ['TrackedEvents.utcTime.day', 'asc'],
        ['TrackedEvents.count', 'desc'],
      ],
      limit: 10,
      offset: 5,
      timezone: 'Europe/Berlin',
      total: true,
      ungrouped: true,
    });
    expect(readQuery(asked.toQuery())).toMatchObject({ ok: true });
  });

  test('keeps the order of groups', () => {
    const asked = query<Events>().measures('TrackedEvents.count').time('TrackedEvents.utcTime', 'day');
    expect(asked.by('TrackedEvents.docPath').by('TrackedEvents.isMobile').toQuery().columns).toEqual([
      'TrackedEvents.utcTime.day',
    ]);
    expect(asked.toQuery().columns).toBeUndefined();
    const between = query<Events>().by('TrackedEvents.docPath').time('TrackedEvents.utcTime', 'day', 'today');
    expect(between.toQuery().columns).toBeUndefined();
    expect(between.by('TrackedEvents.isMobile').toQuery().columns).toEqual([
      'TrackedEvents.docPath',
      'TrackedEvents.utcTime.day',
    ]);
  });

  test('does not change earlier steps', () => {
    const start = query().measures('A.count');
    const longer = start.measures('A.sum').limit(3);
    expect(start.toQuery()).toEqual({ measures: ['A.count'] });
    expect(longer.toQuery()).toEqual({ measures: ['A.count', 'A.sum'], limit: 3 });
  });

  test('freezes builders and queries deeply', () => {
    const asked = query().measures('A.count').where('A.x', 'equals', 'y');
    expect(() => Object.assign(asked, { limit: 5 })).toThrow(TypeError);
    expect(() => (asked.toQuery().filters as unknown[]).push(1)).toThrow(TypeError);
    expect(() => Object.assign(asked.toQuery().filters?.[0] ?? {}, { member: 'A.z' })).toThrow(TypeError);
  });

  test('does not freeze lists of the caller', () => {
    const range = ['2024-01-01', '2024-01-31'];
    query().measures('A.count').time('A.at', 'day', range).toQuery();
    range.push('still mine');
    expect(range).toHaveLength(3);
  });

  test('applies a range to the last time, or to the next one if there is none yet', () => {
    const late = query().measures('A.count').time('A.at', 'day').range(['2024-01-01', '2024-01-31']);
    const early = query().measures('A.count').range(['2024-01-01', '2024-01-31']).time('A.at', 'day');
    expect(late.toQuery()).toEqual(early.toQuery());
    expect(late.toQuery().timeDimensions).toEqual([
      { dimension: 'A.at', granularity: 'day', dateRange: ['2024-01-01', '2024-01-31'] },
    ]);
  });

  test('applies a range without a time to the usual time of the cube', () => {
    const timeOf = (measure: string) =>
      query().measures(measure).range('today').toQuery().timeDimensions?.[0]?.dimension;
    expect(timeOf('TrackedEvents.count')).toBe('TrackedEvents.utcTime');
    expect(timeOf('Sessions.count')).toBe('Sessions.startAt');
    expect(timeOf('ReturningUsers.allSessionsCount')).toBe('ReturningUsers.first_timestamp');
    expect(timeOf('checkout.count')).toBe('checkout.date');
  });

  test('replaces a single range by ranges to compare', () => {
    const asked = query()
      .measures('A.count')
      .time('A.at', 'day', 'today')
      .compare('this month', ['2024-01-01', '2024-01-31']);
    expect(asked.toQuery().timeDimensions).toEqual([
      { dimension: 'A.at', granularity: 'day', compareDateRange: ['this month', ['2024-01-01', '2024-01-31']] },
    ]);
    expect(asked.range('today').toQuery().timeDimensions).toEqual([
      { dimension: 'A.at', granularity: 'day', dateRange: 'today' },
    ]);
  });

  test('compares a single range with that of the query, or with the period before it', () => {
    const comparedBy = (asked: QueryBuilder) => asked.toQuery().timeDimensions?.map((time) => time.compareDateRange);
    const asked = query<AnyModel>().measures('A.count');
    expect(comparedBy(asked.range('last week').compare('previous'))).toEqual([['last week', 'previous']]);
    expect(comparedBy(asked.compare('previous').range('last week'))).toEqual([['last week', 'previous']]);
    expect(comparedBy(asked.time('A.at', 'day', 'today').compare('-1y'))).toEqual([['today', '-1y']]);
    expect(comparedBy(asked.compare('last week'))).toEqual([['last week', 'previous']]);
    expect(comparedBy(asked.compare('previous'))).toEqual([['previous']]);
  });

  test('works as its query in JSON and in every function', () => {
    const asked = query().measures('A.count');
    const plain: Query = { measures: ['A.count'] };
    expect(JSON.parse(JSON.stringify({ query: asked }))).toEqual({ query: plain });
    expect(toQuery(asked)).toEqual(plain);
    expect(toQuery(plain)).toBe(plain);
    expectTypeOf(asked).toExtend<Queryable>();
    expectTypeOf(plain).toExtend<Queryable>();
  });
});

describe('types of the builder', () => {
  test('give rows the queried members by name', () => {
    const asked = query<Events>()
      .measures('TrackedEvents.count')
      .dimensions('TrackedEvents.docPath', 'TrackedEvents.isMobile')
      .time('TrackedEvents.utcTime', 'day');
    expectTypeOf<RowOf<typeof asked>>().toEqualTypeOf<{
      readonly 'TrackedEvents.count': number | null;
      readonly 'TrackedEvents.docPath': string | null;
      readonly 'TrackedEvents.isMobile': boolean | null;
      readonly 'TrackedEvents.utcTime.day': string;
    }>();
    expect(asked.toQuery().timeDimensions).toHaveLength(1);
  });

  test('leave out a time that only filters, and include a comparison', () => {
    const asked = query<Events>()
      .measures('TrackedEvents.count')
      .time('TrackedEvents.utcTime')
      .compare('today', 'yesterday');
    expectTypeOf<RowOf<typeof asked>>().toEqualTypeOf<{
      readonly 'TrackedEvents.count': number | null;
      readonly compareDateRange: string;
    }>();
    expect(asked.toQuery().measures).toEqual(['TrackedEvents.count']);
  });

  test('give functions the row type of the builder', () => {
    const rowsOf = <Row>(asked: Queryable<Row>): readonly Row[] => [asked].flatMap(() => []);
    const rows = rowsOf(query<Events>().measures('TrackedEvents.count'));
    expectTypeOf(rows[0]?.['TrackedEvents.count']).toEqualTypeOf<number | null | undefined>();
    expect(rows).toEqual([]);
  });

  test('accept every name without a model, with loose values for unknown names', () => {
    const asked = query().measures('Any.thing').by('Any.other').where('Any.thing', 'inDateRange', 'today');
    type Row = RowOf<typeof asked>;
    expectTypeOf<Row['Any.thing']>().toEqualTypeOf<RowValue>();
    expectTypeOf<Row['Any.thing.share']>().toEqualTypeOf<RowValue>();
    expectTypeOf<RowOf<Query>>().toEqualTypeOf<LooseRow>();
    expect(asked.toQuery().dimensions).toEqual(['Any.other']);
  });

  test('cover the built-in cubes without a model', () => {
    const asked = query()
      .measures('TrackedEvents.uniqueUsersCount', 'Sessions.averageDurationMinutes')
      .by('TrackedEvents.docPath')
      .time('TrackedEvents.utcTime', 'day')
      .segments('TrackedEvents.bots');
    type Row = RowOf<typeof asked>;
    expectTypeOf<Row['TrackedEvents.uniqueUsersCount']>().toEqualTypeOf<number | null>();
    expectTypeOf<Row['Sessions.averageDurationMinutes']>().toEqualTypeOf<number | bigint | string | null>();
    expectTypeOf<Row['TrackedEvents.docPath']>().toEqualTypeOf<string | null>();
    expectTypeOf<Row['TrackedEvents.utcTime.day']>().toEqualTypeOf<string>();
    expect(asked.toQuery().measures).toHaveLength(2);
  });

  test('reject unknown names and operators that do not fit', () => {
    const asked = query<Events>();
    const wrong = [
      // @ts-expect-error: no such measure
      asked.measures('TrackedEvents.cuont'),
      // @ts-expect-error: a dimension is not a measure
      asked.measures('TrackedEvents.docPath'),
      // @ts-expect-error: a measure is not a dimension
      asked.by('TrackedEvents.count'),
      // @ts-expect-error: no such granularity
      asked.time('TrackedEvents.utcTime', 'decade'),
      // @ts-expect-error: no such segment
      asked.segments('TrackedEvents.unknown'),
      // @ts-expect-error: measures are not matched as text
      asked.where('TrackedEvents.count', 'contains', '5'),
      // @ts-expect-error: a time is compared as a date
      asked.where('TrackedEvents.utcTime', 'equals', '2024'),
      // @ts-expect-error: text is not a date
      asked.where('TrackedEvents.docPath', 'inDateRange', 'today'),
      // @ts-expect-error: equals needs a value
      asked.where('TrackedEvents.docPath', 'equals'),
      // @ts-expect-error: set takes no value
      asked.where('TrackedEvents.docPath', 'set', 'x'),
      // @ts-expect-error: not among the conditions either
      asked.whereAny([['TrackedEvents.docPath', 'inDateRange', 'today']]),
      // @ts-expect-error: no such bucket
      asked.order('TrackedEvents.utcTime.decade'),
    ];
    expect(wrong).toHaveLength(12);
  });
});
