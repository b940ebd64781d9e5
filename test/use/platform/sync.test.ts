import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { syncedNames } from '../../../src/plan/model/catalog.ts';
import { syncedCubes } from '../../../src/plan/platform/synced-cubes.ts';
import { takeLock } from '../../../src/run/file/take-lock.ts';
import { open } from '../../../src/use/index.ts';
import { token } from '../../run/http/open-test-http.ts';
import { openScriptedServer, type Reply, type SeenRequest } from '../../run/http/scripted-server.ts';
import { type Folder, folderOf, now } from '../run-in-folder.ts';

const day = 86_400_000;

interface Commit {
  readonly id: string;
  readonly author: string;
  readonly at: number;
}

/** A platform that remembers changes and answers lists like the real one: pages of two, filtered by time. */
class Platform {
  commits: Commit[] = [];
  milestones: { id: number; title: string; due_date: string | null; state: string }[] = [];
  issues: Record<number, { id: number; title: string; state: string; created_at: string; closed_at: string | null }[]> =
    {};
  events: { id: number; action_name: string; created_at: string; author_username: string }[] = [];
  hooks: Record<number, { name: string; deliveries: object[] }> = {};
  flags: { name: string; state: string; gates: object[] }[] = [];
  others: Record<string, readonly object[]> = {};
  /** Paths that are answered by a status. */
  refused: Record<string, number> = {};

  answer = ({ path: at, query }: SeenRequest): Reply => {
    const route = decodeURIComponent(at).replace('/api/v4', '');
    const status = this.refused[route];
    if (status !== undefined) return { status, json: { message: 'no' } };
    const all = this.list(route, query);
    if (all === undefined) return { status: 404, json: { message: '404 Not Found' } };
    const page = Number(query.get('page') ?? 1);
    const next = new URLSearchParams(query);
    next.set('page', String(page + 1));
    const headers = page * 2 < all.length ? { link: `<${at}?${next.toString()}>; rel="next"` } : {};
    return { json: all.slice(page * 2 - 2, page * 2), headers };
  };

  private list(route: string, query: URLSearchParams): readonly object[] | undefined {
    const time = (name: string) => Date.parse(query.get(name) ?? '');
    if (route === '/projects/acme/shop/repository/commits')
      return this.commits
        .filter(({ at }) => at >= time('since') && at <= time('until'))
        .sort((a, b) => b.at - a.at)
        .map(({ id, author, at }) => ({
          id,
          title: `T ${id}`,
          author_name: author,
          author_email: `${author}@example.org`,
          committed_date: new Date(at).toISOString().replace('Z', '+00:00'),
          stats: { additions: 2, deletions: 1, total: 3 },
        }));
    if (route === '/projects/acme/shop/events')
      return this.events.filter(({ created_at }) => {
        const date = created_at.slice(0, 10);
        return date > query.get('after')! && date < query.get('before')!;
      });
    if (route === '/projects/acme/shop/milestones') return this.milestones;
    if (route === '/groups/acme/hooks')
      return Object.entries(this.hooks).map(([id, { name }]) => ({
        id: Number(id),
        name,
        url: 'https://h.example.org/s3cret',
      }));
    if (route === '/features') return this.flags;
    const milestone = /\/milestones\/(\d+)\/issues$/.exec(route)?.[1];
    if (milestone) return this.issues[Number(milestone)] ?? [];
    const hook = /\/hooks\/(\d+)\/events$/.exec(route)?.[1];
    if (hook) return this.hooks[Number(hook)]?.deliveries ?? [];
    return this.others[route];
  }
}

async function world() {
  const platform = new Platform();
  const server = await openScriptedServer(platform.answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const folder = folderOf({
    'sluice.yaml': `backend: embedded\nplatform: {url: "${server.url}", project: acme/shop}\n`,
  });
  const sluice = (...argv: readonly string[]) => folder.sluice(argv, { env: { SLUICE_TOKEN: token } });
  const query = async (line: string, ...flags: readonly string[]) => {
    const { code, stdout, stderr } = await sluice('query', line, '-f', 'json', ...flags);
    expect([code, stderr.includes('rror')], stderr).toEqual([0, false]);
    return JSON.parse(stdout) as readonly Readonly<Record<string, unknown>>[];
  };
  return { platform, server, folder, sluice, query };
}

function files({ root }: Folder): Readonly<Record<string, string>> {
  const base = path.join(root, '.sluice', 'platform');
  return Object.fromEntries(
    readdirSync(base, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ndjson'))
      .sort()
      .map((name) => [name, readFileSync(path.join(base, name), 'utf8')]),
  );
}

const at = (daysAgo: number) => now - daysAgo * day;
const iso = (instant: number) => new Date(instant).toISOString();

describe('a cube that was never synced', () => {
  it('is known by its name, with the command that fetches its rows', async () => {
    expect(syncedCubes.map(({ name }) => name)).toEqual(syncedNames);
    const folder = folderOf({ 'e.ndjson': '{"utcTime":"2026-01-01T00:00:00Z","eventType":"pageview"}\n' });
    for (const asked of ['Commits.count', 'pageViewsCount by Commits.author']) {
      const { code, stderr } = await folder.sluice(['query', asked, '--events', 'e.ndjson']);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /"Commits\.\w+" is left out of the model\. Its rows are fetched from the platform\. Run `sluice sync Commits` first\./,
      );
    }
    const flags = ['-m', 'ReleaseUsage.eventsAfter', '--events', 'e.ndjson'];
    expect((await folder.sluice(['query', ...flags])).stderr).toContain('sluice sync ReleaseUsage');
    const model = 'cubes:\n  - name: Commits\n    sql: "SELECT 1 AS x"\n    measures: [{name: n, type: count}]\n';
    folder.write('model.yaml', model);
    const own = await folder.sluice(['query', 'Commits.author', '--events', 'e.ndjson', '--model', 'model.yaml']);
    expect(own.stderr).not.toContain('sluice sync');
  });
});

describe('a sync', () => {
  it('fetches commits once, also across windows, and repeats to the same bytes', async () => {
    const { platform, folder, sluice, query } = await world();
    // Some lie exactly at the borders of windows.
    platform.commits = Array.from({ length: 13 }, (_, index) => ({
      id: `c${index}`,
      author: index % 3 === 0 ? 'ann' : 'bob',
      at: at(365 - index * 30),
    }));
    const first = await sluice('sync', 'Commits');
    expect([first.code, first.stderr]).toEqual([0, 'Commits of acme/shop: 13 rows, 13 new\n']);
    expect(await query('Commits.count Commits.authorsCount Commits.additions')).toEqual([
      { 'Commits.count': 13, 'Commits.authorsCount': 2, 'Commits.additions': 26 },
    ]);
    const before = files(folder);
    const again = await sluice('sync', 'Commits');
    expect(again.stderr).toContain('nothing new');
    expect(files(folder)).toEqual(before);
  });

  it('finds late and deleted rows, and requests only what may be new', async () => {
    const { platform, server, sluice, query } = await world();
    platform.commits = [300, 20, 10, 1].map((days) => ({ id: `d${days}`, author: 'ann', at: at(days) }));
    await sluice('sync', 'Commits');
    const asked = server.requests.length;
    platform.commits = platform.commits.filter(({ id }) => id !== 'd10');
    platform.commits.push({ id: 'late', author: 'bob', at: at(15) }, { id: 'new', author: 'bob', at: at(0.1) });
    expect((await sluice('sync', 'Commits')).stderr).toContain('2 new, 1 deleted');
    expect(server.requests.length - asked).toBeLessThan(5);
    expect(await query('Commits.count by Commits.author')).toEqual([
      { 'Commits.author': 'ann', 'Commits.count': 3 },
      { 'Commits.author': 'bob', 'Commits.count': 2 },
    ]);
    const days = await query('Commits.count by Commits.committedAt.day last 7 days');
    expect(days.map((row) => row['Commits.count'])).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  it('reads everything again after a week, which finds commits pushed months late', async () => {
    const { platform, folder, server, sluice, query } = await world();
    platform.commits = [300, 200, 1].map((days) => ({ id: `d${days}`, author: 'ann', at: at(days) }));
    await sluice('sync', 'Commits');
    platform.commits = [
      ...platform.commits.filter(({ id }) => id !== 'd200'),
      { id: 'very late', author: 'bob', at: at(150) },
    ];
    expect((await sluice('sync', 'Commits')).stderr).toContain('nothing new');
    const [name = ''] = Object.keys(files(folder));
    const file = path.join(folder.root, '.sluice/platform', name.replace('.ndjson', '.json'));
    const state = JSON.parse(readFileSync(file, 'utf8')) as { whole: string };
    folder.write(path.relative(folder.root, file), JSON.stringify({ ...state, whole: iso(at(7)).slice(0, -1) }));
    const late =
      /Commits before \d{4}-\d\d-\d\d are as of 2024-03-01: what was pushed later is not included\. To read them again, run `sluice sync Commits --since 2023-03-09`\./;
    expect((await sluice('query', 'Commits.count')).stdout).toMatch(late);
    expect((await sluice('query', 'Commits.count last 7 days')).stdout).not.toContain('pushed later');
    expect((await sluice('sync', 'Commits')).stderr).toContain('1 new, 1 deleted');
    expect(await query('Commits.count by Commits.author')).toEqual([
      { 'Commits.author': 'ann', 'Commits.count': 2 },
      { 'Commits.author': 'bob', 'Commits.count': 1 },
    ]);
    const asked = server.requests.length;
    expect((await sluice('sync', 'Commits')).stderr).toContain('nothing new');
    expect(server.requests.length - asked).toBeLessThan(4);
  });

  it('fetches the child epics of all epics that were named once', async () => {
    const { platform, folder, sluice, query } = await world();
    const none = await sluice('sync', 'Epics', '--group', 'acme');
    expect([none.code, none.stderr.includes('Name it once: `--epic 5`.')]).toEqual([2, true]);
    const epic = (id: number) => ({ id, iid: id, title: `E${id}`, state: 'opened', created_at: iso(at(id)) });
    for (const parent of [5, 6])
      platform.others[`/groups/acme/epics/${parent}/epics`] = [epic(parent * 10), epic(parent * 10 + 1)];
    await sluice('sync', 'Epics', '--group', 'acme', '--epic', '5');
    await sluice('sync', 'Epics', '--group', 'acme', '--epic', '6');
    expect(await query('Epics.count')).toEqual([{ 'Epics.count': 4 }]);
    platform.others['/groups/acme/epics/5/epics'] = [epic(50), epic(52), epic(53)];
    const again = await sluice('sync', 'Epics', '--group', 'acme');
    expect(again.stderr).toContain('2 new, 1 deleted');
    expect(await query('Epics.count')).toEqual([{ 'Epics.count': 5 }]);
    expect(Object.values(files(folder)).join('')).toContain('"epic":"6"');
    expect((await sluice('query', 'Epics.count')).stdout).toContain('Children of child epics are not included.');
  });

  it('agrees with the platform after any history of changes', async () => {
    const { platform, sluice, query } = await world();
    let seed = 7;
    const chance = (n: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % n;
    };
    for (let round = 0; round < 6; round += 1) {
      const fresh = Array.from({ length: chance(5) }, (_, index) => index);
      for (const index of fresh)
        platform.commits.push({ id: `r${round}-${index}`, author: `a${chance(3)}`, at: at(chance(29) + 0.5) });
      platform.milestones = platform.milestones.filter(() => chance(4) > 0);
      platform.milestones.push({ id: round + 1, title: `M${round}`, due_date: null, state: 'active' });
      platform.commits = platform.commits.filter(() => chance(6) > 0);
      await sluice('sync', 'Commits', 'Milestones');
      const [commits] = await query('Commits.count');
      const [milestones] = await query('Milestones.count');
      expect([commits!['Commits.count'], milestones!['Milestones.count']]).toEqual([
        platform.commits.length,
        platform.milestones.length,
      ]);
    }
  });

  it.each(['America/New_York', 'UTC', 'Pacific/Kiritimati'])('keeps due dates as days in %s', async (zone) => {
    const { platform, sluice, query } = await world();
    platform.milestones = [{ id: 5, title: 'Ten', due_date: '2024-03-20', state: 'active' }];
    expect((await sluice('sync', 'Milestones')).code).toBe(0);
    const ask = (range: string) => query(`Milestones.count by Milestones.dueDate.day ${range}`, '--timezone', zone);
    expect(await ask('2024-03-20..2024-03-20')).toMatchObject([
      { 'Milestones.dueDate.day': '2024-03-20T00:00:00.000', 'Milestones.count': 1 },
    ]);
    expect(await ask('2024-03-19..2024-03-19')).toMatchObject([{ 'Milestones.count': 0 }]);
  });

  it('computes the burndown of milestones from the dates of their issues', async () => {
    const { platform, sluice, query } = await world();
    platform.milestones = [{ id: 5, title: 'Ten', due_date: '2024-03-20', state: 'active' }];
    const issue = (id: number, opened: number, closed?: number) => ({
      id,
      title: `I${id}`,
      state: closed === undefined ? 'opened' : 'closed',
      created_at: iso(at(opened)),
      closed_at: closed === undefined ? null : iso(at(closed)),
    });
    const issues = [issue(1, 6), issue(2, 6, 3), issue(3, 4, 2), issue(4, 2), issue(5, 20, 1)];
    platform.issues[5] = issues;
    expect((await sluice('sync', 'Milestones', 'MilestoneIssues')).code).toBe(0);
    const rows = await query(
      'MilestoneBurndown.openCount by MilestoneBurndown.milestone, MilestoneBurndown.changedAt.day 2024-03-02..2024-03-07',
    );
    const expected = Array.from({ length: 6 }, (_, index) => {
      const end = Date.parse('2024-03-03T00:00:00Z') + index * day;
      return issues.filter(
        ({ created_at, closed_at }) => Date.parse(created_at) < end && !(closed_at && Date.parse(closed_at) < end),
      ).length;
    });
    expect(rows.map((row) => row['MilestoneBurndown.openCount'])).toEqual(expected);
  });

  it('counts activity by action, and the failure rate of deliveries by hook', async () => {
    const { platform, folder, sluice, query } = await world();
    platform.events = ['opened', 'opened', 'closed', 'pushed to'].map((action_name, id) => ({
      id,
      action_name,
      created_at: iso(at(id * 30)),
      author_username: 'ann',
    }));
    const delivery = (id: number, response_status: string | number) => ({
      id,
      url: 'https://user:s3cret@h.example.org/T0/s3cret?token=s3cret',
      trigger: 'push_hooks',
      request_headers: { 'X-Gitlab-Token': 's3cret' },
      request_data: { a: 's3cret' },
      response_headers: { Date: 'Thu, 07 Mar 2024 10:00:00 GMT' },
      response_body: 's3cret',
      execution_duration: 0.5,
      response_status,
    });
    platform.hooks = {
      1: {
        name: 'chat',
        deliveries: [delivery(1, '200'), delivery(2, 500), delivery(3, 'internal error'), delivery(4, 204)],
      },
      2: { name: 'build', deliveries: [delivery(1, '200')] },
    };
    await sluice('sync', 'ActivityEvents', 'WebhookDeliveries');
    expect(await query('ActivityEvents.count by ActivityEvents.action')).toEqual([
      { 'ActivityEvents.action': 'opened', 'ActivityEvents.count': 2 },
      { 'ActivityEvents.action': 'closed', 'ActivityEvents.count': 1 },
      { 'ActivityEvents.action': 'pushed to', 'ActivityEvents.count': 1 },
    ]);
    expect(await query('WebhookDeliveries.failureRate by WebhookDeliveries.hook')).toEqual([
      { 'WebhookDeliveries.hook': 'chat', 'WebhookDeliveries.failureRate': 50 },
      { 'WebhookDeliveries.hook': 'build', 'WebhookDeliveries.failureRate': 0 },
    ]);
    expect(JSON.stringify(files(folder))).not.toContain('s3cret');
    // Rows that the platform has deleted are kept.
    platform.hooks = {};
    await sluice('sync', 'WebhookDeliveries');
    expect(await query('WebhookDeliveries.count')).toEqual([{ 'WebhookDeliveries.count': 5 }]);
  });

  it('keeps each observed state of a flag', async () => {
    const { platform, sluice, query } = await world();
    const flag = (state: string) => [{ name: 'nav', state, gates: [{ key: 'boolean', value: state === 'on' }] }];
    for (const state of ['off', 'off', 'on', 'on']) {
      platform.flags = flag(state);
      await sluice('sync', 'FlagChanges');
    }
    expect(await query('FlagChanges.count by FlagChanges.state')).toEqual(
      expect.arrayContaining([
        { 'FlagChanges.state': 'off', 'FlagChanges.count': 1 },
        { 'FlagChanges.state': 'on', 'FlagChanges.count': 1 },
      ]),
    );
  });

  it('compares usage before and after each release over equal spans', async () => {
    const { platform, folder, sluice, query } = await world();
    const times = Array.from({ length: 400 }, (_, index) => at(40) + index * 0.09 * day);
    const users = (index: number) => `u${(index * index) % 37}`;
    folder.write(
      'events.ndjson',
      times
        .map((time, index) =>
          JSON.stringify({ eventType: 'pageview', utcTime: iso(time), userAnonymousId: users(index), docPath: '/' }),
        )
        .join('\n'),
    );
    const last = Math.floor(times.at(-1)!);
    const tag = (name: string, created: number | null, release: object | null) => ({
      name,
      target: 'x',
      created_at: created === null ? null : iso(created),
      commit: { id: 'c', committed_date: iso(at(25)) },
      release,
    });
    const released = [
      { name: 'v1', at: at(30) },
      { name: 'v2', at: last - 2.5 * day },
      { name: 'v3', at: at(25) },
    ];
    platform.others['/projects/acme/shop/repository/tags'] = [
      tag('v1', at(30), { tag_name: 'v1' }),
      tag('v2', last - 2.5 * day, { tag_name: 'v2' }),
      tag('v3', null, { tag_name: 'v3' }),
      tag('nightly', at(20), null),
      tag('future', last + 1, { tag_name: 'future' }),
    ];
    expect((await sluice('sync', 'Tags')).code).toBe(0);
    const rows = await query(
      'ReleaseUsage.eventsBefore ReleaseUsage.eventsAfter ReleaseUsage.usersAfter by ReleaseUsage.name, ReleaseUsage.days',
      '--events',
      'events.ndjson',
    );
    const expected = released.map(({ name, at: moment }) => {
      const span = Math.min(7 * day, last - moment);
      const between = (from: number, to: number) =>
        times.flatMap((time, index) => (Math.floor(time) >= from && Math.floor(time) < to ? [index] : []));
      const after = between(moment, moment + span);
      return [name, between(moment - span, moment).length, after.length, new Set(after.map(users)).size, span / day];
    });
    expect(
      rows
        .map((row) =>
          ['name', 'eventsBefore', 'eventsAfter', 'usersAfter', 'days'].map((key) => row[`ReleaseUsage.${key}`]),
        )
        .toSorted((one, other) => String(one[0]).localeCompare(String(other[0]))),
    ).toEqual(expected);
  });

  it('marks milestones, releases and changes of flags on the charts of reports', async () => {
    const { platform, folder, sluice } = await world();
    folder.write(
      'reports/marked.md',
      `---\ntitle: Marked\n---\n\n${['milestones', 'releases', 'flags']
        .map((from) => `\`\`\`annotations\nfrom: ${from}\n\`\`\`\n`)
        .join(
          '\n',
        )}\n\`\`\`query\nname: q\nshow: both\nquery: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day, dateRange: [2024-03-01, 2024-03-07]}]}\n\`\`\`\n`,
    );
    folder.write(
      'events.ndjson',
      [iso(at(2)), '2024-03-07T23:00:00Z']
        .map((utcTime) => `${JSON.stringify({ eventType: 'pageview', utcTime })}\n`)
        .join(''),
    );
    const before = await sluice('report', 'check', 'marked', '--events', 'events.ndjson');
    expect([before.code, before.stdout + before.stderr]).toEqual([2, expect.stringContaining('sluice sync')]);
    platform.milestones = [
      { id: 1, title: 'Ten <b>', due_date: '2024-03-05', state: 'active' },
      { id: 2, title: 'Never', due_date: null, state: 'active' },
    ];
    const tag = (name: string, release: object | null) => ({ name, target: 'x', created_at: iso(at(4)), release });
    platform.others['/projects/acme/shop/repository/tags'] = [tag('v1', { tag_name: 'v1' }), tag('nightly', null)];
    for (const state of ['off', 'on']) {
      platform.flags = [{ name: 'nav', state, gates: [] }];
      await sluice('sync', 'Milestones', 'Tags', 'FlagChanges');
    }
    const { code, stdout } = await sluice('report', 'run', 'marked', '--events', 'events.ndjson', '-f', 'json');
    expect(code).toBe(0);
    const found = [...stdout.matchAll(/"annotations":\s*(\[[^\]]*\])/g)].map(
      ([, text]) => JSON.parse(text!) as object[],
    );
    expect(found[0]).toEqual([
      { date: '2024-03-05', title: 'Ten <b>', kind: 'milestone' },
      { date: iso(at(4)), title: 'v1', kind: 'release' },
      { date: iso(now), title: 'nav on', kind: 'flag' },
    ]);
  });

  it('does nothing while another one runs, and says so', async () => {
    const { platform, server, folder, sluice } = await world();
    platform.commits = [{ id: 'a', author: 'ann', at: at(1) }];
    expect((await sluice('sync', 'Commits')).code).toBe(0);
    const asked = server.requests.length;
    const file = path.join(folder.root, '.sluice/platform/.sync.lock');
    const lock = await takeLock(file, { holder: 'a test', what: 'sync' });
    expect(await sluice('sync', 'Commits', '--quiet')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Another sync of this workspace is running (a test). Nothing was done.\n',
    });
    expect(server.requests.length).toBe(asked);
    if (lock.kind === 'held') lock[Symbol.dispose]();
    expect((await sluice('sync', 'Commits')).code).toBe(0);
  });

  it('says where the rows end, and resumes an interrupted sync', async () => {
    const { platform, server, folder, sluice } = await world();
    platform.commits = [300, 100, 2].map((days) => ({ id: `d${days}`, author: 'ann', at: at(days) }));
    const notes = async (...argv: readonly string[]) => (await sluice('query', ...argv)).stdout;
    let windows = 0;
    server.answer((request) => {
      windows += 1;
      return windows === 8 ? { status: 400, json: {} } : platform.answer(request);
    });
    expect((await sluice('sync', 'Commits')).code).toBe(5);
    expect(await notes('Commits.count')).toContain('was not finished');
    server.answer(platform.answer);
    const asked = server.requests.length;
    expect((await sluice('sync', 'Commits')).code).toBe(0);
    expect(server.requests.length - asked).toBe(6);
    expect(await notes('Commits.count last 30 days')).not.toContain('sync');
    expect(await notes('Commits.count')).toContain('synced from 2023-03-09 on');
    expect(await notes('Commits.count', '--as-of', '2024-03-20')).toContain('as of the sync at 2024-03-08');
    platform.commits.push({ id: 'old', author: 'bob', at: at(700) });
    expect((await sluice('sync', 'Commits', '--since', '2022-01-01')).stderr).toContain('1 new');
    expect(await notes('Commits.count 2023')).not.toContain('sync');
    expect(Object.keys(files(folder))).toHaveLength(1);
  });

  it('skips lists that the token may not read, and exits with 5 if a requested list fails', async () => {
    const { platform, sluice } = await world();
    platform.refused = { '/groups/acme/hooks': 403, '/features': 403, '/projects/acme/shop/milestones': 400 };
    const all = await sluice('sync');
    expect(all.code).toBe(5);
    expect(all.stderr).toContain('WebhookDeliveries of acme: left out');
    expect(all.stderr).toContain('Milestones of acme/shop:');
    expect(all.stderr).toMatch(/lists? (?:is|are) not up to date/);
    expect((await sluice('sync', 'WebhookDeliveries')).code).toBe(5);
    expect((await sluice('sync', 'Tags')).code).toBe(5);
    expect((await sluice('sync', 'Commit')).stderr).toContain('Did you mean "Commits"');
  });

  it('stops with the hint if a list cannot be written, and gives the hint for a damaged one', async () => {
    const { platform, server, folder, sluice } = await world();
    platform.commits = [{ id: 'a', author: 'ann', at: at(1) }];
    expect((await sluice('sync', 'Commits', 'Tags')).code).toBe(5);
    const rows = path.join(folder.root, '.sluice/platform/commits');
    const [name] = readdirSync(rows).filter((file) => file.endsWith('.ndjson'));
    writeFileSync(path.join(rows, name!), '{"half');
    const damaged = await sluice('sync', 'Commits', 'Tags');
    expect([damaged.code, damaged.stderr]).toEqual([5, expect.stringMatching(/is damaged\.\n {2}hint: Remove it/)]);
    rmSync(rows, { recursive: true });
    mkdirSync(path.join(rows, name!, 'in the way'), { recursive: true });
    const asked = server.requests.length;
    const refused = await sluice('sync', 'Commits', 'Tags');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/cannot be .*\n {2}hint: Check the disk/),
    ]);
    expect(server.requests.slice(asked).some(({ path: at }) => at.includes('tags'))).toBe(false);
  });

  it('takes nothing for deleted that moved to an earlier page while the list was read', async () => {
    const { platform, server, sluice, query } = await world();
    const due = { due_date: null, state: 'active' };
    platform.milestones = [1, 2, 3, 4, 5].map((id) => ({ id, title: `M${id}`, ...due }));
    platform.commits = [1, 2, 3, 4, 5].map((id) => ({ id: `c${id}`, author: 'ann', at: at(id) }));
    expect((await sluice('sync', 'Milestones', 'Commits')).code).toBe(0);
    const seen = new Set<string>();
    server.answer((request) => {
      const reply = platform.answer(request);
      if (seen.has(request.path) || request.query.has('page')) return reply;
      seen.add(request.path);
      if (request.path.endsWith('/milestones')) platform.milestones.shift();
      else platform.commits.shift();
      return reply;
    });
    const [rows, there] = [5, 4].map((count) => [{ 'Milestones.count': count }]);
    expect((await sluice('sync', 'Milestones', 'Commits')).stderr).not.toContain('deleted');
    expect(await query('Milestones.count')).toEqual(rows);
    const later = await sluice('sync', 'Milestones', 'Commits');
    expect(later.stderr.match(/: 5 rows, 1 deleted/g)).toHaveLength(2);
    expect(await query('Milestones.count')).toEqual(there);
  });

  it('reads the other parts of a list if one fails, and keeps the rows of that one', async () => {
    const { platform, sluice, query } = await world();
    const delivery = { url: 'https://h.example.org/', trigger: 'push_hooks', response_status: '200' };
    platform.hooks = Object.fromEntries(
      [1, 2, 3].map((hook) => [hook, { name: `h${hook}`, deliveries: [{ id: hook, ...delivery }] }]),
    );
    platform.milestones = [1, 2].map((id) => ({ id, title: `M${id}`, due_date: null, state: 'active' }));
    const issue = { title: 'I', state: 'opened', created_at: iso(at(3)), closed_at: null };
    platform.issues = { 1: [{ id: 1, ...issue }], 2: [{ id: 2, ...issue }] };
    expect((await sluice('sync')).stderr).toMatch(/^MilestoneIssues of acme\/shop: 2 rows, 2 new$/m);
    platform.hooks[3]?.deliveries.push({ id: 30, ...delivery });
    platform.issues = {};
    platform.refused = { '/groups/acme/hooks/2/events': 404, '/projects/acme/shop/milestones/1/issues': 403 };
    const { code, stderr } = await sluice('sync');
    expect(code).toBe(5);
    expect(stderr).toMatch(/^WebhookDeliveries of acme: 4 rows, 1 new; a part is not up to date: .*hooks\/2\/events/m);
    expect(stderr).toMatch(/^MilestoneIssues of acme\/shop: 2 rows, 1 deleted; a part is not up to date: /m);
    expect(await query('MilestoneIssues.count by milestone')).toEqual([
      { 'MilestoneIssues.milestone': 'M1', 'MilestoneIssues.count': 1 },
      { 'MilestoneIssues.milestone': 'M2', 'MilestoneIssues.count': 0 },
    ]);
    expect((await sluice('query', 'WebhookDeliveries.count')).stdout).toContain('was not finished');
    platform.refused = { ...platform.refused, '/projects/acme/shop/milestones/2/issues': 403 };
    expect((await sluice('sync')).stderr).toContain('MilestoneIssues of acme/shop: left out');
  });

  it('exits with 5 if the token may read nothing of a named project', async () => {
    const { platform, sluice } = await world();
    platform.others = { '/groups/acme/labels': [] };
    expect((await sluice('sync')).code).toBe(0);
    const { code, stderr } = await sluice('sync', '--project', 'acme/shpo');
    expect([code, stderr]).toEqual([5, expect.stringContaining('8 lists are not up to date')]);
  });

  it('is a function of the library, which knows the cubes afterwards, also if a server answers the rest', async () => {
    const { platform, server, folder } = await world();
    platform.commits = [{ id: 'a', author: 'ann', at: at(1) }];
    await using s = await open({
      workspace: folder.root,
      env: {},
      now: () => now,
      platform: { url: server.url, token, project: 'acme/shop' },
    });
    const lists = await s.sync({ cubes: ['Commits'], since: '2024-01-01' });
    expect(lists).toMatchObject([{ cube: 'Commits', scope: 'acme/shop', tally: { rows: 1 } }]);
    expect((await s.query('Commits.count by Commits.author')).rows()).toEqual([
      { 'Commits.author': 'ann', 'Commits.count': 1 },
    ]);
  });
});
