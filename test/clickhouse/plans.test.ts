import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from './open-clickhouse.ts';
import { spreadOverTwoShards } from './two-shards.ts';

describe.skipIf(noClickHouse)(onClickHouse('the work of a ClickHouse server for a query'), () => {
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

  it('receives very many values, with any characters, after the statement', async () => {
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
