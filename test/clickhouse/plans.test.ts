import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from './open-clickhouse.ts';
import { fillTable } from './fill-table.ts';
import { spreadOverTwoShards } from './two-shards.ts';

const plainRequest = http.request;

describe.skipIf(noClickHouse)(onClickHouse('what a ClickHouse server does for a question'), () => {
  let server: TestServer | undefined;
  const folder = openFolder();
  beforeAll(async () => {
    server = await openClickHouseServer();
    await writeSample({ seed: 5, events: 120_000, days: 90, to: '2024-03-20' }, `${folder.root}/events.parquet`);
    await using sluice = await opened('embedded');
    await sluice.ingest('events.parquet');
    await sluice.clickhouse.init({ apply: true });
    await sluice.clickhouse.load();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    folder.remove();
  });

  function opened(backend: 'embedded' | 'clickhouse', table = 'events', more: object = {}): Promise<Sluice> {
    const clickhouse = { url: server!.url, user: server!.user, database: 'plans', table };
    folder.write('sluice.yaml', JSON.stringify({ store: 'store', clickhouse, ...more }));
    return open({
      workspace: folder.root,
      backend,
      env: { SLUICE_CLICKHOUSE_PASSWORD: server!.password },
      now: () => Date.parse('2024-03-21T00:00:00Z'),
      onNote: () => undefined,
    });
  }

  async function planOf(sluice: Sluice, question: string): Promise<string> {
    const [explained] = await sluice.explain(question);
    return explained!.enginePlan ?? '';
  }

  it.each([
    'count by eventType from 2024-03-08 to 2024-03-08',
    'uniqueUsersCount by hour from 2024-03-08 to 2024-03-08',
    'pageViewsCount by docPath from 2024-03-08 to 2024-03-08',
  ])('reads only the days of the range: %s', async (question) => {
    await using sluice = await opened('clickhouse', 'events', { timezone: 'America/New_York' });
    const plan = await planOf(sluice, question);
    const granules = (index: string) =>
      new RegExp(`${index}\\n[^]*?Granules: (\\d+)/(\\d+)`).exec(plan)!.slice(1).map(Number);
    const [inMonth, everywhere] = granules('Min-Max');
    const [inDays, ofMonth] = granules('PrimaryKey');
    expect(inMonth).toBeLessThan(everywhere! / 2);
    expect([inDays! <= 2, ofMonth! >= 4]).toEqual([true, true]);
  });

  it.each([
    'count by eventType',
    'count, uniqueUsersCount by day from 2024-03-01 to 2024-03-10',
    'pageViewsCount by docPath top 5',
    'sum(props.seconds) by props.where',
  ])('lets each shard group its own rows: %s', async (question) => {
    await spreadOverTwoShards(server!, 'plans');
    await using spread = await opened('clickhouse', 'spread');
    await using here = await opened('embedded');
    const plan = await planOf(spread, question);
    expect(plan).toMatch(
      /MergingAggregated[^]*Union[^]*Aggregating[^]*ReadFromMergeTree[^]*Aggregating[^]*ReadFromMergeTree/,
    );
    expect((await spread.query(question)).rows()).toEqual((await here.query(question)).rows());
  });

  it('finds the same channels of sessions', async () => {
    const file = `${folder.root}/channels.ndjson`;
    const values = {
      source: [undefined, 'google', 'Facebook', 'newsletter', 'partner', ' chatgpt.com ', ''],
      medium: [undefined, 'cpc', 'display', 'organic', 'Email', 'print'],
      referer: [undefined, 'https://www.google.de/', 'https://t.co/x', 'https://news.example/', 'https://a.example/'],
    };
    const visits = values.source.flatMap((utm_source) =>
      values.medium.flatMap((utm_medium) => values.referer.map((referer) => ({ utm_source, utm_medium, referer }))),
    );
    const events = visits.map((_, index) => ({
      utcTime: new Date(Date.UTC(2024, 2, 1) + index * 60_000).toISOString().slice(0, -1),
      eventType: 'pageview',
      userAnonymousId: `u${index}`,
      docPath: '/',
      docHost: 'www.a.example',
    }));
    await fillTable(server!, 'channels', events, file, visits);
    const clickhouse = { url: server!.url, user: server!.user, database: 'channels' };
    folder.write('sluice.yaml', JSON.stringify({ clickhouse, cache: false }));
    const shared = { workspace: folder.root, now: () => Date.parse('2024-07-02T00:00:00Z'), onNote: () => undefined };
    const env = { SLUICE_CLICKHOUSE_PASSWORD: server!.password };
    await using there = await open({ ...shared, env, backend: 'clickhouse' });
    await using here = await open({ ...shared, env: {}, events: file });
    for (const question of [
      'Sessions.count by channel, startAt.minute limit 1000',
      'ReturningUsers.count by firstTouchChannel',
    ]) {
      const expected = (await here.query(question)).rows();
      expect(expected.length).toBeGreaterThan(8);
      expect((await there.query(question)).rows()).toEqual(expected);
    }
  });

  it('reads the changes of the clock in the years that have events, however they come', async () => {
    const times = ['2023-01-01T04:30:00.000', '2023-07-01T03:30:00.000', '2024-07-01T03:59:59.999'];
    const at = (utcTime: string) => ({ utcTime, eventType: 'pageview', userAnonymousId: utcTime, docPath: '/' });
    const given = (last: readonly string[]) => fillTable(server!, 'years', [...times, ...last].map(at), file);
    const file = `${folder.root}/years.parquet`;
    await given([]);
    const clickhouse = { url: server!.url, user: server!.user, database: 'years' };
    folder.write('sluice.yaml', JSON.stringify({ clickhouse, timezone: 'America/New_York', cache: false }));
    const shared = { workspace: folder.root, now: () => Date.parse('2024-07-02T00:00:00Z') };
    const env = { SLUICE_CLICKHOUSE_PASSWORD: server!.password };
    await using there = await open({ ...shared, env, backend: 'clickhouse', onNote: () => undefined });
    const questions = [
      'count by day',
      'count by week',
      'count by hour',
      'count by hourOfDay',
      'Sessions.count by day',
      'count by day where hourOfDay > 20',
    ];
    const expectSame = async () => {
      await using here = await open({ ...shared, env: {}, events: file, onNote: () => undefined });
      for (const question of questions) {
        const options = { fill: 'none' } as const;
        const expected = (await here.query(question, options)).rows();
        expect([question, (await there.query(question, options)).rows()]).toEqual([question, expected]);
      }
    };
    await expectSame();
    // The history of the zone has 118,000 letters.
    for (const question of questions) {
      const [explained] = await there.explain(question);
      expect([question, explained!.statement.length < 10_000]).toEqual([question, true]);
    }
    // Before the first of those that were known, and after the last.
    await given([
      '1919-07-01T02:30:00.000',
      '1955-01-01T04:30:00.000',
      '2090-01-01T04:30:00.000',
      '2090-07-01T04:30:00.000',
    ]);
    await expectSame();
  }, 120_000);

  it.each(['strict', 'ordered', 'unordered'])(
    'sends figures alone of a funnel whose users have tied events: %s',
    async (order) => {
      await using there = await opened('clickhouse');
      await using here = await opened('embedded');
      let received = 0;
      const spy = vi.spyOn(http, 'request').mockImplementation(function (this: unknown, ...given: unknown[]) {
        const request = Reflect.apply(plainRequest, http, given) as http.ClientRequest;
        request.on('response', (response) =>
          response.prependListener('data', (part: Buffer) => (received += part.length)),
        );
        return request;
      } as never);
      try {
        // A page view is any step, and other events have the times of steps.
        const steps = [{ event: 'pageview' }, { target: '/' }, { event: 'pageview' }];
        const funnel = {
          steps: steps.map((step, index) => ({ name: `step ${index}`, ...step })),
          within: '2 days',
          order,
          breakdown: { dimension: 'TrackedEvents.docPath', attribution: 'last' },
        };
        const followed = await there.funnel(funnel as never);
        expect(followed.rows()).toEqual((await here.funnel(funnel as never)).rows());
        // A row a user took 100 kB and more.
        expect([received > 500, received < 20_000]).toEqual([true, true]);
      } finally {
        spy.mockRestore();
      }
    },
    120_000,
  );

  it.each([
    [8, undefined],
    [6, ['link_click']],
  ])(
    'follows tied events through %i steps',
    async (count, exclude) => {
      const file = `${folder.root}/tied.parquet`;
      const events = ['pageview', 'signup', 'pageview'].map((eventType) => ({
        utcTime: '2024-03-01T10:00:00.000',
        eventType,
        userAnonymousId: 'ann',
      }));
      await fillTable(server!, 'tied', events, file);
      const clickhouse = { url: server!.url, user: server!.user, database: 'tied' };
      folder.write('sluice.yaml', JSON.stringify({ clickhouse, cache: false }));
      const env = { SLUICE_CLICKHOUSE_PASSWORD: server!.password };
      const shared = { workspace: folder.root, onNote: () => undefined };
      await using there = await open({ ...shared, env, backend: 'clickhouse' });
      await using here = await open({ ...shared, env: {}, events: file });
      const steps = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 'pageview' : 'signup'));
      const funnel = { steps, ...(exclude && { exclude }) };
      const rows = (await there.funnel(funnel)).rows();
      expect(rows.map((row) => row['funnel.count']).slice(0, 4)).toEqual([1, 1, 1, 0]);
      expect(rows).toEqual((await here.funnel(funnel)).rows());
    },
    120_000,
  );

  it('is given very many values, with any letters, behind the statement', async () => {
    await using there = await opened('clickhouse');
    await using here = await opened('embedded');
    const odd = ["it's", 'a\\b', 'a\tb', 'a\nb', '"', '{p1:String}', '🙂'];
    const paths = [
      '/cart',
      '/',
      ...odd,
      ...Array.from({ length: 3000 }, (_, index) => `/a/long/path/of/a/page/${index}`),
    ];
    const seconds = Array.from({ length: 200 }, (_, index) => index * 2);
    const asked = [
      { member: 'TrackedEvents.docPath', operator: 'equals', values: paths },
      { member: 'TrackedEvents.docPath', operator: 'notEquals', values: paths },
      { member: 'props.seconds', operator: 'equals', values: [...seconds, 0.5] },
      { member: 'props.seconds', operator: 'notEquals', values: [...seconds, '1180591620717411303424'] },
    ] as const;
    for (const filter of asked) {
      const query = { measures: ['TrackedEvents.count'], filters: [filter] };
      const counted = (await there.query(query as never)).rows();
      expect([filter.operator, counted]).toEqual([filter.operator, (await here.query(query as never)).rows()]);
      expect(Number(Object.values(counted[0]!)[0])).toBeGreaterThan(0);
    }
    const [explained] = await there.explain({ measures: ['TrackedEvents.count'], filters: [asked[0]] } as never);
    expect(explained!.statement).not.toContain('/cart');
    expect(explained!.statement.length).toBeLessThan(2000);
  });
});
