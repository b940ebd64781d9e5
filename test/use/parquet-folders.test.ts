import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open } from '../../src/use/index.ts';
import { openFolder } from './run-in-folder.ts';

const folder = openFolder();
afterAll(() => folder.remove());

it('folders of Parquet files with events are columns, unless the files have a column of that name', async () => {
  await using engine = await openEngine({ threads: 1 });
  const write = async (file: string, ...rows: readonly string[]) => {
    mkdirSync(path.dirname(path.join(folder.root, file)), { recursive: true });
    await engine.rows(`COPY (${rows.map((row) => `SELECT ${row}`).join(' UNION ALL ')}) TO '${folder.root}/${file}'`);
  };
  const row = (user: string) => `TIMESTAMP '2024-03-08 10:00:00' AS utc_time, '${user}' AS user_id`;
  await write('lake/shop=007/country=DE/a.parquet', row('ann'), row('bob'));
  await write('lake/shop=Z%C3%BCrich/country=__HIVE_DEFAULT_PARTITION__/b.parquet', row('ann'));
  await write('lake/c.parquet', row('cy'));
  await write('own/shop=x/a.parquet', `${row('ann')}, 'mine' AS shop`);
  for (let index = 0; index < 60; index += 1) await write(`many/dt=${index}/a.parquet`, row('ann'));
  const ask = async (events: string, line: string) => {
    const sluice = await open({ workspace: folder.root, env: {}, events, onNote: () => undefined });
    const result = await sluice.query(line);
    await sluice.close();
    return { rows: result.rows().map((one) => Object.values(one)), lacking: result.provenance.lacking };
  };
  expect((await ask('lake', 'count by shop order by shop')).rows).toEqual([
    ['007', 2],
    ['Zürich', 1],
    [null, 1],
  ]);
  expect((await ask('lake', 'users by country order by country')).rows).toEqual([
    ['DE', 2],
    [null, 2],
  ]);
  expect((await ask('lake', 'count where shop = 007')).rows).toEqual([[2]]);
  expect((await ask('own', 'count by shop')).rows).toEqual([['mine', 1]]);
  const many = await ask('many', 'count by docHost');
  expect([many.rows, many.lacking?.[0]]).toEqual([[[null, 60]], expect.stringMatching(/^The events have no host/)]);
});

it.each(['ndjson', 'csv', 'ndjson.gz'])('folders whose values are lost are named: .%s', async (ending) => {
  const write = (file: string, row: Readonly<Record<string, string>>) => {
    mkdirSync(path.dirname(path.join(folder.root, file)), { recursive: true });
    const [names, values] = [Object.keys(row).join(','), Object.values(row).join(',')];
    const text = ending === 'csv' ? `${names}\n${values}\n` : `${JSON.stringify(row)}\n`;
    writeFileSync(path.join(folder.root, file), ending.endsWith('.gz') ? gzipSync(text) : text);
  };
  const row = { utcTime: '2024-03-08T10:00:00Z', shop: 'own' };
  for (const [index, country] of ['DE', 'FR'].entries())
    write(`lost-${ending}/tracker=web/country=${country}/shop=${index}/a.${ending}`, row);
  const notes = async (events: string) => {
    const sluice = await open({ workspace: folder.root, env: {}, events, onNote: () => undefined });
    const { provenance } = await sluice.query('count');
    await sluice.close();
    return provenance.lacking ?? [];
  };
  const told = expect.stringContaining(
    'The files lie in folders that name "country", which the files themselves lack.',
  );
  expect(await notes(`lost-${ending}`)).toEqual([told]);
  // One folder is what the question names itself.
  expect(await notes(`lost-${ending}/tracker=web/country=DE`)).toEqual([]);
});
