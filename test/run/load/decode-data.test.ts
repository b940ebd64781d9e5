import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Query } from '../../../src/ask/query/query.ts';
import { serverFillColumn } from '../../../src/plan/server-fill.ts';
import { decodeData } from '../../../src/run/load/decode-data.ts';
import { readLongNumber } from '../../../src/run/load/read-long-number.ts';
import { readNumericText } from '../../../src/run/load/read-number.ts';
import { modelOf, planOf } from '../../plan/ask.ts';
import { failureOf, remotePlan } from './remote.ts';

const count = 'TrackedEvents.count';
const path = 'TrackedEvents.docPath';
const time = 'TrackedEvents.utcTime';

function decode(query: Query, data: unknown) {
  const plan = remotePlan(query);
  const decoded = decodeData(data, plan, { filled: serverFillColumn(plan), exactly: () => data });
  const { batch } = decoded;
  return {
    ...decoded,
    rows: Array.from({ length: batch.rowCount }, (_, row) => batch.columns.map((column) => column[row])),
  };
}
const cellsOf = (member: string, cells: readonly unknown[], more: Query = {}) =>
  decode(
    member.endsWith('Count') || member.endsWith('count') || member.endsWith('Minutes')
      ? { measures: [member], ...more }
      : { dimensions: [member] },
    cells.map((cell) => ({ [member]: cell })),
  ).rows.map(([cell]) => cell);
const refusal = async (query: Query, data: unknown) => (await failureOf((async () => decode(query, data))())).message;

describe('numbers of an answer', () => {
  it.each([
    ['335', 335],
    ['0', 0],
    ['-0', 0],
    ['007', 7],
    ['-12', -12],
    ['12.5', 12.5],
    ['0.1', 0.1],
    ['2.6666666666666665', 2.6666666666666665],
    ['1.0', 1],
    ['1e21', 1e21],
    ['1.5e-7', 1.5e-7],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740992', 9007199254740992],
    ['123456789012345', 123456789012345],
    ['1234567890123456', 1234567890123456],
    ['0.12345678901234567890', '0.12345678901234567890'],
    ['nan', NaN],
    ['inf', Infinity],
    ['-Infinity', -Infinity],
    ['+5', 5],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['5.', 5],
    [12.5, 12.5],
    [7, 7],
    [-0, 0],
    [null, null],
  ])('%s is %s', (wire, value) => {
    expect(cellsOf(count, [wire])).toEqual([value]);
    // The same among others, whichever fast path those take.
    expect(cellsOf(count, ['1', wire, '2'])).toEqual([1, value, 2]);
  });

  it('of sixteen digits and more are what the slow way makes of them, and those of servers are read the quick way', () => {
    const text = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map(String),
      fc
        .tuple(fc.double({ noNaN: true, min: 1e-5, max: 1e9 }), fc.integer({ min: 16, max: 18 }))
        .map(([number, digits]) => number.toPrecision(digits)),
      fc
        .tuple(fc.integer({ min: -17, max: 29 }), fc.integer({ min: -9, max: 9 }), fc.integer({ min: 15, max: 18 }))
        .map(([power, off, digits]) => (2 ** power * (1 + off * 2 ** -52)).toPrecision(digits)),
      fc
        .tuple(fc.constantFrom('', '-', '0', '--', '.'), fc.stringMatching(/^[0-9]{1,10}[.x]?[0-9]{0,20}$/))
        .map(([sign, digits]) => `${sign}${digits}`),
    );
    fc.assert(
      fc.property(text, (said) => {
        const quick = readLongNumber(said);
        if (!Number.isNaN(quick)) expect(quick).toBe(readNumericText(said));
      }),
      { numRuns: 20_000 },
    );
    const own = Array.from({ length: 2_000 }, (_, index) => String(((index * 7919) % 10_007) / 7)).filter(
      (said) => said.replace('.', '').length > 15,
    );
    expect(own.filter((said) => Number.isNaN(readLongNumber(said))).length).toBeLessThan(own.length / 100);
  });

  it.each(['/docs', '', ' ', '5 %', '1,000', '0x10', '--5', '1e', '2024-11-06 12:00:00', 'n/a', '<html>', '٣'])(
    'are not %j, whatever measure it is given for',
    async (text) => {
      const types = ['count', 'count_distinct', 'count_distinct_approx', 'sum', 'avg', 'number'];
      const model = modelOf(
        `cubes: [{name: C, sql_table: t, measures: [${types.map((type) => `{name: ${type}, type: ${type}, sql: a}`).join(', ')}]}]`,
      );
      for (const type of types) {
        const plan = planOf({ measures: [`C.${type}`] }, model, { limits: 'remote' });
        for (const cells of [[text], ['1', text], ['1', null, text]]) {
          const { code, message } = await failureOf(
            (async () =>
              decodeData(
                cells.map((cell) => ({ [`C.${type}`]: cell })),
                plan,
              ))(),
          );
          expect([code, message]).toEqual(['answer-unreadable', expect.stringContaining(`Row ${cells.length} has`)]);
        }
      }
    },
  );

  it('may be text and times where the least or greatest of something is asked for, but for the counts of a funnel', async () => {
    const model = modelOf(
      'cubes: [{name: C, sql_table: t, measures: [{name: least, type: min, sql: a}, {name: last, type: max, sql: a}]}]',
    );
    for (const member of ['C.least', 'C.last']) {
      const plan = planOf({ measures: [member] }, model, { limits: 'remote' });
      const cells = ['2024-11-06 12:00:00', '2024-11-06T12:00:00.123456', '2024-11-06T12:00:00.000Z', '/docs', '12'];
      expect(
        decodeData(
          cells.map((cell) => ({ [member]: cell })),
          plan,
        ).batch.columns,
      ).toEqual([['2024-11-06T12:00:00.000Z', '2024-11-06T12:00:00.123Z', '2024-11-06T12:00:00.000Z', '/docs', 12]]);
    }
  });

  it('are a typed array where all are numbers, decimals too', () => {
    for (const cells of [
      ['1', '2'],
      ['1', '2.5'],
    ])
      expect(
        decode(
          { measures: [count] },
          cells.map((cell) => ({ [count]: cell })),
        ).batch.columns[0],
      ).toBeInstanceOf(Float64Array);
  });

  it('are read from the text where JSON would bend them', () => {
    const text = `[{"${count}":9007199254740993},{"${count}":5},{"${count}":1e300}]`;
    const plan = remotePlan({ measures: [count] });
    const exactly = () => JSON.parse(text.replace('9007199254740993', '"9007199254740993"')) as unknown;
    expect(decodeData(JSON.parse(text), plan, { exactly }).batch.columns[0]).toEqual([9007199254740993n, 5, 1e300]);
  });
});

describe('other values of an answer', () => {
  it('are text as it is, numbers in a column of text as text', () => {
    expect(cellsOf(path, ['/', '', null, '\u001b[31m', 'null'])).toEqual(['/', '', null, '\u001b[31m', 'null']);
    expect(cellsOf(path, ['/', 7, true])).toEqual(['/', '7', 'true']);
  });

  it('are true and false, also from a database without booleans', () => {
    expect(cellsOf('Sessions.derived', [true, false, 'true', '0', 1, null])).toEqual([
      true,
      false,
      true,
      false,
      true,
      null,
    ]);
  });

  it('are times of UTC, from whatever precision', () => {
    expect(
      cellsOf(time, [
        '2024-10-27T23:59:59.999',
        '2024-10-27T23:59:59.999999',
        '2024-10-27 23:59:59',
        '2024-10-27T23:59:59Z',
        '2024-10-27T23:59:59+02:00',
        '2024-10-27',
        null,
      ]),
    ).toEqual([
      '2024-10-27T23:59:59.999',
      '2024-10-27T23:59:59.999',
      '2024-10-27T23:59:59.000',
      '2024-10-27T23:59:59.000',
      '2024-10-27T21:59:59.000',
      '2024-10-27T00:00:00.000',
      null,
    ]);
  });

  it('are buckets under their own key, or with old servers under that of the member', () => {
    const query: Query = { measures: [count], timeDimensions: [{ dimension: time, granularity: 'day' }] };
    const label = '2024-10-27T00:00:00.000';
    expect(decode(query, [{ [`${time}.day`]: label, [time]: label, [count]: '2' }]).rows).toEqual([[label, 2]]);
    expect(decode(query, [{ [time]: label, [count]: '2' }]).rows).toEqual([[label, 2]]);
  });

  it('are buckets shorter than a day with the offset of the zone, both of the hours that have one name', () => {
    const query: Query = {
      measures: [count],
      timeDimensions: [{ dimension: time, granularity: 'hour', dateRange: '2024-10-27' }],
      timezone: 'Europe/Berlin',
    };
    const hours = ['2024-10-27T00:00:00.000', '2024-10-27T01:00:00.000'].map((label) => ({
      [`${time}.hour`]: label,
      [count]: '1',
    }));
    expect(decode(query, hours)).toMatchObject({
      rows: [
        ['2024-10-27T02:00:00.000+02:00', 1],
        ['2024-10-27T02:00:00.000+01:00', 1],
      ],
      ambiguous: [],
    });
    expect(decode({ ...query, timezone: 'Asia/Kolkata' }, hours).rows[0]).toEqual(['2024-10-27T00:00:00.000+05:30', 1]);
  });

  it('are told to be ambiguous where nothing else can be asked for', () => {
    const query: Query = {
      measures: [count],
      timeDimensions: [
        { dimension: time, granularity: 'day' },
        { dimension: time, granularity: 'hour' },
      ],
      timezone: 'Europe/Berlin',
    };
    expect(
      decode(query, [
        { [`${time}.day`]: '2024-10-27T00:00:00.000', [`${time}.hour`]: '2024-10-27T02:00:00.000', [count]: '1' },
      ]).ambiguous,
    ).toEqual(['2024-10-27T02:00:00.000']);
  });
});

describe('the form of an answer', () => {
  const query: Query = { measures: [count], dimensions: [path], order: [] };
  const rows = [
    ['/', 2],
    [null, 1],
  ];

  it('is rows as objects, lists by row, or lists by column', () => {
    expect(
      decode(query, [
        { [path]: '/', [count]: '2' },
        { [count]: '1', [path]: null },
      ]).rows,
    ).toEqual(rows);
    expect(
      decode(query, {
        members: [count, path],
        dataset: [
          ['2', '/'],
          ['1', null],
        ],
      }).rows,
    ).toEqual(rows);
    expect(
      decode(query, {
        members: [count, path],
        columns: [
          ['2', '1'],
          ['/', null],
        ],
      }).rows,
    ).toEqual(rows);
  });

  it('may be empty, and then names nothing', () => {
    for (const data of [[], { members: [], dataset: [] }, { members: [], columns: [] }])
      expect(decode(query, data).rows).toEqual([]);
  });

  it('is refused where a row is of another shape, and named', async () => {
    expect(await refusal(query, [{ [path]: '/', [count]: '2' }, { [count]: '1' }])).toContain(`Row 2 has no "${path}"`);
    expect(await refusal(query, [{ 'Other.name': '/', [count]: '2' }])).toContain('only "Other.name"');
    expect(await refusal(query, [{ [path]: '/', [count]: '2' }, { [path]: '/a' }])).toContain(
      `Row 2 has no "${count}"`,
    );
    expect(await refusal(query, [{ [path]: { a: 1 }, [count]: '2' }])).toContain('an object');
    expect(await refusal(query, [{ [path]: '/', [count]: ['2'] }])).toContain('a list');
    expect(await refusal({ dimensions: [time] }, [{ [time]: 'yesterday' }])).toContain('"yesterday"');
    expect(await refusal(query, [['/', '2']])).toContain('Row 1 is not an object');
    expect(await refusal(query, { members: [count], dataset: [['2', '/']] })).toContain('Row 1');
    expect(await refusal(query, { members: [count], dataset: [['2']] })).toContain(`no "${path}"`);
    expect(await refusal(query, { members: [count, path], columns: [['2'], []] })).toContain('column');
    expect(await refusal(query, 'rows')).toContain('no rows');
  });
});

describe('days that the platform filled', () => {
  const query: Query = {
    measures: [count, 'TrackedEvents.uniqueUsersCount'],
    dimensions: [path],
    timeDimensions: [{ dimension: time, granularity: 'day' }],
    filters: [{ member: time, operator: 'inDateRange', values: ['2024-03-08', '2024-03-10'] }],
  };
  const real = {
    [path]: '/',
    [`${time}.day`]: '2024-03-09T00:00:00.000',
    [time]: '2024-03-09T00:00:00.000',
    [count]: '5',
    'TrackedEvents.uniqueUsersCount': '2',
  };
  const added = (date: string) => ({
    [`${time}.day`]: `${date}T00:00:00.000`,
    [time]: `${date}T00:00:00.000`,
    [count]: '0',
    'TrackedEvents.uniqueUsersCount': '0',
  });

  it('are counted where they lack the other dimensions', () => {
    expect(decode(query, [real, added('2024-03-08'), added('2024-03-10')])).toMatchObject({ appended: 2 });
    expect(decode(query, [{ ...real, [path]: null, [count]: '0' }]).appended).toBe(0);
  });

  it('have the time itself, where that is a dimension too', () => {
    const raw = { ...real, [time]: '2024-03-09T10:00:00.000' };
    expect(decode({ ...query, dimensions: [path, time] }, [raw, added('2024-03-08')]).appended).toBe(1);
    expect(decode({ ...query, dimensions: [time] }, [raw, added('2024-03-08'), added('2024-03-10')]).appended).toBe(2);
    expect(decode({ ...query, dimensions: [time] }, [raw]).appended).toBe(0);
  });

  it('are not known where there is nothing that they could lack', () => {
    const { dimensions: _, ...days } = query;
    expect(decode(days, [added('2024-03-08')]).appended).toBeUndefined();
  });

  it('stand at the end, and only where the question is one that the platform fills', async () => {
    expect(await refusal(query, [added('2024-03-08'), real])).toContain(`Row 1 has no "${path}"`);
    expect(await refusal({ ...query, filters: [] }, [real, added('2024-03-08')])).toContain(`Row 2 has no "${path}"`);
  });

  it('count nothing: a row of figures that lacks a dimension is refused, not left out', async () => {
    expect(await refusal(query, [real, { ...added('2024-03-10'), [count]: '1' }, added('2024-03-08')])).toContain(
      `Row 2 has no "${path}"`,
    );
    expect(decode(query, [real, { ...added('2024-03-10'), [count]: 0 }]).appended).toBe(1);
  });
});
