import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection, type DuckDBValue } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, query, sample, toSvg } from '../../src/use/index.ts';
import { openScriptedServer } from '../run/http/scripted-server.ts';
import { folderOf, openFolder } from './run-in-folder.ts';

const examples = new URL('../../examples/', import.meta.url).pathname;
const programs = readdirSync(examples).filter((file) => file.endsWith('.ts'));
const folder = openFolder();
/** The folder in which the programs run; nothing may be written here. */
const elsewhere = openFolder();
let engine: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  const { file } = await sample({ workspace: folder.root, events: 8000 });
  engine = await DuckDBInstance.create();
  connection = await engine.connect();
  await connection.run(`CREATE TABLE events AS
    SELECT CAST("TrackedEvents.utcTime" AS TIMESTAMP) AS time, coalesce("TrackedEvents.userAnonymousId", 'known ' || "TrackedEvents.userId") AS user,
      "TrackedEvents.docPath" AS page, "TrackedEvents.eventType" = 'pageview' AS viewed
    FROM read_parquet('${file}')`);
});
afterAll(() => {
  connection.closeSync();
  engine.closeSync();
  folder.remove();
  elsewhere.remove();
});

/** The output of a program, which must end by itself without an error. */
function run(program: string, ...more: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(examples, program), folder.root, ...more], {
    cwd: elsewhere.root,
    encoding: 'utf8',
    timeout: 50_000,
  });
  expect({ status, failure: status === 0 ? '' : stderr }).toEqual({ status: 0, failure: '' });
  expect(readdirSync(elsewhere.root)).toEqual([]);
  return stdout;
}

/** The rows of an SQL statement on the file of events. */
const sql = async (text: string): Promise<DuckDBValue[][]> =>
  (await connection.runAndReadAll(text)).getRowsJS() as never;

const lines = (text: string): readonly string[] => text.trimEnd().split('\n');
/** The cells of those lines of a table that start with the given text. */
const cells = (text: string, begins: RegExp): readonly (readonly string[])[] =>
  lines(text)
    .filter((line) => begins.test(line))
    .map((line) => line.trim().split(/\s{2,}/));
const whole = (value: unknown): string => Number(value).toLocaleString('en-US');
const within = (from: string, to: string) => `time >= '${from}' AND time < '${to}'`;
const last28Days = within('2026-09-23', '2026-10-21');

describe('the examples', () => {
  it('are all in the table of their README, short, and say how to run them', () => {
    const readme = readFileSync(path.join(examples, 'README.md'), 'utf8');
    expect([...readme.matchAll(/^\| \[([^\]]+)\]\(\1\)/gm)].map(([, name]) => name).sort()).toEqual(programs.sort());
    expect(programs).toHaveLength(11);
    for (const program of programs) {
      const text = readFileSync(path.join(examples, program), 'utf8');
      expect(lines(text).length, program).toBeLessThanOrEqual(40);
      expect(/^((\/\/ .*\n)+)import /.exec(text)?.[1], program).toContain(`Run: node examples/${program} [FOLDER]`);
    }
  });

  it('daily-users.ts counts users per day', async () => {
    const days = await sql(
      `SELECT strftime(time, '%Y-%m-%d') AS day, count(DISTINCT user)::INT FROM events
       WHERE ${within('2026-10-07', '2026-10-21')} GROUP BY day ORDER BY day`,
    );
    expect(days).toHaveLength(14);
    expect(lines(run('daily-users.ts'))).toEqual(days.map(([day, users]) => `${day} ${users}`));
  });

  it('cohort-table.ts prints how many users of each week return in later weeks', async () => {
    const rows = await sql(
      `WITH seen AS (SELECT DISTINCT user, date_trunc('week', time) AS week FROM events WHERE user IS NOT NULL),
         started AS (SELECT DISTINCT user, date_trunc('week', time) AS week FROM events WHERE viewed AND user IS NOT NULL)
       SELECT strftime(started.week, '%G-W%V') AS label, datediff('day', started.week, seen.week) // 7 AS period,
         count(DISTINCT seen.user)::INT
       FROM started JOIN seen ON seen.user = started.user AND seen.week >= started.week GROUP BY ALL`,
    );
    const users = (label: string, period: number) =>
      Number(rows.find(([week, number]) => week === label && Number(number) === period)?.[2] ?? 0);
    const table = cells(run('cohort-table.ts'), /^20\d\d-W/);
    expect(table).toHaveLength(6);
    for (const [label = '', size, ...rates] of table) {
      expect(size).toBe(whole(users(label, 0)));
      rates.forEach((rate, period) => {
        if (/\d/.test(rate))
          expect(Number.parseFloat(rate)).toBeCloseTo((100 * users(label, period)) / users(label, 0), 0);
      });
    }
    expect(table[0]?.filter((cell) => cell.endsWith('%')).length).toBeGreaterThan(4);
  });

  it('share-and-change.ts prints shares of all page views, and changes', async () => {
    const pages = await sql(
      `SELECT page, count(*) FILTER (WHERE ${last28Days}) AS now,
         count(*) FILTER (WHERE ${within('2026-08-26', '2026-09-23')}) AS before,
         100 * now / sum(now) OVER () FROM events WHERE viewed GROUP BY page ORDER BY now DESC, page LIMIT 3`,
    );
    const table = lines(run('share-and-change.ts'))
      .filter((line) => /^│ \d/.test(line))
      .map((line) => line.split('│').map((cell) => cell.trim()));
    expect(table).toHaveLength(10);
    pages.forEach(([page, now, before, share], index) => {
      const [, , name, current, part, earlier, change] = table[index] ?? [];
      expect([name, current, earlier]).toEqual([`'${page}'`, `${now}`, `${before}`]);
      expect(Number(part)).toBeCloseTo(Number(share), 1);
      expect(Number(change)).toBeCloseTo((100 * (Number(now) - Number(before))) / Number(before), 1);
    });
  });

  it('funnel-drop-offs.ts agrees with a walk over the events', async () => {
    const views = await sql(
      `SELECT user, epoch_ms(time)::DOUBLE, page FROM events WHERE viewed AND user IS NOT NULL AND ${last28Days} ORDER BY time`,
    );
    const steps = ['/', '/pricing', '/signup', '/signup/done'];
    const reached = steps.map(() => 0);
    for (const own of Map.groupBy(views, ([user]) => user).values()) {
      // From each start, the earliest next step leads at least as far as any later one.
      const far = own.map(([, start], at) => {
        let step = 0;
        for (const [, time, page] of own.slice(at))
          if (page === steps[step] && Number(time) - Number(start) <= 86_400_000) step += 1;
        return step;
      });
      for (let step = 0; step < Math.max(...far); step += 1) reached[step]! += 1;
    }
    const printed = lines(run('funnel-drop-offs.ts'));
    const lost = reached.map((count, step) => (step === 0 ? 0 : reached[step - 1]! - count));
    const names = ['home', 'pricing', 'signup', 'signup_done'];
    expect(reached[3]).toBeGreaterThan(0);
    expect(printed).toEqual([
      ...names.map((name, step) => `${name}: ${reached[step]} users, ${lost[step]} dropped off before it`),
      `Most users drop off before: ${names[lost.indexOf(Math.max(...lost))]}`,
    ]);
  });

  it('join-with-arquero.ts adds up page views by team', async () => {
    const teams = await sql(
      `SELECT CASE WHEN page IN ('/', '/pricing') THEN 'Website' WHEN page IN ('/docs', '/docs/install') THEN 'Docs'
         WHEN page IN ('/cart', '/checkout', '/thanks') THEN 'Shop' ELSE 'No team' END AS team, count(*)
       FROM events WHERE viewed AND ${last28Days} GROUP BY team ORDER BY 2 DESC`,
    );
    expect(lines(run('join-with-arquero.ts'))).toEqual(teams.map(([team, views]) => `${team}: ${views} page views`));
  });

  it('parquet-to-duckdb.ts reads the requested rows from the file', async () => {
    const weekdays = await sql(
      `SELECT dayname(time) AS weekday, round(count(*) / 8, 1) AS mean FROM events
       WHERE viewed AND ${within('2026-08-24', '2026-10-19')} GROUP BY weekday`,
    );
    const printed = lines(run('parquet-to-duckdb.ts'));
    expect([...printed].sort()).toEqual(weekdays.map(([weekday, mean]) => `${weekday}: ${mean} page views`).sort());
    const means = printed.map((line) => Number.parseFloat(line.split(': ')[1] ?? ''));
    expect(means).toEqual([...means].sort((a, b) => b - a));
  });

  it('svg-in-a-page.ts puts the chart of a result into a page', async () => {
    expect(run('svg-in-a-page.ts')).toBe('Wrote chart.html\n');
    await using sluice = await open({ workspace: folder.root, env: {}, onNote: () => undefined });
    const asked = query()
      .measures('TrackedEvents.pageViewsCount', 'TrackedEvents.uniqueUsersCount')
      .time('TrackedEvents.utcTime', 'day', ['2026-09-23', '2026-10-20']);
    const svg = await toSvg(await sluice.query(asked), { preference: 'line', title: 'Page views and users' });
    const page = readFileSync(path.join(folder.root, 'chart.html'), 'utf8');
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">\n[^]*<h1>Our site<\/h1>\n<svg [^]*<\/svg>\s*<\/html>\n$/);
    expect(page).toContain(svg);
  });

  it('export-with-progress.ts exports each event of the week exactly once', async () => {
    const [[events = 0] = []] = await sql(`SELECT count(*) FROM events WHERE ${within('2026-10-12', '2026-10-19')}`);
    const first = lines(run('export-with-progress.ts'));
    expect(first.at(-2)).toMatch(new RegExp(`^done: ${events} events in (\\d+) windows, ${events} of them new$`));
    expect(first.at(-1)).toBe('The files match their manifests.');
    expect(first.slice(0, -2).at(-1)).toMatch(/^(\d+) of \1 windows$/);
    const [[exported] = []] = await sql(
      `SELECT sum("TrackedEvents.count")::BIGINT FROM read_parquet('${folder.root}/export/*/*.parquet')`,
    );
    expect(exported).toEqual(events);
    const again = run('export-with-progress.ts');
    expect(again).toMatch(new RegExp(`^done: ${events} events in \\d+ windows, 0 of them new$`, 'm'));
  });

  it('monthly-report.ts writes the report of a month, the last closed one by default', async () => {
    const [[views, users] = []] = await sql(
      `SELECT count(*) FILTER (WHERE viewed), count(DISTINCT user) FROM events WHERE ${within('2026-09-01', '2026-10-01')}`,
    );
    const text = run('monthly-report.ts');
    expect(text).toMatch(/^Monthly report: .*: good\n/);
    expect(text).toContain(`  traffic.pageViewsCount: ${whole(views)}\n`);
    expect(text).toContain(`  traffic.uniqueUsersCount: ${whole(users)}\n`);
    const written = readdirSync(path.join(folder.root, 'monthly'));
    const markdown = written.find((file) => file.endsWith('.md')) ?? '';
    expect(written.some((file) => file.endsWith('.html'))).toBe(true);
    expect(readFileSync(path.join(folder.root, 'monthly', markdown), 'utf8')).toContain(
      `**${whole(views)} page views**`,
    );
    const [[earlier] = []] = await sql(
      `SELECT count(*) FROM events WHERE viewed AND ${within('2026-08-01', '2026-09-01')}`,
    );
    expect(run('monthly-report.ts', '2026-08')).toContain(`  traffic.pageViewsCount: ${whole(earlier)}\n`);
  });

  it('top-pages.json.ts prints only the top pages as JSON', async () => {
    const pages = await sql(
      `SELECT page, count(*)::INT AS views, count(DISTINCT user)::INT FROM events WHERE viewed AND ${last28Days}
       GROUP BY page ORDER BY views DESC LIMIT 3`,
    );
    const printed = JSON.parse(run('top-pages.json.ts')) as readonly { page: string; views: number; users: number }[];
    expect(printed).toHaveLength(10);
    expect(printed.slice(0, 3).map(({ page, views, users }) => [page, views, users])).toEqual(pages);
  });

  it('since-last-release.ts reads tags, commits and milestones of the platform', async () => {
    const created_at = '2026-10-01T12:00:00.000+00:00';
    const commits = ['ann', 'bob', 'ann', 'eve', 'ann'].map((author_name, index) => ({ id: `c${index}`, author_name }));
    await using server = await openScriptedServer(({ path: at, query: given }) => {
      const page = Number(given.get('page') ?? 1);
      if (at.endsWith('/tags')) return { json: [{ name: 'v1', target: 'c3', commit: { id: 'c3', created_at } }] };
      if (at.endsWith('/milestones')) return { json: [{ id: 1, title: 'M1', due_date: null }] };
      if (given.get('since') !== created_at) return { status: 400, json: {} };
      const next = `<${server.url}${at}?since=${encodeURIComponent(created_at)}&page=2>; rel="next"`;
      return page === 1 ? { json: commits.slice(0, 3), headers: { Link: next } } : { json: commits.slice(3) };
    });
    const place = folderOf({ 'sluice.yaml': `platform: {url: "${server.url}"}\n` });
    const program = path.join(examples, 'since-last-release.ts');
    const started = spawn(process.execPath, [program, place.root], {
      cwd: elsewhere.root,
      env: { PATH: process.env['PATH'], SLUICE_TOKEN: 'glpat-example' },
    });
    const said: Buffer[] = [];
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk));
    await once(started, 'close');
    expect(lines(Buffer.concat(said).toString())).toEqual([
      'v1 was tagged on 2026-10-01.',
      'ann 3',
      'bob 1',
      'M1 is due some day.',
    ]);
  });
});
