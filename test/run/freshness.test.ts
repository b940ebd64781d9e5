import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
    expect(session.facts().freshness).toBe('2024-03-01T10:00:00.500Z');
  });

  it('is not guessed where a text file would have to be searched', async () => {
    const files = [
      await parquet('c.parquet', ["'2024-03-01 10:00:00'"]),
      folder.write('d.ndjson', '{"utcTime":"2024-03-02T00:00:00.000"}\n'),
    ];
    await using session = await openFiles(files);
    await session.ask(counting);
    expect(session.facts().freshness).toBeUndefined();
  });
});
