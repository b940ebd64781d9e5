import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { installChdb } from '../../.config/chdb.ts';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Query, type Result, type Sluice } from '../../src/use/index.ts';
import type { Measured } from './main.ts';
import { median, timed } from './timing.ts';

const days = 90;
const to = '2026-10-01';
const day = (cube: 'TrackedEvents.utcTime' | 'Sessions.startAt', granularity = 'day') => ({
  timeDimensions: [{ dimension: cube, granularity, dateRange: ['2026-07-01', to] as const }],
});

interface Asked {
  readonly ask: (sluice: Sluice) => Promise<Result>;
  /** The SQL for the rivals, who share it except for differently named functions. */
  readonly sql: (words: Words) => string;
  /** Whether a projection of the store answers it. */
  readonly isProjected?: boolean;
  /** A figure of one of our rows and of one of theirs. Their sums must be equal. Defaults to the last ones. */
  readonly figures?: readonly [ours: (row: Row) => unknown, theirs: (row: readonly unknown[]) => unknown];
  /** What prevents a faster answer. */
  readonly limit?: string;
  /** Whether rivals count something slightly different, so that the figures are not compared. */
  readonly differs?: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/** The different words of the two rivals. */
interface Words {
  readonly unique: (column: string) => string;
  readonly day: string;
  readonly week: string;
  readonly countIf: (condition: string) => string;
  /** The value at the earliest time. */
  readonly first: string;
  readonly funnel: string;
  readonly retention: string;
  readonly lifecycle: string;
}

/** Sessions by ID, or by gaps of half an hour for events without one: `began`, and the `who` of the first event. */
const sessions = ({
  first,
}: Words) => `(SELECT min(time) AS began, ${first}(who, time) AS who FROM events WHERE session <> '' GROUP BY session
  UNION ALL SELECT time AS began, who FROM (SELECT time, who, lag(time) OVER (PARTITION BY who ORDER BY time) AS before FROM events WHERE coalesce(session, '') = '' AND who IS NOT NULL) AS e
    WHERE before IS NULL OR time > before + INTERVAL 30 MINUTE)`;

const steps = ['/', '/pricing', '/signup', '/docs'];
const query =
  (question: Query): Asked['ask'] =>
  (sluice) =>
    sluice.query({ limit: 50_000, ...question });

const duckDb: Words = {
  unique: (column) => `count(DISTINCT ${column})`,
  day: "date_trunc('day', time)",
  week: "date_trunc('week', time)",
  countIf: (condition) => `count(*) FILTER (WHERE ${condition})`,
  first: 'arg_min',
  funnel: `WITH matching AS MATERIALIZED (SELECT who, time, list_position(['${steps.join("', '")}'], page) AS step FROM events WHERE type = 'pageview' AND page IN ('${steps.join("', '")}')),
    l0 AS (SELECT who, time, time AS start FROM matching WHERE step = 1)
    ${[1, 2, 3].map((n) => `, l${n} AS (SELECT e.who, e.time, p.start FROM (SELECT * FROM matching WHERE step = ${n + 1}) AS e ASOF JOIN l${n - 1} AS p ON e.who = p.who AND e.time >= p.time WHERE e.time - p.start <= INTERVAL 7 DAY)`).join('')}
    SELECT ${[0, 1, 2, 3].map((n) => `(SELECT count(DISTINCT who) FROM l${n})`).join(', ')}`,
  retention: `WITH weeks AS MATERIALIZED (SELECT DISTINCT who, date_trunc('week', time) AS week FROM events WHERE who IS NOT NULL)
    SELECT a.week, datediff('week', a.week, b.week) AS k, count(*) AS n FROM weeks AS a JOIN weeks AS b ON a.who = b.who AND b.week >= a.week GROUP BY 1, 2`,
  lifecycle: `WITH weeks AS (SELECT DISTINCT who, date_trunc('week', time) AS week FROM events WHERE who IS NOT NULL),
    placed AS MATERIALIZED (SELECT week, lag(week) OVER own AS before, lead(week) OVER own AS next FROM weeks WINDOW own AS (PARTITION BY who ORDER BY week))
    SELECT CASE WHEN before IS NULL THEN 'new' WHEN before = week - INTERVAL 7 DAY THEN 'returning' ELSE 'resurrecting' END AS status, week, count(*) AS n FROM placed GROUP BY 1, 2
    UNION ALL SELECT 'dormant', week + INTERVAL 7 DAY, count(*) FROM placed WHERE next IS DISTINCT FROM week + INTERVAL 7 DAY GROUP BY 1, 2`,
};
const weeksInArrays =
  'SELECT arraySort(groupUniqArray(toMonday(time))) AS weeks FROM events WHERE who IS NOT NULL GROUP BY who';
const clickHouse: Words = {
  unique: (column) => `uniqExact(${column})`,
  day: 'toStartOfDay(time)',
  week: 'toMonday(time)',
  countIf: (condition) => `countIf(${condition})`,
  first: 'argMin',
  funnel: `SELECT level, count() FROM (SELECT who, windowFunnel(604800)(toDateTime(time), ${steps.map((page) => `type = 'pageview' AND page = '${page}'`).join(', ')}) AS level FROM events WHERE who IS NOT NULL GROUP BY who) GROUP BY level`,
  // Arrays of weeks take half the time of a self-join of users.
  retention: `SELECT week, intDiv(later - week, 7) AS k, count() AS n FROM (
      SELECT week, arrayJoin(arrayFilter(one -> one >= week, weeks)) AS later FROM (${weeksInArrays}) ARRAY JOIN weeks AS week
    ) GROUP BY 1, 2`,
  lifecycle: `SELECT cell.1 AS status, cell.2 AS week, count() AS n FROM (${weeksInArrays}) ARRAY JOIN arrayConcat(
      arrayMap(one -> (multiIf(one = weeks[1], 'new', has(weeks, one - 7), 'returning', 'resurrecting'), one), weeks),
      arrayMap(one -> ('dormant', one + 7), arrayFilter(one -> NOT has(weeks, one + 7), weeks))) AS cell GROUP BY 1, 2`,
};

const users = 'TrackedEvents.uniqueUsersCount';
/** Covers all events. */
const wholeWeeks = '2026-06-29..2026-10-04';
const questions: Readonly<Record<string, Asked>> = {
  'events by type and day': {
    ask: query({
      measures: ['TrackedEvents.count'],
      dimensions: ['TrackedEvents.eventType'],
      ...day('TrackedEvents.utcTime'),
    }),
    sql: ({ day }) => `SELECT ${day} AS d, type, count(*) AS n FROM events GROUP BY 1, 2`,
    isProjected: true,
  },
  'unique users by day': {
    ask: query({ measures: [users], ...day('TrackedEvents.utcTime') }),
    sql: ({ day, unique }) => `SELECT ${day} AS d, ${unique('who')} AS n FROM events GROUP BY 1`,
    isProjected: true,
  },
  'top pages with users': {
    ask: query({
      measures: ['TrackedEvents.pageViewsCount', users],
      dimensions: ['TrackedEvents.docPath'],
      order: { 'TrackedEvents.pageViewsCount': 'desc' },
      limit: 10,
    }),
    sql: ({ unique, countIf }) =>
      `SELECT page, ${countIf("type = 'pageview'")} AS n, ${unique('who')} AS u FROM events GROUP BY 1 ORDER BY n DESC, page LIMIT 10`,
  },
  'unique users': {
    ask: query({ measures: [users] }),
    sql: ({ unique }) => `SELECT ${unique('who')} AS n FROM events`,
    isProjected: true,
  },
  'filtered count': {
    ask: query({
      measures: ['TrackedEvents.count'],
      filters: [{ member: 'TrackedEvents.docPath', operator: 'startsWith', values: ['/docs'] }],
    }),
    sql: () => `SELECT count(*) AS n FROM events WHERE page LIKE '/docs%'`,
    limit:
      'Both sides read the page of every event, which takes 6.7 ms of CPU time per million; binding, planning and checking a query takes 2.4 ms',
  },
  'sessions by day': {
    ask: query({ measures: ['Sessions.count'], ...day('Sessions.startAt') }),
    sql: (words) =>
      `SELECT ${words.day.replace('time)', 'began)')} AS d, count(*) AS n FROM ${sessions(words)} AS s GROUP BY 1`,
    isProjected: true,
  },
  'returning users': {
    ask: query({ measures: ['ReturningUsers.returningUsersCount'] }),
    sql: (words) =>
      `SELECT ${words.countIf('n > 1')} AS n FROM (SELECT who, count(*) AS n FROM ${sessions(words)} AS s WHERE who IS NOT NULL GROUP BY who) AS u`,
    isProjected: true,
  },
  'weekly users by browser': {
    ask: query({ measures: [users], dimensions: ['TrackedEvents.agentName'], ...day('TrackedEvents.utcTime', 'week') }),
    sql: ({ week, unique }) => `SELECT ${week} AS w, agent, ${unique('who')} AS n FROM events GROUP BY 1, 2`,
    isProjected: true,
  },
  'funnel of four steps within seven days': {
    ask: (sluice) => sluice.funnel({ steps, within: '7 days' }),
    sql: ({ funnel }) => funnel,
    // ClickHouse follows users by other rules.
    differs: true,
  },
  'weekly retention': {
    ask: (sluice) => sluice.analysis('retention', { start: 'any', period: 'week', periods: 14 }, { range: wholeWeeks }),
    sql: ({ retention }) => retention,
    figures: [(row) => row['retention.users'], (row) => row.at(-1)],
  },
  'weekly lifecycle': {
    ask: (sluice) => sluice.analysis('lifecycle', { active: 'any', period: 'week' }, { range: wholeWeeks }),
    sql: ({ lifecycle }) => lifecycle,
    // Our ranges exclude the week after the last one.
    figures: [
      (row) => (row['lifecycle.status'] === 'dormant' ? 0 : row['lifecycle.users']),
      ([status, , users]) => (status === 'dormant' ? 0 : users),
    ],
  },
  'stickiness by day': {
    ask: (sluice) => sluice.analysis('stickiness', { active: 'any', period: 'day' }, { range: wholeWeeks }),
    sql: ({ day, unique }) =>
      `SELECT days, count(*) AS n FROM (SELECT who, ${unique(day)} AS days FROM events WHERE who IS NOT NULL GROUP BY who) AS u GROUP BY days`,
    figures: [(row) => row['stickiness.users'], (row) => row.at(-1)],
  },
};

/** A rival with the events loaded, and its size in bytes. */
interface Rival {
  readonly name: string;
  readonly ask: (words: (words: Words) => string) => Promise<readonly (readonly unknown[])[]>;
  readonly bytes: number;
}

/** Short names for columns in the questions; other columns keep their names without the cube. */
const shortNames: Readonly<Record<string, string>> = {
  utcTime: 'time',
  sessionId: 'session',
  eventType: 'type',
  docPath: 'page',
  agentName: 'agent',
};

async function openDuckDb(file: string): Promise<Rival & { readonly columns: readonly string[] }> {
  const connection = await (await DuckDBInstance.create()).connect();
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  const columns = (await rowsOf(`DESCRIBE SELECT * FROM '${file}'`)).map(([name]) => String(name));
  await connection.run(
    `CREATE VIEW events AS SELECT *, coalesce(userAnonymousId, userId) AS who FROM (SELECT ${columns.map((name) => `"${name}" AS ${shortName(name)}`).join(', ')} FROM '${file}')`,
  );
  return { name: 'DuckDB over Parquet', ask: (toSql) => rowsOf(toSql(duckDb)), bytes: statSync(file).size, columns };
}

const shortName = (name: string) => {
  const bare = name.replace(/^.*\./, '');
  return shortNames[bare] ?? bare;
};

/** Returns the reason if ClickHouse is not available. */
function openClickHouse(file: string, columns: readonly string[], folder: string): Rival | string {
  let modules: string;
  try {
    modules = installChdb();
  } catch (error) {
    return String(error).split('\n')[0] ?? '';
  }
  const { Session } = createRequire(`${modules}/`)('chdb') as {
    readonly Session: new (
      folder: string,
    ) => {
      query(sql: string, format: string): string;
      queryAsync(sql: string, options: { format: string }): Promise<{ text(): string }>;
    };
  };
  const session = new Session(path.join(folder, 'clickhouse'));
  const selected = columns.map((name) => `\`${name}\` AS ${shortName(name)}`).join(', ');
  session.query(
    `CREATE TABLE IF NOT EXISTS events ENGINE = MergeTree ORDER BY time SETTINGS allow_nullable_key = 1 AS SELECT *, coalesce(userAnonymousId, userId) AS who FROM (SELECT ${selected} FROM file('${file}', Parquet))`,
    'CSV',
  );
  session.query('OPTIMIZE TABLE events FINAL', 'CSV');
  const bytes = Number(
    session.query("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'events'", 'TSV'),
  );
  const version = session.query('SELECT version()', 'TSV').trim();
  return {
    name: `ClickHouse ${version} (chdb, MergeTree)`,
    bytes,
    async ask(toSql) {
      const answer = await session.queryAsync(toSql(clickHouse), { format: 'JSONCompactEachRow' });
      return answer
        .text()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as readonly unknown[]);
    },
  };
}

const lastFigures = [(row: Row) => Object.values(row).at(-1), (row: readonly unknown[]) => row.at(-1)] as const;

/** A figure that all must agree on, whatever the order and form of the rows. */
function sumOf(figures: readonly unknown[]): number {
  return figures.reduce<number>((sum, figure) => sum + Number(figure ?? 0), 0);
}

/**
 * The most common questions over the same events. A store answers them for the first time (warm, but without cached
 * answers) and again. The rivals are DuckDB over the Parquet file and ClickHouse over a MergeTree table in the same
 * process. Wall times of alternating rounds; the spread is that of single rounds. All figures are compared first.
 */
export async function* measurePeers(
  events = Number(process.env['BENCH_EVENTS'] ?? 1_000_000),
  rounds = Number(process.env['BENCH_ROUNDS'] ?? 7),
): AsyncGenerator<Measured> {
  const kept = process.env['BENCH_FOLDER'];
  const folder = kept ?? mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const file = path.join(folder, 'events.parquet');
    if (!existsSync(file)) await writeSample({ seed: 1, events, days, to }, file);
    const store = path.join(folder, 'store');
    const given = { store, workspace: folder, env: {}, asOf: '2026-10-02', onNote: () => undefined } as const;
    await using fresh = await open({ ...given, cache: false });
    await fresh.ingest(file);
    await using keeping = await open({ ...given, cache: true });
    const duck = await openDuckDb(file);
    const house = openClickHouse(file, duck.columns, folder);
    if (typeof house === 'string') console.error(`ClickHouse is not compared: ${house}`);
    const rivals = [duck, ...(typeof house === 'string' ? [] : [house])];
    for (const [name, { ask, sql, isProjected, differs, limit, figures = lastFigures }] of Object.entries(questions)) {
      const ours = sumOf([...(await ask(fresh)).rows()].map(figures[0]));
      await ask(keeping);
      for (const rival of rivals) {
        const theirs = sumOf((await rival.ask(sql)).map(figures[1]));
        if (!differs && ours !== theirs) throw new Error(`${name}: ${ours}, and ${theirs} by ${rival.name}`);
      }
      const times = { first: [] as number[], again: [] as number[], rivals: rivals.map(() => [] as number[]) };
      for (let round = -1; round < rounds; round += 1) {
        const first = await timed(async () => (await ask(fresh)).rows());
        const again = await timed(async () => (await ask(keeping)).rows());
        const theirs: number[] = [];
        for (const rival of rivals) theirs.push(await timed(() => rival.ask(sql)));
        if (round < 0) continue;
        times.first.push(first);
        times.again.push(again);
        theirs.forEach((time, index) => times.rivals[index]!.push(time));
      }
      for (const [index, rival] of rivals.entries()) {
        const their = times.rivals[index]!;
        const target = isProjected ? 0.2 : 1;
        yield { ...toMeasured(`${name}, first query, compared with ${rival.name}`, times.first, their, target), limit };
        yield toMeasured(`${name}, repeated query, compared with ${rival.name}`, times.again, their, 0.05);
      }
    }
    const bytes = bytesBelow(store);
    for (const rival of rivals)
      yield {
        what: `bytes per event in the store with projections and the list of IDs, compared with ${rival.name}`,
        ratio: bytes / rival.bytes,
        target: 1,
        better: 'lower',
        detail: `${(bytes / events).toFixed(1)} against ${(rival.bytes / events).toFixed(1)} bytes, ${events} events`,
      };
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function toMeasured(what: string, ours: readonly number[], theirs: readonly number[], target: number): Measured {
  const ratios = ours.map((time, round) => time / (theirs[round] ?? Number.NaN));
  return {
    what,
    ratio: median(ours) / median(theirs),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    target,
    better: 'lower',
    detail: `${median(ours).toFixed(1)} ms against ${median(theirs).toFixed(1)} ms`,
  };
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for await (const { what, ratio, spread, detail } of measurePeers(
    process.argv[2] === undefined ? undefined : Number(process.argv[2]),
  ))
    console.log(
      `${ratio.toFixed(2).padStart(7)} [${spread?.map((one) => one.toFixed(2)).join('–') ?? ''}] ${what} (${detail})`,
    );
