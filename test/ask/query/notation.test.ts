import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawIssues } from '../../../src/ask/document/draw-issue.ts';
import { readNotation } from '../../../src/ask/notation/read-notation.ts';
import { writeNotation } from '../../../src/ask/notation/write-notation.ts';
import { type Change, type Formula, operators, partsOf } from '../../../src/ask/notation/formula.ts';
import { nameOfFormula, writeFormula } from '../../../src/ask/notation/write-formula.ts';
import { readFormula } from '../../../src/ask/notation/parse-formula.ts';
import { cubeOf } from '../../../src/ask/query/member-name.ts';
import { toCanonicalQuery, writeCanonicalQuery } from '../../../src/ask/query/canonical-query.ts';
import {
  dateOperators,
  type Filter,
  presenceOperators,
  type Query,
  valueOperators,
} from '../../../src/ask/query/query.ts';
import { arbitraryQuery } from './arbitrary-query.ts';
import { catalog } from './catalog.ts';
import { runs } from '../../runs.ts';

function read(line: string): unknown {
  const outcome = readNotation(line, { members: catalog });
  return outcome.ok ? outcome.value : drawIssues(outcome.issues, outcome);
}

/** The code of each issue and the text that it marks. */
function wrong(line: string): readonly string[] {
  return readNotation(line, { members: catalog }).issues.map(
    ({ code, span }) => `${code}: ${span ? line.slice(span.start, span.end) : ''}`,
  );
}

/** The filters of a line. */
function where(condition: string): unknown {
  const outcome = readNotation(`count where ${condition}`, { members: catalog });
  return outcome.ok ? outcome.value.filters : drawIssues(outcome.issues, outcome);
}

const day = { dimension: 'TrackedEvents.utcTime', granularity: 'day' };

describe('a query line', () => {
  test('reads measures, breakdown, time, condition and ranking', () => {
    expect(read('pageViewsCount by docPath day last 30 days where eventType = pageview top 10')).toEqual({
      measures: ['TrackedEvents.pageViewsCount'],
      dimensions: ['TrackedEvents.docPath'],
      timeDimensions: [{ ...day, dateRange: 'last 30 days' }],
      filters: [{ member: 'TrackedEvents.eventType', operator: 'equals', values: ['pageview'] }],
      order: [['TrackedEvents.pageViewsCount', 'desc']],
      limit: 10,
    });
  });

  test('keeps columns in the order of their names, and is written in that order', () => {
    const columnsOf = (line: string) => (read(line) as Query).columns;
    expect(columnsOf('count by docPath, day')).toBeUndefined();
    expect(columnsOf('count by day, docPath')).toEqual(['TrackedEvents.utcTime.day']);
    expect(columnsOf('count by docPath, day, docHost, week')).toEqual([
      'TrackedEvents.docPath',
      'TrackedEvents.utcTime.day',
    ]);
    for (const line of ['count by day, docPath', 'count by docPath, day, docHost, week today', 'count by week, day'])
      expect(writeNotation(read(line) as Query, { members: catalog })).toBe(line);
  });

  test('accepts clauses in any order and words in any case', () => {
    const ordered = read(
      'count by docPath, day this month where docHost = a segment knownUsers order by count limit 5 offset 2 in Europe/Berlin',
    );
    expect(
      read(
        'count IN Europe/Berlin Offset 2 LIMIT 5 ORDER BY count Segment knownUsers this month WHERE docHost = a BY docPath AND Day',
      ),
    ).toEqual(ordered);
    expect(ordered).toMatchObject({
      measures: ['TrackedEvents.count'],
      timezone: 'Europe/Berlin',
      offset: 2,
      segments: ['TrackedEvents.knownUsers'],
    });
  });

  test('may have no measures', () => {
    expect(read('by docPath, docHost')).toEqual({ dimensions: ['TrackedEvents.docPath', 'TrackedEvents.docHost'] });
    expect(read('by step and Sessions.osName today')).toMatch('several cubes');
    expect(read('by Sessions.osName today')).toMatchObject({
      timeDimensions: [{ dimension: 'Sessions.startAt', dateRange: 'today' }],
    });
  });

  test('accepts several measures with commas or "and"', () => {
    expect(read('count, pageViewsCount and uniqueUsersCount')).toEqual({
      measures: ['TrackedEvents.count', 'TrackedEvents.pageViewsCount', 'TrackedEvents.uniqueUsersCount'],
    });
  });
});

describe('names', () => {
  test('without a cube belong to the default cube', () => {
    expect(readNotation('count by step', { defaultCube: 'checkout', members: catalog })).toMatchObject({
      value: { measures: ['checkout.count'], dimensions: ['checkout.step'] },
    });
  });

  test('belong to the cube of the first measure', () => {
    expect(read('Sessions.count by agentName where osName is set order by count')).toEqual({
      measures: ['Sessions.count'],
      dimensions: ['Sessions.agentName'],
      filters: [{ member: 'Sessions.osName', operator: 'set' }],
      order: [['Sessions.count', 'asc']],
    });
  });

  test('not found there come from the only cube that has them', () => {
    expect(read('averageDurationMinutes by agentName week')).toEqual({
      measures: ['Sessions.averageDurationMinutes'],
      dimensions: ['Sessions.agentName'],
      timeDimensions: [{ dimension: 'Sessions.startAt', granularity: 'week' }],
    });
    expect(read('count by osName')).toMatchObject({
      measures: ['TrackedEvents.count'],
      dimensions: ['Sessions.osName'],
    });
  });

  test('found in several cubes are ambiguous', () => {
    const { issues } = readNotation('count by step', { members: catalog });
    expect(issues).toMatchObject([{ code: 'ambiguous-member', hint: 'Write `checkout.step` or `signup.step`.' }]);
  });

  test('missing in the named cube get suggestions of that cube first', () => {
    const hintOf = (line: string) => readNotation(line, { members: catalog }).issues[0]?.hint;
    expect(hintOf('Sessions.count by Sessions.eventType')).toMatch(
      /^"Sessions" has .*`sluice model Sessions` lists them\. Other cubes have TrackedEvents\.eventType\.$/,
    );
    expect(hintOf('Sessions.count by Sessions.name')).toMatch(/^Did you mean .*Sessions\.(agent|os)Name/);
    expect(hintOf('count by Sessions.x')).toMatch(/^"Sessions" has [^.]*: `sluice model Sessions` lists them\.$/);
    expect(hintOf('count by Nowhere.docPath')).toBe('Did you mean TrackedEvents.docPath?');
  });

  test('that are unknown are all marked, with the nearest name', () => {
    const { issues } = readNotation(
      'pageViewCount by docPth where agentNam = x and Sessions.osNme is set order by utcTime.dy',
      { members: catalog },
    );
    expect(issues.map(({ hint }) => hint)).toEqual([
      'Did you mean "pageViewsCount"?',
      'Did you mean "docPath"?',
      'Did you mean "agentName"?',
      'Did you mean "Sessions.osName"?',
      'Did you mean "utcTime.day"?',
    ]);
  });

  test('of the wrong kind have their own message', () => {
    expect(wrong('docPath by count segment docHost')).toEqual([
      'wrong-kind: docPath',
      'wrong-kind: count',
      'wrong-kind: docHost',
    ]);
    expect(wrong('knownUsers')).toEqual(['wrong-kind: knownUsers']);
    expect(readNotation('agentName top 5', { members: catalog }).issues[0]?.hint).toBe(
      'Write `by agentName`, or `-d agentName`.',
    );
    expect(wrong('count where knownUsers = x')).toEqual(['wrong-kind: knownUsers']);
    expect(wrong('count by docPath.day')).toEqual(['unknown-member: docPath.day']);
  });

  test('are all accepted without a catalog', () => {
    expect(readNotation('anything by Some.where')).toMatchObject({
      ok: true,
      value: { measures: ['TrackedEvents.anything'], dimensions: ['Some.where'] },
    });
  });
});

describe('time', () => {
  test.each([
    ['count by day', day],
    ['count daily', day],
    ['count by utcTime.day', day],
    ['count by utcTime day', day],
    ['count by utcTime by day', day],
    ['count by TrackedEvents.utcTime.day', day],
    ['count by endAt.month', { dimension: 'Sessions.endAt', granularity: 'month' }],
    ['checkout.count by week', { dimension: 'checkout.date', granularity: 'week' }],
  ])('%s uses buckets', (line, time) => {
    expect(read(line)).toMatchObject({ timeDimensions: [time] });
    expect(read(line)).not.toHaveProperty('dimensions');
  });

  test('keeps a dimension next to a bucket', () => {
    expect(read('count by docPath by hour')).toEqual(read('count by docPath, hour'));
    expect(read('count by docPath hour')).toEqual(read('count by docPath, hour'));
  });

  test('without a bucket is a dimension of instants', () => {
    expect(read('count by utcTime')).toEqual({
      measures: ['TrackedEvents.count'],
      dimensions: ['TrackedEvents.utcTime'],
    });
  });

  test.each([
    'last 7 days',
    'past 3 weeks',
    'previous month',
    'last closed week',
    'previous closed 3 months',
    'this quarter',
    'next year',
    'today',
    'yesterday',
    '2024',
    '2024-03',
    '2024-W09',
    '2024-03-08',
    '2024-03-08T10:00:00Z',
    'month to date',
    'from 3 days ago to now',
    'from last month to today',
    'since 2024-03',
    'since last week',
    '3 days ago',
    'from 2024-03 to 2024-05',
  ])('the range %s ends at the next clause', (range) => {
    for (const line of [
      `count by day ${range}`,
      `count ${range} by day`,
      `count ${range} daily`,
      `count by day ${range} top 5`,
      `count by day ${range} in UTC`,
    ]) {
      expect(read(line)).toMatchObject({ timeDimensions: [{ ...day, dateRange: range }] });
    }
    expect(read(`count ${range} where docPath = /a`)).toMatchObject({
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: range }],
    });
  });

  test('reads two days or instants as a pair', () => {
    expect(read('count from 2024-03-01 to 2024-03-31')).toMatchObject({
      timeDimensions: [{ dateRange: ['2024-03-01', '2024-03-31'] }],
    });
    expect(read('count by day 2024-03-01..2024-03-31 top 3')).toMatchObject({
      timeDimensions: [{ dateRange: ['2024-03-01', '2024-03-31'] }],
      limit: 3,
    });
    expect(read('count 2024-02..2024-03')).toMatchObject({
      timeDimensions: [{ dateRange: 'from 2024-02 to 2024-03' }],
    });
    expect(read('count from 2024-03-01T10:00 to 2024-03-01T12:00:00Z')).toMatchObject({
      timeDimensions: [{ dateRange: ['2024-03-01T10:00', '2024-03-01T12:00:00Z'] }],
    });
  });

  test.each([
    ['compare last 7 days', ['last 7 days', 'previous']],
    ['compare last 7 days with previous', ['last 7 days', 'previous']],
    ['last 7 days vs previous 7 days', ['last 7 days', 'previous 7 days']],
    ['compare previous week with previous', ['previous week', 'previous']],
    ['last 7 days compare previous', ['last 7 days', 'previous']],
    ['last 7 days compare with previous', ['last 7 days', 'previous']],
    ['compare -1y by weekday last 30 days', ['last 30 days', '-1y by weekday']],
    ['last 30 days vs -1y', ['last 30 days', '-1y']],
    ['last 30 days compare with a year before by weekday', ['last 30 days', 'a year before by weekday']],
    ['last 30 days compare previous by weekday with -2w', ['last 30 days', 'previous by weekday', '-2w']],
    ['last 7 days compare with last month', ['last 7 days', 'last month']],
    ['compare last 7 days with -1w', ['last 7 days', '-1w']],
  ])('count %s', (clause, compareDateRange) => {
    for (const line of [`count ${clause}`, `count ${clause} by day`, `count by day ${clause} in Europe/Berlin`])
      expect(read(line)).toMatchObject({ timeDimensions: [{ compareDateRange }] });
    expect(read(writeNotation(read(`count ${clause}`) as Query) ?? '')).toEqual(read(`count ${clause}`));
  });

  test.each(['in', 'zone', 'in zone', 'in time zone', 'in timezone'])('names a time zone after "%s"', (words) => {
    expect(read(`count by day ${words} America/New_York limit 2`)).toMatchObject({
      timezone: 'America/New_York',
      limit: 2,
    });
  });

  test('compares ranges', () => {
    expect(read('count compare this month with last month by day')).toMatchObject({
      timeDimensions: [{ ...day, compareDateRange: ['this month', 'last month'] }],
    });
    expect(read('count compare 2024-01 with 2024-02 with from 2024-03-01 to 2024-03-31')).toMatchObject({
      timeDimensions: [{ compareDateRange: ['2024-01', '2024-02', ['2024-03-01', '2024-03-31']] }],
    });
  });
});

describe('conditions', () => {
  const docPath = 'TrackedEvents.docPath';

  test.each<[string, string, readonly (string | null)[] | undefined]>([
    ['= /a', 'equals', ['/a']],
    ['== /a', 'equals', ['/a']],
    ['is /a', 'equals', ['/a']],
    ['!= /a', 'notEquals', ['/a']],
    ['<> /a', 'notEquals', ['/a']],
    ['is not /a', 'notEquals', ['/a']],
    ['> 5', 'gt', ['5']],
    ['>= 5', 'gte', ['5']],
    ['< 5', 'lt', ['5']],
    ['<= 5', 'lte', ['5']],
    ['~ docs', 'contains', ['docs']],
    ['!~ docs', 'notContains', ['docs']],
    ['^= /docs', 'startsWith', ['/docs']],
    ['$= .html', 'endsWith', ['.html']],
    ['in /a', 'in', ['/a']],
    ['in (/a, "/b, c")', 'in', ['/a', '/b, c']],
    ['not in (/a)', 'notIn', ['/a']],
    ['= (/a, /b)', 'equals', ['/a', '/b']],
    ['is set', 'set', undefined],
    ['is not set', 'notSet', undefined],
    ['is empty', 'notSet', undefined],
    ['is not empty', 'set', undefined],
    ["is 'empty'", 'equals', ['empty']],
    ['= null', 'equals', [null]],
    ["= 'null'", 'equals', ['null']],
    ['contains docs', 'contains', ['docs']],
    ['notEndsWith .png', 'notEndsWith', ['.png']],
    ['STARTSWITH /a', 'startsWith', ['/a']],
    ['notSet', 'notSet', undefined],
    ["= 'it\\'s \\\\ \\n \\u{1f389}'", 'equals', ["it's \\ \n 🎉"]],
    ['="a"', 'equals', ['a']],
    ["= it's", 'equals', ["it's"]],
    ["= ''", 'equals', ['']],
  ])('docPath %s', (test, operator, values) => {
    expect(where(`docPath ${test}`)).toEqual([{ member: docPath, operator, ...(values && { values }) }]);
  });

  test.each<[string, string, readonly string[]]>([
    ['before 2024-03-01', 'beforeDate', ['2024-03-01']],
    ['after last month', 'afterDate', ['last month']],
    ['on 2024-03-01', 'onTheDate', ['2024-03-01']],
    ['> 2024-03-01', 'afterDate', ['2024-03-01']],
    ['>= 2024-03-01', 'afterOrOnDate', ['2024-03-01']],
    ['< 2024-03-01', 'beforeDate', ['2024-03-01']],
    ['<= 2024-03-01', 'beforeOrOnDate', ['2024-03-01']],
    ['= 2024-03-01', 'onTheDate', ['2024-03-01']],
    ['!= 2024-03-01', 'notInDateRange', ['2024-03-01']],
    ['between 2024-03-01 and 2024-03-05', 'inDateRange', ['2024-03-01', '2024-03-05']],
    ['not between 2024-03-01 and 2024-03-05', 'notInDateRange', ['2024-03-01', '2024-03-05']],
    ['in last 7 days', 'inDateRange', ['last 7 days']],
    ['not in this month', 'notInDateRange', ['this month']],
    ['inDateRange 2024-03-01 2024-03-05', 'inDateRange', ['2024-03-01', '2024-03-05']],
    ['inDateRange last 7 days', 'inDateRange', ['last 7 days']],
    ["afterOrOnDate 'odd phrase'", 'afterOrOnDate', ['odd phrase']],
  ])('utcTime %s compares dates', (test, operator, values) => {
    expect(where(`utcTime ${test}`)).toEqual([{ member: 'TrackedEvents.utcTime', operator, values }]);
  });

  test('reads a missing time as null', () => {
    expect(where('utcTime = null')).toEqual([{ member: 'TrackedEvents.utcTime', operator: 'notSet' }]);
    expect(where('utcTime is not null')).toEqual([{ member: 'TrackedEvents.utcTime', operator: 'set' }]);
  });

  test('reads "between" two numbers as at least and at most', () => {
    const count = 'TrackedEvents.count';
    expect(where('count between 5 and 10 and docPath is set')).toEqual([
      {
        and: [
          { member: count, operator: 'gte', values: ['5'] },
          { member: count, operator: 'lte', values: ['10'] },
        ],
      },
      { member: docPath, operator: 'set' },
    ]);
    expect(where('count not between 5 and 10')).toEqual([
      {
        or: [
          { member: count, operator: 'lt', values: ['5'] },
          { member: count, operator: 'gt', values: ['10'] },
        ],
      },
    ]);
  });

  test('binds "and" tighter than "or", and brackets tighter than both', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((value) => ({ member: docPath, operator: 'equals', values: [value] }));
    expect(where('docPath = a and docPath = b')).toEqual([a, b]);
    expect(where('docPath = a or docPath = b and docPath = c')).toEqual([{ or: [a, { and: [b, c] }] }]);
    expect(where('(docPath = a or docPath = b) and docPath = c')).toEqual([{ or: [a, b] }, c]);
    expect(where('(docPath = a and docPath = b)')).toEqual([{ and: [a, b] }]);
    expect(where('((docPath = a))')).toEqual([a]);
  });
});

describe('mistakes in a line', () => {
  test.each<[string, readonly string[]]>([
    ['', ['nothing-asked: ']],
    ['today', ['nothing-asked: today']],
    ['count wher docPath = a', ['notation-unexpected: wher']],
    ['count by', ['notation-name: ']],
    ['count by docPath,', ['notation-name: ']],
    ['count where', ['notation-name: ']],
    ['count where docPath', ['notation-operator: ']],
    ['count where docPath =', ['notation-value: ']],
    ['count where docPath equal a', ['notation-operator: equal']],
    ['count where docPath = Hello world', ['notation-unexpected: world']],
    ['count where (docPath = a', ['notation-bracket: (']],
    ['count where docPath in (a b)', ['notation-list: b']],
    ['count where count between 5 or 6', ['notation-between: or']],
    ["count where docPath = 'a", ["unclosed-quote: 'a"]],
    ["count where docPath = 'C:\\dir'", ["unknown-escape: 'C:\\dir'"]],
    ['count top ten', ['notation-number: ten']],
    ['count limit 1.5', ['notation-number: 1.5']],
    ['count top 5 limit 6', ['notation-twice: 6']],
    ['count top 5 order by docPath', ['notation-twice: docPath']],
    ['count today yesterday', ['notation-twice: yesterday']],
    ['by docPath top 5', ['nothing-to-rank: 5']],
    ['count from 2024-03-01', ['notation-range: ']],
    ['count today compare this month with last month', ['two-ranges: today']],
    ['count compare with -1y', ['no-range: -1y']],
    ['count order docPath', ['notation-order: docPath']],
    ['count in', ['notation-zone: ']],
    ['count by doc-path', ['not-a-name: doc-path']],
    ['count )', ['notation-unexpected: )']],
    ['count top x by docPth', ['notation-number: x', 'unknown-member: docPth']],
  ])('%s', (line, expected) => {
    expect(wrong(line)).toEqual(expected);
  });

  test('are drawn under the line', () => {
    expect(read('pageViewsCount by docPth top 10')).toBe(
      [
        '1:19  error  There is no member "docPth".',
        '  pageViewsCount by docPth top 10',
        '                    ^^^^^^',
        '  hint: Did you mean "docPath"?',
      ].join('\n'),
    );
  });

  test('never throw, and point into the line', () => {
    const words = fc.constantFrom(
      'count',
      'by',
      'docPath',
      'day',
      'where',
      '=',
      '(',
      ')',
      ',',
      'and',
      'or',
      'in',
      'not',
      'is',
      'set',
      'between',
      'top',
      '5',
      'last',
      'from',
      'to',
      '2024-03-01',
      "'",
      '"',
      '\\',
      'order',
      'desc',
      'compare',
      'with',
      'segment',
      '🎉',
      '\n',
      'utcTime',
      'date',
      '!=',
    );
    const lines = fc.oneof(
      fc.array(words).map((parts) => parts.join(' ')),
      fc.array(words).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(lines, fc.boolean(), (line, known) => {
        const outcome = readNotation(line, known ? { members: catalog } : {});
        for (const { span } of outcome.issues)
          expect(span && span.start >= 0 && span.end <= line.length && span.start <= span.end).toBe(true);
        expect(outcome.ok || outcome.issues.length > 0).toBe(true);
        outcome.locate(['filters', 0, 'values', 0]);
      }),
      { numRuns: runs(3000) },
    );
    expect(wrong(`count where ${'('.repeat(10_000)}`)).toEqual(['too-deep: (']);
  });
});

describe('spans', () => {
  test('locate the parts of the query in the line', () => {
    const line =
      'count, pageViewsCount by docPath, day last 7 days where docHost = a or docPath in (b, c) segment knownUsers order by count desc limit 5 offset 6 in UTC';
    const { locate } = readNotation(line, { members: catalog });
    const at = (...path: (string | number)[]) => {
      const span = locate(path);
      return span && line.slice(span.start, span.end);
    };
    expect(at('measures', 1)).toBe('pageViewsCount');
    expect(at('dimensions', 0)).toBe('docPath');
    expect(at('timeDimensions', 0, 'granularity')).toBe('day');
    expect(at('timeDimensions', 0, 'dateRange')).toBe('last 7 days');
    expect(at('filters', 0, 'or', 0, 'operator')).toBe('=');
    expect(at('filters', 0, 'or', 1, 'values', 1)).toBe('c');
    expect(at('segments', 0)).toBe('knownUsers');
    expect(at('order', 0, 1)).toBe('count');
    expect([at('limit'), at('offset'), at('timezone')]).toEqual(['5', '6', 'UTC']);
    expect(at('elsewhere')).toBe(line);
  });
});

/** Queries of the shapes that a line can express. */
const { sayable, sayableFilter } = (() => {
  const member = fc.constantFrom(
    'TrackedEvents.count',
    'TrackedEvents.docPath',
    'TrackedEvents.by',
    'Sessions.count',
    'Sessions.top',
    'x_1.Y_2',
    'TrackedEvents.2024',
    'constructor.toString',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('null', "it's", '"', '\\', 'a b', 'top', '2024', 'and', ')', '\u001b[31m', '\r\n', '\u202e', ''),
  );
  const day = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const range = fc.oneof(
    fc.constantFrom(
      'last 7 days',
      'this month',
      'today',
      'from 3 days ago to now',
      'month to date',
      '2024',
      'since 2024-03-01',
      'This week',
    ),
    day,
    fc.tuple(day, day),
  );
  const test: fc.Arbitrary<Filter> = fc.oneof(
    fc.record({
      member,
      operator: fc.constantFrom(...valueOperators),
      values: fc.array(fc.oneof(text, fc.constant(null)), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ member, operator: fc.constantFrom(...presenceOperators) }),
    fc.record({
      member: fc.constantFrom('TrackedEvents.utcTime', 'Sessions.endAt'),
      operator: fc.constantFrom(...dateOperators),
      values: fc.oneof(fc.tuple(day, day), fc.tuple(fc.constantFrom('last 7 days', 'odd phrase')), fc.tuple(day)),
    }),
  );
  const filter = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      test,
      fc.record({ and: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }) }),
      fc.record({ or: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }) }),
    ),
  })).filter;
  const time = fc.record({
    dimension: fc.constantFrom('TrackedEvents.utcTime', 'Sessions.endAt'),
    granularity: fc.constantFrom('second' as const, 'day' as const, 'year' as const),
  });
  const ranged = fc.oneof(
    fc.constant({}),
    range.map((dateRange) => ({ dateRange })),
    fc.array(range, { minLength: 2, maxLength: 3 }).map((compareDateRange) => ({ compareDateRange })),
  );
  const sayable: fc.Arbitrary<Query> = fc.record(
    {
      measures: fc.array(member, { minLength: 1, maxLength: 3 }),
      dimensions: fc.array(member, { maxLength: 3 }),
      timeDimensions: fc.oneof(
        fc.constant([]),
        fc.tuple(time, ranged).map(([base, ranges]) => [{ ...base, ...ranges }]),
      ),
      segments: fc.array(member, { maxLength: 2 }),
      filters: fc.array(filter, { maxLength: 3 }),
      order: fc.array(
        fc.tuple(
          fc.oneof(member, fc.constant('TrackedEvents.utcTime.day')),
          fc.constantFrom('asc' as const, 'desc' as const),
        ),
        { minLength: 1, maxLength: 2 },
      ),
      limit: fc.nat(),
      offset: fc.nat(),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Etc/GMT+5'),
    },
    { requiredKeys: ['measures'] },
  );
  return { sayable, sayableFilter: filter };
})();

const change: fc.Arbitrary<Change | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom<Change>({ kind: 'cumulative' }, { kind: 'share' }, { kind: 'perUser', compute: 'avg' }),
  fc.record({
    kind: fc.constant('rolling' as const),
    amount: fc.integer({ min: 1, max: 90 }),
    unit: fc.constantFrom('hour' as const, 'day' as const, 'month' as const),
  }),
  fc.record({
    kind: fc.constant('average' as const),
    count: fc.integer({ min: 1, max: 30 }),
    unit: fc.constantFrom(undefined, 'week' as const),
  }),
);

const formula: fc.Arbitrary<Formula> = fc.letrec<{ formula: Formula }>((tie) => ({
  formula: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc
      .record({
        kind: fc.constant('measure' as const),
        name: fc.constantFrom(
          'TrackedEvents.count',
          'TrackedEvents.by',
          'Sessions.count',
          'TrackedEvents.sum(props.a-b)',
          'x_1.share',
        ),
        change,
      })
      .map(({ change: made, ...part }) => ({ ...part, ...(made && { change: made }) })),
    fc.record({ kind: fc.constant('number' as const), text: fc.constantFrom('2', '0.5', '100', '2024') }),
    fc.record({ kind: fc.constant('negative' as const), of: tie('formula') }),
    fc
      .record({ of: tie('formula'), filters: fc.array(sayableFilter, { minLength: 1, maxLength: 2 }) })
      .map(({ of, filters }) => ({ kind: 'where' as const, of, where: toCanonicalQuery({ filters }).filters! })),
    fc.record({
      kind: fc.constant('operation' as const),
      operator: fc.constantFrom(...operators),
      left: tie('formula'),
      right: tie('formula'),
    }),
  ),
})).formula;

describe('writing a line', () => {
  test('round-trips queries', () => {
    fc.assert(
      fc.property(sayable, (query) => {
        const line = writeNotation(query);
        expect(line, writeCanonicalQuery(query)).toBeDefined();
        const again = readNotation(line ?? '');
        expect(again.ok && toCanonicalQuery(again.value)).toEqual(toCanonicalQuery(query));
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('round-trips formulas', () => {
    fc.assert(
      fc.property(fc.array(formula, { minLength: 1, maxLength: 3 }), fc.boolean(), (list, named) => {
        const entries = list
          .filter((each) => partsOf(each).length > 0)
          .map((each, index) => {
            const isPlain = each.kind === 'measure' && each.change === undefined;
            const name = named || isPlain ? `own${index}` : nameOfFormula(each);
            return [`${cubeOf(partsOf(each)[0]!.name)}.${name}`, writeFormula(each)] as const;
          });
        const formulas = Object.fromEntries(entries);
        const [first = 'TrackedEvents.count'] = Object.keys(formulas);
        const query = {
          measures: [...Object.keys(formulas), 'TrackedEvents.count'],
          formulas,
          order: [[first, 'desc']],
          limit: 3,
          other: true,
        } as const;
        const line = writeNotation(query);
        expect(line, JSON.stringify(query)).toBeDefined();
        const again = readNotation(line ?? '');
        expect(again.ok && toCanonicalQuery(again.value)).toEqual(toCanonicalQuery(query));
        for (const [name, text] of entries) {
          const read = readFormula(text, cubeOf(name));
          expect(read.ok && writeFormula(read.value)).toBe(text);
          if (/props|rolling|moving|cumulative|share|per user| where /.test(text)) continue;
          const glued = readFormula(text.replace(/ ([-+*/]) /g, '$1'), cubeOf(name));
          expect(glued.ok && writeFormula(glued.value)).toBe(text);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('either round-trips any query or refuses it', () => {
    fc.assert(
      fc.property(arbitraryQuery, (query) => {
        const line = writeNotation(query);
        if (line === undefined) return;
        const again = readNotation(line);
        expect(again.ok && toCanonicalQuery(again.value)).toEqual(toCanonicalQuery(query));
      }),
      { numRuns: runs(1000) },
    );
  });

  test.each([
    'pageViewsCount by docPath, day last 30 days where eventType = pageview top 10',
    'count by hour from 2024-03-01 to 2024-03-31 in Europe/Berlin',
    'Sessions.count by agentName where (osName = Linux or osName ^= Mac) and averageDurationMinutes > 2 bottom 5',
    "count compare this month with last month where utcTime in last 7 days and pageTitle ~ 'two words' segment knownUsers",
    'by docPath order by docPath desc limit 5 offset 10',
    'pageViewsCount / uniqueUsersCount as viewsPerUser, count by docPath last 7 days top 5 with other',
    'uniqueUsersCount rolling 28 days, (count + 1) * 2 as more, count moving average 7 days by day last 90 days',
    '(count where eventType = purchase) / (count where eventType = pageview) as rate by week last 30 days',
    "((count where docPath ^= /docs) + 1 where eventType in (a, 'b c') or docPath = /x), count by day",
    'count share, count cumulative by day compare last 30 days with -1y by weekday',
    'events where eventType = pageview last 7 days',
    'raw events last 7 days limit 5',
    'raw events docPath, pageTitle where eventType = pageview order by docPath limit 20',
  ])('round-trips %s', (line) => {
    const outcome = readNotation(line, { members: catalog });
    expect(outcome.ok && writeNotation(outcome.value, { members: catalog })).toBe(line);
  });

  test('limits the operations of a formula, and never overflows the stack', () => {
    const sum = (terms: number) => Array.from({ length: terms }, () => 'count').join(' + ');
    expect(readNotation(sum(501), { members: catalog }).ok).toBe(true);
    const nested = `${sum(300)} * (${sum(300)})`;
    for (const line of [sum(502), sum(20_000), sum(20_000).replaceAll('+', '*'), nested])
      expect(read(line)).toContain('A formula has at most 500 operations.');
    expect(wrong(sum(502))).toEqual(['notation-formula: +']);
    expect(readFormula(sum(20_000), 'TrackedEvents').issues[0]?.code).toBe('notation-formula');
  });

  test('counts bare events, and lists them with a condition', () => {
    expect(read('events by day')).toEqual(read('count by day'));
    expect(read('events')).toEqual(read('count'));
    const listed = read('events where docPath = /docs today') as Query;
    expect(listed).toMatchObject({
      ungrouped: true,
      order: [['TrackedEvents.utcTime', 'desc']],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: 'today' }],
    });
    expect(listed.dimensions?.[0]).toBe('TrackedEvents.utcTime');
    expect(listed.dimensions?.length).toBeGreaterThan(3);
    expect(read('raw events docPath')).not.toHaveProperty('order');
    expect(read('raw events docPath, utcTime')).toHaveProperty('order', [['TrackedEvents.utcTime', 'desc']]);
    expect(wrong('raw events by day')).toEqual(['rows-in-buckets: day']);
  });

  test('refuses queries that a line cannot express', () => {
    const count = { measures: ['TrackedEvents.count'] };
    const refused: readonly Query[] = [
      { ...count, total: true },
      { ...count, ungrouped: true },
      { ...count, order: [] },
      { ...count, responseFormat: 'compact' },
      { ...count, filters: [{ or: [] }] },
      { ...count, timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: 'no such phrase' }] },
    ];
    expect(refused.map((query) => writeNotation(query))).toEqual(refused.map(() => undefined));
  });
});
