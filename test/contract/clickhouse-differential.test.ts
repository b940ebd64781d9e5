import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../src/use/index.ts';
import { fillTable } from '../clickhouse/fill-table.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from '../clickhouse/open-clickhouse.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { type Asking, asking, world, type World } from './arbitrary-world.ts';
import { answerOf, settingsOf } from './differential.ts';
import { whileAsking } from './in-world.ts';

const folder = openFolder();
afterAll(() => folder.remove());

/** `npm run fuzz` asks more. */
const worlds = Number(process.env['SLUICE_WORLDS'] ?? 3);
const questions = 25;

describe.skipIf(noClickHouse)(onClickHouse('the same events on ClickHouse and in the embedded engine'), () => {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await openClickHouseServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  async function ask(one: World, asked: readonly Asking[], number: number): Promise<void> {
    const database = `world_${number}`;
    const events = `${folder.root}/events-${number}.parquet`;
    await fillTable(server!, database, one.events, events);
    folder.write('sluice.yaml', `clickhouse: {url: '${server!.url}', database: ${database}}\n`);
    const env = { SLUICE_CLICKHOUSE_PASSWORD: server!.password };
    const shared = { workspace: folder.root, env, ...settingsOf(one) };
    await using here = await open({ ...shared, events, backend: 'embedded' });
    await using there = await open({ ...shared, backend: 'clickhouse' });
    for (const { query, ...options } of asked) {
      const [expected, got] = [await answerOf(here, query, options), await answerOf(there, query, options)];
      whileAsking({ query, ...options }, one, () => expect(got).toEqual(expected));
    }
  }

  it('give the same answers to any question', async () => {
    const seed = Number(process.env['SLUICE_SEED'] ?? 20240308);
    const [found] = [fc.sample(world, { seed, numRuns: worlds })];
    for (const [number, one] of found.entries())
      await ask(one, fc.sample(asking, { seed: seed + number, numRuns: questions }), number);
  }, 600_000);
});
