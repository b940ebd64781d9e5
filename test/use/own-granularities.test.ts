import { ResultSet } from '@cubejs-client/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNotation } from '../../src/ask/notation/read-notation.ts';
import { writeNotation } from '../../src/ask/notation/write-notation.ts';
import { query } from '../../src/ask/query/builder.ts';
import { toCatalog } from '../../src/plan/model/catalog.ts';
import { readMeta } from '../../src/plan/model/read-meta.ts';
import { toMeta } from '../../src/plan/model/write-meta.ts';
import { partialByPresent, partialByRange } from '../../src/shape/result/marks.ts';
import { toChart } from '../../src/show/to-chart.ts';
import { complete } from '../../src/use/explorer/complete/complete.ts';
import { drillDown, toDrillFacts } from '../../src/use/answer/drill-down.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { modelOf, planOf } from '../plan/ask.ts';
import { bucketOnGrid, type SlowGrid, wallAt } from '../plan/grid-oracle.ts';
import { answered, cubeWorld, failureOf, platformWorld, rowsOf } from '../run/load/remote.ts';
import { type Folder, openFolder } from './run-in-folder.ts';

const hour = 3_600_000;
const partial = partialByRange | partialByPresent;
const yaml = `
cubes:
  - name: orders
    sql_table: orders
    dimensions:
      - {name: status, sql: status, type: string}
      - name: created_at
        sql: created_at
        type: time
        granularities:
          - {name: fiscal_quarter, interval: 1 quarter, offset: 1 month, title: fiscal quarter}
          - {name: shift, interval: 8 hours, offset: 6 hours}
          - {name: work_day, interval: 1 day, offset: 2 hours 30 minutes}
          - {name: season, sql: "date_trunc('quarter', {CUBE}.created_at)"}
    measures:
      - {name: count, type: count}
`;
const grids: Readonly<Record<string, SlowGrid>> = {
  fiscal_quarter: { months: 3, milliseconds: 0, origin: '2023-02-01T00:00:00' },
  shift: { months: 0, milliseconds: 8 * hour, origin: '2023-10-01T06:00:00' },
  work_day: { months: 0, milliseconds: 24 * hour, origin: '2023-10-01T02:30:00' },
};
const zone = 'Europe/Berlin';
const present = Date.parse('2024-03-13T12:00:00Z');
/** The clock goes back on 29 October. */
const orders = Array.from({ length: 400 }, (_, index) => ({
  at: Date.UTC(2023, 9, 25) + ((index * 7919) % 400) * 23 * 60_000 + (index % 9 === 0 ? 100 * 24 * hour : 0),
  status: index % 3 === 0 ? 'open' : 'done',
}));
const time = 'orders.created_at';

let folder: Folder;
let sluice: Sluice;
beforeAll(async () => {
  folder = openFolder();
  folder.write('model.yml', yaml);
  folder.write(
    'orders.csv',
    [
      'created_at,status',
      ...orders.map(({ at, status }) => `${new Date(at).toISOString().slice(0, 19)},${status}`),
    ].join('\n'),
  );
  folder.write('sluice.yaml', 'model: model.yml\ntables: {orders: orders.csv}\n');
  sluice = await open({ workspace: folder.root, env: {}, now: () => present });
});
afterAll(async () => {
  await sluice[Symbol.asyncDispose]();
  folder.remove();
});

/** Local times and instants of a range of whole days, with the counts of its buckets, computed minute by minute. */
function slowly(name: string, from: string, to: string): ReadonlyMap<number, number> {
  const grid = grids[name]!;
  const counts = new Map<number, number>();
  const inside = (instant: number) => {
    const date = new Date(wallAt(instant, zone)).toISOString().slice(0, 10);
    return date >= from && date <= to;
  };
  for (let at = Date.parse(from) - 24 * hour; at < Date.parse(to) + 48 * hour; at += 30 * 60_000)
    if (inside(at)) counts.set(bucketOnGrid(at, grid, zone), 0);
  for (const { at } of orders) {
    if (!inside(at)) continue;
    const bucket = bucketOnGrid(at, grid, zone);
    counts.set(bucket, counts.get(bucket)! + 1);
  }
  return new Map([...counts].sort(([one], [other]) => one - other));
}

const instantOf = (label: unknown) => {
  const text = String(label);
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
};

describe('custom granularities of a model', () => {
  it.each([
    ['fiscal_quarter', '2023-10-25', '2024-04-30'],
    ['shift', '2023-10-27', '2023-10-31'],
    ['work_day', '2023-10-26', '2023-11-02'],
  ])('%s counts and fills like the slow way, at clock changes and range ends', async (name, from, to) => {
    const result = await sluice.query(
      {
        measures: ['orders.count'],
        timeDimensions: [{ dimension: time, granularity: name, dateRange: [from, to] }],
        timezone: zone,
      },
      { fill: 'all' },
    );
    const key = `${time}.${name}`;
    const wanted = slowly(name, from, to);
    expect(result.rows().map((row) => [instantOf(row[key]), row['orders.count']])).toEqual([...wanted]);
    // The first begins before the range, and the last ends after it or is partial.
    const isPartial = [...Array(result.rowCount).keys()].map(
      (row) => (result.marks.of('orders.count', row) & partial) !== 0,
    );
    expect([isPartial[0], isPartial.at(-1)]).toEqual([true, true]);
    expect(isPartial.slice(1, -1)).not.toContain(true);
  });

  it('give the same query as a line, as flags, from the builder and as a dimension', async () => {
    const catalog = toCatalog(modelOf(yaml));
    const asked = {
      measures: ['orders.count'],
      timeDimensions: [{ dimension: time, granularity: 'fiscal_quarter', dateRange: 'last 2 years' }],
    };
    for (const line of [
      'orders.count by fiscal_quarter last 2 years',
      'orders.count by created_at.fiscal_quarter last 2 years',
      'orders.count by Fiscal_Quarter from 2022-03-13 to 2024-03-12',
    ]) {
      const read = readNotation(line, { defaultCube: 'orders', members: catalog });
      expect(read.issues).toEqual([]);
      expect(read.ok && read.value.timeDimensions?.[0]).toMatchObject({
        dimension: time,
        granularity: 'fiscal_quarter',
      });
    }
    const written = writeNotation(asked, { members: catalog })!;
    expect(readNotation(written, { defaultCube: 'orders', members: catalog })).toMatchObject({
      ok: true,
      value: asked,
    });
    expect(query().measures('orders.count').time(time, 'fiscal_quarter', 'last 2 years').toQuery()).toEqual(asked);
    const named = await sluice.query({ measures: ['orders.count'], dimensions: [`${time}.fiscal_quarter`] });
    expect(named.rows()[0]).toHaveProperty(`${time}.fiscal_quarter`);
  });

  it('are compared bucket by bucket', async () => {
    const result = await sluice.query(
      {
        measures: ['orders.count'],
        timeDimensions: [
          {
            dimension: time,
            granularity: 'work_day',
            compareDateRange: [
              ['2023-10-28', '2023-10-30'],
              ['2023-10-25', '2023-10-27'],
            ],
          },
        ],
        timezone: zone,
      },
      { fill: 'all' },
    );
    const [now, before] = [
      slowly('work_day', '2023-10-28', '2023-10-30'),
      slowly('work_day', '2023-10-25', '2023-10-27'),
    ];
    const counts = result.rows().map((row) => row['orders.count']);
    expect(counts).toEqual([...now.values(), ...before.values()]);
  });

  it('of SQL are not filled, and have no known ends', async () => {
    const result = await sluice.query(
      {
        measures: ['orders.count'],
        timeDimensions: [{ dimension: time, granularity: 'season', dateRange: ['2023-01-01', '2024-12-31'] }],
      },
      { fill: 'all' },
    );
    expect(result.rows().map((row) => row[`${time}.season`])).toEqual([
      '2023-10-01T00:00:00.000',
      '2024-01-01T00:00:00.000',
    ]);
    expect(result.provenance).toMatchObject({ filled: false, partialBuckets: 0 });
    expect(result.provenance.notes.join('\n')).toMatch(/only the data say where the buckets/);
  });

  it('have their own width on the axis of a chart', async () => {
    const result = await sluice.query(
      {
        measures: ['orders.count'],
        timeDimensions: [{ dimension: time, granularity: 'fiscal_quarter', dateRange: ['2023-08-01', '2024-07-31'] }],
      },
      { fill: 'all' },
    );
    const chart = toChart(result);
    expect(chart.title).toBe('Count by fiscal quarter');
    expect(chart.x?.positions.map((at) => new Date(at).toISOString().slice(0, 10))).toEqual([
      '2023-08-01',
      '2023-11-01',
      '2024-02-01',
      '2024-05-01',
    ]);
    expect(chart.x?.ends.map((at) => new Date(at).toISOString().slice(0, 10))).toEqual([
      '2023-11-01',
      '2024-02-01',
      '2024-05-01',
      '2024-08-01',
    ]);
  });

  it('are completed in a line, and work in drill-downs', () => {
    const model = modelOf(yaml);
    const world = { catalog: toCatalog(model), home: 'orders', zones: [], savedQueries: [], values: new Map() };
    const texts = (line: string) => complete(line, line.length, world).candidates.map(({ text }) => text);
    expect(texts('orders.count by fisc')).toContain('fiscal_quarter');
    expect(texts('orders.count by created_at.sh')).toContain('created_at.shift');
    const asked = {
      measures: ['orders.count'],
      timeDimensions: [{ dimension: time, granularity: 'fiscal_quarter', dateRange: ['2023-10-01', '2024-04-30'] }],
    };
    const plan = planOf(asked, model);
    const drilled = drillDown(toDrillFacts(asked, [plan]), () => '2023-11-01T00:00:00.000');
    expect(drilled).toMatchObject({
      ok: true,
      value: { timeDimensions: [{ dimension: time, granularity: 'month', dateRange: ['2023-11-01', '2024-01-31'] }] },
    });
  });

  it('are described by /meta as in Cube, and read from there', () => {
    const meta = toMeta(modelOf(yaml));
    const read = readMeta(meta);
    const timeOf = (outcome: typeof read) =>
      outcome.ok && outcome.value.cubes[0]!.dimensions.find(({ name }) => name === 'created_at')!.granularities;
    expect(timeOf(read)).toMatchObject([
      { name: 'fiscal_quarter', title: 'fiscal quarter', rule: { step: { months: 3, length: 0 } } },
      { name: 'shift', rule: { offset: 6 * hour } },
      { name: 'work_day' },
      { name: 'season' },
    ]);
  });

  it('are passed to Cube by name, in the zone of the query, and refused for the platform', async () => {
    const asked = {
      measures: ['orders.count'],
      timeDimensions: [{ dimension: time, granularity: 'shift', dateRange: ['2023-11-01', '2023-11-01'] }],
      timezone: zone,
    };
    const plan = planOf(asked, modelOf(yaml), { limits: 'remote', reach: 'remote' });
    await using cube = await cubeWorld(
      answered([{ [`${time}.shift`]: '2023-11-01T06:00:00.000', 'orders.count': '3' }]),
    );
    expect(await rowsOf(cube.backend, plan)).toEqual([['2023-11-01T06:00:00.000+01:00', 3]]);
    expect(cube.server.requests[0]?.json).toMatchObject({
      query: { timeDimensions: [{ dimension: time, granularity: 'shift' }], timezone: zone },
    });
    await using platform = await platformWorld(answered([]));
    expect(await failureOf(platform.backend.run(plan))).toMatchObject({ code: 'granularity-unknown-there' });
    expect(platform.server.requests).toEqual([]);
  });
});

describe("Cube's client", () => {
  it.each([
    {
      granularity: 'fiscal_quarter',
      dateRange: ['2023-10-01', '2024-02-29'],
      starts: ['2023-08-01T00:00:00.000', '2023-11-01T00:00:00.000', '2024-02-01T00:00:00.000'],
    },
    {
      granularity: 'hours12',
      dateRange: ['2024-02-01', '2024-02-01'],
      starts: ['2024-02-01T00:00:00.000', '2024-02-01T12:00:00.000'],
    },
  ])('fills buckets by $granularity, which answers describe', async ({ granularity, dateRange, starts }) => {
    const query = { measures: ['orders.count'], timeDimensions: [{ dimension: time, granularity, dateRange }] };
    const { body } = await sluice.load({ query });
    expect(new ResultSet(body as never).chartPivot().map(({ x }) => x)).toEqual(starts);
  });
});
