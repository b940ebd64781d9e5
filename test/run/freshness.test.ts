import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Mapping } from '../../src/plan/mapping/mapping.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openFiles, scratchFolder } from './ask-sql.ts';

const folder = scratchFolder();
const counting = 'SELECT count(*) FROM events';

async function parquet(name: string, times: readonly string[]): Promise<string> {
  const file = join(folder.path, name);
  await using engine = await openEngine({});
  const rows = times.map((time) => `(CAST(${time} AS TIMESTAMP))`).join(', ');
  await engine.rows(`COPY (SELECT * FROM (VALUES ${rows}) AS events(utcTime)) TO '${file}' (FORMAT parquet)`);
  return file;
}

describe('freshness', () => {
  it('is the latest time of all Parquet files, times that are missing left aside', async () => {
    const files = [
      await parquet('a.parquet', ["'2024-03-01 10:00:00.5'", 'NULL']),
      await parquet('b.parquet', ["'2024-02-29 23:59:59'"]),
    ];
    await using session = await openFiles(files);
    await session.ask(counting);
    expect(session.facts()).toMatchObject({
      earliest: '2024-02-29T23:59:59.000Z',
      freshness: '2024-03-01T10:00:00.500Z',
    });
  });

  it('is searched for in text files only where the question has a range', async () => {
    const files = [
      await parquet('c.parquet', ["'2024-03-01 10:00:00'"]),
      folder.write('d.ndjson', '{"utcTime":"2024-03-02T00:00:00.000"}\n'),
    ];
    await using session = await openFiles(files);
    await session.ask(counting);
    expect([session.facts().earliest, session.facts().freshness]).toEqual([undefined, undefined]);
    await session.ask(counting, { ranged: true });
    expect(session.facts()).toMatchObject({
      earliest: '2024-03-01T10:00:00.000Z',
      freshness: '2024-03-02T00:00:00.000Z',
    });
  });

  const times = ['2024-03-02T08:00:00.250Z', '2024-03-01T10:00:00Z', '2024-02-01T00:00:00Z'];
  const csv = `utcTime,docPath\n${times.map((time) => `${time},/\n`).join('')}`;
  const mapped = { columns: { utcTime: 'when' } };
  it.each<[string, string | Buffer, Mapping?]>([
    ['a.ndjson', times.map((utcTime) => `${JSON.stringify({ utcTime })}\n`).join('')],
    ['a.json', JSON.stringify(times.map((utcTime) => ({ utcTime })))],
    ['a.csv.gz', gzipSync(csv)],
    ['broken.csv', `${csv}2024-03-09T00:00:00Z,"open\n,/\n2025-13-01,/\n`],
    ['own.csv', csv.replace('utcTime', 'when'), mapped],
  ])(
    'is the latest event of %s, and the earliest is found, whatever the question leaves out',
    async (name, content, mapping) => {
      const options = { mappingOf: () => mapping };
      await using session = await openFiles([folder.write(name, content)], 'anonymous', options);
      const before = "SELECT count(*) FROM events WHERE utc_time < TIMESTAMP '2024-02-02'";
      expect(await session.ask(before, { ranged: true })).toEqual([[1]]);
      expect(session.facts()).toMatchObject({
        earliest: '2024-02-01T00:00:00.000Z',
        freshness: '2024-03-02T08:00:00.250Z',
      });
    },
  );

  it('is that of the files as they are now', async () => {
    const write = (utcTime: string) => folder.write('growing.ndjson', `{"utcTime":"${utcTime}"}\n`);
    await using session = await openFiles([write('2024-03-02T00:00:00Z')]);
    await session.ask(counting, { ranged: true });
    write('2024-03-05T00:00:00.000Z');
    await session.ask(counting, { ranged: true });
    expect(session.facts().freshness).toBe('2024-03-05T00:00:00.000Z');
    folder.write('growing.ndjson', '');
    await session.ask(counting, { ranged: true });
    expect(session.facts().freshness).toBeUndefined();
  });
});
