import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Measured } from './main.ts';

const root = new URL('../..', import.meta.url).pathname;
const sluice = path.join(root, 'dist', 'sluice.js');

/**
 * Milliseconds from the start of each process to its end, median of many rounds, in turns so that all meet the same
 * machine.
 */
function medians(
  cases: Readonly<Record<string, readonly string[]>>,
  cwd: string,
  rounds: number,
): Readonly<Record<string, number>> {
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
  return Object.fromEntries(
    [...times].map(([name, all]) => [name, all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0]),
  );
}

/** What a command costs, as multiples of a bare `node -e 0` of the same runtime. */
export function measureStartUp(rounds = 21): readonly Measured[] {
  const cwd = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const made = spawnSync(process.execPath, [sluice, 'sample', '--quiet'], { cwd });
    if (made.status !== 0) throw new Error(String(made.stderr));
    const asked = 'pageViewsCount by docPath last 30 days top 10';
    const ms = medians(
      {
        bare: ['-e', '0'],
        version: [sluice, '--version'],
        help: [sluice, '--help'],
        json: [sluice, 'query', asked, '-f', 'json'],
        table: [sluice, 'query', asked],
      },
      cwd,
      rounds,
    );
    const bare = ms['bare'] ?? Number.NaN;
    const measured = (name: string, what: string, target: number): Measured => ({
      what,
      ratio: (ms[name] ?? Number.NaN) / bare,
      target,
      better: 'lower',
      detail: `${ms[name]?.toFixed(0)} ms, node -e 0: ${bare.toFixed(0)} ms`,
    });
    return [
      measured('version', 'sluice --version, in bare starts of Node', 1.6),
      measured('help', 'sluice --help, in bare starts of Node', 1.6),
      measured('json', 'query on the sample as JSON, in bare starts of Node', 5),
      measured('table', 'query on the sample as a table, in bare starts of Node', 8),
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
