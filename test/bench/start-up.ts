import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Measured } from './main.ts';
import { median } from './timing.ts';

const root = new URL('../..', import.meta.url).pathname;
const sluice = path.join(root, 'dist', 'sluice.cjs');

/** Milliseconds from the start of each process to its end. Rounds alternate, so that all run under the same load. */
function timesOf(
  cases: Readonly<Record<string, readonly string[]>>,
  cwd: string,
  rounds: number,
): Readonly<Record<string, readonly number[]>> {
  const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  const env = { ...process.env, NODE_COMPILE_CACHE: path.join(cwd, 'compile-cache') };
  for (let round = -2; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(cases)) {
      const started = performance.now();
      const run = spawnSync(process.execPath, args, { cwd, env, maxBuffer: 1 << 28 });
      const time = performance.now() - started;
      if (run.status !== 0) throw new Error(`${name}: exit ${run.status}\n${String(run.stderr)}`);
      // The first rounds fill the compile cache.
      if (round >= 0) times.get(name)?.push(time);
    }
  }
  return Object.fromEntries(times);
}

/** A script that opens DuckDB and runs one query on a Parquet file, without sluice. */
function askDuckDb(parquet: string): string {
  const statement = `SELECT "TrackedEvents.docPath", count(*) FILTER (WHERE "TrackedEvents.eventType" = 'pageview')
    FROM read_parquet('${parquet}') GROUP BY 1 ORDER BY 2 DESC LIMIT 10`;
  return `const { DuckDBInstance } = await import(${JSON.stringify(import.meta.resolve('@duckdb/node-api'))});
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    console.log(String(await (await connection.run(${JSON.stringify(statement)})).getRows()));
    process.exit();`;
}

/** The time of a command, as a multiple of a bare `node -e 0` of the same runtime. */
export function measureStartUp(rounds = 21): readonly Measured[] {
  const cwd = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const made = spawnSync(process.execPath, [sluice, 'sample', '--quiet'], { cwd });
    if (made.status !== 0) throw new Error(String(made.stderr));
    const samples = path.join(cwd, '.sluice', 'sample');
    const sample = path.join(samples, readdirSync(samples)[0] ?? '');
    const asked = 'pageViewsCount by docPath last 30 days top 10';
    const times = timesOf(
      {
        bare: ['-e', '0'],
        duckDb: ['--input-type=module', '-e', askDuckDb(sample)],
        version: [sluice, '--version'],
        help: [sluice, '--help'],
        completion: [sluice, 'completion', 'bash', '--', 'sluice query --for'],
        repeated: [sluice, 'query', asked, '-f', 'json'],
        repeatedTable: [sluice, 'query', asked],
        kept: [sluice, 'query', asked, '--verbose'],
        json: [sluice, 'query', asked, '-f', 'json', '--no-cache'],
        table: [sluice, 'query', asked, '--no-cache'],
      },
      cwd,
      rounds,
    );
    const bare = times['bare'] ?? [];
    /** A detail with the time of DuckDB alone. */
    const floor = `, DuckDB's client alone on the same file: ${median(times['duckDb'] ?? []).toFixed(0)} ms`;
    const measured = (name: string, what: string, target: number, limit = ''): Measured => {
      const own = times[name] ?? [];
      const ratios = own.map((time, round) => time / (bare[round] ?? Number.NaN));
      return {
        what: `${what}, compared with starting Node alone`,
        ratio: median(own) / median(bare),
        spread: [Math.min(...ratios), Math.max(...ratios)],
        target,
        better: 'lower',
        detail: `${median(own).toFixed(0)} ms, node -e 0: ${median(bare).toFixed(0)} ms${limit}`,
      };
    };
    return [
      measured('version', 'sluice --version', 1.6),
      measured('help', 'sluice --help', 1.6),
      measured('completion', 'shell completion of a flag', 1.6),
      measured('repeated', 'repeated query on sample events as JSON', 2),
      measured('repeatedTable', 'repeated query on sample events as a table', 2),
      measured('kept', 'the same if only the result is cached, not the printed output', 4),
      measured('json', 'query on sample events without a cache, as JSON', 4, floor),
      measured('table', 'query on sample events without a cache, as a table', 4, floor),
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
