import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sluice } from '../../src/use/index.ts';
import { fillTable } from '../clickhouse/fill-table.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from '../clickhouse/open-clickhouse.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { type Asking, localAsking as asking, type World, world } from './arbitrary-world.ts';
import { askedAnalyses } from './arbitrary-analysis.ts';
import { askedFunnel } from './arbitrary-funnel.ts';
import { answerOf, settingsOf } from './differential.ts';
import { runs } from '../runs.ts';
import { whileAsking } from './in-world.ts';

const folder = openFolder();
afterAll(() => folder.remove());

/** `npm run fuzz` asks more. */
const worlds = Number(process.env['SLUICE_WORLDS'] ?? runs(4));
const questions = 25;
const seed = Number(process.env['SLUICE_SEED'] ?? 20240308);

describe.skipIf(noClickHouse)(onClickHouse('the same events on ClickHouse and in the embedded engine'), () => {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await openClickHouseServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  async function ask<T>(
    one: World,
    number: string,
    asked: readonly T[],
    answer: (sluice: Sluice, question: T) => Promise<unknown>,
    properties?: readonly object[],
  ): Promise<void> {
    const database = number;
    const events = `${folder.root}/events-${number}.${properties ? 'ndjson' : 'parquet'}`;
    await fillTable(server!, database, one.events, events, properties);
    folder.write('sluice.yaml', `clickhouse: {url: '${server!.url}', database: ${database}}\n`);
    const env = { SLUICE_CLICKHOUSE_PASSWORD: server!.password };
    const shared = { workspace: folder.root, env, ...settingsOf(one) };
    await using here = await open({ ...shared, events, backend: 'embedded' });
    await using there = await open({ ...shared, backend: 'clickhouse' });
    let answered = 0;
    for (const question of asked) {
      const [expected, got] = [await answerOf(answer(here, question)), await answerOf(answer(there, question))];
      whileAsking(question, one, () => expect(withoutLatest(got)).toEqual(withoutLatest(expected)));
      if (!Object.hasOwn(expected as object, 'refused')) answered += 1;
    }
    // Refusals are the same as well, but prove little.
    expect(answered).toBeGreaterThan(asked.length / 2);
  }

  it('give the same answers to any question', async () => {
    const found = fc.sample(world, { seed, numRuns: worlds });
    for (const [number, one] of found.entries())
      await ask(
        one,
        `asked_${number}`,
        fc.sample(asking, { seed: seed + number, numRuns: questions }),
        (sluice, { query, ...options }: Asking) => sluice.query(query, options),
      );
  }, 600_000);

  it('follow users through funnels to the same steps', async () => {
    const found = fc.sample(world, { seed: seed + 1, numRuns: worlds });
    for (const [number, one] of found.entries())
      await ask(
        one,
        `followed_${number}`,
        fc.sample(askedFunnel, { seed: seed + number, numRuns: Math.ceil(questions / 2) }),
        (sluice, { funnel, options }) => sluice.funnel(funnel as never, options as never),
      );
  }, 600_000);

  it('compute analyses, cohorts, touches and properties to the same figures', async () => {
    folder.write(
      'funnels/steps.yaml',
      'seconds_to_convert: 604800\nsteps:\n  - {name: a, action: pageview, target: /a}\n  - {name: b, action: pageview, target: /b}\n',
    );
    const found = fc.sample(world, { seed: seed + 2, numRuns: worlds });
    for (const [number, one] of found.entries()) {
      const [analyses] = fc.sample(askedAnalyses, { seed: seed + number, numRuns: 1 });
      for (const [name, file] of Object.entries(analyses!.files))
        for (const [key, value] of Object.entries(file))
          folder.write(`queries/${name}.yaml`, `${key}: ${JSON.stringify(value)}\n`);
      await ask(
        { ...one, now: Date.parse('2024-04-07T03:00:00.500Z') },
        `computed_${number}`,
        analyses!.asked,
        (sluice, { ask: answer }) => answer(sluice),
        analyses!.properties,
      );
    }
  }, 600_000);
});

/** Over NDJSON the embedded engine does not know the latest time. */
function withoutLatest(answer: unknown): unknown {
  const { told, ...rest } = answer as { readonly told?: { readonly notes: readonly string[] } };
  const notes = told?.notes.filter((note) => !note.startsWith('No events in the range: the newest'));
  return told ? { ...rest, told: { ...told, notes } } : answer;
}
