import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnalysisName } from '../../src/plan/analysis/analysis-names.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import { open } from '../../src/use/index.ts';
import { beside, costsOf, writeEvents } from './funnel.ts';
import type { Measured } from './main.ts';

const million = 1_000_000;

/** BENCH_ACTIVITY=full uses the full number of events, and takes some minutes. */
const full = process.env['BENCH_ACTIVITY'] === 'full';
/** Millions of events; the larger size shows how the costs grow. */
const sizes = (process.env['BENCH_SIZES'] ?? (full ? '10,50' : '1,2')).split(',').map(Number);
const range = '2026-08-03..2026-10-25';
const now = Date.parse('2026-10-26T00:00Z');

interface Work {
  readonly name: string;
  /** The period of the distinct users that it is compared with. */
  readonly period: 'day' | 'week';
  /** Another column by which those distinct users are counted. */
  readonly by?: string;
  /** A line, or the definition of an analysis. */
  readonly asked: string | readonly [AnalysisName, object];
}

const retention = (name: string, period: 'day' | 'week', definition: object): Work => ({
  name: `retention, ${name}`,
  period,
  asked: ['retention', { period, periods: period === 'day' ? 14 : 8, ...definition }],
});

const touched = (touch: 'first' | 'last', dimension: string): Work => ({
  name: `unique users by ${touch} touch of ${dimension}`,
  period: 'week',
  asked: `uniqueUsersCount by week, ${touch}Touch.${dimension}`,
});

const works: readonly Work[] = [
  retention('recurring by week', 'week', {}),
  retention('first time by week', 'week', { cohort: 'first_time' }),
  retention('first ever by week', 'week', { cohort: 'first_ever', start: 'pageview where docPath != /page/3' }),
  retention('24 hours by day', 'day', { window: '24h' }),
  retention('24 hours by week', 'week', { window: '24h' }),
  retention('24 hours by week, first time', 'week', { window: '24h', cohort: 'first_time' }),
  { ...retention('by agent', 'week', { breakdown: 'agentName' }), by: 'agent_name' },
  { ...retention('24 hours by week and agent', 'week', { window: '24h', breakdown: 'agentName' }), by: 'agent_name' },
  { ...retention('first time by agent', 'week', { cohort: 'first_time', breakdown: 'agentName' }), by: 'agent_name' },
  { name: 'lifecycle by week', period: 'week', asked: ['lifecycle', { period: 'week' }] },
  { name: 'lifecycle by day', period: 'day', asked: ['lifecycle', { period: 'day' }] },
  { name: 'stickiness by day', period: 'day', asked: ['stickiness', { period: 'day' }] },
  { name: 'paths', period: 'week', asked: ['paths', { groups: ['/page/1*'] }] },
  { name: 'unique users, rolling 28 days', period: 'day', asked: 'uniqueUsersCount rolling 28 days by day' },
  { name: 'unique users, cumulative', period: 'day', asked: 'uniqueUsersCount cumulative by day' },
  { ...touched('first', 'agentName'), by: 'agent_name' },
  { ...touched('last', 'agentName'), by: 'agent_name' },
  // One event in ten has a known user; the others need a look-up.
  { ...touched('last', 'userId'), by: 'user_id' },
];

/** Analyses compared with a plain count of distinct users by the same period, and with fewer events. */
export async function* measureActivity(): AsyncGenerator<Measured> {
  const folder = process.env['BENCH_FOLDER'] ?? mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  const wanted = works.filter(({ name }) => name.includes(process.env['BENCH_ONLY'] ?? ''));
  const before = new Map<string, number>();
  try {
    for (const size of sizes) {
      const file = path.join(folder, `activity-${size}.parquet`);
      await using engine = await openEngine({});
      if (!existsSync(file)) await writeEvents(engine, file, size * million);
      await openEventFiles(engine, [file], 'anonymous');
      await using sluice = await open({ workspace: folder, events: file, env: {}, now: () => now, cache: false });
      for (const { name, period, by, asked } of wanted) {
        const ours = async () => {
          const { rowCount } =
            typeof asked === 'string'
              ? await sluice.query(`${asked} from 2026-08-03 to 2026-10-25`)
              : await sluice.analysis(asked[0], asked[1], { range });
          if (rowCount === 0) throw new Error(`${name} has no rows`);
        };
        const theirs = () =>
          engine.rows(
            `SELECT date_trunc('${period}', utc_time) AS period${by === undefined ? '' : `, ${by}`}, count(DISTINCT user_key) FROM events GROUP BY ALL`,
          );
        const [own, bare] = await costsOf([ours, theirs]);
        yield {
          what: `${name}, on ${size} million events, compared with unique users by ${by === undefined ? period : `${period} and ${by}`} (CPU time)`,
          ratio: own!.cpu / bare!.cpu,
          target: 3,
          better: 'lower',
          detail: `${beside(own!.cpu, bare!.cpu)}; ratio of wall times ${(own!.wall / bare!.wall).toFixed(2)}`,
        };
        const fewer = before.get(name);
        if (fewer !== undefined)
          yield {
            what: `${name}, CPU time per million events, compared with fewer events`,
            ratio: own!.cpu / size / fewer,
            target: 1.2,
            better: 'lower',
            detail: beside(own!.cpu / size, fewer),
          };
        before.set(name, own!.cpu / size);
      }
    }
  } finally {
    if (process.env['BENCH_FOLDER'] === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for await (const { what, ratio, detail } of measureActivity()) console.log(`${ratio.toFixed(2)} ${what} (${detail})`);
}
