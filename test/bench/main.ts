import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BenchLine } from './fill.ts';

/** One figure: a ratio within one run, and its target. */
export interface Measured {
  readonly what: string;
  readonly ratio: number;
  /** The lowest and the highest ratio of single rounds. */
  readonly spread?: readonly [number, number] | undefined;
  readonly target: number;
  /** Whether smaller ratios are better, or larger ones. */
  readonly better: 'lower' | 'higher';
  readonly detail: string;
  /** What prevents reaching the target, with a figure. */
  readonly limit?: string | undefined;
}

/** Number of events for the larger benches; a busy or small machine may use fewer. */
const benchEvents = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);

/** Smaller differences in milliseconds are ignored: ratios of very short times say little. */
const negligible = 3;

const isReached = ({ ratio, target, better }: Measured) => (better === 'lower' ? ratio <= target : ratio >= target);

function writeMeasured(measured: Measured): string {
  const { what, ratio, target, better, detail } = measured;
  const reached = isReached(measured);
  const sign = better === 'lower' ? '≤' : '≥';
  return `${reached ? 'ok  ' : 'MISS'} ${ratio.toFixed(2).padStart(7)}  ${sign} ${String(target).padEnd(5)} ${what}  (${detail})`;
}

const toDetail = ({ ours, theirs }: BenchLine) => `${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms`;

/** A section of the table. */
interface Bench {
  readonly title: string;
  readonly measure: () => AsyncIterable<Measured> | Promise<readonly Measured[]>;
}

/** All promised figures, by the name that selects a section. */
const benches: Readonly<Record<string, Bench>> = {
  start: {
    title: 'Commands compared with starting Node alone',
    measure: async () => (await import('./start-up.ts')).measureStartUp(),
  },
  peers: {
    title: 'Queries compared with ClickHouse and DuckDB',
    measure: async function* () {
      yield* (await import('./peers.ts')).measurePeers(benchEvents);
    },
  },
  query: {
    title: 'Library compared with running its SQL by hand',
    async measure() {
      const { benchQueryOverhead } = await import('./query-overhead.ts');
      const lines = [...(await benchQueryOverhead())].sort((a, b) => a.ratio - b.ratio);
      const middle = lines.slice(Math.floor((lines.length - 1) / 2), Math.floor(lines.length / 2) + 1);
      return [
        ...lines.map((line) => ({
          what: `library compared with the same SQL by hand: ${line.name}`,
          ratio: allowed(line),
          target: 1.15,
          better: 'lower' as const,
          detail: toDetail(line),
        })),
        {
          what: 'library compared with the same SQL by hand: median of these queries',
          ratio: middle.reduce((sum, line) => sum + allowed(line), 0) / middle.length,
          target: 1.15,
          better: 'lower' as const,
          detail: `${lines.length} queries on a million events`,
        },
      ];
    },
  },
  properties: {
    title: 'Properties of files compared with plain DuckDB',
    measure: async function* () {
      yield* (await import('./properties.ts')).measureProperties();
    },
  },
  lists: {
    title: 'Values of lists compared with plain DuckDB',
    measure: async function* () {
      yield* (await import('./lists.ts')).measureLists();
    },
  },
  fill: {
    title: "Fill and pivot compared with Cube's client",
    measure: async () =>
      (await (await import('./fill.ts')).benchFill()).map((line) => ({
        what: `speed of ${line.name}, compared with Cube's client`,
        ratio: line.ratio,
        target: 10,
        better: 'higher' as const,
        detail: toDetail(line),
        limit: line.limit,
      })),
  },
  decode: {
    title: 'Decoding responses of servers',
    measure: async () =>
      (await (await import('./decode.ts')).benchDecode()).map((line) => ({
        what: `response decoded to columns, compared with JSON.parse alone: ${line.name}`,
        ratio: line.ratio,
        target: 1.3,
        better: 'lower' as const,
        detail: toDetail(line),
        limit: line.limit,
      })),
  },
  ingest: {
    title: 'Loading events',
    measure: async function* () {
      yield* (await import('./ingest.ts')).measureIngest(benchEvents);
      yield* (await import('./mapping.ts')).measureMapping();
      yield* (await import('./small-files.ts')).measureSmallFiles();
    },
  },
  export: {
    title: 'Exports compared with a plain request loop, pipes and DuckDB',
    measure: async function* () {
      yield* (await import('./export.ts')).measureExport({ events: 2 * benchEvents });
    },
  },
  stream: {
    title: "Streaming rows to files compared with DuckDB's COPY",
    measure: async function* () {
      yield* (await import('./stream.ts')).measureStream();
    },
  },
  serve: {
    title: 'The server',
    async measure() {
      const { benchServe, benchCrowd } = await import('./serve.ts');
      const lines = await benchServe();
      const { four, crowd, errors } = await benchCrowd();
      return [
        ...lines.map((line) => ({
          what: `response of 50,000 rows by the server, compared with COPY to JSON: ${line.name}`,
          ratio: line.ratio,
          target: 1.5,
          better: 'lower' as const,
          detail: toDetail(line),
        })),
        {
          what: 'peak memory of the server with 64 clients, compared with 4',
          ratio: errors === 0 ? crowd / four : Number.POSITIVE_INFINITY,
          target: 1.5,
          better: 'lower' as const,
          detail: `${crowd.toFixed(0)} MB against ${four.toFixed(0)} MB, ${errors} errors`,
        },
      ];
    },
  },
  analyses: {
    title: 'Funnels, cohorts, retention and paths',
    measure: async function* () {
      yield* (await import('./funnel.ts')).measureFunnel();
      yield* (await import('./cohort.ts')).measureCohort();
      yield* (await import('./activity.ts')).measureActivity();
      yield* (await import('./paths.ts')).measurePaths();
    },
  },
  clickhouse: {
    title: 'ClickHouse backend compared with the same SQL and Parquet by hand',
    measure: async function* () {
      yield* (await import('./clickhouse.ts')).measureClickHouse();
    },
  },
  show: {
    title: 'Charts, reports and the explorer',
    measure: async function* () {
      yield* await (await import('./chart.ts')).measureChart();
      yield* (await import('./report.ts')).measureReport();
      yield* await (await import('./explore.ts')).measureExplore();
    },
  },
};

function allowed({ ours, theirs, ratio }: BenchLine): number {
  return ours - theirs <= negligible ? Math.min(ratio, 1) : ratio;
}

interface Measurements {
  readonly title: string;
  readonly lines: readonly Measured[];
  readonly seconds: number;
  /** Why the other figures are missing. */
  readonly fault?: string | undefined;
}

/** The command that repeats this run. */
function commandOf(): string {
  const settings = ['BENCH_EVENTS', 'BENCH_ROUNDS', 'BENCH_PAGE'].flatMap((name) =>
    process.env[name] === undefined ? [] : [`${name}=${process.env[name]}`],
  );
  const names = process.argv.slice(2);
  return [...settings, 'npm run bench', ...(names.length > 0 ? ['--', ...names] : [])].join(' ');
}

/** The table of a run, as Markdown. */
function writeTable(parts: readonly Measurements[], missing: readonly Bench[], busy: number): string {
  const all = parts.flatMap(({ lines }) => lines);
  const behind = all.filter((line) => !isReached(line));
  const [processor] = os.cpus();
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const told = (line: Measured) =>
    isReached(line) || line.limit === undefined ? line.detail : `${line.detail}. ${line.limit}`;
  const row = (line: Measured) =>
    `| ${cell(line.what)} | ${line.ratio.toFixed(2)} | ${line.spread?.map((one) => one.toFixed(2)).join('–') ?? ''} | ${line.better === 'lower' ? '≤' : '≥'} ${line.target} | ${isReached(line) ? 'yes' : '**no**'} | ${cell(told(line))} |`;
  const head = [
    '| benchmark | ratio | range of rounds | target | reached | measurements |',
    '| --- | --: | --- | --- | --- | --- |',
  ];
  const versions = ['@duckdb/node-api', '@cubejs-client/core', 'undici', 'arquero', 'ink', 'vega'].map(
    (name) => `${name} ${versionOf(name)}`,
  );
  return [
    '# Benchmarks',
    '',
    `\`${commandOf()}\` writes this page. Each figure is a ratio within one run: sluice and the other side take turns on the same data, and medians are compared. If a lower ratio is better, 1 means that both are equal.`,
    '',
    `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} (${process.platform} ${process.arch}), ${os.cpus().length} processors (${processor?.model.trim() ?? 'unknown'}), ${Math.round(os.totalmem() / 2 ** 30)} GB of memory; ${versions.join(', ')}. The larger benchmarks use ${benchEvents.toLocaleString('en')} events.`,
    ...(busy > 0.5
      ? [
          '',
          `The machine was not idle: ${busy.toFixed(1)} processes per processor were waiting when the run began. Single rounds then vary widely, most of all for start-up and short queries.`,
        ]
      : []),
    '',
    `${all.length - behind.length} of ${all.length} figures reach their target. ${behind.length === 0 ? '' : 'The others are marked **no**. If the reason is known, it follows the measurements.'}`,
    '',
    `The sections took ${parts.map(({ seconds }) => seconds).join(', ')} seconds, in the order of this page.`,
    ...(missing.length === 0
      ? []
      : ['', `The run was stopped early. Not measured: ${missing.map(({ title }) => title).join('; ')}.`]),
    ...parts.flatMap(({ title, lines, fault }) => [
      '',
      `## ${title}`,
      '',
      ...(lines.length > 0 ? [...head, ...lines.map(row)] : []),
      ...(fault === undefined ? [] : ['', `This section is incomplete: ${fault}`]),
    ]),
    '',
  ].join('\n');
}

function versionOf(name: string): string {
  const { version } = JSON.parse(
    readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  ) as { readonly version: string };
  return version;
}

async function measureBench({ title, measure }: Bench): Promise<Measurements> {
  const lines: Measured[] = [];
  const started = performance.now();
  const taken = () => Math.round((performance.now() - started) / 1000);
  try {
    for await (const measured of await measure()) {
      lines.push(measured);
      console.log(writeMeasured(measured));
    }
    console.log(`     ${title}: ${taken()} s`);
    return { title, lines, seconds: taken() };
  } catch (error) {
    const fault = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    console.error(`${title}: ${fault}`);
    return { title, lines, seconds: taken(), fault };
  }
}

/** `npm run bench` writes the page. `npm run bench -- peers fill` runs some, and writes a page only if one is named. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const names = process.argv.slice(2);
  const busy = os.loadavg()[0]! / os.cpus().length;
  const chosen = names.length === 0 ? Object.values(benches) : names.flatMap((name) => benches[name] ?? []);
  if (chosen.length < names.length) throw new Error(`Available sections: ${Object.keys(benches).join(', ')}.`);
  const whole = names.length === 0 ? fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url)) : undefined;
  const page = process.env['BENCH_PAGE'] ?? whole;
  const parts: Measurements[] = [];
  for (const [index, bench] of chosen.entries()) {
    parts.push(await measureBench(bench));
    // A run takes long, so results are saved after each bench.
    if (page !== undefined) writeFileSync(page, writeTable(parts, chosen.slice(index + 1), busy));
  }
}
