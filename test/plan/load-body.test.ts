import { describe, expect, it } from 'vitest';
import type { Filter, MemberFilter, Query } from '../../src/ask/query/query.ts';
import { readQuery } from '../../src/ask/query/query-schema.ts';
import type { BindContext } from '../../src/plan/bind/bind-context.ts';
import { toLoadBody } from '../../src/plan/load-body.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { modelOf, planOf, plansOf } from './ask.ts';

const time = 'TrackedEvents.utcTime';
const bodyOf = (query: Query, changes: Partial<BindContext> = {}) =>
  toLoadBody(planOf(query, builtInModel, changes)).query;
const filtersOf = (filter: Filter, changes: Partial<BindContext> = {}) =>
  bodyOf({ measures: ['TrackedEvents.count'], filters: [filter] }, changes).filters;
const onTime = (operator: MemberFilter['operator'], ...values: readonly (string | null)[]): MemberFilter => ({
  member: time,
  operator,
  values,
});
const [midnight, lastMoment] = ['2024-03-08T00:00:00.000', '2024-03-08T23:59:59.999'];

describe('the load body', () => {
  it('is the canonical query with its order, limit and zone written out', () => {
    expect(
      toLoadBody(
        planOf(
          {
            measures: ['TrackedEvents.count'],
            dimensions: ['TrackedEvents.eventType'],
            filters: [{ member: 'TrackedEvents.docPath', operator: 'contains', values: ['/'] }],
            // Replies have rows by name: servers do not define an order of columns.
            columns: ['TrackedEvents.eventType', 'TrackedEvents.utcTime.day'],
            segments: ['TrackedEvents.humans'],
            order: { 'TrackedEvents.count': 'desc' },
            total: true,
          },
          builtInModel,
          { zone: 'europe/berlin' },
        ),
      ),
    ).toEqual({
      queryType: 'multi',
      query: {
        measures: ['TrackedEvents.count'],
        dimensions: ['TrackedEvents.eventType'],
        filters: [{ member: 'TrackedEvents.docPath', operator: 'contains', values: ['/'] }],
        segments: ['TrackedEvents.humans'],
        order: [
          ['TrackedEvents.count', 'desc'],
          ['TrackedEvents.eventType', 'asc'],
        ],
        total: true,
        limit: 10_000,
        timezone: 'Europe/Berlin',
      },
    });
  });

  it('is a query that can be read again', () => {
    const body = bodyOf({
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: time, granularity: 'day', dateRange: 'last 7 days' }],
      filters: [onTime('notEquals', '2024-03-08', null), { or: [] }],
      limit: 5,
      offset: 2,
    });
    expect(readQuery(JSON.parse(JSON.stringify(body)))).toEqual({ ok: true, value: body, issues: [] });
  });

  it('orders to the last tie, so that pages are stable, and names a bucket in full only beside another', () => {
    const types = { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.eventType'] };
    const day = { dimension: time, granularity: 'day' } as const;
    expect(bodyOf({ ...types, timeDimensions: [day] }).order).toEqual([
      [time, 'asc'],
      ['TrackedEvents.eventType', 'asc'],
    ]);
    expect(
      bodyOf({ ...types, timeDimensions: [day, { dimension: time, granularity: 'month' }], order: [] }).order,
    ).toEqual([
      ['TrackedEvents.eventType', 'asc'],
      [`${time}.day`, 'asc'],
      [`${time}.month`, 'asc'],
    ]);
    expect(bodyOf({ measures: ['TrackedEvents.count'], filters: [] }).order).toEqual([['TrackedEvents.count', 'desc']]);
  });

  it('asks for the buckets of a day in UTC, since two hours of one night bear one name elsewhere', () => {
    const zoneOf = (
      granularity: 'second' | 'hour' | 'day',
      timezone: string,
      dateRange: readonly string[] | undefined = ['2024-10-27', '2024-10-27'],
    ) =>
      bodyOf({
        measures: ['TrackedEvents.count'],
        timeDimensions: [{ dimension: time, granularity, ...(dateRange && { dateRange }) }],
        timezone,
      });
    expect(zoneOf('hour', 'Europe/Berlin')).toMatchObject({
      timezone: 'UTC',
      timeDimensions: [{ dateRange: ['2024-10-26T22:00:00.000', '2024-10-27T22:59:59.999'] }],
    });
    expect(zoneOf('day', 'Europe/Berlin')).toMatchObject({
      timezone: 'Europe/Berlin',
      timeDimensions: [{ dateRange: ['2024-10-27T00:00:00.000', '2024-10-27T23:59:59.999'] }],
    });
    // Hours there do not align with those of UTC; seconds do.
    expect(zoneOf('hour', 'Asia/Kolkata')).toMatchObject({ timezone: 'Asia/Kolkata' });
    expect(zoneOf('second', 'Asia/Kolkata')).toMatchObject({ timezone: 'UTC' });
  });

  it('leaves the format of the answer to the backend', () => {
    expect(bodyOf({ measures: ['TrackedEvents.count'], responseFormat: 'compact' })).not.toHaveProperty(
      'responseFormat',
    );
  });

  it('writes phrases and days out as first and last millisecond in the zone of the query', () => {
    const rangeOf = (dateRange: string | readonly string[], timezone?: string) =>
      bodyOf({
        measures: ['TrackedEvents.count'],
        timeDimensions: [{ dimension: time, granularity: 'day', dateRange }],
        timezone,
      }).timeDimensions?.[0];
    expect(rangeOf('last 2 days')).toEqual({
      dimension: time,
      granularity: 'day',
      dateRange: ['2024-03-11T00:00:00.000', '2024-03-12T23:59:59.999'],
    });
    expect(rangeOf(['2024-03-08', '2024-03-08'], 'Pacific/Auckland')).toMatchObject({
      dateRange: [midnight, lastMoment],
    });
    expect(rangeOf(['2024-03-08T10:00:00Z', '2024-03-08T11:00:00Z'], 'Pacific/Auckland')).toMatchObject({
      dateRange: ['2024-03-08T23:00:00.000', '2024-03-09T00:00:00.000'],
    });
    // Also across a clock change.
    expect(rangeOf('2024-03-10', 'America/New_York')).toMatchObject({
      dateRange: ['2024-03-10T00:00:00.000', '2024-03-10T23:59:59.999'],
    });
    expect(rangeOf('today', 'Asia/Tokyo')).toMatchObject({
      dateRange: ['2024-03-14T00:00:00.000', '2024-03-14T23:59:59.999'],
    });
  });

  it('leaves a range that holds nothing empty', () => {
    expect(
      bodyOf({
        measures: ['TrackedEvents.count'],
        timeDimensions: [{ dimension: time, dateRange: ['2024-03-09', '2024-03-08'] }],
      }).timeDimensions,
    ).toEqual([{ dimension: time, dateRange: ['2024-03-09T00:00:00.000', lastMoment] }]);
  });

  it('keeps the filter that gives a series its range, so that the server fills it', () => {
    const body = bodyOf({
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: time, granularity: 'day' }],
      filters: [onTime('inDateRange', 'last 1 days')],
    });
    expect(body.timeDimensions).toEqual([{ dimension: time, granularity: 'day' }]);
    expect(body.filters).toEqual([onTime('inDateRange', '2024-03-12T00:00:00.000', '2024-03-12T23:59:59.999')]);
  });

  it('is one for each range of a comparison', () => {
    const plans = plansOf(
      {
        measures: ['TrackedEvents.count'],
        timeDimensions: [{ dimension: time, compareDateRange: ['2024-03-08', 'yesterday'] }],
      },
      builtInModel,
    );
    expect(plans.map((plan) => toLoadBody(plan).query.timeDimensions)).toEqual([
      [{ dimension: time, dateRange: [midnight, lastMoment] }],
      [{ dimension: time, dateRange: ['2024-03-12T00:00:00.000', '2024-03-12T23:59:59.999'] }],
    ]);
  });
});

describe('filters on times mean to a server what they mean here', () => {
  it('compare from the end of the day that decides', () => {
    expect(filtersOf(onTime('beforeDate', '2024-03-08'))).toEqual([onTime('beforeDate', midnight)]);
    expect(filtersOf(onTime('lt', '2024-03-08'))).toEqual([onTime('beforeDate', midnight)]);
    expect(filtersOf(onTime('beforeOrOnDate', '2024-03-08'))).toEqual([onTime('beforeOrOnDate', lastMoment)]);
    expect(filtersOf(onTime('lte', '2024-03-08'))).toEqual([onTime('beforeOrOnDate', lastMoment)]);
    expect(filtersOf(onTime('afterDate', '2024-03-08'))).toEqual([onTime('afterDate', lastMoment)]);
    expect(filtersOf(onTime('gt', '2024-03-08'))).toEqual([onTime('afterDate', lastMoment)]);
    expect(filtersOf(onTime('afterOrOnDate', '2024-03-08'))).toEqual([onTime('afterOrOnDate', midnight)]);
    expect(filtersOf(onTime('gte', '2024-03-08'))).toEqual([onTime('afterOrOnDate', midnight)]);
  });

  it('turn days into ranges, each day its own', () => {
    const onDay = onTime('inDateRange', midnight, lastMoment);
    const nextDay = onTime('inDateRange', '2024-03-09T00:00:00.000', '2024-03-09T23:59:59.999');
    const missing = { member: time, operator: 'notSet' };
    for (const operator of ['equals', 'in', 'onTheDate'] as const) {
      // The platform fills the days of a range that stands alone.
      expect(filtersOf(onTime(operator, '2024-03-08'))).toEqual([{ or: [onDay] }]);
      expect(filtersOf(onTime(operator, '2024-03-08', '2024-03-09'))).toEqual([{ or: [onDay, nextDay] }]);
      expect(filtersOf(onTime(operator, '2024-03-08', null))).toEqual([{ or: [onDay, missing] }]);
      expect(filtersOf(onTime(operator, null))).toEqual([{ or: [missing] }]);
    }
    const notOnDay = onTime('notInDateRange', midnight, lastMoment);
    const notNextDay = onTime('notInDateRange', '2024-03-09T00:00:00.000', '2024-03-09T23:59:59.999');
    for (const operator of ['notEquals', 'notIn'] as const) {
      expect(filtersOf(onTime(operator, '2024-03-08'))).toEqual([{ or: [notOnDay, missing] }]);
      expect(filtersOf(onTime(operator, '2024-03-08', null))).toEqual([notOnDay]);
      expect(filtersOf(onTime(operator, '2024-03-08', '2024-03-09', null))).toEqual([{ and: [notOnDay, notNextDay] }]);
      expect(filtersOf(onTime(operator, null))).toEqual([{ member: time, operator: 'set' }]);
    }
  });

  it('read ranges of one phrase and of two ends', () => {
    expect(filtersOf(onTime('inDateRange', '2024-03-08'))).toEqual([onTime('inDateRange', midnight, lastMoment)]);
    expect(filtersOf(onTime('notInDateRange', '2024-03-08', '2024-03-09'))).toEqual([
      onTime('notInDateRange', midnight, '2024-03-09T23:59:59.999'),
    ]);
    expect(filtersOf(onTime('inDateRange', 'this week'), { weekStart: 'sunday' })).toEqual([
      onTime('inDateRange', '2024-03-10T00:00:00.000', '2024-03-16T23:59:59.999'),
    ]);
  });

  it('inside of groups too', () => {
    expect(
      filtersOf({
        or: [
          { and: [onTime('gt', '2024-03-08')] },
          { member: 'TrackedEvents.eventType', operator: 'equals', values: ['a'] },
        ],
      }),
    ).toEqual([
      {
        or: [
          { and: [onTime('afterDate', lastMoment)] },
          { member: 'TrackedEvents.eventType', operator: 'equals', values: ['a'] },
        ],
      },
    ]);
  });

  it('leave texts that only look like days as they are', () => {
    const filter: Filter = { member: 'TrackedEvents.docPath', operator: 'equals', values: ['2024-03-08'] };
    expect(filtersOf(filter)).toEqual([filter]);
    const model = modelOf(
      'cubes: [{name: T, sql_table: t, measures: [{name: count, type: count}], dimensions: [{name: day, type: time, sql: day}]}]',
    );
    const set: Filter = { member: 'T.day', operator: 'set' };
    expect(toLoadBody(planOf({ measures: ['T.count'], filters: [set] }, model)).query.filters).toEqual([set]);
  });
});
