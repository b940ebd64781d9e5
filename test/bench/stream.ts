import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import { open, type Query } from '../../src/use/index.ts';
import type { Measured } from './main.ts';
import { median } from './timing.ts';

const million = 1_000_000;
/** The first is for speed. The others show whether memory grows: with the first, buffers are not full yet. */
const millions = [1, 3, 6] as const;
const endings = ['parquet', 'arrow', 'csv', 'ndjson'] as const;

/** A row for each event, in time order. */
const everyEvent: Query = {
  dimensions: ['utcTime', 'userAnonymousId', 'docPath', 'eventType', 'viewportSize'].map(
    (name) => `TrackedEvents.${name}`,
  ),
  measures: ['TrackedEvents.count'],
  ungrouped: true,
  limit: 1_000_000_000,
  order: [
    ['TrackedEvents.utcTime', 'asc'],
    ['TrackedEvents.userAnonymousId', 'asc'],
  ],
};

interface Written {
  readonly ms: number;
  /** Peak memory of the whole process, in bytes. */
  readonly peak: number;
}

/** Writes all events in a separate process, which reports its time and peak memory. */
function writeApart(events: string, file: string): Written {
  const run = spawnSync(process.execPath, [new URL(import.meta.url).pathname, events, file], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Written;
}

async function writeHere(events: string, file: string): Promise<Written> {
  await using sluice = await open({ events: [events], workspace: path.dirname(events), env: {} });
  const started = performance.now();
  await sluice.write(everyEvent, file);
  return { ms: performance.now() - started, peak: process.resourceUsage().maxRSS * 1024 };
}

/** Milliseconds of DuckDB's own COPY of the same statement. */
async function copyByHand(events: string, file: string, form = 'FORMAT parquet'): Promise<number> {
  await using sluice = await open({ events: [events], workspace: path.dirname(events), env: {} });
  const [explanation] = await sluice.explain(everyEvent);
  await using engine = await openEngine({});
  await openEventFiles(engine, [events], 'anonymous');
  const parameters = [...explanation!.parameters];
  const started = performance.now();
  await engine.rows(`COPY (${explanation!.statement}) TO '${file}' (${form})`, parameters);
  return performance.now() - started;
}

async function makeEvents(file: string, count: number): Promise<void> {
  await using engine = await openEngine({});
  await engine.rows(`COPY (SELECT TIMESTAMP '2026-01-01' + to_milliseconds(i * 997) AS utcTime, 'user-' || hash(i // 7) % 300000 AS userAnonymousId, '/page/' || hash(i) % 500 AS docPath,
    ['pageview', 'link_click', 'custom'][1 + (hash(i * 3) % 3)::INT] AS eventType, (300 + hash(i * 5) % 1600) || 'x' || (300 + hash(i) % 900) AS viewportSize FROM range(${count}) t(i)) TO '${file}'`);
}

/**
 * Writing a row for each of some million events to a file: time compared with DuckDB's own COPY, and memory as the
 * number of events grows.
 */
export async function* measureStream(): AsyncGenerator<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const events = millions.map((count) => path.join(folder, `events-${count}.parquet`));
    for (const [index, count] of millions.entries()) await makeEvents(events[index]!, count * million);
    const [one, three, six] = events as [string, string, string];
    const byHand = median([
      await copyByHand(one, path.join(folder, 'by-hand.parquet')),
      await copyByHand(one, path.join(folder, 'by-hand.parquet')),
      await copyByHand(one, path.join(folder, 'by-hand.parquet')),
    ]);
    const targets = { parquet: 3, arrow: 6, csv: 8, ndjson: 12 } as const;
    for (const ending of endings) {
      const file = path.join(folder, `all.${ending}`);
      const runs = [writeApart(one, file), writeApart(one, file), writeApart(one, file)];
      const ms = median(runs.map((run) => run.ms));
      const [few, many] = [writeApart(three, file).peak, writeApart(six, file).peak];
      yield {
        what: `writing a million events × 6 members to ${ending}, compared with DuckDB's COPY to Parquet`,
        ratio: ms / byHand,
        target: targets[ending],
        better: 'lower',
        limit:
          ending === 'arrow'
            ? "DuckDB's client does not write Arrow: six million values pass through JavaScript, which takes four fifths of the time"
            : undefined,
        detail: `${Math.round((million / ms) * 1000).toLocaleString('en')} rows/s, ${ms.toFixed(0)} ms against ${byHand.toFixed(0)} ms`,
      };
      const form = { csv: 'FORMAT csv', ndjson: 'FORMAT json', parquet: undefined, arrow: undefined }[ending];
      if (form !== undefined) {
        const alike = median([await copyByHand(one, file, form), await copyByHand(one, file, form)]);
        yield {
          what: `the same, compared with DuckDB's COPY to ${ending}`,
          ratio: ms / alike,
          target: 2,
          better: 'lower',
          limit:
            'The rows are stored first, so that a query that fails halfway writes nothing: that takes 0.6 s of CPU time, and writing them takes 0.7 s',
          detail: `${ms.toFixed(0)} ms against ${alike.toFixed(0)} ms`,
        };
      }
      yield {
        what: `peak memory of writing six million events to ${ending}, compared with three million`,
        ratio: many / few,
        target: 1.25,
        better: 'lower',
        detail: `${(many / 1e6).toFixed(0)} MB against ${(few / 1e6).toFixed(0)} MB`,
      };
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , events, file] = process.argv;
  if (events !== undefined && file !== undefined) console.log(JSON.stringify(await writeHere(events, file)));
  else
    for await (const { what, ratio, detail } of measureStream()) console.log(`${ratio.toFixed(2)} ${what} (${detail})`);
}
