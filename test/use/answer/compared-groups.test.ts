import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { open, toMarkdown } from '../../../src/use/index.ts';
import { openScriptedServer } from '../../run/http/scripted-server.ts';
import { answered, token } from '../../run/load/remote.ts';
import { folderOf, now, openFolder } from '../run-in-folder.ts';
import { runs } from '../../runs.ts';

const count = 'TrackedEvents.count';
const docPath = 'TrackedEvents.docPath';
const [current, earlier] = [
  ['2024-02-12', '2024-02-13'],
  ['2024-02-10', '2024-02-11'],
] as const;

interface Seen {
  readonly day: string;
  readonly path: string;
}

const toLines = (events: readonly Seen[]): string =>
  events
    .map(
      ({ day, path }, index) =>
        `${JSON.stringify({
          'TrackedEvents.utcTime': `${day}T10:00:00.000`,
          'TrackedEvents.userAnonymousId': `u${index}`,
          'TrackedEvents.eventType': 'pageview',
          ...(path === '' ? {} : { 'TrackedEvents.docPath': path }),
        })}\n`,
    )
    .join('');

const times = (day: string, path: string, count: number): readonly Seen[] =>
  Array.from({ length: count }, () => ({ day, path }));

/** Counts by path in a range, greatest first, ties by path; events without a path are last among equals. */
function countsIn(events: readonly Seen[], [from, to]: readonly [string, string]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { day, path } of events) if (day >= from && day <= to) counts.set(path, (counts.get(path) ?? 0) + 1);
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1));
  return new Map(sorted);
}

const compared = { dimension: 'TrackedEvents.utcTime', compareDateRange: [[...current], [...earlier]] };
const asked = {
  measures: [count],
  dimensions: [docPath],
  timeDimensions: [compared],
  order: { [count]: 'desc' },
} as const;

describe('a comparison with a limit', () => {
  const shop = [
    ...times(current[0], '/a', 50),
    ...times(current[0], '/b', 40),
    ...times(current[1], '/c', 3),
    ...times(earlier[0], '/x', 60),
    ...times(earlier[0], '/y', 55),
    ...times(earlier[1], '/b', 39),
  ];

  it('puts the earlier values of the current groups next to them', async () => {
    const folder = folderOf({ 'events.ndjson': toLines(shop), 'sluice.yaml': 'events: events.ndjson\n' });
    const line = 'count by docPath top 2 compare 2024-02-12..2024-02-13 with 2024-02-10..2024-02-11';
    const { stdout } = await folder.sluice(['query', line, '-f', 'md']);
    const rows = stdout.split('\n').map((row) =>
      row
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, 4),
    );
    expect(rows.filter(([path]) => path?.startsWith('/'))).toEqual([
      ['/a', '50', '0 ·'],
      ['/b', '40', '39'],
    ]);
  });

  it('uses 0 for a group that the earlier range lacks, and marks it', async () => {
    const folder = folderOf({ 'events.ndjson': toLines(shop) });
    await using sluice = await open({
      workspace: folder.root,
      events: 'events.ndjson',
      env: {},
      now: () => now,
      onNote: () => undefined,
    });
    const users = 'TrackedEvents.uniqueUsersCount';
    const result = await sluice.query('users, events by docPath top 2 2024-02-12..2024-02-13 compare with previous', {
      ranges: 'beside',
    });
    expect(result.rows().map((row) => [row[docPath], row[users], row[`${users}.previous`]])).toEqual([
      ['/a', 50, 0],
      ['/b', 40, 39],
    ]);
    expect(result.rows().map((row) => row[`${users}.change`])).toEqual([50, 1]);
    expect([0, 1].map((row) => result.marks.of(`${users}.previous`, row))).toEqual([1, 0]);
    expect(result.marks.of(users, 0)).toBe(0);
    // A filter on a measure may have removed the group, so its value is unknown.
    const filtered = await sluice.query(
      'users by docPath top 2 2024-02-12..2024-02-13 compare with previous where users > 2',
      { ranges: 'beside' },
    );
    expect(filtered.rows()[0]?.[`${users}.previous`]).toBeNull();
  });

  it('marks the cut bucket of each range', async () => {
    const folder = folderOf({ 'events.ndjson': toLines(shop) });
    await using sluice = await open({
      workspace: folder.root,
      events: 'events.ndjson',
      env: {},
      now: () => now,
      onNote: () => undefined,
    });
    const both = await sluice.query('events by week compare 2024-02-12..2024-02-13 with 2024-02-08..2024-02-11', {
      ranges: 'beside',
      timezone: 'UTC',
    });
    expect(await toMarkdown(both)).toMatch(/^\| 2024-W07 \\~ \| 2024-W06 \\~ \| 93 \| \d+ \|/m);
  });

  it('compares a range with itself', async () => {
    const folder = folderOf({ 'events.ndjson': toLines(shop) });
    await using sluice = await open({
      workspace: folder.root,
      events: 'events.ndjson',
      env: {},
      now: () => now,
      onNote: () => undefined,
    });
    const same = {
      ...asked,
      timeDimensions: [{ ...compared, compareDateRange: [[...current], [...current]] }],
      limit: 2,
    };
    const rows = (await sluice.query(same, { ranges: 'beside' })).rows();
    expect(rows.map((row) => [row[docPath], row[count], row[`${count}.previous`]])).toEqual([
      ['/a', 50, 50],
      ['/b', 40, 40],
    ]);
  });

  it('has a bucket for each second of two days', async () => {
    const folder = folderOf({ 'events.ndjson': toLines(shop) });
    await using sluice = await open({ workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now });
    const seconds = {
      ...asked,
      dimensions: [],
      timeDimensions: [{ ...compared, granularity: 'second' }],
      order: { [count]: 'desc' },
      limit: 1,
    } as const;
    const rows = (await sluice.query(seconds, { ranges: 'beside', fill: 'none' })).rows();
    expect(rows.map((row) => [row[count], row[`${count}.previous`]])).toEqual([[90, 115]]);
  });

  it('has exactly the groups that the current range chooses, for any limit and offset', async () => {
    const paths = fc.constantFrom('', '/a', '/b', '/c', '/d', '/e', "/f'%");
    const days = fc.constantFrom(...current, ...earlier);
    const events = fc.array(fc.record({ day: days, path: paths }), { maxLength: 40 });
    const cuts = fc.record({ limit: fc.integer({ min: 0, max: 9 }), offset: fc.integer({ min: 0, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(events, cuts, async (seen, { limit, offset }) => {
        const anchored = [{ day: '2024-02-01', path: '/before' }, ...seen];
        const folder = openFolder({ 'events.ndjson': toLines(anchored) });
        try {
          await using sluice = await open({
            workspace: folder.root,
            events: 'events.ndjson',
            env: {},
            now: () => now,
            onNote: () => undefined,
          });
          const [now_, before] = [countsIn(anchored, current), countsIn(anchored, earlier)];
          const chosen = [...now_.keys()].slice(offset, offset + limit);
          const isCut = offset > 0 || limit <= now_.size;
          const more = isCut
            ? []
            : [...before.keys()].filter((path) => !now_.has(path)).slice(0, limit - chosen.length);
          const expected = [...chosen, ...more].map((path) => ({
            path: path === '' ? null : path,
            now: now_.get(path) ?? 0,
            before: before.get(path) ?? 0,
          }));
          const beside = await sluice.query({ ...asked, limit, offset }, { ranges: 'beside' });
          const rows = beside
            .rows()
            .map((row) => ({ path: row[docPath], now: row[count], before: row[`${count}.previous`] }));
          expect(rows).toEqual(expected);
          const stacked = (await sluice.query({ ...asked, limit, offset })).rows();
          const values = expected
            .flatMap(({ path, now: a, before: b }) => [[path, a] as const, [path, b] as const])
            .filter(([, value]) => value > 0);
          expect(
            stacked
              .map((row) => [row[docPath], row[count]])
              .map(String)
              .sort(),
          ).toEqual(values.map(String).sort());
        } finally {
          folder.remove();
        }
      }),
      { numRuns: runs(20) },
    );
  });

  it('requests the same groups from a server', async () => {
    await using server = await openScriptedServer((request) => {
      if (request.path.endsWith('/meta')) {
        return {
          json: {
            cubes: [
              {
                name: 'TrackedEvents',
                measures: [{ name: count, aggType: 'count' }],
                dimensions: [
                  { name: docPath, type: 'string' },
                  { name: 'TrackedEvents.utcTime', type: 'time' },
                ],
              },
            ],
          },
        };
      }
      const { query } = JSON.parse(request.body) as {
        query: { limit: number; filters?: { values: string[] }[]; timeDimensions: { dateRange: string[] }[] };
      };
      const isCurrent = query.timeDimensions[0]?.dateRange[0]?.startsWith('2024-02-12') ?? false;
      const wanted = query.filters?.[0]?.values;
      const all = [...countsIn(shop, isCurrent ? current : earlier)]
        .filter(([path]) => !wanted || wanted.includes(path))
        .slice(0, query.limit);
      return answered(all.map(([path, value]) => ({ [docPath]: path, [count]: String(value) })));
    });
    const folder = folderOf({ 'sluice.yaml': `backend: platform\nplatform: {url: "${server.url}", project: 42}\n` });
    await using sluice = await open({
      workspace: folder.root,
      env: { SLUICE_TOKEN: token },
      now: () => now,
      onNote: () => undefined,
    });
    const rows = (await sluice.query({ ...asked, limit: 2 }, { ranges: 'beside' })).rows();
    expect(rows.map((row) => [row[docPath], row[count], row[`${count}.previous`]])).toEqual([
      ['/a', 50, 0],
      ['/b', 40, 39],
    ]);
  });
});

describe('a measure that compares groups', () => {
  const model = `
cubes:
  - name: orders
    sql_table: orders
    joins: [{name: items, sql: "{CUBE.id} = {items}.order_id", relationship: one_to_many}]
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: status, sql: status, type: string}
      - {name: at, sql: at, type: time}
      - {name: items_count, sql: "{items.count}", type: number, sub_query: true}
      - {name: own_items, sql: "{items.count}", type: number, sub_query: true, propagate_filters_to_sub_query: true}
      - {name: is_big, sql: "{items_count} > 1", type: boolean}
      - {name: colour, sql: "{items.colour}", type: string}
    measures:
      - {name: count, type: count}
      - {name: total, type: sum, sql: amount}
      - {name: two_days, type: count, rolling_window: {trailing: 2 day}}
      - {name: two_days_total, type: sum, sql: amount, rolling_window: {trailing: 2 day}}
      - {name: all_total, type: sum, sql: "{total}", multi_stage: true, reduce_by: [status]}
      - {name: part, type: number, sql: "100.0 * {total} / {all_total}", multi_stage: true}
      - {name: most_part, type: max, sql: "{part}", multi_stage: true, add_group_by: [at]}
  - name: visits
    sql: "SELECT *, row_number() OVER (ORDER BY id) AS nth FROM orders WHERE {FILTER_PARAMS.visits.status.filter('status')}"
    dimensions: [{name: status, sql: status, type: string}, {name: at, sql: at, type: time}]
    measures: [{name: nth, type: max, sql: nth}]
  - name: items
    sql_table: items
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: colour, sql: colour, type: string}
    measures: [{name: count, type: count}]
`;
  const files = {
    'sluice.yaml': 'model: model.yaml\ntables: {orders: orders.csv, items: items.csv}\n',
    'model.yaml': model,
    'orders.csv': [
      'id,status,at,amount',
      '1,paid,2024-05-01,60',
      '2,open,2024-05-01,30',
      '3,lost,2024-05-01,10',
      '4,paid,2024-04-30,10',
      '5,open,2024-04-30,10',
      '6,lost,2024-04-30,80',
    ].join('\n'),
    'items.csv': ['id,order_id,colour', '1,1,red', '2,1,red', '3,2,blue', '4,3,green', '5,4,green'].join('\n'),
  };
  const ask = async (line: string) => {
    await using sluice = await open({ config: `${folderOf(files).root}/sluice.yaml` });
    const result = await sluice.query(line, { ranges: 'beside' });
    return result.rows().map((row) => Object.values(row));
  };

  it.each(['part', 'most_part'])('compares the groups of the first range, among all groups: %s', async (measure) => {
    const line = `orders.${measure} by status top 2 compare 2024-05-01 with 2024-04-30`;
    expect((await ask(line)).map(([status, now, before]) => [status, now, before])).toEqual([
      ['paid', 60, 10],
      ['open', 30, 10],
    ]);
  });

  it('numbers the rows of each group among all rows if the SQL of its cube filters them', async () => {
    const rows = await ask('visits.nth by status top 2 compare 2024-05-01 with 2024-04-30');
    expect(rows.map(([status, now, before]) => [status, now, before])).toEqual([
      ['lost', 3, 6],
      ['open', 2, 5],
    ]);
    expect(await ask('visits.nth by status order by status desc limit 1 with other')).toEqual([
      ['paid', 4],
      ['Other', 6],
    ]);
  });

  it.each(['part', 'most_part', 'part * 2'])('has no value for all other groups: %s', async (measure) => {
    await expect(ask(`orders.${measure} by status top 1 with other`)).rejects.toThrow('compares groups');
  });

  it('has no moving average: some groups lack a value, and totals of several buckets change with the range', async () => {
    await expect(ask('orders.part moving average 2 by day, status from 2024-05-01 to 2024-05-04')).rejects.toThrow(
      '"part moving average 2" needs a value for each bucket, and "part" compares groups.',
    );
  });

  it('differs from a measure over windows, whose moving average counts windows without rows as 0', async () => {
    const line = (measure: string) =>
      `orders.${measure}, orders.${measure} moving average 4 by status, day from 2024-05-01 to 2024-05-04 where status = open`;
    expect((await ask(line('two_days'))).map((row) => row.slice(1))).toEqual([
      ['2024-05-01T00:00:00.000', 2, 0.75],
      ['2024-05-02T00:00:00.000', 1, 1],
    ]);
    expect((await ask(line('two_days_total'))).map((row) => row.slice(1))).toEqual([
      ['2024-05-01T00:00:00.000', 40, 12.5],
      ['2024-05-02T00:00:00.000', 30, 20],
    ]);
  });

  it.each([
    ['items_count', [1, 3], [0, 2], [null, 1]],
    ['own_items', [1, 3], [0, 2], [null, 1]],
    ['is_big', [false, 5], [true, 1]],
    ['colour', ['green', 2], [null, 2], ['Other', 2]],
  ])('counts all other groups by %s, which rows of another cube make', async (dimension, ...rows) => {
    expect(await ask(`orders.count by ${dimension} top 2 with other`)).toEqual(rows);
  });
});

it.each([
  ['count from 2024-02-28 to 2024-02-29 compare -1y', 'The ranges differ in length: 2 and 1 days.'],
  ['count from 2024-03-28 to 2024-03-31 compare -1m', 'The ranges differ in length: 4 and 2 days.'],
  ['count by day from 2024-03-28 to 2024-03-31 compare -1m', 'The ranges differ in length: 4 and 2 days.'],
  ['count from 2024-01-01 to 2024-03-31 vs 2024-02', 'The ranges differ in length: 91 and 29 days.'],
  ['count 2024-03 compare previous', undefined],
  ['count 2024-03 compare -1m', undefined],
  ['count from 2024-02-01 to 2024-03-31 compare -1y', undefined],
  ['count last 7 days compare -1y', undefined],
  ['count from 2024-02-12T10:00 to 2024-02-12T12:00 compare -1m', undefined],
])('%s: says how long the ranges are if they are not alike', async (question, note) => {
  await using sluice = await open({
    workspace: folderOf({ 'events.ndjson': toLines(times('2024-02-12', '/a', 3)) }).root,
    events: 'events.ndjson',
    env: {},
    now: () => now,
    onNote: () => undefined,
  });
  for (const ranges of ['beside', 'stacked'] as const) {
    const { notes } = (await sluice.query(question, { ranges })).provenance;
    expect(notes.filter((text) => text.startsWith('The ranges differ'))).toEqual(note === undefined ? [] : [note]);
  }
});
