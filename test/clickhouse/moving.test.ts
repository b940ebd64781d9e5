import { cpSync } from 'node:fs';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { factsOf } from '../contract/differential.ts';
import { exitCodes } from '../../src/use/process/exit-code.ts';
import { exitCodeOf } from '../../src/use/process/report-error.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from './open-clickhouse.ts';

const funnel = {
  steps: [
    { name: 'kettle', target: '/products/kettle' },
    { name: 'cart', target: '/cart' },
  ],
  within: '2 hours',
};
const questions = [
  'count, uniqueUsersCount by day',
  'pageViewsCount by docPath top 5',
  'Sessions.count, Sessions.averageDurationMinutes by Sessions.trafficSource',
  'ReturningUsers.returningUsersCount, ReturningUsers.count',
  'count by deviceClass, country',
  'Sessions.count by Sessions.channel',
] as const;

describe.skipIf(noClickHouse)(onClickHouse('events in ClickHouse'), () => {
  let server: TestServer | undefined;
  const folder = openFolder();
  let databases = 0;
  let database = '';
  beforeAll(async () => {
    server = await openClickHouseServer();
    await writeSample({ seed: 5, events: 3000, days: 20, to: '2024-02-29' }, `${folder.root}/first.parquet`);
    await writeSample({ seed: 6, events: 2000, days: 20, to: '2024-03-20' }, `${folder.root}/more.parquet`);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    folder.remove();
  });
  beforeEach(() => {
    database = `moved_${(databases += 1)}`;
  });

  function opened(
    backend: 'embedded' | 'clickhouse',
    more: object = {},
    password = server!.password,
    model?: string,
    columns?: Readonly<Record<string, string>>,
  ): Promise<Sluice> {
    const { url, user } = server!;
    folder.write(
      'sluice.yaml',
      `store: store_${databases}\nclickhouse: ${JSON.stringify({ url, user, database, ...more })}\n${columns ? `columns: ${JSON.stringify(columns)}\n` : ''}`,
    );
    return open({
      workspace: folder.root,
      backend,
      model,
      env: { SLUICE_CLICKHOUSE_PASSWORD: password },
      now: () => Date.parse('2024-03-21T00:00:00Z'),
    });
  }

  async function command(query: string): Promise<void> {
    const client = createClient({ url: server!.url, username: server!.user, password: server!.password });
    await client.command({ query });
    await client.close();
  }

  async function expectSame(): Promise<void> {
    await using here = await opened('embedded');
    await using there = await opened('clickhouse');
    for (const question of questions)
      expect([question, factsOf(await there.query(question))]).toEqual([question, factsOf(await here.query(question))]);
    expect(factsOf(await there.funnel(funnel))).toEqual(factsOf(await here.funnel(funnel)));
  }

  it('give the same answers, are loaded once, and go when the store forgets or prunes them', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    const statements = await s.clickhouse.init();
    expect(statements.join('\n')).toMatch(/CREATE TABLE IF NOT EXISTS `moved_1`\.`events`[^]*PARTITION BY toYYYYMM/);
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.init({ apply: true });
    const told: number[] = [];
    expect(await s.clickhouse.load({ onProgress: ({ events }) => told.push(events) })).toEqual({
      loaded: 3000,
      present: 0,
      removed: 0,
      zones: [],
    });
    expect([told[0], told.at(-1)]).toEqual([0, 3000]);
    expect(await s.clickhouse.load()).toEqual({ loaded: 0, present: 3000, removed: 0, zones: [] });
    await expectSame();
    await s.ingest('more.parquet');
    expect(await s.clickhouse.load()).toMatchObject({ loaded: 2000, present: 3000, removed: 0 });
    await expectSame();
    await s.store.prune('2024-02-20');
    const pruned = await s.clickhouse.load();
    expect(pruned.removed).toBeGreaterThan(0);
    await expectSame();
    const [user] = (await s.query('count by userAnonymousId top 1')).rows() as readonly Record<string, unknown>[];
    await s.store.forget(String(user?.['TrackedEvents.userAnonymousId']));
    await s.clickhouse.load();
    await expectSame();
  }, 120_000);

  it('are upgraded before a store of an earlier layout is loaded', async () => {
    cpSync(new URL('../data/store-of-layout-1', import.meta.url), `${folder.root}/store_${databases}`, {
      recursive: true,
      filter: (from) => !/first\.ndjson|second\.csv/.test(from),
    });
    await using s = await opened('embedded');
    await s.clickhouse.init({ apply: true });
    expect(await s.clickhouse.load()).toEqual({ loaded: 232, present: 0, removed: 0, zones: [] });
    await expectSame();
    await using there = await opened('clickhouse');
    expect((await there.query('count by country where country is set')).rowCount).toBe(5);
  }, 120_000);

  it('resume after a load was cut off, without duplicates', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    // The remains of a load that stopped in the middle of a segment.
    await command(`DELETE FROM ${database}.events WHERE user_hash % 3 = 0`);
    const again = await s.clickhouse.load();
    expect([again.loaded, again.removed > 0 && again.removed < 3000]).toEqual([3000, true]);
    await expectSame();
  }, 120_000);

  it('need only a user with read access', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    folder.write(
      'joined.yml',
      `cubes:
  - name: visits
    sql_table: ${database}.events
    joins:
      - {name: pages, relationship: many_to_one, sql: "{CUBE}.doc_path = {pages}.path"}
    measures:
      - {name: count, type: count}
      - {name: weight, type: sum, sql: "{pages}.weight"}
    dimensions:
      - {name: id, type: string, sql: "{CUBE}.event_id", primary_key: true}
  - name: pages
    sql: SELECT '/cart' AS path, 7 AS weight
    dimensions:
      - {name: path, type: string, sql: "{CUBE}.path", primary_key: true}
`,
    );
    const joined = { measures: ['visits.count'], dimensions: ['pages.path'] };
    for (const user of server!.own ? ['default', 'reader', 'strict'] : []) {
      await using own = await opened('clickhouse', { user }, user === 'default' ? 'secret' : user, 'joined.yml');
      const asked = own.query(joined).then((result) => result.rows().length);
      // Without the setting, a missing page would have the path ''.
      if (user === 'strict') await expect(asked).rejects.toMatchObject({ code: 'forbidden', hint: /join_use_nulls/ });
      else expect(await asked).toBe(2);
    }
    for (const user of server!.own ? ['reader', 'strict'] : []) {
      await using reader = await opened('clickhouse', { user }, user);
      expect((await reader.query(questions[0])).rowCount).toBeGreaterThan(10);
      expect((await reader.query(questions[2])).rowCount).toBeGreaterThan(1);
      expect((await reader.funnel(funnel)).rowCount).toBe(2);
    }
  }, 120_000);

  it('are not cut by limits in the profile of a user', async () => {
    if (!server!.own) return;
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    await using cut = await opened('clickhouse', { user: 'cut' }, 'cut');
    expect((await cut.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 3000 }]);
    // All groups, or none.
    await expect(cut.query('count by docPath')).rejects.toMatchObject({ code: 'answer-too-large' });
    await using strict = await opened('clickhouse', { user: 'strictlycut' }, 'strictlycut');
    await expect(strict.query('count')).rejects.toMatchObject({ code: 'forbidden', message: /may leave out rows/ });
  }, 120_000);

  it('are queried with errors that say what to do', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    const fault = async (more: object, question = 'count', password?: string) => {
      await using there = await opened('clickhouse', more, password);
      return await there.query(question).then(
        () => undefined,
        (error: { readonly code: string; readonly kind: string; readonly message: string; readonly hint: string }) =>
          error,
      );
    };
    const denied = await fault({}, 'count', 'not-the-password');
    expect(denied).toMatchObject({ code: 'token-refused', kind: 'authentication' });
    expect(JSON.stringify([denied?.message, denied?.hint])).not.toContain('not-the-password');
    expect(await fault({ table: 'nothing' })).toMatchObject({ code: 'table-not-found', hint: /init --apply/ });
    expect(await fault({ url: 'http://127.0.0.1:9' })).toMatchObject({ code: 'service-unreachable', kind: 'remote' });
    await command(`CREATE TABLE ${database}.bare (happened DateTime) ENGINE = MergeTree ORDER BY happened`);
    expect(await fault({ table: 'bare' })).toMatchObject({ code: 'events-without-time' });
    expect(await fault({ memory: '1MB' }, 'Sessions.count by Sessions.docPath')).toMatchObject({
      code: 'out-of-memory',
      kind: 'limit',
    });
    await using foreign = await opened('embedded', { table: 'bare' });
    await expect(foreign.clickhouse.load()).rejects.toMatchObject({ code: 'table-not-found' });
  }, 120_000);

  it('are queried again after a server restart, and a stop in the middle is reported', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    if (!server!.own) return;
    await using there = await opened('clickhouse');
    const before = (await there.query('count')).rows();
    await server!.kill();
    await expect(there.query('count')).rejects.toMatchObject({ code: 'service-unreachable', retryable: true });
    await server!.restart();
    expect((await there.query('count')).rows()).toEqual(before);
    expect(await s.clickhouse.load()).toMatchObject({ loaded: 0, present: 3000 });
  }, 120_000);

  it('can be aborted: the server stops the statement', async () => {
    await using s = await opened('embedded');
    await s.clickhouse.init({ apply: true });
    await using there = await opened('clickhouse');
    const controller = new AbortController();
    controller.abort();
    await expect(there.query('count', { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
  });

  it('are told to have times in zones that only the store keeps', async () => {
    folder.write('local.csv', 'at,finished_at\n2024-03-01 10:00:00,2024-03-01 12:00:00\n');
    const { url, user, password } = server!;
    const source = '{files: local.csv, columns: {utcTime: at}, timezone: Europe/Berlin}';
    folder.write(
      'sluice.yaml',
      `store: store_${databases}\nsources: [${source}]\nclickhouse: ${JSON.stringify({ url, user, database })}\n`,
    );
    const env = { SLUICE_CLICKHOUSE_PASSWORD: password };
    await folder.sluice(['ingest', 'local.csv'], { env });
    await folder.sluice(['clickhouse', 'init', '--apply'], { env });
    const { code, stderr } = await folder.sluice(['clickhouse', 'load'], { env });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('The table does not keep the zones of sources (Europe/Berlin): on ClickHouse,'),
    ]);
  });

  it('are queried by custom properties, which have their own columns, loaded by one command', async () => {
    const line = (index: number) => ({
      utcTime: `2024-03-0${(index % 5) + 1}T10:00:00Z`,
      eventType: 'pageview',
      userAnonymousId: `u${index % 7}`,
      plan: ['free', 'pro', null][index % 3],
      amount: index / 4,
      tags: ['new', 'eu'],
    });
    const events = Array.from({ length: 60 }, (_, index) => `${JSON.stringify(line(index))}\n`);
    folder.write('exported/one.ndjson', events.slice(0, 30).join(''));
    folder.write('exported/two.ndjson', events.slice(30).join(''));
    await using s = await opened('embedded');
    await s.ingest('exported');
    const statements = await s.clickhouse.init({ apply: true });
    expect(statements.at(-1)).toMatch(/ADD COLUMN IF NOT EXISTS `text \/plan` Nullable\(String\) MATERIALIZED/);
    expect(await s.ingest('exported', { to: 'clickhouse' })).toMatchObject({ added: 0, events: 60 });
    expect(await s.clickhouse.load()).toEqual({ loaded: 0, present: 60, removed: 0, zones: [] });
    await using there = await opened('clickhouse');
    for (const question of [
      'count by props.plan',
      'sum(props.amount), p90(props.amount) by props.plan',
      'sum(amount * amount), max(amount * amount) by day',
    ])
      expect((await there.query(question)).rows()).toEqual((await s.query(question)).rows());
    const [{ statement } = { statement: '' }] = await there.explain('count by props.plan');
    expect(statement).toContain('"TrackedEvents".`text /plan`');
    expect(statement).not.toContain('JSONExtract');
    expect(statements.filter((one) => one.includes('MATERIALIZED') && /tags.+/.test(one))).toEqual([
      expect.stringMatching(/`text \/tags`/) as string,
    ]);
    expect((await there.query('count by tags[]')).rows()).toEqual((await s.query('count by tags[]')).rows());
    await expect(there.query('count by plan.inner')).rejects.toThrow('There is no member "plan.inner"');
  }, 120_000);

  it('are loaded from many years at once, and added up with texts that are no numbers', async () => {
    const lines = Array.from({ length: 130 }, (_, month) => {
      const utcTime = new Date(Date.UTC(2013, month, 15)).toISOString();
      return `${JSON.stringify({ utcTime, eventType: 'buy', userAnonymousId: 'u', price: [1.5, 'NaN', '1e400', 'Infinity', '7'][month % 5] })}\n`;
    });
    folder.write('years.ndjson', lines.join(''));
    await using s = await opened('embedded');
    await s.ingest('years.ndjson');
    await s.clickhouse.init({ apply: true });
    expect(await s.clickhouse.load()).toMatchObject({ loaded: 130 });
    await using there = await opened('clickhouse');
    for (const question of ['count by year', 'sum(props.price), avg(props.price), max(props.price)'])
      expect((await there.query(question)).rows()).toEqual((await s.query(question)).rows());
  }, 120_000);

  it('make the same reports, byte for byte except for the source', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    folder.write(
      'reports/all.md',
      `---
title: All
---

There were **{{ days.count.total | number }} events**.

${Object.entries({
  days: {
    measures: ['TrackedEvents.count', 'TrackedEvents.uniqueUsersCount'],
    timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
  },
  sources: { measures: ['Sessions.count'], dimensions: ['Sessions.trafficSource'] },
  pages: { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.docPath'], limit: 3 },
})
  .map(
    ([name, query]) =>
      `\`\`\`query\nname: ${name}\nquery: ${JSON.stringify(query)}\nrange: from 2024-02-10 to 2024-02-29\n\`\`\`\n`,
  )
  .join('\n')}
\`\`\`funnel
name: bought
funnel: bought
range: from 2024-02-10 to 2024-02-29
\`\`\`

\`\`\`query
name: back
query: {measures: [back.users, back.rate], dimensions: [back.period]}
\`\`\`
`,
    );
    const steps = funnel.steps.map((step) => ({ ...step, action: 'pageview' }));
    folder.write('funnels/bought.yaml', `seconds_to_convert: 7200\nsteps: ${JSON.stringify(steps)}\n`);
    folder.write('queries/back.yaml', 'retention: {period: week, periods: 3}\n');
    const written = async (backend: 'embedded' | 'clickhouse') => {
      await using sluice = await opened(backend);
      const answer = await sluice.report('all').run();
      expect(answer.status).toBe('good');
      return {
        markdown: await answer.toText('markdown'),
        html: await answer.toText('html'),
      };
    };
    const [here, there] = [await written('embedded'), await written('clickhouse')];
    const place = (text: string) => text.replaceAll(/ from [^*<]*? \((?:embedded|clickhouse)[^)]*\)/g, ' from here');
    for (const format of ['markdown', 'html'] as const) {
      expect(there[format]).not.toBe(here[format]);
      expect(place(there[format])).toBe(place(here[format]));
      expect(place(here[format])).toContain(' from here');
    }
  }, 120_000);

  it('are read from tables of others: Snowplow columns of the platform, and custom ones by name and by model', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    const text = (column: string, as: string) => `ifNull(${column}, '') AS ${as}`;
    await command(
      `CREATE TABLE ${database}.snowplow_events ENGINE = MergeTree ORDER BY collector_tstamp AS SELECT
        'app' AS app_id, toDateTime64(utc_time, 3) AS collector_tstamp, toDateTime64(utc_time, 3) AS derived_tstamp,
        if(event_type = 'pageview', 'page_view', ifNull(event_type, '')) AS event_name, ${text('event_id', 'event_id')},
        ${text('user_anonymous_id', 'domain_userid')}, ${text('user_id', 'user_id')}, ${text('session_id', 'domain_sessionid')},
        ${text('doc_path', 'page_urlpath')}, ${text('doc_host', 'page_urlhost')} FROM ${database}.events`,
    );
    await command(
      `CREATE TABLE ${database}.shop ENGINE = MergeTree ORDER BY happened AS SELECT
        toUnixTimestamp64Milli(utc_time) AS happened, user_anonymous_id AS visitor, user_id AS member, event_type AS what, doc_path AS page, 1.5 AS price
        FROM ${database}.events`,
    );
    const columns = {
      utcTime: 'happened',
      userAnonymousId: 'visitor',
      userId: 'member',
      eventType: 'what',
      docPath: 'page',
    };
    const ask = async (sluice: Sluice) => ({
      days: (await sluice.query('count, pageViewsCount, uniqueUsersCount by day')).rows(),
      pages: (await sluice.query('count where docPath = /cart')).rows(),
      funnel: (await sluice.funnel(funnel)).rows(),
      back: (
        await sluice.retention({ period: 'day', periods: 3 } as never, { range: 'from 2024-02-20 to 2024-02-24' })
      ).rows(),
    });
    const expected = await ask(s);
    await using snowplow = await opened('clickhouse', { table: 'snowplow_events' });
    expect(await ask(snowplow)).toEqual(expected);
    await using own = await opened('clickhouse', { table: 'shop' }, undefined, undefined, columns);
    expect(await ask(own)).toEqual(expected);
    await using wrong = await opened('clickhouse', { table: 'shop' }, undefined, undefined, {
      ...columns,
      docPath: 'paeg',
    });
    await expect(wrong.query('count')).rejects.toMatchObject({
      code: 'table-not-found',
      message: /has no column "paeg"/,
    });
    folder.write(
      'shop.yml',
      `cubes:
  - name: shop
    sql_table: ${database}.shop
    measures:
      - {name: count, type: count}
      - {name: turnover, type: sum, sql: "{CUBE}.price"}
    dimensions:
      - {name: page, type: string, sql: "{CUBE}.page"}
      - {name: at, type: time, sql: "fromUnixTimestamp64Milli({CUBE}.happened, 'UTC')"}
`,
    );
    await using modelled = await opened('clickhouse', { table: 'shop' }, undefined, 'shop.yml', columns);
    const asked = 'shop.count, shop.turnover by shop.at.day from 2024-02-20 to 2024-02-22';
    const days = (await modelled.query(asked)).rows() as readonly Record<string, number>[];
    const known = (await s.query('count by day from 2024-02-20 to 2024-02-22')).rows() as typeof days;
    expect(days.map((row) => [row['shop.count'], row['shop.turnover']])).toEqual(
      known.map((row) => [row['TrackedEvents.count'], row['TrackedEvents.count']! * 1.5]),
    );
  }, 120_000);

  it('are counted for cohorts that exceed the default size of a statement', async () => {
    await using s = await opened('embedded');
    await s.clickhouse.init({ apply: true });
    await command(
      `INSERT INTO ${database}.events (utc_time, event_type, doc_path, user_anonymous_id) SELECT toDateTime64('2024-03-01', 6, 'UTC') + number,
        'pageview', '/cart', concat('visitor-with-a-long-key-', toString(number)) FROM numbers(9000)`,
    );
    folder.write(
      'funnels/crowd.yaml',
      'seconds_to_convert: 60\nsteps:\n  - {name: cart, action: pageview, target: /cart}\n  - {name: paid, action: pageview, target: /paid}\n',
    );
    folder.write('queries/crowded.yaml', 'cohort: {reached: {funnel: crowd, step: 1}}\n');
    await using there = await opened('clickhouse');
    const asked = 'uniqueUsersCount where TrackedEvents.cohorts = crowded';
    expect((await there.query(asked)).rows()).toEqual([{ 'TrackedEvents.uniqueUsersCount': 9000 }]);
    const listed = await there.users({ analysis: 'funnel', definition: 'crowd', cell: { step: 1 } });
    expect(listed.rowCount).toBeGreaterThan(8000);
    expect((await there.query('crowd.count by crowd.step')).rows()).toMatchObject([
      { 'crowd.count': 9000 },
      { 'crowd.count': 0 },
    ]);
  }, 120_000);

  it('give the same paths of a cohort', async () => {
    folder.write('queries/cart-users.yaml', 'cohort: {did: {target: /cart}}\n');
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    await using there = await opened('clickhouse');
    const questions = ['paths where cohort = cart-users', 'paths to /cart excluding / where cohort = cart-users'];
    for (const question of questions) {
      const rows = (await there.query(question)).rows();
      expect(rows.length).toBeGreaterThan(0);
      expect(rows).toEqual((await s.query(question)).rows());
    }
    const total = { analysis: 'paths', definition: { where: ['cohort = cart-users'] }, cell: {} } as const;
    expect((await there.users(total)).rows()).toEqual((await s.users(total)).rows());
  }, 120_000);

  it('give the same users behind the periods of retention and lifecycle', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    await using there = await opened('clickhouse');
    const week = '2024-02-19T00:00:00.000';
    const cells = [
      { analysis: 'retention', definition: {}, cell: { 'retention.cohort.week': week, 'retention.period': 1 } },
      { analysis: 'lifecycle', definition: {}, cell: { 'lifecycle.time.week': week, 'lifecycle.status': 'new' } },
    ] as const;
    for (const cell of cells) {
      const users = (await there.users(cell)).rows();
      expect(users.length).toBeGreaterThan(0);
      expect(users).toEqual((await s.users(cell)).rows());
    }
  }, 120_000);

  it('give the same answers from two databases behind one table, like shards', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    for (const half of [0, 1]) {
      await command(`CREATE DATABASE ${database}_half_${half}`);
      await command(
        `CREATE TABLE ${database}_half_${half}.events ENGINE = MergeTree ORDER BY utc_time AS SELECT * FROM ${database}.events WHERE user_hash % 2 = ${half}`,
      );
    }
    await command(
      `CREATE TABLE ${database}.both AS ${database}_half_0.events ENGINE = Merge(REGEXP('^${database}_half_'), '^events$')`,
    );
    const ask = async (sluice: Sluice) => [
      ...(await Promise.all(questions.map(async (question) => (await sluice.query(question)).rows()))),
      (await sluice.query('count by firstTouch.docPath top 5')).rows(),
      (await sluice.funnel(funnel)).rows(),
      (await sluice.retention({ period: 'week', periods: 3 })).rows(),
    ];
    const expected = await ask(s);
    await using both = await opened('clickhouse', { table: 'both' });
    expect(await ask(both)).toEqual(expected);
    // A Distributed table with one shard, which is this server: the most that one server allows.
    if (!server!.own) return;
    await command(`CREATE TABLE ${database}.spread AS remote('127.0.0.1', '${database}', 'both')`);
    await using spread = await opened('clickhouse', { table: 'spread' });
    expect(await ask(spread)).toEqual(expected);
  }, 120_000);

  it('arrive once if the server dies during a load, a query and a report', async () => {
    if (!server!.own) return;
    await using s = await opened('embedded');
    await s.ingest(['first.parquet', 'more.parquet']);
    await s.clickhouse.init({ apply: true });
    let killed: Promise<void> | undefined;
    const dying = s.clickhouse.load({ onProgress: () => void (killed ??= server!.kill()) });
    const lost = await dying.then(
      () => undefined,
      (error: unknown) => error as { readonly code: string },
    );
    expect(lost).toMatchObject({ code: 'service-unreachable', kind: 'remote', retryable: true });
    expect(exitCodeOf(lost)).toBe(exitCodes.remote);
    await killed;
    await server!.restart();
    const again = await s.clickhouse.load();
    expect(again.loaded + again.present).toBe(5000);
    await expectSame();
    await using there = await opened('clickhouse');
    folder.write(
      'reports/dead.md',
      '---\ntitle: Dead\n---\n\n```query\nquery: {measures: [TrackedEvents.count]}\n```\n',
    );
    const running = there.report('dead').run();
    killed = server!.kill();
    const { status, messages } = await running;
    await killed;
    // The query may have been answered before. A report that was not answered says so, and does not overwrite an
    // earlier one.
    if (status !== 'good')
      expect([status, messages.join(' ')]).toEqual([
        'failed-cell',
        expect.stringMatching(/cannot be reached|cut off|answer/),
      ]);
    await server!.restart();
    expect((await there.report('dead').run()).status).toBe('good');
    expect(await s.clickhouse.load()).toMatchObject({ loaded: 0, present: 5000, removed: 0 });
  }, 120_000);
});
