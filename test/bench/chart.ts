import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Value } from '../../src/plan/column.ts';
import type { VegaLiteSpec } from '../../src/show/chart/chart.ts';
import type { Measured } from './main.ts';
import { median } from './timing.ts';

const root = new URL('../..', import.meta.url).pathname;
const sluice = path.join(root, 'dist', 'sluice.cjs');

/** Median CPU time of each way in milliseconds, over many alternating rounds; the first rounds warm up. */
async function medians<Name extends string>(
  ways: Readonly<Record<Name, () => Promise<number>>>,
  rounds: number,
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(ways) as Name[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -8; round < rounds; round += 1) {
    for (const name of names) {
      const time = await ways[name]();
      if (round >= 0) times.get(name)?.push(time);
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)])) as Readonly<Record<Name, number>>;
}

function busy(work: () => Promise<unknown>): () => Promise<number> {
  return async () => {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}

/** Four lines of 360 days. */
async function toSpec(): Promise<VegaLiteSpec> {
  const [{ toChart }, { toVegaLite }, { days, timeColumn, wobble }, { exampleResult, numberColumn, textColumn }] =
    await Promise.all([
      import('../../src/show/to-chart.ts'),
      import('../../src/show/chart/vega-lite/to-vega-lite.ts'),
      import('../show/chart/specimens.ts'),
      import('../show/example-result.ts'),
    ]);
  const rows: readonly (readonly [string, string, Value])[] = days(360).flatMap((at, place) =>
    ['Chrome', 'Safari', 'Firefox', 'Edge'].map(
      (name, index) => [at, name, Math.round((900 / (index + 1)) * (1 + wobble(place, index)))] as const,
    ),
  );
  const users = numberColumn('uniqueUsersCount', 'Users', { additive: false });
  return toVegaLite(
    toChart(
      exampleResult([
        [timeColumn('day'), rows.map(([at]) => at)],
        [textColumn('agentName', 'Browser'), rows.map(([, name]) => name)],
        [users, rows.map(([, , value]) => value)],
      ]),
    ),
  );
}

/** The cost of pictures compared with Vega alone, warm and from the start of a process. */
export async function measureChart(): Promise<readonly Measured[]> {
  return [...(await measureWarm()), ...(await measureStart())];
}

async function measureWarm(): Promise<readonly Measured[]> {
  const [vega, vegaLite, { toSvg }, { drawChart }, spec] = await Promise.all([
    import('vega'),
    import('vega-lite'),
    import('../../src/show/picture/to-svg.ts'),
    import('../../src/show/terminal/chart/draw-chart.ts'),
    toSpec(),
  ]);
  const ms = await medians(
    {
      vega: busy(async () => {
        const view = new vega.View(vega.parse(vegaLite.compile(spec as never).spec), { renderer: 'none' });
        await view.toSVG();
        view.finalize();
      }),
      svg: busy(() => toSvg(spec)),
      terminal: busy(() => drawChart(spec, { width: 100, colours: 24 })),
    },
    60,
  );
  const detail = (mine: number, other: number) => `${mine.toFixed(1)} ms against ${other.toFixed(1)} ms`;
  return [
    {
      what: 'SVG of 4 × 360 points, compared with Vega-Lite compile, parse and toSVG',
      ratio: ms.svg / ms.vega,
      target: 1.1,
      better: 'lower',
      detail: detail(ms.svg, ms.vega),
    },
    {
      what: 'the same chart in the terminal, compared with the SVG',
      ratio: ms.terminal / ms.svg,
      target: 1,
      better: 'lower',
      detail: detail(ms.terminal, ms.svg),
    },
  ];
}

async function measureStart(): Promise<readonly Measured[]> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const env = { ...process.env, NODE_COMPILE_CACHE: path.join(cwd, 'compile-cache') };
    const run =
      (...args: readonly string[]) =>
      async () => {
        const started = performance.now();
        const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, maxBuffer: 1 << 28 });
        if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status}\n${String(stderr)}`);
        return performance.now() - started;
      };
    await run(sluice, 'sample', '--quiet')();
    const asked = 'pageViewsCount by docPath last 30 days top 10';
    const { resolve } = createRequire(import.meta.url);
    const [vega, vegaLite] = ['vega', 'vega-lite'].map((name) => JSON.stringify(pathToFileURL(resolve(name)).href));
    const ms = await medians(
      {
        bare: run('-e', '0'),
        vega: run('--input-type=module', '-e', `await Promise.all([import(${vega}), import(${vegaLite})])`),
        table: run(sluice, 'query', asked, '-f', 'table'),
        chart: run(sluice, 'query', asked, '-f', 'chart'),
      },
      11,
    );
    const allowed = ms.table + ms.vega - ms.bare;
    return [
      {
        what: 'process of `query -f chart`, compared with `-f table` and importing Vega',
        ratio: ms.chart / allowed,
        target: 1.5,
        better: 'lower',
        detail: `${ms.chart.toFixed(0)} ms against ${ms.table.toFixed(0)} + ${(ms.vega - ms.bare).toFixed(0)} ms`,
      },
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
