import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Query, type Sluice } from '../../src/use/index.ts';
import { type Folder, openFolder } from './run-in-folder.ts';

const yaml = `
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - {name: day, sql: day, type: time}
      - {name: paid_at, sql: paid_at, type: time}
      - {name: local, sql: "{CUBE}.paid_at AT TIME ZONE 'America/New_York'", type: time}
      - {name: unfit, sql: no_such_column, type: time}
    measures:
      - {name: count, type: count}
      - {name: trailing, type: count, rolling_window: {trailing: 2 day}}
`;

/** Dates around clock changes: in Beirut and Santiago the clock skips midnight, and Apia skipped 30 December 2011. */
const days = ['2011-12-29', '2011-12-31', '2023-03-26', '2023-09-03', '2024-03-08', '2024-03-09', '2024-03-11'].flatMap(
  (day, index) => Array<string>(index + 1).fill(day),
);
const zones = [
  'UTC',
  'America/New_York',
  'America/Santiago',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Pacific/Apia',
  'Pacific/Kiritimati',
];

let folder: Folder;
let sluice: Sluice;
beforeAll(async () => {
  folder = openFolder();
  folder.write('model.yml', yaml);
  folder.write('orders.csv', ['day,paid_at', ...days.map((day) => `${day},${day} 03:00:00`)].join('\n'));
  folder.write('sluice.yaml', 'model: model.yml\ntables: {orders: orders.csv}\n');
  sluice = await open({ workspace: folder.root, env: {}, now: () => Date.parse('2024-03-13T12:00Z') });
});
afterAll(async () => {
  await sluice[Symbol.asyncDispose]();
  folder.remove();
});

/** The figures of an answer by the first ten letters of their key, without filled rows. */
async function countsOf(asked: Query, timezone: string): Promise<Readonly<Record<string, unknown>>> {
  const result = await sluice.query({ measures: ['orders.count'], ...asked, limit: 100 }, { timezone, fill: 'none' });
  const [key, count] = result.columns.map((column) => Array.from(result.values(column.key)));
  return Object.fromEntries(key!.map((label, row) => [String(label).slice(0, 10), count![row]]));
}

function by(granularity: string | undefined, from = '2011-01-01', to = '2024-12-31'): Query {
  return { timeDimensions: [{ dimension: 'orders.day', granularity, dateRange: [from, to] }] } as Query;
}

function tally(labels: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(labels, (label) => label)].map(([label, all]) => [label, all.length]));
}

describe.each(zones)('dates of a table in %s', (zone) => {
  it('are days of the time zone of the question', async () => {
    expect(await countsOf(by('day'), zone)).toEqual(tally(days));
    expect(await countsOf(by('month'), zone)).toEqual(tally(days.map((day) => `${day.slice(0, 7)}-01`)));
  });

  it('belong to the ranges and conditions that name them', async () => {
    for (const day of new Set(days)) {
      const only = tally(days.filter((one) => one === day));
      expect(await countsOf(by('day', day, day), zone)).toEqual(only);
      const named = { member: 'orders.day', operator: 'inDateRange' as const, values: [day] };
      expect(await countsOf({ dimensions: ['orders.day'], filters: [named] }, zone)).toEqual(only);
    }
  });

  it('compare, roll and begin hours as in UTC', async () => {
    const operators = ['notInDateRange', 'beforeDate', 'beforeOrOnDate', 'afterDate', 'afterOrOnDate'] as const;
    const asked: readonly Query[] = [
      ...operators.map((operator) => ({
        dimensions: ['orders.day'],
        filters: [{ member: 'orders.day', operator, values: ['2023-09-03'] }],
      })),
      { ...by('day', '2024-03-07', '2024-03-12'), measures: ['orders.trailing'] },
      { ...by('week', '2024-02-01', '2024-03-31') },
    ];
    for (const query of asked) expect(await countsOf(query, zone)).toEqual(await countsOf(query, 'UTC'));
    const hours = await sluice.query(
      { measures: ['orders.count'], ...by('hour', '2024-03-08', '2024-03-08') },
      {
        timezone: zone,
        fill: 'none',
      },
    );
    const key = 'orders.day.hour';
    expect(
      hours.rows().map((row) => toLocalHour(Date.parse(String((row as Record<string, unknown>)[key])), zone)),
    ).toEqual(['2024-03-08 00:00']);
  });

  it('keep their names without a granularity', async () => {
    expect(await countsOf({ dimensions: ['orders.day'] }, zone)).toEqual(tally(days));
  });

  it('do not change how times of the same table are read', async () => {
    const asked = { timeDimensions: [{ dimension: 'orders.paid_at', granularity: 'day' as const }] };
    expect(await countsOf(asked, zone)).toEqual(
      tally(days.map((day) => toLocalDay(Date.parse(`${day}T03:00Z`), zone))),
    );
  });
});

it('are days of the time zone of the workspace in events that are made from a table', async () => {
  const own = openFolder();
  try {
    own.write('visits.csv', 'day,visitor\n2024-03-08,a\n2024-03-08,b\n2024-03-10,a\n');
    own.write(
      'model.yml',
      `cubes:
  - name: visits
    sql_table: visits
    sluice: {events: {time: day, anonymous: visitor}}
    dimensions: [{name: day, sql: day, type: time}, {name: visitor, sql: visitor, type: string}]
    measures: [{name: count, type: count}]
`,
    );
    own.write('sluice.yaml', 'model: model.yml\ntimezone: America/New_York\ntables: {visits: visits.csv}\n');
    await using opened = await open({ workspace: own.root, env: {}, now: () => Date.parse('2024-03-13T12:00Z') });
    const counted = async (question: string) =>
      (await opened.query(question)).rows().map((row) => Object.values(row as object));
    const expected = [
      ['2024-03-08T00:00:00.000', 2],
      ['2024-03-09T00:00:00.000', 0],
      ['2024-03-10T00:00:00.000', 1],
    ];
    expect(await counted('TrackedEvents.count by day from 2024-03-08 to 2024-03-10')).toEqual(expected);
    expect(await counted('visits.count by day from 2024-03-08 to 2024-03-10')).toEqual(expected);
  } finally {
    own.remove();
  }
});

it('are distinguished from numbers, which the model must convert', async () => {
  const own = openFolder();
  try {
    own.write('orders.csv', 'seconds,millis\n1709856000,1709856000500\n');
    own.write('sluice.yaml', 'model: model.yml\ntables: {orders: orders.csv}\n');
    const asked = async (sql: string) => {
      own.write(
        'model.yml',
        `cubes: [{name: orders, sql_table: orders, measures: [{name: count, type: count}], dimensions: [{name: at, type: time, sql: "${sql}"}]}]`,
      );
      await using opened = await open({ workspace: own.root, env: {} });
      return (await opened.query('orders.count by second in 2024-03', { fill: 'none' })).rows()[0];
    };
    await expect(asked('{CUBE}.seconds')).rejects.toMatchObject({
      code: 'value-unreadable',
      message: expect.stringContaining('BIGINT') as string,
      hint: expect.stringContaining('to_timestamp({CUBE}.created / 1000)') as string,
    });
    for (const sql of ['to_timestamp({CUBE}.seconds)', 'to_timestamp({CUBE}.millis / 1000)'])
      expect(await asked(sql)).toMatchObject({ 'orders.at.second': '2024-03-08T00:00:00.000Z' });
  } finally {
    own.remove();
  }
});

function toLocalHour(instant: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(instant);
}

function toLocalDay(instant: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(instant);
}

describe('times of a table without a zone', () => {
  const byDay = (name: string, timezone: string) =>
    sluice.query(
      { measures: ['orders.count'], timeDimensions: [{ dimension: `orders.${name}`, granularity: 'day' }] },
      { timezone, fill: 'none' },
    );
  const daysOf = async (name: string) =>
    (await byDay(name, 'America/New_York')).rows().map((row) => String(Object.values(row)[0]).slice(0, 10));

  it('are read as UTC, and answers by days of another zone say so and what to write', async () => {
    expect(await daysOf('paid_at')).toContain('2024-03-10');
    expect((await byDay('paid_at', 'America/New_York')).provenance.lacking).toEqual([
      "Times of orders.paid_at without a zone are read as UTC. If they are local, name their zone in its `sql`: `{CUBE}.paid_at AT TIME ZONE 'America/New_York'`.",
    ]);
    // Their zone decides the rows of a filter, and the times of a list, too.
    const filter = (operator: 'afterDate' | 'set', values?: string[]) => ({
      member: 'orders.paid_at',
      operator,
      values,
    });
    for (const [asked, times] of [
      [{ filters: [filter('afterDate', ['2024-03-08'])] }, 1],
      [{ filters: [{ or: [filter('afterDate', ['2024-03-08']), { member: 'orders.day', operator: 'set' }] }] }, 1],
      [{ dimensions: ['orders.paid_at'] }, 1],
      [{ filters: [filter('set')] }, 0],
    ] as [Query, number][]) {
      const { provenance } = await sluice.query(
        { measures: ['orders.count'], ...asked },
        { timezone: 'America/New_York' },
      );
      expect(provenance.lacking ?? [], JSON.stringify(asked)).toHaveLength(times);
    }
    expect(await daysOf('local')).toEqual([...new Set(days)]);
    for (const [name, zone] of [
      ['paid_at', 'UTC'],
      ['local', 'America/New_York'],
      ['day', 'America/New_York'],
    ] as const)
      expect((await byDay(name, zone)).provenance.lacking ?? []).toEqual([]);
  });
});
