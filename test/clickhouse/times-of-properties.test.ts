import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../src/use/index.ts';
import { runs } from '../runs.ts';
import { now, openFolder } from '../use/run-in-folder.ts';
import { sorted, timedEvents, timeQuestions, toRows, zones } from '../use/time-questions.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from './open-clickhouse.ts';

describe.skipIf(noClickHouse)(onClickHouse('times that are properties, on ClickHouse'), () => {
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

  it('have buckets, ends and comparisons as a slow count gives', { timeout: 400_000 }, () =>
    fc.assert(
      fc.asyncProperty(timedEvents, fc.constantFrom(...zones), async (events, timezone) => {
        const { url, user, password } = server!;
        databases += 1;
        const database = `times_${databases}`;
        folder.write(
          'sluice.yaml',
          `store: store_${databases}\nclickhouse: ${JSON.stringify({ url, user, database })}\n`,
        );
        const rows = toRows(events);
        folder.write(`events_${databases}.ndjson`, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
        const shared = {
          workspace: folder.root,
          env: { SLUICE_CLICKHOUSE_PASSWORD: password },
          now: () => now,
          onNote: () => undefined,
        };
        await using here = await open({ ...shared, backend: 'embedded' });
        await here.ingest(`events_${databases}.ndjson`);
        await here.clickhouse.init({ apply: true });
        expect(await here.clickhouse.load()).toMatchObject({ loaded: rows.length });
        await using there = await open({ ...shared, backend: 'clickhouse' });
        for (const [line, expected] of timeQuestions(events, timezone)) {
          const result = await there.query(line, { timezone, fill: 'none' });
          const keys = result.columns.map(({ key }) => key);
          const answer = result.rows().map((row) => keys.map((key) => row[key] as string));
          expect(sorted(answer), `${line} in ${timezone}`).toEqual(sorted(expected));
          const { uncounted } = (await here.query(line, { timezone, fill: 'none' })).provenance;
          expect(result.provenance.uncounted, line).toEqual(uncounted);
        }
      }),
      { numRuns: runs(8) },
    ),
  );
});
