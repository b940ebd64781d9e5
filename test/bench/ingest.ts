import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { ingestFiles } from '../../src/run/duckdb/store/ingest.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import type { Measured } from './main.ts';
import { median } from './timing.ts';

const million = 1_000_000;
const here = fileURLToPath(import.meta.url);

/**
 * Loading a file of NDJSON into a store, compared with DuckDB creating a table in a database on disk with inferred
 * types: medians of alternating runs. DuckDB reads a file with all threads only if it is in a list, so both forms run.
 * Then the peak memory of a separate process, for one and for three million events.
 */
export async function* measureIngest(events = million, rounds = 3): AsyncGenerator<Measured> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const [small, large] = [path.join(folder, 'small.ndjson'), path.join(folder, 'large.ndjson')];
    await writeSample({ seed: 1, events, days: 90, to: '2026-10-01' }, small);
    const ways = {
      ours: () => ingest(path.join(folder, 'store'), small),
      theirs: () => makeTable(path.join(folder, 'table.db'), `'${small}'`),
      listed: () => makeTable(path.join(folder, 'table.db'), `['${small}']`),
    };
    const times = { ours: [] as number[], theirs: [] as number[], listed: [] as number[] };
    for (let round = -1; round < rounds; round += 1) {
      for (const way of ['ours', 'theirs', 'listed'] as const) {
        const start = performance.now();
        await ways[way]();
        // The first round warms the disk cache.
        if (round >= 0) times[way].push(performance.now() - start);
        await rm(path.join(folder, 'store'), { recursive: true, force: true });
        await rm(path.join(folder, 'table.db'), { force: true });
      }
    }
    const [ours, theirs, listed] = [median(times.ours), median(times.theirs), median(times.listed)];
    const size = `${events} events, ${((await stat(small)).size / 1e6).toFixed(0)} MB of NDJSON`;
    yield {
      what: "speed of ingest, compared with DuckDB's CREATE TABLE … read_json('file')",
      ratio: theirs / ours,
      target: 0.5,
      better: 'higher',
      detail: `${ours.toFixed(0)} ms against ${theirs.toFixed(0)} ms, ${size}`,
    };
    yield {
      what: "speed of ingest, compared with the same on all threads: read_json(['file'])",
      ratio: listed / ours,
      target: 0.5,
      better: 'higher',
      detail: `${ours.toFixed(0)} ms against ${listed.toFixed(0)} ms`,
    };
    await writeSample({ seed: 1, events: 3 * events, days: 90, to: '2026-10-01' }, large);
    const peaks = [small, large].map((file) => peakOf(path.join(folder, 'store'), file));
    yield {
      what: 'peak memory of ingest, compared with a third of the events',
      ratio: peaks[1]! / peaks[0]!,
      target: 1.25,
      better: 'lower',
      detail: `${peaks[1]!.toFixed(0)} MB against ${peaks[0]!.toFixed(0)} MB`,
      limit: 'The engine may take 1 GiB, which the smaller file does not use up',
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function ingest(folder: string, file: string): Promise<void> {
  const { added, rejected } = await ingestFiles({
    folder,
    files: [file],
    now: Date.now,
    holder: 'the bench',
    randomText: () => randomBytes(6).toString('hex'),
  });
  if (added === 0 || rejected > 0) throw new Error(`${added} added, ${rejected} rejected`);
}

async function makeTable(database: string, file: string): Promise<void> {
  const instance = await DuckDBInstance.create(database);
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE events AS SELECT * FROM read_json(${file})`);
  connection.disconnectSync();
  instance.closeSync();
}

/** Peak memory in megabytes, in a separate process. */
function peakOf(folder: string, file: string): number {
  const run = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', here, 'peak', `${folder}-${path.basename(file)}`, file],
    { encoding: 'utf8' },
  );
  if (run.status !== 0) throw new Error(run.stderr);
  return Number(run.stdout);
}

if (process.argv[2] === 'peak') {
  await ingest(process.argv[3]!, process.argv[4]!);
  console.log(process.resourceUsage().maxRSS / 1000);
} else if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for await (const { what, ratio, detail } of measureIngest(
    Number(process.argv[2] ?? million),
    Number(process.argv[3] ?? 3),
  ))
    console.log(`${ratio.toFixed(2)}  ${what} (${detail})`);
}
