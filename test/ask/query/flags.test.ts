import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawIssues } from '../../../src/ask/document/draw-issue.ts';
import { readNotation } from '../../../src/ask/notation/read-notation.ts';
import type { Located } from '../../../src/ask/document/located.ts';
import { type QueryFlags, readQueryFlags } from '../../../src/ask/notation/read-flags.ts';
import { toCanonicalQuery } from '../../../src/ask/query/canonical-query.ts';
import { mergeQuery } from '../../../src/ask/query/merge-query.ts';
import type { Query } from '../../../src/ask/query/query.ts';
import { arbitraryQuery } from './arbitrary-query.ts';
import { catalog } from './catalog.ts';

function read(flags: QueryFlags, over?: Query): unknown {
  const outcome = readQueryFlags(flags, { members: catalog, over });
  return outcome.ok ? outcome.value : drawIssues(outcome.issues, outcome);
}

const topPages: Query = {
  measures: ['TrackedEvents.pageViewsCount'],
  dimensions: ['TrackedEvents.docPath'],
  timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: 'last 30 days' }],
  filters: [{ member: 'TrackedEvents.eventType', operator: 'equals', values: ['pageview'] }],
  order: [['TrackedEvents.pageViewsCount', 'desc']],
  limit: 100,
};

describe('query flags', () => {
  test('put columns in the order of -d', () => {
    expect(read({ measures: ['count'], dimensions: ['day', 'docPath'] })).toMatchObject({
      dimensions: ['TrackedEvents.docPath'],
      columns: ['TrackedEvents.utcTime.day'],
    });
    const over = { ...topPages, columns: ['TrackedEvents.utcTime.week'], dimensions: ['TrackedEvents.docPath'] };
    const times = [{ dimension: 'TrackedEvents.utcTime', granularity: 'week' as const }];
    expect(read({ limit: 3 }, { ...over, timeDimensions: times })).toMatchObject({
      columns: ['TrackedEvents.utcTime.week'],
    });
    expect(read({ dimensions: ['docHost', 'day'] }, { ...over, timeDimensions: times })).not.toHaveProperty('columns');
  });

  test('express a whole query', () => {
    expect(
      read({
        measures: ['count,pageViewsCount'],
        dimensions: ['docPath', 'docHost'],
        times: ['utcTime:day'],
        range: 'last 7 days',
        where: ['eventType = pageview', 'docPath startsWith /a /b'],
        segments: ['knownUsers'],
        order: ['count:desc', 'day'],
        limit: '10',
        offset: 5,
        timezone: 'UTC',
      }),
    ).toEqual({
      measures: ['TrackedEvents.count', 'TrackedEvents.pageViewsCount'],
      dimensions: ['TrackedEvents.docPath', 'TrackedEvents.docHost'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: 'last 7 days' }],
      segments: ['TrackedEvents.knownUsers'],
      filters: [
        { member: 'TrackedEvents.eventType', operator: 'equals', values: ['pageview'] },
        { member: 'TrackedEvents.docPath', operator: 'startsWith', values: ['/a', '/b'] },
      ],
      order: [
        ['TrackedEvents.count', 'desc'],
        ['TrackedEvents.utcTime.day', 'asc'],
      ],
      limit: 10,
      offset: 5,
      timezone: 'UTC',
    });
  });

  test.each([
    'count / uniqueUsersCount',
    'count, (pageViewsCount + 1) / uniqueUsersCount as perUser, Sessions.count',
    'pageViewsCount rolling 28 days, count moving average 7',
    'count cumulative, count share of total, count avg per user',
    '(count + pageViewsCount) / 2 as mean',
    'page views / unique users',
    'count-pageViewsCount*2',
  ])('-m %s gives the same query as the line', (measures) => {
    const line = readNotation(measures, { members: catalog });
    expect(line.ok && line.value.measures).toBeTruthy();
    expect(read({ measures: [measures] })).toEqual(line.ok && toCanonicalQuery(line.value));
    expect(read({ measures: measures.split(', ') })).toEqual(read({ measures: [measures] }));
  });

  test.each([
    'count / uniqueUserCount',
    'count /',
    '(count + 1',
    'count rolling 0 days',
    'count rolling 28 dys',
    'count / 2 as day',
    'count / 2 as x, pageViewsCount / 2 as x',
    'cuont',
  ])('-m %s reports the same mistake as the line, at its place', (measures) => {
    const told = (outcome: Located<Query>, before: number) =>
      outcome.issues.map(({ span, ...issue }) => ({
        ...issue,
        span: span && { ...span, start: span.start - before, end: span.end - before, column: undefined },
      }));
    const [line, flags] = [
      readNotation(measures, { members: catalog }),
      readQueryFlags({ measures: [measures] }, { members: catalog }),
    ];
    const before = flags.source.indexOf(measures);
    const [ofLine, ofFlags] = [told(line, 0), told(flags, before)];
    expect(ofFlags.length).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(ofFlags))).toMatchObject(
      ofLine.map(({ code, message, hint, span }) => ({
        code,
        message,
        ...(hint !== undefined && { hint }),
        ...(span && { span: { start: span.start, end: span.end } }),
      })),
    );
  });

  test('reports text left over after a formula', () => {
    expect(read({ measures: ['count / 2 by day'] })).toContain('"by" is not expected after a measure.');
  });

  test('order by formulas, and keep formulas of the query below', () => {
    const perUser = 'TrackedEvents.perUser';
    const text = 'TrackedEvents.count / TrackedEvents.uniqueUsersCount';
    const query = { measures: [perUser], formulas: { [perUser]: text }, order: [[perUser, 'desc']] };
    expect(read({ measures: ['count / uniqueUsersCount as perUser'], order: ['perUser:desc'] })).toMatchObject(query);
    const over = { measures: [perUser], formulas: { [perUser]: text } };
    expect(read({ measures: ['perUser'], order: ['perUser:desc'] }, over)).toMatchObject(query);
    expect(read({ measures: ['count'] }, over)).not.toHaveProperty('formulas');
    const other = { formulas: { [perUser]: 'TrackedEvents.count * 2' } };
    expect(read({ measures: ['count * 2 as perUser'] }, over)).toMatchObject(other);
  });

  test.each<[string, unknown]>([
    ['utcTime:day', { dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
    ['utcTime.day', { dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
    ['utcTime:Daily', { dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
    ['week', { dimension: 'TrackedEvents.utcTime', granularity: 'week' }],
    ['Sessions.endAt', { dimension: 'Sessions.endAt' }],
  ])('-t %s is a time dimension', (time, expected) => {
    expect(read({ measures: ['count'], times: [time] })).toMatchObject({ timeDimensions: [expected] });
  });

  test('apply a range without a time to the time of the cube', () => {
    expect(read({ measures: ['Sessions.count'], range: 'today' })).toMatchObject({
      timeDimensions: [{ dimension: 'Sessions.startAt', dateRange: 'today' }],
    });
    expect(read({ measures: ['checkout.count'], range: 'today' })).toMatchObject({
      timeDimensions: [{ dimension: 'checkout.date' }],
    });
    expect(read({ measures: ['count'], times: ['Sessions.endAt'], range: 'today' })).toMatchObject({
      timeDimensions: [{ dimension: 'Sessions.endAt', dateRange: 'today' }],
    });
  });

  test.each<[string, string | readonly string[]]>([
    ['last 7 days', 'last 7 days'],
    ['2024-03', '2024-03'],
    ['2024-03-01..2024-03-31', ['2024-03-01', '2024-03-31']],
    ['2024-03-01, 2024-03-31', ['2024-03-01', '2024-03-31']],
    ['from 2024-03-01 to 2024-03-31', ['2024-03-01', '2024-03-31']],
    ['from 2024-03 to now', 'from 2024-03 to now'],
    [' no such thing ', 'no such thing'],
    ['from 2024-03-01', 'from 2024-03-01'],
  ])('--range %s is passed on', (range, expected) => {
    expect(read({ measures: ['count'], range })).toMatchObject({ timeDimensions: [{ dateRange: expected }] });
  });

  test.each<[string, unknown]>([
    ["docPath equals /a '/b c'", { operator: 'equals', values: ['/a', '/b c'] }],
    ['docPath notEquals /a', { operator: 'notEquals', values: ['/a'] }],
    ['docPath set', { operator: 'set' }],
    ['docPath is not set', { operator: 'notSet' }],
    ['docPath in /a /b', { operator: 'in', values: ['/a', '/b'] }],
    ['docPath in (/a, /b)', { operator: 'in', values: ['/a', '/b'] }],
    ['utcTime inDateRange 2024-03-01 2024-03-05', { operator: 'inDateRange', values: ['2024-03-01', '2024-03-05'] }],
    ['utcTime inDateRange last 7 days', { operator: 'inDateRange', values: ['last 7 days'] }],
    ['utcTime >= 2024-03-01', { operator: 'afterOrOnDate', values: ['2024-03-01'] }],
  ])('--where "%s" is a filter', (where, expected) => {
    expect(read({ measures: ['count'], where: [where] })).toMatchObject({ filters: [expected] });
  });

  test('join several --where with and, each with its own and/or', () => {
    expect(
      read({ measures: ['count'], where: ['docPath equals /a /b or docHost set', 'docPath = c and docHost = d'] }),
    ).toMatchObject({
      filters: [{ or: [{ values: ['/a', '/b'] }, { operator: 'set' }] }, { values: ['c'] }, { values: ['d'] }],
    });
  });

  test('report all mistakes, each at its flag', () => {
    const outcome = readQueryFlags(
      {
        measures: ['pageViewCount'],
        dimensions: ['docPath,docHst'],
        times: ['utcTime:days'],
        range: ' ',
        where: ['docPath isnt x', 'docPath = a b'],
        order: ['count:down'],
        limit: 'ten',
        offset: -1,
      },
      { members: catalog },
    );
    const pointed = outcome.issues.map(
      ({ code, span }) => `${code}: ${span ? outcome.source.slice(span.start, span.end) : ''}`,
    );
    expect(pointed).toEqual([
      'unknown-member: pageViewCount',
      'unknown-member: docHst',
      'unknown-granularity: days',
      'empty-range:  ',
      'notation-operator: isnt',
      'notation-unexpected: b',
      'unknown-direction: down',
      'not-a-number: ten',
      'not-a-number: -1',
    ]);
    expect(outcome.issues[2]?.hint).toBe('Did you mean "day"?');
    expect(outcome.source).toContain('-d docPath,docHst -t utcTime:days --range " " --where "docPath isnt x"');
  });

  test('report an empty query', () => {
    expect(readQueryFlags({ range: 'today' }, { members: catalog }).issues).toMatchObject([{ code: 'nothing-asked' }]);
  });

  test('locate the parts of the query', () => {
    const { source, locate } = readQueryFlags(
      { where: ['docHost = a'], range: 'today', limit: 5 },
      { members: catalog, over: topPages },
    );
    const at = (...path: (string | number)[]) => {
      const span = locate(path);
      return span && source.slice(span.start, span.end);
    };
    expect(at('filters', 1, 'values', 0)).toBe('a');
    expect(at('timeDimensions', 0, 'dateRange')).toBe('today');
    expect(at('limit')).toBe('5');
    expect(at('filters', 0, 'member')).toBeUndefined();
  });

  test('never throw', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', 'count', 'docPath', 'utcTime:day', ':', ',', 'toString', 'docPath = a', 'from', '..', "'"),
    );
    const flags = fc.record(
      {
        measures: fc.array(text),
        dimensions: fc.array(text),
        times: fc.array(text),
        range: text,
        where: fc.array(text),
        segments: fc.array(text),
        order: fc.array(text),
        limit: text,
        offset: text,
        timezone: text,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(flags, arbitraryQuery, (given, over) => {
        const outcome = readQueryFlags(given, { members: catalog, over });
        expect(outcome.ok || outcome.issues.length > 0).toBe(true);
      }),
    );
  });
});

describe('flags on top of a query', () => {
  test('change only what they specify', () => {
    expect(read({ range: 'last 7 days', limit: 5 }, topPages)).toEqual({
      ...topPages,
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: 'last 7 days' }],
      limit: 5,
    });
  });

  test('leave it unchanged if there are none', () => {
    fc.assert(
      fc.property(arbitraryQuery, (query) => {
        expect(mergeQuery(query, {}, 'A.time')).toEqual(toCanonicalQuery(query));
      }),
    );
  });

  test('add conditions and segments', () => {
    expect(read({ where: ['docHost = a'], segments: ['knownUsers'] }, topPages)).toMatchObject({
      filters: [topPages.filters?.[0], { member: 'TrackedEvents.docHost' }],
      segments: ['TrackedEvents.knownUsers'],
    });
  });

  test('replace measures, and drop orders by removed ones', () => {
    const replaced = read({ measures: ['count'] }, topPages);
    expect(replaced).toMatchObject({ measures: ['TrackedEvents.count'], dimensions: topPages.dimensions });
    expect(replaced).not.toHaveProperty('order');
    expect(read({ dimensions: ['docHost'] }, topPages)).toMatchObject({ order: topPages.order });
    expect(read({ measures: ['count'], order: ['count:desc'] }, topPages)).toMatchObject({
      order: [['TrackedEvents.count', 'desc']],
    });
  });

  test('keep the range if only the granularity changes', () => {
    expect(read({ times: ['day'] }, topPages)).toMatchObject({
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: 'last 30 days' }],
    });
    expect(read({ times: ['Sessions.endAt:day'] }, topPages)).toMatchObject({
      timeDimensions: [
        { dimension: 'Sessions.endAt', granularity: 'day' },
        { dimension: 'TrackedEvents.utcTime', dateRange: 'last 30 days' },
      ],
    });
  });

  test('apply a range to the existing time, replacing a comparison or filter', () => {
    const bucketed: Query = {
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
    };
    expect(read({ range: 'today' }, bucketed)).toMatchObject({
      timeDimensions: [{ granularity: 'day', dateRange: 'today' }],
    });
    const compared: Query = {
      measures: ['TrackedEvents.count'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', compareDateRange: ['today', 'yesterday'] }],
    };
    expect(read({ range: '2024' }, compared)).toEqual({
      ...compared,
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: '2024' }],
    });
    const filtered: Query = {
      ...bucketed,
      filters: [{ member: 'TrackedEvents.utcTime', operator: 'inDateRange', values: ['2024-01-01', '2024-01-31'] }],
    };
    expect(read({ range: 'today' }, filtered)).toEqual({
      ...filtered,
      filters: [{ member: 'TrackedEvents.utcTime', operator: 'inDateRange', values: ['today'] }],
    });
    expect(read({ range: 'today' }, { measures: ['Sessions.count'] })).toMatchObject({
      timeDimensions: [{ dimension: 'Sessions.startAt', dateRange: 'today' }],
    });
  });

  test('resolve short names in the cube of the query', () => {
    expect(read({ dimensions: ['step'] }, { measures: ['checkout.count'] })).toMatchObject({
      dimensions: ['checkout.step'],
    });
  });
});
