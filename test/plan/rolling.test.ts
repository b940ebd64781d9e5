import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/ask/query/query.ts';
import { ask, modelOf } from './ask.ts';
import { openTestEngine, valuesOf, type Cell, type Row, type TestEngine } from './engine.ts';
import { runs } from '../runs.ts';

type Unit = 'hour' | 'day' | 'week' | 'month';
type Reach = 'unbounded' | readonly [number, Unit];

interface Window {
  readonly name: string;
  readonly trailing?: Reach;
  readonly leading?: Reach;
  readonly offset?: 'start';
}

const windows: readonly Window[] = [
  { name: 'day1', trailing: [1, 'day'] },
  { name: 'day3', trailing: [3, 'day'] },
  { name: 'week2', trailing: [2, 'week'] },
  { name: 'month1', trailing: [1, 'month'] },
  { name: 'monthAhead', trailing: [1, 'day'], leading: [1, 'month'] },
  { name: 'quarterBefore', trailing: [3, 'month'], offset: 'start' },
  { name: 'toDate', trailing: 'unbounded' },
  { name: 'fromHere', trailing: [1, 'day'], leading: 'unbounded' },
  { name: 'all', trailing: 'unbounded', leading: 'unbounded' },
  { name: 'ahead', leading: [2, 'day'] },
  { name: 'around', trailing: [2, 'day'], leading: [1, 'day'] },
  { name: 'before', trailing: [2, 'day'], offset: 'start' },
  { name: 'aheadOfStart', leading: [2, 'day'], offset: 'start' },
  { name: 'hours3', trailing: [3, 'hour'] },
  { name: 'hours24', trailing: [24, 'hour'] },
];

const written = (reach: Reach | undefined) =>
  reach === undefined || reach === 'unbounded' ? reach : `${reach[0]} ${reach[1]}`;

const measures = windows.flatMap(({ name, trailing, leading, offset }) => {
  const window = JSON.stringify({ trailing: written(trailing), leading: written(leading), offset });
  return [
    `- {name: ${name}, type: count, rolling_window: ${window}}`,
    `- {name: ${name}Amounts, type: count_distinct, sql: amount, filters: [{sql: "{CUBE}.amount < 4"}], rolling_window: ${window}}`,
  ];
});

/** Number of distinct amounts that pass a filter below 4. */
const amountsOf = (items: readonly Item[]) =>
  new Set(items.map(({ amount }) => amount).filter((amount) => amount !== null && amount < 4)).size;

const model = modelOf(`
cubes:
  - name: T
    sql_table: t
    joins: [{name: Kinds, relationship: many_to_one, sql: "{CUBE}.kind = {Kinds}.kind"}]
    measures:
      - {name: count, type: count}
      - {name: sum, type: sum, sql: amount}
      - {name: avg, type: avg, sql: amount}
      - {name: sum3, type: sum, sql: amount, rolling_window: {trailing: 3 day}}
      - {name: avg3, type: avg, sql: amount, rolling_window: {trailing: 3 day}}
      - {name: kinds3, type: count_distinct, sql: kind, rolling_window: {trailing: 3 day}}
      - {name: big3, type: count, filters: [{sql: "{CUBE}.amount > 2"}], rolling_window: {trailing: 3 day}}
      - {name: perDay, type: number, sql: "{day3} / 3.0"}
      - {name: both, type: number, sql: "{count} + {day3}"}
      ${measures.join('\n      ')}
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true}
      - {name: kind, type: string, sql: kind}
      - {name: amount, type: number, sql: amount}
      - {name: at, type: time, sql: happened}
      - {name: seenAt, type: time, sql: seen}
  - name: Kinds
    sql_table: kinds
    measures: [{name: count, type: count}]
    dimensions:
      - {name: kind, type: string, sql: kind, primary_key: true, public: true}
      - {name: color, type: string, sql: color}
`);

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine(`
    CREATE TABLE t (id INTEGER, kind VARCHAR, amount INTEGER, happened TIMESTAMP, seen TIMESTAMP);
    CREATE TABLE kinds (kind VARCHAR, color VARCHAR); INSERT INTO kinds VALUES ('x', 'red'), ('y', 'red');`);
});
afterAll(() => engine[Symbol.asyncDispose]());

interface Item {
  readonly kind: string | null;
  readonly amount: number | null;
  readonly at: number | null;
}

async function fill(items: readonly Item[]): Promise<void> {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString().slice(0, -1));
  const rows = items.map(({ kind, amount, at }, id): readonly Cell[] => [id, kind, amount, time(at), time(at)]);
  await engine.setup(`DELETE FROM t; ${rows.length > 0 ? `INSERT INTO t VALUES ${valuesOf(rows)}` : ''}`);
}

const day = 86_400_000;
const hour = 3_600_000;

/** `YYYY-MM-DDTHH:mm:ss` on the zone's clock. */
function clock(zone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return (instant) => format.format(instant).replace(' ', 'T');
}

function shiftDay(date: string, unit: Unit, amount: number): string {
  const [year, month, dayOfMonth] = date.split('-').map(Number) as [number, number, number];
  if (unit !== 'month')
    return new Date(Date.UTC(year, month - 1, dayOfMonth + amount * (unit === 'week' ? 7 : 1)))
      .toISOString()
      .slice(0, 10);
  const last = new Date(Date.UTC(year, month + amount, 0));
  return new Date(Date.UTC(year, month - 1 + amount, Math.min(dayOfMonth, last.getUTCDate())))
    .toISOString()
    .slice(0, 10);
}

/** True if an event of a local date is in the window of a day, for units of a day and longer. Dates compare as text. */
function reachesDate({ trailing, leading, offset }: Window, bucket: string, date: string): boolean {
  // Cube counts from the last moment of the bucket: events must be later than that moment minus the window.
  const shifted = (unit: Unit, amount: number) =>
    offset === 'start' ? shiftDay(bucket, unit, amount) : shiftDay(shiftDay(bucket, unit, amount), 'day', 1);
  const from = trailing === 'unbounded' ? undefined : shifted(trailing?.[1] ?? 'day', -(trailing?.[0] ?? 0));
  const until = leading === 'unbounded' ? undefined : shifted(leading?.[1] ?? 'day', leading?.[0] ?? 0);
  return (from === undefined || date >= from) && (until === undefined || date < until);
}

const zones = ['UTC', 'America/New_York', 'Pacific/Auckland'] as const;
/** Around clock changes in New York and Auckland. */
const ranges = [
  ['2024-03-08', '2024-03-12'],
  ['2024-04-05', '2024-04-09'],
  ['2024-10-31', '2024-11-05'],
  ['2024-09-27', '2024-10-01'],
  ['2024-02-27', '2024-03-02'],
  ['2024-03-28', '2024-04-01'],
] as const;

const questions = fc.tuple(fc.constantFrom(...zones), fc.constantFrom(...ranges)).chain(([zone, range]) =>
  fc.record({
    zone: fc.constant(zone),
    range: fc.constant(range),
    items: fc.array(
      fc.record({
        kind: fc.option(fc.constantFrom('x', 'y')),
        amount: fc.option(fc.integer({ min: 0, max: 4 })),
        at: fc.option(
          fc.integer({ min: -40 * 48, max: 9 * 48 }).map((halfHours) => Date.parse(range[0]) + halfHours * (hour / 2)),
          { freq: 10 },
        ),
      }),
      { maxLength: 40 },
    ),
  }),
);

function datesOf([first, last]: readonly [string, string]): readonly string[] {
  const dates: string[] = [];
  for (let date: string = first; date <= last; date = shiftDay(date, 'day', 1)) dates.push(date);
  return dates;
}

const byDay = (range: readonly string[]) => [{ dimension: 'T.at', granularity: 'day', dateRange: range }] as const;

describe('windows along days', () => {
  const daily = windows.filter(({ trailing }) => !Array.isArray(trailing) || trailing[1] !== 'hour');

  it('count what lies in them, before and after the range too, and every day has its row', async () => {
    await fc.assert(
      fc.asyncProperty(questions, async ({ zone, range, items }) => {
        await fill(items);
        const local = clock(zone);
        const rows = await ask(
          engine,
          {
            measures: daily.flatMap(({ name }) => [`T.${name}`, `T.${name}Amounts`]),
            timeDimensions: byDay(range),
            timezone: zone,
          },
          model,
        );
        const wanted = datesOf(range).map((date) =>
          Object.fromEntries([
            ['T.at.day', `${date}T00:00:00.000`],
            ...daily.flatMap((window) => {
              const inside = items.filter(({ at }) => at !== null && reachesDate(window, date, local(at).slice(0, 10)));
              return [
                [`T.${window.name}`, inside.length],
                [`T.${window.name}Amounts`, amountsOf(inside)],
              ];
            }),
          ]),
        );
        expect(rows).toEqual(wanted);
      }),
      { numRuns: runs(40, 600) },
    );
  });

  it('add up, average and count apart, beside plain measures and inside of others', async () => {
    const window = windows.find(({ name }) => name === 'day3')!;
    await fc.assert(
      fc.asyncProperty(questions, async ({ zone, range, items }) => {
        await fill(items);
        const local = clock(zone);
        const query: Query = {
          measures: [
            'T.count',
            'T.sum',
            'T.avg',
            'T.sum3',
            'T.avg3',
            'T.kinds3',
            'T.big3',
            'T.perDay',
            'T.both',
            'T.toDate',
          ],
          timeDimensions: byDay(range),
          timezone: zone,
        };
        const wanted = datesOf(range).map((date): Row => {
          const within = (each: Window) =>
            items.filter(({ at }) => at !== null && reachesDate(each, date, local(at).slice(0, 10)));
          const here = items.filter(({ at }) => at !== null && local(at).slice(0, 10) === date);
          const rolling = within(window);
          return {
            'T.at.day': `${date}T00:00:00.000`,
            'T.count': here.length,
            'T.sum': here.length === 0 ? 0 : sumOf(here),
            'T.avg': averageOf(here),
            'T.sum3': sumOf(rolling),
            'T.avg3': averageOf(rolling),
            'T.kinds3': new Set(rolling.map(({ kind }) => kind).filter((kind) => kind !== null)).size,
            'T.big3': rolling.filter(({ amount }) => amount !== null && amount > 2).length,
            'T.perDay': rolling.length / 3,
            'T.both': here.length + rolling.length,
            'T.toDate': within({ name: '', trailing: 'unbounded' }).length,
          };
        });
        expect(await ask(engine, query, model)).toEqual(wanted);
      }),
      { numRuns: runs(30, 400) },
    );
  });

  it('have a row for each other dimension that they hold something of', async () => {
    const window = windows.find(({ name }) => name === 'day3')!;
    const before = windows.find(({ name }) => name === 'before')!;
    await fc.assert(
      fc.asyncProperty(questions, async ({ zone, range, items }) => {
        await fill(items);
        const local = clock(zone);
        const rows = await ask(
          engine,
          {
            measures: ['T.day3', 'T.count', 'T.before', 'T.both', 'T.day3Amounts', 'T.toDateAmounts'],
            dimensions: ['T.kind'],
            timeDimensions: byDay(range),
            timezone: zone,
          },
          model,
        );
        const wanted = datesOf(range).flatMap((date) =>
          ['x', 'y', null].flatMap((kind): readonly Row[] => {
            const ofKind = items.filter((each) => each.at !== null && each.kind === kind);
            const held = (each: Window) => ofKind.filter(({ at }) => reachesDate(each, date, local(at!).slice(0, 10)));
            const inside = (each: Window) => held(each).length;
            const here = ofKind.filter(({ at }) => local(at!).slice(0, 10) === date).length;
            const toDate = held({ name: '', trailing: 'unbounded' });
            if (toDate.length === 0) return [];
            return [
              {
                'T.kind': kind,
                'T.at.day': `${date}T00:00:00.000`,
                'T.day3': inside(window),
                'T.count': here,
                'T.before': inside(before),
                'T.both': here + inside(window),
                'T.day3Amounts': amountsOf(held(window)),
                'T.toDateAmounts': amountsOf(toDate),
              },
            ];
          }),
        );
        expect(rows).toEqual(wanted);
      }),
      { numRuns: runs(30, 400) },
    );
  });

  it('keep filters on rows, filters on groups, segments of joined cubes and ranges of other times', async () => {
    await fc.assert(
      fc.asyncProperty(questions, async ({ zone, range, items }) => {
        await fill(items);
        const local = clock(zone);
        const rows = await ask(
          engine,
          {
            measures: ['T.day3', 'T.count'],
            timeDimensions: [
              ...byDay(range),
              { dimension: 'T.seenAt', dateRange: [shiftDay(range[0], 'day', -1), range[1]] },
            ],
            filters: [
              { member: 'Kinds.color', operator: 'equals', values: ['red'] },
              { member: 'T.day3', operator: 'lt', values: [3] },
              { member: 'T.count', operator: 'lte', values: [1] },
            ],
            timezone: zone,
          },
          model,
        );
        const inside = items.filter(
          ({ kind, at }) =>
            kind !== null &&
            at !== null &&
            local(at).slice(0, 10) >= shiftDay(range[0], 'day', -1) &&
            local(at).slice(0, 10) <= range[1],
        );
        const wanted = datesOf(range).flatMap((date): readonly Row[] => {
          const rolling = inside.filter(({ at }) =>
            reachesDate({ name: '', trailing: [3, 'day'] }, date, local(at!).slice(0, 10)),
          ).length;
          const here = inside.filter(({ at }) => local(at!).slice(0, 10) === date).length;
          return rolling < 3 && here <= 1
            ? [{ 'T.at.day': `${date}T00:00:00.000`, 'T.day3': rolling, 'T.count': here }]
            : [];
        });
        expect(rows).toEqual(wanted);
      }),
      { numRuns: runs(30, 400) },
    );
  });
});

describe('windows along hours', () => {
  it.each(zones)('reach back by elapsed time, over changes of the clock too, in %s', async (zone) => {
    for (const range of ranges.slice(0, 3)) {
      const start = Date.parse(range[0]) - 2 * day;
      const instants = Array.from({ length: 9 * 48 }, (_, index) => start + index * (hour / 2) + (index % 3) * 60_000);
      await fill(instants.map((at) => ({ kind: null, amount: null, at })));
      const rows = await ask(
        engine,
        {
          measures: ['T.hours3', 'T.hours24', 'T.day1', 'T.count'],
          timeDimensions: [{ dimension: 'T.at', granularity: 'hour', dateRange: [range[0], range[1]] }],
          timezone: zone,
        },
        model,
      );
      const local = clock(zone);
      expect(rows.length).toBeGreaterThan(100);
      for (const row of rows) {
        const end = Date.parse(`${row['T.at.hour'] as string}Z`) + hour;
        const between = (from: number) => instants.filter((at) => at >= from && at < end).length;
        expect(row['T.hours3']).toBe(between(end - 3 * hour));
        expect(row['T.hours24']).toBe(between(end - 24 * hour));
        // A day means the same wall time on the previous day, if that occurs once.
        const dayBefore = [23, 24, 25]
          .map((hours) => end - hours * hour)
          .filter((at) => local(at).slice(11) === local(end).slice(11));
        if (dayBefore.length === 1) expect(row['T.day1'], local(end)).toBe(between(dayBefore[0]!));
      }
    }
  });
});

describe('windows without buckets', () => {
  it('reach back from the end of the range', async () => {
    await fill(
      ['2024-03-01', '2024-03-08', '2024-03-09', '2024-03-10', '2024-03-11', '2024-03-12'].map((date) => ({
        kind: 'x',
        amount: 1,
        at: Date.parse(date),
      })),
    );
    const query: Query = {
      measures: ['T.count', 'T.day3', 'T.toDate', 'T.before', 'T.ahead'],
      timeDimensions: [{ dimension: 'T.at', dateRange: ['2024-03-10', '2024-03-11'] }],
    };
    expect(await ask(engine, query, model)).toEqual([
      { 'T.count': 2, 'T.day3': 3, 'T.toDate': 5, 'T.before': 2, 'T.ahead': 1 },
    ]);
  });

  it('hold everything where there is no range', async () => {
    await fill([
      { kind: 'x', amount: 1, at: 0 },
      { kind: 'y', amount: 1, at: null },
    ]);
    expect(await ask(engine, { measures: ['T.toDate', 'T.count'] }, model)).toEqual([{ 'T.toDate': 2, 'T.count': 2 }]);
    expect(await ask(engine, { measures: ['T.toDate'], dimensions: ['T.kind'] }, model)).toEqual([
      { 'T.kind': 'x', 'T.toDate': 1 },
      { 'T.kind': 'y', 'T.toDate': 1 },
    ]);
  });

  it('give no rows for a range that holds nothing', async () => {
    await fill([{ kind: 'x', amount: 1, at: Date.parse('2024-03-10') }]);
    expect(
      await ask(
        engine,
        { measures: ['T.count', 'T.day3'], timeDimensions: byDay(['2024-03-11', '2024-03-10']) },
        model,
      ),
    ).toEqual([]);
  });
});

function sumOf(items: readonly Item[]): number | null {
  const amounts = items.map(({ amount }) => amount).filter((amount) => amount !== null);
  return amounts.length === 0 ? null : amounts.reduce((total, amount) => total + amount, 0);
}

function averageOf(items: readonly Item[]): number | null {
  const sum = sumOf(items);
  return sum === null ? null : sum / items.filter(({ amount }) => amount !== null).length;
}
