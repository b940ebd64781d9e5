import { describe, expect, it } from 'vitest';
import type { Query } from '../../../src/ask/query/query.ts';
import { readNotation } from '../../../src/ask/notation/read-notation.ts';
import { writeNotation } from '../../../src/ask/notation/write-notation.ts';
import { bind } from '../../../src/plan/bind/bind.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { modelOf } from '../../plan/ask.ts';
import { fewEvents, folderOf } from '../run-in-folder.ts';

// The figures of events and sessions are compared with an oracle in test/contract/end-to-end.test.ts, on ClickHouse in
// test/contract/clickhouse-differential.test.ts, and over stores in test/run/store/projections.test.ts.

const model = `
cubes:
  - name: orders
    sql_table: orders
    joins:
      - {name: people, relationship: many_to_one, sql: "{CUBE}.person = {people}.id"}
    measures: [{name: count, type: count}]
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true}
      - {name: item, type: string, sql: item}
      - {name: size, type: string, case: {when: [{sql: "{CUBE}.price > 5", label: big}], else: {label: small}}}
      - {name: at, type: time, sql: at}
  - name: people
    sql_table: people
    measures: [{name: count, type: count}]
    dimensions:
      - {name: id, type: number, sql: id, primary_key: true}
      - {name: country, type: string, sql: country}
views:
  - name: sales
    cubes:
      - {join_path: orders, includes: "*"}
      - {join_path: orders.people, includes: [country]}
`;
const orders = ['1,a,mug,9', '2,a,cap,3', '3,b,mug,9', '4,b,mug,9', '5,c,,2', '6,d,pen,1'].map(
  (row, index) => `${row},2024-03-0${1 + (index % 2)}\n`,
);
const files = {
  'model.yml': model,
  'orders.csv': `id,person,item,price,at\n${orders.join('')}`,
  'people.csv': 'id,country\na,FR\nb,FR\nc,DE\nd,\ne,US\n',
  'sluice.yaml': 'model: model.yml\ntables: {orders: orders.csv, people: people.csv}\n',
};

describe('the earliest and latest time', () => {
  it('are instants, of events and sessions, in conditions and orders', async () => {
    const folder = folderOf({ 'a.ndjson': fewEvents, 'sluice.yaml': 'events: a.ndjson\n' });
    const rowsOf = async (line: string) => {
      const { code, stdout, stderr } = await folder.sluice(['query', line, '-f', 'csv']);
      expect([line, code], stderr).toEqual([line, 0]);
      return stdout.trim().split('\n').slice(1);
    };
    const ends = [
      '/,2024-03-06T10:00:00.000Z,2024-03-07T09:01:00.000Z',
      '/docs,2024-03-06T10:05:00.000Z,2024-03-07T09:00:00.000Z',
    ];
    expect(await rowsOf('min(utcTime), max(utcTime) by docPath order by docPath')).toEqual(ends);
    // Conditions are in the zone of the question: 18:00 in Tokyo is 09:00 UTC.
    const inTokyo = 'min(utcTime), max(utcTime) by docPath order by max(utcTime) desc in zone Asia/Tokyo';
    expect(await rowsOf(inTokyo)).toEqual(ends);
    expect(await rowsOf(`${inTokyo} where max(utcTime) > 2024-03-07T18:00:30`)).toEqual(ends.slice(0, 1));
    expect(await rowsOf('Sessions.max(endAt)')).toEqual(['2024-03-07T09:01:00.000Z']);
  });

  it.each([
    [
      'max(utcTime) - min(utcTime)',
      'A formula computes with numbers, and the values of "max(utcTime)" have the type time.',
    ],
    ['users by max(utcTime) per user', '"max(utcTime)" cannot be computed for each user.'],
    ['sum(utcTime)', '`sum` needs numbers. Count the values of "utcTime" with `distinct(utcTime)`.'],
  ])('refuse %s', async (line, message) => {
    const folder = folderOf({ 'a.ndjson': fewEvents, 'sluice.yaml': 'events: a.ndjson\n' });
    expect((await folder.sluice(['query', line])).stderr).toContain(message);
  });
});

describe('counts of the values of a dimension', () => {
  it('can be asked of the cubes and views of a model, also across joins', async () => {
    const folder = folderOf(files);
    for (const [line, rows] of [
      ['orders.count, orders.distinct(item), people.distinct(country)', ['6,3,2']],
      ['orders.distinct(size) by orders.item order by orders.item', ['cap,1', 'mug,1', 'pen,1', ',1']],
      ['people.distinct(country) by orders.item order by orders.item', ['cap,1', 'mug,1', 'pen,0', ',1']],
      ['people.distinct(country)', ['3']],
      ['sales.count, sales.distinct(item), sales.distinct(country)', ['6,3,2']],
      ['orders.distinct(item) by orders.at.day', ['2024-03-01T00:00:00.000,1', '2024-03-02T00:00:00.000,3']],
      ['orders.distinct(item) / orders.count as share by people.country', ['FR,0.5', 'DE,0', ',1']],
    ] as const) {
      const { code, stdout, stderr } = await folder.sluice(['query', line, '-f', 'csv']);
      expect([line, code, stderr]).toEqual([line, 0, expect.any(String)]);
      expect([line, ...stdout.trim().split('\n').slice(1).sort()]).toEqual([line, ...[...rows].sort()]);
    }
  });

  it('are written in lines, flags and files alike, and in conditions and orders', async () => {
    const folder = folderOf({
      'a.ndjson': fewEvents,
      'sluice.yaml': 'events: a.ndjson\n',
      'queries/q.yaml': 'query:\n  measures: [distinct(docPath)]\n  dimensions: [userAnonymousId]\n',
    });
    const line = 'distinct(docPath) by userAnonymousId';
    const asked = await folder.sluice(['query', line, '-f', 'csv']);
    expect(asked.stdout).toContain('ann,2\nbob,2\n');
    for (const argv of [
      ['q'],
      ['-m', 'distinct(docPath)', '-d', 'userAnonymousId'],
      ['countDistinct(page) by userAnonymousId'],
    ])
      expect(await folder.sluice(['query', ...argv, '-f', 'csv'])).toEqual(asked);
    const members = { members: toCatalog(builtInModel) };
    const long = `${line} where eventType = pageview and distinct(docPath) > 1 order by distinct(docPath) desc`;
    const read = readNotation(long, members);
    expect(read.issues).toEqual([]);
    expect(writeNotation((read as { value: Query }).value, members)).toBe(long);
  });

  it('are refused where a server answers, and of cubes whose rows are computed', async () => {
    const asked = { measures: ['TrackedEvents.distinct(docPath)'] };
    const bound = bind(asked, builtInModel, { now: 0, limits: 'remote', reach: 'remote' });
    expect(bound.issues).toMatchObject([
      { code: 'no-computed', path: ['measures', 0], hint: expect.stringContaining('--backend embedded') as string },
    ]);
    const steps = ['a', 'b'].map((name) => `{name: ${name}, action: pageview, target: /}`);
    const funnel = `seconds_to_convert: 60\nsteps: [${steps.join(', ')}]\n`;
    const folder = folderOf({ 'a.ndjson': fewEvents, 'sluice.yaml': 'events: a.ndjson\n', 'funnels/f.yaml': funnel });
    expect(await folder.sluice(['query', 'f.distinct(step)'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no member "f.distinct(step)".') as string,
    });
  });
});

describe('figures of the numbers of a dimension', () => {
  it('can be asked of the cubes and views of a model, also across joins', async () => {
    const priced = files['model.yml'].replace(
      '      - {name: at,',
      '      - {name: price, type: number, sql: price}\n      - {name: at,',
    );
    const folder = folderOf({ ...files, 'model.yml': priced });
    for (const [line, rows] of [
      ['orders.sum(price), orders.avg(price), orders.max(price), orders.min(price)', ['33,5.5,9,1']],
      ['orders.median(price), orders.p90(price)', ['6,9']],
      ['orders.median(price) by orders.item', ['cap,3', 'mug,9', 'pen,1', ',2']],
      ['orders.sum(price) by people.country', ['FR,30', 'DE,2', ',1']],
      ['orders.avg(price), people.count', ['5.5,4']],
      ['sales.avg(price), sales.median(price) by sales.country', ['FR,7.5,9', 'DE,2,2', ',1,1']],
      [
        'orders.sum(price) / orders.count as each by orders.at.day',
        ['2024-03-01T00:00:00.000,6.667', '2024-03-02T00:00:00.000,4.333'],
      ],
    ] as const) {
      const { code, stdout, stderr } = await folder.sluice(['query', line, '-f', 'csv']);
      expect([line, code, stderr]).toEqual([line, 0, expect.any(String)]);
      const shown = stdout.replaceAll(/\d\.\d{4,}/g, (number) => Number(number).toFixed(3));
      expect([line, ...shown.trim().split('\n').slice(1).sort()]).toEqual([line, ...[...rows].sort()]);
    }
    for (const line of ['orders.sum(item)', 'orders.median(at)', 'orders.avg(size)']) {
      const { code, stderr } = await folder.sluice(['query', line]);
      expect([line, code, stderr]).toEqual([
        line,
        2,
        expect.stringMatching(/needs numbers\. Count the values of "\w+"/),
      ]);
    }
  });

  it('are of the one cube that the line can join, if others have the name, too', () => {
    const islands = `  - name: islands
    sql_table: islands
    dimensions: [{name: country, type: string, sql: country}]
`;
    const members = { members: toCatalog(modelOf(model.replace('views:', `${islands}views:`))) };
    const read = (line: string) => readNotation(line, members);
    expect(read('orders.count by country')).toMatchObject({ value: { dimensions: ['people.country'] } });
    expect(read('orders.distinct(item) by country').issues).toEqual([]);
    expect(read('sales.count by item').issues).toEqual([]);
    expect(read('orders.count by islands.country')).toMatchObject({ value: { dimensions: ['islands.country'] } });
  });

  it('say if the operand is a measure, or no number of the cube', () => {
    const members = { members: toCatalog(modelOf(model)) };
    const hintOf = (line: string) => readNotation(line, members).issues[0]?.hint;
    for (const [line, name] of [
      ['orders.count, sum(count)', 'count'],
      ['orders.count, sum(orders.count)', 'count'],
      ['orders.sum(count)', 'orders.count'],
      ['sum(orders.count)', 'orders.count'],
    ] as const)
      expect([line, hintOf(line)]).toEqual([line, `"${name}" is a measure: write it without \`sum\`.`]);
    expect(hintOf('orders.count, sum(people.count)')).toBe('"people.count" is a measure: write it without `sum`.');
    expect(hintOf('orders.sum(qqqq)')).toBe('Run `sluice model orders` to list its members.');
  });

  it('can be asked of sessions, in lines, flags, files and conditions', async () => {
    const folder = folderOf({
      'a.ndjson': fewEvents,
      'sluice.yaml': 'events: a.ndjson\n',
      'queries/q.yaml': 'query:\n  measures: [Sessions.median(durationMinutes)]\n  dimensions: [Sessions.docPath]\n',
    });
    const asked = await folder.sluice(['query', 'median(Sessions.durationMinutes) by docPath', '-f', 'csv']);
    expect(asked.stdout.split('\n').slice(1).sort().join(' ')).toBe(' /,2.5 /docs,1');
    for (const argv of [
      ['q'],
      ['-m', 'Sessions.median(durationMinutes)', '-d', 'Sessions.docPath'],
      ['Sessions.p50(duration_minutes) by docPath'],
    ])
      expect((await folder.sluice(['query', ...argv, '-f', 'csv'])).stdout, argv.join(' ')).toBe(asked.stdout);
    const above = 'Sessions.count by docPath where median(Sessions.durationMinutes) > 2';
    expect((await folder.sluice(['query', above, '-f', 'csv'])).stdout).toContain('/,2\n');
  });
});

describe('figures of each user', () => {
  const views = [
    ['a', 0, '/'],
    ['a', 1, '/docs'],
    ['a', 90, '/'],
    ['b', 2, '/'],
    [null, 3, '/lost'],
  ].map(([userAnonymousId, minute, docPath]) =>
    JSON.stringify({
      utcTime: new Date(Date.UTC(2024, 2, 1, 10, minute as number)).toISOString(),
      eventType: 'pageview',
      userAnonymousId,
      docPath,
    }),
  );

  it.each([
    // User a has two sessions, of two pages and one.
    ['distinct(docPath) avg per user', '1.5'],
    ['distinct(docPath) max per user', '2'],
    ['sum(Sessions.pageViews) avg per user', '2'],
    ['max(Sessions.pageViews) avg per user', '1.5'],
    ['Sessions.distinct(landingPage) max per user', '1'],
    ['count avg per user', '2'],
  ])('are computed of figures of dimensions: %s is %s', async (line, figure) => {
    const folder = folderOf({ 'e.ndjson': views.join('\n') });
    const { code, stdout, stderr } = await folder.sluice(['query', line, '--events', 'e.ndjson', '-f', 'csv']);
    expect([code, stdout.split('\n')[1], stderr]).toEqual([0, figure, expect.any(String)]);
  });
});
