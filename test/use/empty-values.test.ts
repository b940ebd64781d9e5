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

const columns = ['at', 'who', 'alias', 'user', 'land', 'eventType'];
const events = ['ann', '', null, 'bob'].map((who, index) => ({
  at: `2024-03-01T10:0${index}:00Z`,
  who,
  alias: '',
  user: JSON.stringify({ id: who }),
  land: ['DE', '', null, 'DE'][index],
  eventType: ['buy', '', null, ''][index],
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

const formats = ['ndjson', 'json', 'csv', 'parquet', 'arrow'] as const;

describe('an empty text', () => {
  it('is no value of a field or property of events that a model joins', async () => {
    folder.write('hits.csv', 'at,who\n2024-03-01T10:00:00Z,1\n2024-03-01T11:00:00Z,2\n2024-03-01T12:00:00Z,3\n');
    folder.write('people.ndjson', '{"id":1,"land":""}\n{"id":2,"land":"DE"}\n{"id":3}\n');
    folder.write(
      'joined.yaml',
      `cubes:
  - name: hits
    sql_table: hits
    joins: [{name: people, relationship: many_to_one, sql: "{CUBE}.who = {people}.id"}]
    meta: {sluice: {events: {time: at, country: people.land, type: people.land, properties: {land: people.land}}}}
    dimensions: [{name: at, sql: at, type: time}]
  - name: people
    sql_table: people
    dimensions: [{name: id, sql: id, type: number, primary_key: true}, {name: land, sql: land, type: string}]
`,
    );
    const tables = { hits: 'hits.csv', people: 'people.ndjson' };
    await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, model: 'joined.yaml', tables });
    for (const by of ['country', 'land', 'eventType'])
      expect(
        (await sluice.query(`TrackedEvents.count by ${by}`)).rows().map((row) => Object.values(row)),
        by,
      ).toEqual([
        [null, 2],
        ['DE', 1],
      ]);
  });

  it.each(formats)('is no value of a field in a file with a mapping, nor in a store of it: %s', async (format) => {
    const place = { path: folder.root, write: folder.write };
    const file = await writeEvents(engine, place, 'values', format, 'none', events, columns);
    folder.write(
      'values.yaml',
      JSON.stringify({ sources: [{ files: file, columns: { utcTime: 'at', country: 'land' } }] }),
    );
    const opening = { workspace: folder.root, env: {}, now: () => now, onNote: () => undefined };
    const config = `${folder.root}/values.yaml`;
    await using sluice = await open({ ...opening, config, events: file });
    await using stored = await open({ ...opening, config, store: `${folder.root}/of-${format}` });
    await stored.ingest([file]);
    for (const source of [sluice, stored]) {
      const rowsOf = async (line: string) => (await source.query(line)).rows().map((row) => Object.values(row));
      expect(await rowsOf('count by country')).toEqual([
        ['DE', 2],
        [null, 2],
      ]);
      // A column that has the name of its field.
      expect(await rowsOf('count by eventType')).toEqual([
        [null, 3],
        ['buy', 1],
      ]);
      expect(await rowsOf('count, distinct(country) where eventType is empty')).toEqual([[3, 1]]);
    }
  });
});
