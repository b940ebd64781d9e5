import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { randomFrom } from '../../run/mutants/mutate.ts';
import { open, type Sluice } from '../../../src/use/index.ts';
import { openFolder } from '../run-in-folder.ts';

const folder = openFolder({
  'queries/kept.yaml': 'retention: {period: week, periods: 4, return: any}\n',
  'queries/later.yaml': 'retention: {period: week, periods: 4, cumulative: true}\n',
  'queries/rolling.yaml': 'retention: {period: day, periods: 4, window: 24h, min_occurrences: 2}\n',
  'queries/apart.yaml': 'retention: {period: week, periods: 3, breakdown: {dimension: agentName, limit: 2}}\n',
  'queries/hours.yaml': 'retention: {period: hour, periods: 3, cohort: first_time}\n',
  'queries/life.yaml': 'lifecycle: {period: week}\n',
  'queries/stick.yaml': 'stickiness: {period: day}\n',
  'queries/more.yaml': 'stickiness: {period: day, cumulative: true, every: 2}\n',
  'queries/ways.yaml': 'paths: {edge_limit: 6, max_steps: 4}\n',
  'funnels/by_agent.yaml':
    'seconds_to_convert: 3600\nsteps:\n  - {name: home, action: pageview, target: /}\n  - {name: pricing, action: pageview, target: /pricing}\nsluice: {breakdown: {dimension: TrackedEvents.agentName}}\n',
  'funnels/visits.yaml':
    'seconds_to_convert: 3600\nsteps:\n  - {name: home, action: pageview, target: /}\n  - {name: pricing, action: pageview, target: /pricing}\nsluice: {by: session}\n',
  'queries/often.yaml': 'cohort: {did: {event: pageview, at_least: 4}}\n',
  'funnels/buy.yaml':
    'seconds_to_convert: 3600\nsteps:\n  - {name: home, action: pageview, target: /}\n  - {name: pricing, action: pageview, target: /pricing}\n',
});
const present = Date.parse('2024-03-02T00:00:00Z');
const range = 'last 3 weeks';
let sluice: Sluice;

beforeAll(async () => {
  await writeSample({ seed: 3, events: 5000, days: 40, to: '2024-03-01' }, `${folder.root}/events.parquet`);
  sluice = await open({
    workspace: folder.root,
    events: 'events.parquet',
    env: {},
    now: () => present,
    onNote: () => {},
    timezone: 'Europe/Berlin',
  });
});
afterAll(async () => {
  await sluice[Symbol.asyncDispose]();
  folder.remove();
});

const run = (...words: readonly string[]) =>
  folder.sluice([...words, '--events', 'events.parquet', '--as-of', '2024-03-02T00:00:00Z', '--quiet']);

interface Visit {
  readonly at: number;
  readonly session: string | null;
  readonly user: string | null;
  readonly path: string;
}

/** Sessions that several users share, sessions without a user, and users whose events have no session. */
function someVisits(): readonly Visit[] {
  const random = randomFrom(7);
  return Array.from({ length: 400 }, () => ({
    at: Date.parse('2024-02-01T00:00:00Z') + Math.floor(random() * 48 * 60) * 60_000,
    session: random() < 0.6 ? `s${Math.floor(random() * 60)}` : null,
    user: random() < 0.6 ? `u${String(Math.floor(random() * 25)).padStart(2, '0')}` : null,
    path: ['/', '/pricing', '/else'][Math.floor(random() * 3)]!,
  }));
}

/** Each session that reached a step of the funnel, with its users. */
function usersOfVisits(
  all: readonly Visit[],
): readonly { readonly depth: number; readonly users: readonly string[] }[] {
  const sessions = new Map<string, Visit[]>();
  const latest = new Map<string, { at: number; number: number }>();
  for (const visit of all.toSorted((a, b) => a.at - b.at)) {
    let key = visit.session === null ? undefined : `tracked ${visit.session}`;
    if (key === undefined && visit.user !== null) {
      const before = latest.get(visit.user) ?? { at: -Infinity, number: 0 };
      const number = visit.at - before.at <= 30 * 60_000 ? before.number : before.number + 1;
      latest.set(visit.user, { at: visit.at, number });
      key = `derived ${visit.user} ${number}`;
    }
    if (key !== undefined) sessions.set(key, [...(sessions.get(key) ?? []), visit]);
  }
  return [...sessions.values()].flatMap((visits) => {
    const homes = visits.filter(({ path }) => path === '/');
    if (homes.length === 0) return [];
    const converted = homes.some((home) =>
      visits.some(({ path, at }) => path === '/pricing' && at >= home.at && at - home.at <= 3_600_000),
    );
    return [{ depth: converted ? 2 : 1, users: [...new Set(visits.flatMap(({ user }) => user ?? []))] }];
  });
}

/** The figure of the row, whatever the name of the cube. */
const figure = (row: object, measure: string) =>
  Number(Object.entries(row).find(([key]) => key.endsWith(`.${measure}`))?.[1]);

describe('the users behind a row', () => {
  it.each([
    ['retention', 'kept'],
    ['retention', 'later'],
    ['retention', 'rolling'],
    ['retention', 'apart'],
    ['lifecycle', 'life'],
    ['stickiness', 'stick'],
    ['stickiness', 'more'],
    ['paths', 'ways'],
  ] as const)('of the %s %s match its figure, each listed once', async (analysis, definition) => {
    const asked = { range: analysis === 'retention' && definition === 'rolling' ? 'last 5 days' : range };
    const rows = (await sluice.analysis(analysis, definition, asked)).rows().slice(0, 12);
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.some((row) => figure(row, 'users') !== 0)).toBe(true);
    for (const row of rows) {
      const users = await sluice.users({ analysis, definition, cell: row }, asked);
      const names = users.rows().map((each) => each[`${definition}.user`]);
      expect(new Set(names).size).toBe(names.length);
      // A user can be in several cohorts of a breakdown.
      if (definition === 'apart') expect(names.length).toBeLessThanOrEqual(figure(row, 'users'));
      else expect([row, names.length]).toEqual([row, Math.abs(figure(row, 'users'))]);
    }
  });

  it('of all paths are those who have one, through any edge', async () => {
    const listed = async (question: string) =>
      (await sluice.users(`${question} ${range}`)).rows().map((row) => Object.values(row)[0]);
    const all = await listed('ways.total');
    // Without an end point, every user with a page view has a path.
    expect(all).toEqual(await listed('pageViewsCount'));
    const over = await listed('ways.sessions by ways.source, ways.target');
    expect([over.length > 0, over.length < all.length]).toEqual([true, true]);
    const cell = { analysis: 'paths', definition: 'ways', cell: {} } as const;
    expect((await sluice.users(cell, { range })).rows().map((row) => row['ways.user'])).toEqual(all);
  });

  it('of a step of a funnel are those who reached it, in a query and in code', async () => {
    const asked = { range };
    const steps = (await sluice.query(`buy.count by buy.step ${range}`)).rows();
    expect(steps.map((row) => row['buy.count'] as number).every((count) => count > 0)).toBe(true);
    for (const row of steps) {
      const step = Number(row['buy.step']);
      const users = await sluice.users({ analysis: 'funnel', definition: 'buy', cell: { step } }, asked);
      expect(users.rowCount).toBe(row['buy.count']);
      const same = await sluice.users(`buy.count by buy.step where buy.step = ${step} ${range}`);
      expect(same.rows()).toEqual(users.rows());
    }
  });

  it('of a whole row of a funnel are those that its columns say', async () => {
    for (const definition of ['buy', 'by_agent']) {
      const funnel = await sluice.funnel(definition, { range });
      expect(funnel.rowCount).toBeGreaterThan(definition === 'buy' ? 1 : 2);
      for (const row of funnel.rows()) {
        const users = await sluice.users({ analysis: 'funnel', definition, cell: row }, { range });
        expect(users.rowCount, JSON.stringify(row)).toBe(row[`${definition}.count`]);
      }
    }
    const named = { analysis: 'funnel', definition: 'buy', cell: { name: 'home' } } as const;
    await expect(sluice.users(named, { range })).rejects.toMatchObject({
      issues: [{ code: 'unknown-member' }],
    });
  });

  it('of a row of a trend are those who began in its bucket, also by entry and in another zone', async () => {
    for (const [trend, options] of [
      ['week', {}],
      ['day', { byEntry: true }],
      ['month', { timezone: 'America/New_York' }],
    ] as const) {
      const asked = { range, ...options };
      const funnel = await sluice.funnel('buy', { ...asked, trend });
      let listed = 0;
      for (const row of funnel.rows()) {
        const users = await sluice.users({ analysis: 'funnel', definition: 'buy', cell: row }, asked);
        expect(users.rowCount, JSON.stringify([trend, row])).toBe(row['buy.count']);
        listed += users.rowCount;
      }
      expect(listed).toBeGreaterThan(0);
    }
    const byEntry = { range, byEntry: true };
    for (const row of (await sluice.funnel('by_agent', byEntry)).rows()) {
      const users = await sluice.users({ analysis: 'funnel', definition: 'by_agent', cell: row }, byEntry);
      expect(users.rowCount, JSON.stringify(row)).toBe(row['by_agent.count']);
    }
    const wrong = { analysis: 'funnel', definition: 'buy', cell: { entry: '2024-02', stp: 1 } } as const;
    await expect(sluice.users(wrong, { range })).rejects.toThrow('have no "stp"');
    const other = { analysis: 'lifecycle', definition: 'life', cell: {} } as const;
    await expect(sluice.users(other, byEntry)).rejects.toThrow('byEntry is for funnels');
  });

  it('of a funnel are listed by the value of its breakdown, and by when they started', async () => {
    const all = JSON.parse((await run('funnel', 'by_agent', '-r', range, '-f', 'json')).stdout) as Record<
      string,
      unknown
    >[];
    const [first] = all.filter((row) => row['by_agent.step'] === 2 && Number(row['by_agent.count']) > 1);
    const agent = String(first!['TrackedEvents.agentName']);
    const listed = async (who: string) =>
      JSON.parse((await run('funnel', 'by_agent', '-r', range, '-f', 'json', '--users', who)).stdout) as Record<
        string,
        string
      >[];
    expect(await listed(`converted, agentName = ${agent}`)).toHaveLength(Number(first!['by_agent.count']));
    expect(await listed('converted,agentName=Nobody, really')).toEqual([]);
    const everybody = await listed('converted:1');
    const day = everybody[0]!['by_agent.began']!.slice(0, 10);
    const ofDay = everybody.filter((row) => row['by_agent.began']!.startsWith(day));
    expect(await listed(`converted:1,began=${day}`)).toHaveLength(ofDay.length);
    expect(ofDay.length).toBeLessThan(everybody.length);
  });

  it('of a row split by a cohort are selected by a condition', async () => {
    const rows = (await sluice.query(`uniqueUsersCount by cohort.often ${range}`)).rows();
    for (const side of ['in', 'not in']) {
      const row = rows.find((each) => each['TrackedEvents.cohorts.often'] === side);
      const users = await sluice.users(`uniqueUsersCount by cohort.often ${range} where cohort.often = '${side}'`);
      expect([side, users.rowCount]).toEqual([side, row!['TrackedEvents.uniqueUsersCount']]);
    }
  });

  it('of the sessions that reached a step are those of their events', async () => {
    const seen = someVisits();
    writeFileSync(
      `${folder.root}/visits.ndjson`,
      seen
        .map(({ at, session, user, path }) =>
          JSON.stringify({
            utcTime: new Date(at).toISOString(),
            eventType: 'pageview',
            sessionId: session,
            userAnonymousId: user,
            docPath: path,
          }),
        )
        .join('\n'),
    );
    await using visits = await open({
      workspace: folder.root,
      events: 'visits.ndjson',
      env: {},
      now: () => present,
      onNote: () => {},
    });
    const expected = usersOfVisits(seen);
    const counted = (await visits.query('visits.count by visits.step from 2024-02-01 to 2024-02-02')).rows();
    for (const step of [1, 2]) {
      const own = expected.filter(({ depth }) => depth >= step);
      expect(counted.find((row) => row['visits.step'] === step)?.['visits.count']).toBe(own.length);
      const listed = await visits.users(
        `visits.count by visits.step where visits.step = ${step} from 2024-02-01 to 2024-02-02`,
      );
      const users = [...new Set(own.flatMap((each) => each.users))].sort();
      expect(listed.rows().map((row) => row['visits.user'])).toEqual(users);
      const same = { analysis: 'funnel', definition: 'visits', cell: { step } } as const;
      expect((await visits.users(same, { range: '2024-02-01..2024-02-02' })).rows()).toEqual(listed.rows());
      expect(listed.provenance.uncounted).toContainEqual({
        what: 'sessions whose events have no user',
        rows: expected.filter(({ users }) => users.length === 0).length,
      });
    }
  });

  it('of a comparison are those of each range', async () => {
    const question = 'uniqueUsersCount, pageViewsCount where docPath = /pricing';
    const weeks = ['from 2024-02-12 to 2024-02-18', 'from 2024-02-05 to 2024-02-11'];
    const listed = await sluice.users(`${question} compare ${weeks.join(' with ')}`);
    const byRange = Map.groupBy(listed.rows(), (row) => String(row['compareDateRange']).slice(0, 10));
    const alone = await Promise.all(weeks.map(async (week) => (await sluice.users(`${question} ${week}`)).rows()));
    expect(alone.every((rows) => rows.length > 10)).toBe(true);
    const without = (rows: readonly object[] = []) =>
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => key !== 'compareDateRange')));
    expect(['2024-02-12', '2024-02-05'].map((day) => without(byRange.get(day)))).toEqual(alone);
    const steps = (await sluice.query(`buy.count by buy.step compare ${weeks.join(' with ')}`)).rows();
    const reached = await sluice.users(`buy.count by buy.step where buy.step = 2 compare ${weeks.join(' with ')}`);
    for (const row of steps.filter((each) => each['buy.step'] === 2))
      expect(reached.rows().filter((each) => each['compareDateRange'] === row['compareDateRange'])).toHaveLength(
        Number(row['buy.count']),
      );
    const { code, stdout } = await run(
      'query',
      `${question} compare ${weeks.join(' with ')}`,
      '--users',
      '-f',
      'csv',
      '--timezone',
      'Europe/Berlin',
    );
    expect([code, stdout.trim().split('\n').length - 1]).toEqual([0, listed.rowCount]);
  });

  it('of an hour are found by its start', async () => {
    const asked = { range: '2024-02-20' };
    const rows = (await sluice.retention('hours', asked)).rows();
    const row = rows.find((each) => each['hours.period'] === 0 && each['hours.users'] > 1)!;
    const users = await sluice.users({ analysis: 'retention', definition: 'hours', cell: row }, asked);
    expect(users.rowCount).toBe(row['hours.users']);
  });

  it('are found by rows with dates', async () => {
    const asked = { range: '2024-02-20', times: 'date' } as const;
    const rows = (await sluice.retention('hours', asked)).rows();
    const row = rows.find((each) => each['hours.period'] === 0 && each['hours.users'] > 1)!;
    expect(row['hours.cohort.hour']).toBeInstanceOf(Date);
    const options = { range: asked.range };
    const users = await sluice.users({ analysis: 'retention', definition: 'hours', cell: row }, options);
    expect(users.rowCount).toBe(row['hours.users']);
    const trend = (await sluice.funnel('buy', { range, trend: 'week', times: 'date' })).rows();
    const step = trend.find((each) => each['buy.step'] === 2 && Number(each['buy.count']) > 0)!;
    expect(step['buy.entry.week']).toBeInstanceOf(Date);
    const reached = await sluice.users({ analysis: 'funnel', definition: 'buy', cell: step }, { range });
    expect(reached.rowCount).toBe(step['buy.count']);
    const [first] = (await sluice.analysis('lifecycle', 'life', { range, times: 'date' })).rows();
    expect(Object.values(first!).some((value) => value instanceof Date)).toBe(true);
  });

  it('of something that is no cell are refused', async () => {
    for (const cell of [null, 5, []])
      await expect(sluice.users({ analysis: 'retention', definition: 'hours', cell: cell as never })).rejects.toThrow(
        'users(): The cell must be an object',
      );
    await expect(sluice.users({ analysis: 'retentoin' as never, definition: 'hours', cell: {} })).rejects.toThrow(
      'The analysis cannot be the text "retentoin".',
    );
  });

  it('of an inline definition are listed on the command line and in code', async () => {
    const definition = { period: 'week', periods: 3, return: 'any' } as const;
    const [row] = (await sluice.retention(definition, { range }))
      .rows()
      .filter((each) => each['retention.period'] === 1);
    const users = await sluice.users({ analysis: 'retention', definition, cell: row! }, { range });
    expect(users.rowCount).toBe(row!['retention.users']);
    const cell = `cohort=${row!['retention.cohort.week'].slice(0, 10)},period=1`;
    const words = ['retention', '--by', 'week', '--periods', '3', '--return', 'any', '-r', range, '--users', cell];
    const { code, stdout } = await run(...words, '--timezone', 'Europe/Berlin', '-f', 'csv');
    expect([code, stdout.trim().split('\n').slice(1).sort()]).toEqual([
      0,
      users
        .rows()
        .map((each) => `${String(each['retention.user'])},${String(each['retention.userKind'])}`)
        .sort(),
    ]);
  });

  it('of cohorts by a period need only the period', async () => {
    const short = (await sluice.retention({ cohort: 'week', periods: 3 }, { range })).rows();
    const long = (await sluice.retention({ cohort: 'recurring', period: 'week', periods: 3 }, { range })).rows();
    expect(short.map((row) => row['retention.cohort.week'])).toEqual(long.map((row) => row['retention.cohort.week']));
    expect(short).toEqual(long);
    const cell = short.find((row) => row['retention.period'] === 1)!;
    const definition = { cohort: 'week', periods: 3 };
    const users = await sluice.users({ analysis: 'retention', definition, cell }, { range });
    expect(users.rowCount).toBe(cell['retention.users']);
  });

  it('of a query row are those that it counts', async () => {
    const question = `uniqueUsersCount, pageViewsCount where docPath = /pricing ${range}`;
    const [row] = (await sluice.query(question)).rows();
    const users = (await sluice.users(question)).rows();
    expect(users.length).toBe(row!['TrackedEvents.uniqueUsersCount']);
    const views = users.map((each) => Number(each['TrackedEvents.pageViewsCount']));
    expect(views.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(
      Number(row!['TrackedEvents.pageViewsCount']),
    );
    const clicks = (await sluice.users(`linkClicksCount ${range}`)).rows();
    expect(clicks.length).toBeGreaterThan(0);
    for (const each of clicks) expect(Number(each['TrackedEvents.linkClicksCount'])).toBeGreaterThan(0);
    const listed = await run('query', question, '--users', '-f', 'json', '--timezone', 'Europe/Berlin');
    expect(JSON.parse(listed.stdout)).toHaveLength(users.length);
    const sessions = (await sluice.users(`Sessions.count ${range}`)).rows();
    const [whole] = (await sluice.query(`Sessions.count ${range}`)).rows();
    const counted = sessions.reduce((sum, each) => sum + Number(each['Sessions.count']), 0);
    expect(counted).toBeLessThanOrEqual(Number(whole!['Sessions.count']));
    expect(counted).toBeGreaterThan(0);
  });

  it('of a query row end at its limit, which is told, and stand in its order', async () => {
    const question = `pageViewsCount by docPath ${range}`;
    const all = (await sluice.users(question)).rows();
    const listed = await sluice.users(`${question} limit 5 offset 2`);
    expect(listed.rows()).toEqual(all.slice(2, 7));
    expect(listed.provenance.truncated).toEqual({ limit: 5 });
    expect((await sluice.users(`${question} limit ${all.length + 1}`)).provenance.truncated).toBeNull();
    const most = (await sluice.users(`${question} order by pageViewsCount desc limit 3`)).rows();
    const views = (rows: typeof all) => rows.map((row) => Number(row['TrackedEvents.pageViewsCount']));
    expect(views(most)).toEqual(
      views(all)
        .toSorted((a, b) => b - a)
        .slice(0, 3),
    );
    const { stdout } = await run('query', question, '--users', '--limit', '2', '--timezone', 'Europe/Berlin');
    expect(stdout).toContain('Limit of 2 rows reached: there may be more.');
  });

  it.each([
    [['retention', 'kept', '--users', 'cohrt=2024-W08'], 'Did you mean "cohort"?'],
    [['retention', 'kept', '--users', 'week 8'], 'cohort=2024-W09,period=1'],
    [['retention', 'kept', '--users', 'cohort=someday'], 'The cohort "someday"'],
    [['paths', 'ways', '--users', 'sorce=1_/'], 'Did you mean "source"?'],
    [['funnel', 'by_agent', '--users', 'converted,began=someday'], 'The time "someday"'],
    [['query', 'count by docPath where count > 3', '--users'], 'A filter on a measure'.toLowerCase()],
  ])('are refused for %j, with a hint', async (words, told) => {
    const { code, stderr } = await run(...words);
    expect([code, stderr.includes(told) ? told : stderr]).toEqual([2, told]);
  });
});
