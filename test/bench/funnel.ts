import path from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { Funnel } from '../../src/ask/funnel/funnel.ts';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { computeFunnel } from '../../src/run/duckdb/funnel/follow-users.ts';
import { toFunnelProgram } from '../../src/run/analysis/funnel/funnel-program.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import { segmentFormat } from '../../src/run/duckdb/store/segment-columns.ts';
import type { Measured } from './main.ts';
import { median } from './timing.ts';

const million = 1_000_000;
const sevenDays = 7 * 86_400;
/** Users see a page or two a day on average; a few see very many. */
const eventsAUser = 20;
const pages = 40;

/** BENCH_FUNNEL=full uses the full number of events, and takes some minutes. */
const full = process.env['BENCH_FUNNEL'] === 'full';
const sizes = full ? [1, 10, 50] : [1, 2];
const compared = full ? 10 : 2;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? (full ? 7 : 5));

const pathsOf = (steps: number) => Array.from({ length: steps }, (_, step) => `/page/${step}`);

function funnelOf(steps: number): Funnel {
  return {
    name: 'bench',
    secondsToConvert: sevenDays,
    order: 'ordered',
    by: 'user',
    where: [],
    exclude: [],
    hold: [],
    breakdown: undefined,
    extended: false,
    steps: pathsOf(steps).map((page, step) => ({
      name: `step_${step}`,
      event: 'pageview',
      targets: [{ path: page, isPattern: false }],
      where: [],
      within: undefined,
    })),
  };
}

/** Writes ninety days of page views and clicks in time order, as a store has them. */
export async function writeEvents(engine: Engine, file: string, events: number): Promise<void> {
  const share = (seed: number) => `((hash(i, ${seed}) % 1000003) / 1000003)`;
  await engine.rows(`COPY (SELECT TIMESTAMP '2026-08-01' + to_microseconds((i * ${(90 * 86_400 * million) / events})::BIGINT) AS utc_time,
    md5(floor(pow(${share(1)}, 2) * ${events / eventsAUser})::BIGINT::VARCHAR) AS user_anonymous_id, CASE WHEN hash(i, 2) % 10 = 0 THEN 'user-' || hash(i, 3) % 1000 END AS user_id,
    CASE WHEN hash(i, 4) % 100 < 88 THEN 'pageview' ELSE 'link_click' END AS event_type, '/page/' || floor(pow(${share(5)}, 2.2) * ${pages})::INT AS doc_path,
    md5(i::VARCHAR) AS event_id, 'agent ' || i % 7 AS agent_name, '1' AS project_id FROM range(${events}) t(i)) TO '${file}' ${segmentFormat}`);
}

/**
 * The rival: a chain of ASOF joins. Each step is joined to the user's last event of the previous step, and passes on
 * the latest start. It reads the events once, and separates the steps as fast as DuckDB can.
 */
function asofChain(steps: number): string {
  const list = `[${pathsOf(steps)
    .map((page) => `'${page}'`)
    .join(', ')}]`;
  const levels = Array.from(
    { length: steps - 1 },
    (
      _,
      index,
    ) => `, level${index + 1} AS (SELECT e.user_key, e.time, p.start FROM (SELECT * FROM matching WHERE step = ${index + 2}) AS e
    ASOF JOIN level${index} AS p ON e.user_key = p.user_key AND e.time >= p.time WHERE e.time - p.start <= INTERVAL ${sevenDays} SECOND)`,
  );
  return `WITH matching AS MATERIALIZED (SELECT user_key, utc_time AS time, list_position(${list}, doc_path) AS step FROM events
      WHERE event_type = 'pageview' AND list_contains(${list}, doc_path) AND user_key IS NOT NULL),
    level0 AS (SELECT user_key, time, time AS start FROM matching WHERE step = 1)${levels.join('')}
    SELECT ${Array.from({ length: steps }, (_, step) => `(SELECT count(DISTINCT user_key) FROM level${step})`).join(', ')}`;
}

interface Cost {
  /** Wall time in milliseconds. */
  readonly wall: number;
  /** CPU time in milliseconds, which other work on the machine does not affect. */
  readonly cpu: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - started, cpu: (user + system) / 1000 };
}

/** Medians of alternating runs, so that the load of the machine affects all of them. */
export async function costsOf(works: readonly (() => Promise<unknown>)[]): Promise<readonly Cost[]> {
  const costs: Cost[][] = works.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const cost = await costOf(work);
      if (round >= 0) costs[index]!.push(cost);
    }
  }
  return costs.map((each) => ({ wall: median(each.map(({ wall }) => wall)), cpu: median(each.map(({ cpu }) => cpu)) }));
}

/** Funnels compared with a chain of ASOF joins over the same events, with fewer events, and with fewer steps. */
export async function* measureFunnel(): AsyncGenerator<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  const [four, many] = [toFunnelProgram(funnelOf(4)), toFunnelProgram(funnelOf(32))];
  try {
    const costs = new Map<number, Cost>();
    for (const size of sizes) {
      await using engine = await openEngine({});
      const file = path.join(folder, `events-${size}.parquet`);
      await writeEvents(engine, file, size * million);
      await openEventFiles(engine, [file], 'anonymous');
      const ours = () => computeFunnel(engine, four);
      if (size !== compared) {
        costs.set(size, (await costsOf([ours]))[0]!);
        continue;
      }
      const theirs = async () => (await engine.rows(asofChain(4)))[0]!.map(Number);
      const [expected, { all }] = [await theirs(), await ours()];
      if (String(expected) !== String(all.reached))
        throw new Error(`${String(expected)} and ${String(all.reached)} users`);
      const [own, rival, timed, long] = (await costsOf([
        ours,
        theirs,
        () => computeFunnel(engine, four, { times: true }),
        () => computeFunnel(engine, many),
      ])) as [Cost, Cost, Cost, Cost];
      costs.set(size, own);
      const what = `funnel of 4 steps on ${size} million events, compared with a chain of ASOF joins`;
      yield {
        what: `${what} (CPU time)`,
        ratio: own.cpu / rival.cpu,
        target: 0.8,
        better: 'lower',
        detail: beside(own.cpu, rival.cpu),
      };
      yield {
        what: `${what} (wall time)`,
        ratio: own.wall / rival.wall,
        target: 0.8,
        better: 'lower',
        detail: beside(own.wall, rival.wall),
      };
      yield {
        what: `the same with times to convert (CPU time)`,
        ratio: timed.cpu / rival.cpu,
        target: 0.8,
        better: 'lower',
        detail: beside(timed.cpu, rival.cpu),
      };
      yield {
        what: 'funnel of 32 steps, compared with 4 steps (CPU time)',
        ratio: long.cpu / own.cpu,
        target: 3,
        better: 'lower',
        detail: beside(long.cpu, own.cpu),
      };
    }
    const first = costs.get(sizes[0]!)!.cpu / sizes[0]!;
    for (const [size, { cpu }] of [...costs].slice(1)) {
      yield {
        what: `CPU time per event of a funnel on ${size} million events, compared with ${sizes[0]} million`,
        ratio: cpu / size / first,
        target: 1.25,
        better: 'lower',
        detail: `${(cpu / size).toFixed(0)} ns against ${first.toFixed(0)} ns`,
      };
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function beside(ours: number, theirs: number): string {
  return `${ours.toFixed(0)} ms against ${theirs.toFixed(0)} ms`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for await (const { what, ratio, detail } of measureFunnel()) console.log(`${ratio.toFixed(2)} ${what} (${detail})`);
}
