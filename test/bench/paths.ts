import path from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { Paths } from '../../src/ask/paths/paths.ts';
import { pathsAnalysis } from '../../src/plan/analysis/paths/paths-analysis.ts';
import { withComputedCubes } from '../../src/plan/analysis/computed-cubes.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { followPaths } from '../../src/run/duckdb/paths/follow-paths.ts';
import { stepsOf } from '../../src/run/analysis/paths/steps.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { planOf } from '../plan/ask.ts';
import type { Measured } from './main.ts';
import { median } from './timing.ts';

/** BENCH_PATHS=full uses the full number of events, and takes some minutes. */
const full = process.env['BENCH_PATHS'] === 'full';
const events = full ? 10_000_000 : 1_000_000;
const rounds = full ? 3 : 5;

const paths: Paths = {
  name: 'bench',
  events: ['pageview'],
  where: [],
  step: { kind: 'page' },
  groups: ['/product/*'],
  exclude: [],
  gapMinutes: 30,
  anchor: { kind: 'none' },
  maxSteps: 5,
  edgeLimit: 50,
  leastSessions: 1,
};

/** CPU time in milliseconds, which other work on the machine does not affect. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Paths compared with a plain count of distinct users over the same events. */
export async function* measurePaths(): AsyncGenerator<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  try {
    await using engine = await openEngine({});
    const file = process.env['BENCH_EVENTS'] ?? path.join(folder, 'events.parquet');
    if (process.env['BENCH_EVENTS'] === undefined)
      await writeSample({ seed: 1, events, days: 365, to: '2026-10-20' }, file);
    await openEventFiles(engine, [file], 'anonymous');
    const model = withComputedCubes(pathsAnalysis, builtInModel, [paths], 'here', builtInModel);
    const steps = stepsOf(planOf({ measures: ['bench.total'] }, model));
    const ours = () => followPaths(engine, paths, steps);
    const theirs = () => engine.rows('SELECT count(DISTINCT user_key) FROM events');
    const costs: [number, number][] = [];
    for (let round = -1; round < rounds; round++) {
      const both: [number, number] = [await costOf(ours), await costOf(theirs)];
      if (round >= 0) costs.push(both);
    }
    const [own, rival] = [median(costs.map(([each]) => each)), median(costs.map(([, each]) => each))];
    yield {
      what: `paths on ${events / 1_000_000} million events, compared with count(DISTINCT user) (CPU time)`,
      ratio: own / rival,
      target: 3,
      better: 'lower',
      detail: `${own.toFixed(0)} ms against ${rival.toFixed(0)} ms`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for await (const { what, ratio, detail } of measurePaths()) console.log(`${ratio.toFixed(2)} ${what} (${detail})`);
}
