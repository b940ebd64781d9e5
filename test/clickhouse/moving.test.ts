import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { factsOf } from '../contract/differential.ts';
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
] as const;

describe.skipIf(noClickHouse)(onClickHouse('events that move to ClickHouse'), () => {
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
  ): Promise<Sluice> {
    const { url, user } = server!;
    folder.write(
      'sluice.yaml',
      `store: store_${databases}\nclickhouse: ${JSON.stringify({ url, user, database, ...more })}\n`,
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
      expect([question, factsOf((await there.query(question)) as never)]).toEqual([
        question,
        factsOf((await here.query(question)) as never),
      ]);
    expect(factsOf((await there.funnel(funnel)) as never)).toEqual(factsOf((await here.funnel(funnel)) as never));
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
    });
    expect([told[0], told.at(-1)]).toEqual([0, 3000]);
    expect(await s.clickhouse.load()).toEqual({ loaded: 0, present: 3000, removed: 0 });
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

  it('go on after a load was cut off, and nothing is there twice', async () => {
    await using s = await opened('embedded');
    await s.ingest('first.parquet');
    await s.clickhouse.init({ apply: true });
    await s.clickhouse.load();
    // What a load leaves that is stopped in the middle of a segment.
    await command(`DELETE FROM ${database}.events WHERE user_hash % 3 = 0`);
    const again = await s.clickhouse.load();
    expect([again.loaded, again.removed > 0 && again.removed < 3000]).toEqual([3000, true]);
    await expectSame();
  }, 120_000);

  it('need no more than a user who may read', async () => {
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
      // Without the setting, a page that is not there would have the path ''.
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

  it('are asked with errors that say what to do', async () => {
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
    for (const refused of ['count by firstTouch.utmSource', 'count by lastTouch.docPath'])
      expect([refused, await fault({}, refused)]).toMatchObject([refused, { code: 'not-on-clickhouse' }]);
    await using foreign = await opened('embedded', { table: 'bare' });
    await expect(foreign.clickhouse.load()).rejects.toMatchObject({ code: 'table-not-found' });
  }, 120_000);

  it('are asked again where the server was stopped in between, and a stop in the middle is told', async () => {
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

  it('can be stopped: the server stops the statement', async () => {
    await using s = await opened('embedded');
    await s.clickhouse.init({ apply: true });
    await using there = await opened('clickhouse');
    const controller = new AbortController();
    controller.abort();
    await expect(there.query('count', { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
  });
});
