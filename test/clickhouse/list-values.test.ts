import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../src/use/index.ts';
import { answerOf } from '../contract/differential.ts';
import { runs } from '../runs.ts';
import { answerSlowly, byText, event, questions, toQuery, usual } from '../use/list-questions.ts';
import { now, openFolder } from '../use/run-in-folder.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from './open-clickhouse.ts';

/** Questions whose statements have other parts beside the lists. */
const lines = [
  'count by first touch shop where tags[] = eu',
  'count by items.sku top 2 with other',
  'sum(items.price) / count by items.sku order by items.sku',
  'users rolling 2 minutes by minute where tags[] = eu from 2024-03-01 to 2024-03-01',
  'count, sum(items.qty) by items.sku, shop order by items.sku, shop',
  "funnel 'purchase where items.sku = A' then 'purchase where items.price > 5 and items.qty > 1'",
  "funnel 'purchase where tags[] = eu' then 'purchase where items.sku is not set'",
  "funnel 'purchase where items.sku = none' then purchase",
  "retention of 'purchase where tags[] = eu' returning purchase by day from 2024-03-01 to 2024-03-02",
  'lifecycle of purchase by day where items.sku = A from 2024-03-01 to 2024-03-02',
];

describe.skipIf(noClickHouse)(onClickHouse('the values of lists on ClickHouse'), () => {
  let server: TestServer | undefined;
  const folder = openFolder();
  let databases = 0;
  beforeAll(async () => {
    server = await openClickHouseServer();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    folder.remove();
  });

  it('give what a count over all values and events gives', { timeout: 400_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 12 }),
        fc.array(questions, { minLength: 12, maxLength: 12 }),
        async (some, asked) => {
          const events = [...some, usual];
          const { url, user, password } = server!;
          const database = `lists_${(databases += 1)}`;
          folder.write(
            'sluice.yaml',
            `store: store_${databases}\nclickhouse: ${JSON.stringify({ url, user, database })}\n`,
          );
          const written = events.map(({ user: userAnonymousId, ...properties }, index) =>
            JSON.stringify({
              utcTime: new Date(Date.UTC(2024, 2, 1, 0, index)).toISOString(),
              eventType: 'purchase',
              userAnonymousId,
              ...properties,
            }),
          );
          folder.write(`events_${databases}.ndjson`, `${written.join('\n')}\n`);
          const shared = {
            workspace: folder.root,
            env: { SLUICE_CLICKHOUSE_PASSWORD: password },
            now: () => now,
            onNote: () => undefined,
          };
          await using here = await open({ ...shared, backend: 'embedded' });
          await here.ingest(`events_${databases}.ndjson`);
          await here.clickhouse.init({ apply: true });
          expect(await here.clickhouse.load()).toMatchObject({ loaded: events.length });
          await using there = await open({ ...shared, backend: 'clickhouse' });
          for (const question of asked) {
            const query = toQuery(question);
            const answer = await there.query(query);
            expect(byText(answer.rows()), JSON.stringify(query)).toEqual(byText(answerSlowly(events, question, query)));
            expect(answer.provenance.uncounted).toEqual((await here.query(query)).provenance.uncounted);
          }
          for (const line of lines) {
            const expected = await answerOf(here.query(line));
            expect(expected, line).not.toHaveProperty('refused');
            expect(await answerOf(there.query(line)), line).toEqual(expected);
          }
        },
      ),
      { numRuns: runs(16), endOnFailure: true },
    ),
  );
});
