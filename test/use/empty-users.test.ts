import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open } from '../../src/use/index.ts';
import { writeEvents } from '../run/sources/write-events.ts';
import { now, openFolder } from './run-in-folder.ts';

const folder = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  folder.remove();
});

const columns = ['at', 'who', 'alias', 'user'];
const events = ['ann', '', null, 'bob'].map((who, index) => ({
  at: `2024-03-01T10:0${index}:00Z`,
  who,
  alias: '',
  user: JSON.stringify({ id: who }),
}));

describe('an empty user ID', () => {
  it.each(['ndjson', 'json', 'csv', 'parquet', 'arrow'] as const)(
    'is no user where a mapping reads it: %s',
    async (format) => {
      const place = { path: folder.root, write: folder.write };
      const file = await writeEvents(engine, place, 'users', format, 'none', events, columns);
      const sources = ['who', '$.user.id', ['alias', 'who'], ['who', 'alias'], { sql: 'lower(who)' }];
      for (const [at, source] of sources.entries())
        for (const field of ['userId', 'userAnonymousId']) {
          const name = `sluice-${format}-${at}-${field}.yaml`;
          folder.write(name, JSON.stringify({ events: file, columns: { utcTime: 'at', [field]: source } }));
          const config = `${folder.root}/${name}`;
          await using sluice = await open({
            workspace: folder.root,
            config,
            env: {},
            now: () => now,
            onNote: () => undefined,
          });
          const found = await sluice.query(`users, count, distinct(${field})`);
          expect(Object.values(found.rows()[0]!), `${field} of ${JSON.stringify(source)}`).toEqual([2, 4, 2]);
          const empty = await sluice.query(`count by ${field} where ${field} is empty`);
          expect(empty.rows().map((row) => Object.values(row))).toEqual([[null, 2]]);
        }
    },
  );
});
