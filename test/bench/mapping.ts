import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mapping } from '../../src/plan/mapping/mapping.ts';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { textColumns } from '../../src/run/duckdb/engine/sql-text.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import type { Measured } from './main.ts';

const names = { utcTime: 'created_at', userAnonymousId: 'distinct_id', eventType: 'event_name', docPath: 'page' };
const mapping: Mapping = { columns: names };

const question = `SELECT doc_path, count(*), count(DISTINCT user_key) FROM events WHERE event_type = 'pageview' AND utc_time >= TIMESTAMP '2000-01-01' GROUP BY 1`;

/** A query on a file with custom names, compared with the same query on the same file with canonical names. */
export async function* measureMapping(events = 100_000, rounds = 9): AsyncGenerator<Measured> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  try {
    await using engine = await openEngine({});
    const sample = path.join(folder, 'sample.ndjson');
    await writeSample({ seed: 1, events, days: 90, to: '2026-10-01' }, sample);
    for (const { format, canonical, theirs } of await writeFiles(engine, folder, sample)) {
      const times = { canonical: [] as number[], mapped: [] as number[] };
      const answers = new Set<string>();
      for (let round = -1; round < rounds; round += 1) {
        for (const way of ['canonical', 'mapped'] as const) {
          const start = performance.now();
          await openEventFiles(
            engine,
            [way === 'mapped' ? theirs : canonical],
            'anonymous',
            'events',
            way === 'mapped' ? { mappingOf: () => mapping } : undefined,
          );
          const rows = await engine.rows(`${question} ORDER BY ALL`);
          // The first round warms the disk cache.
          if (round >= 0) times[way].push(performance.now() - start);
          answers.add(JSON.stringify(rows.map((row) => row.map(String))));
        }
      }
      if (answers.size !== 1) throw new Error(`the mapped ${format} file gives another answer`);
      // The least of each: what else the machine does adds to both.
      const [ours, plain] = [Math.min(...times.mapped), Math.min(...times.canonical)];
      yield {
        what: `query on a file with mapped columns, compared with canonical column names: ${format}`,
        ratio: ours / plain,
        target: 1.1,
        better: 'lower',
        detail: `${ours.toFixed(0)} ms against ${plain.toFixed(0)} ms, ${events} events`,
      };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Pair {
  readonly format: string;
  readonly canonical: string;
  readonly theirs: string;
}

async function writeFiles(engine: Engine, folder: string, sample: string): Promise<readonly Pair[]> {
  const renamed = path.join(folder, 'theirs.ndjson');
  const text = (await readFile(sample, 'utf8')).replaceAll(
    new RegExp(`"TrackedEvents\\.(${Object.keys(names).join('|')})":`, 'g'),
    (_, name: keyof typeof names) => `"${names[name]}":`,
  );
  await writeFile(renamed, text);
  const pairs: Pair[] = [{ format: 'NDJSON', canonical: sample, theirs: renamed }];
  for (const [format, options] of [
    ['csv', 'HEADER'],
    ['parquet', 'FORMAT parquet'],
  ] as const) {
    const [canonical, theirs] = ['canonical', 'theirs'].map((name) => path.join(folder, `${name}.${format}`));
    for (const [from, to] of [
      [sample, canonical!],
      [renamed, theirs!],
    ] as const)
      await engine.rows(
        `COPY (SELECT * FROM read_json('${from}', columns = ${await textKeys(from)})) TO '${to}' (${options})`,
      );
    pairs.push({ format: format === 'csv' ? 'CSV' : 'Parquet', canonical: canonical!, theirs: theirs! });
  }
  return pairs;
}

/** Reads text columns as written, without inferring types. */
async function textKeys(file: string): Promise<string> {
  const [line] = (await readFile(file, 'utf8')).split('\n', 1);
  return textColumns(Object.keys(JSON.parse(line!) as object));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  for await (const { what, ratio, detail } of measureMapping())
    process.stdout.write(`${ratio.toFixed(2)}  ${what} (${detail})\n`);
