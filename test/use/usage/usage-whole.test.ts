import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { completeMonth, type FrozenMonth } from '../../../src/tell/usage/frozen-month.ts';
import {
  openScriptedServer,
  type Reply,
  type ScriptedServer,
  type SeenRequest,
} from '../../run/http/scripted-server.ts';
import { answered, token } from '../../run/load/remote.ts';
import { folderOf, type Folder } from '../run-in-folder.ts';

const day = 86_400_000;
const asOf = ['--as-of', '2026-11-10T00:00:00Z'];
const child = path.join(import.meta.dirname, '../sluice-child.ts');

const meta: Reply = {
  json: {
    cubes: [
      {
        name: 'TrackedEvents',
        measures: [{ name: 'TrackedEvents.count', aggType: 'count', type: 'number' }],
        dimensions: [{ name: 'TrackedEvents.utcTime', type: 'time' }],
      },
    ],
  },
};

/** The simulated platform: projects that refuse, response times, and the time of its figures. */
const world = {
  refusing: new Set<string>(),
  delays: new Map<string, number>(),
  refreshed: new Map<string, string>(),
  stops: '2026-11-09',
  perDay: new Map<string, number>(),
  /** Full paths by number. */
  paths: new Map<string, string>(),
  /** The platform's own count by path. null: the token's user is not a maintainer. A reply is returned as it is. */
  billed: new Map<string, number | null | Reply>(),
};

/** Answers like the platform: a project by its path, and only the requested months. */
function graphql({ json }: SeenRequest): Reply {
  const { query, variables } = json as { query: string; variables: { path: string } };
  const [, year, month] =
    /productAnalyticsEventsStored\(monthSelection: \[\{year: (\d+), month: (\d+)\}\]\)/.exec(query) ?? [];
  const count = world.billed.get(variables.path);
  if (count === undefined) return { json: { data: { project: null } } };
  if (typeof count === 'object' && count !== null) return count;
  const productAnalyticsEventsStored =
    count === null ? null : [{ year: Number(year), month: Number(month), count: count * Number(month) }];
  return { json: { data: { project: { productAnalyticsEventsStored } } } };
}

function load(project: string, { json }: SeenRequest): Reply {
  const {
    dimension,
    dateRange: [first, last],
  } = (json as { query: { timeDimensions: { dimension: string; dateRange: [string, string] }[] } }).query
    .timeDimensions[0]!;
  const rows: Record<string, string>[] = [];
  for (let at = Date.parse(first); at <= Math.min(Date.parse(last), Date.parse(world.stops)); at += day) {
    const label = `${new Date(at).toISOString().slice(0, 10)}T00:00:00.000`;
    rows.push({
      [`${dimension}.day`]: label,
      [dimension]: label,
      'TrackedEvents.count': String(world.perDay.get(project) ?? Number(project)),
    });
  }
  const refreshed = world.refreshed.get(project);
  return answered(rows, refreshed === undefined ? {} : { lastRefreshTime: refreshed });
}

let server: ScriptedServer;
beforeAll(async () => {
  server = await openScriptedServer(async (request) => {
    if (request.path === '/api/graphql') return graphql(request);
    const [, named] = /^\/api\/v4\/projects\/([^/]+)$/.exec(request.path) ?? [];
    for (const [number, full] of world.paths)
      if (named === number || named === encodeURIComponent(full))
        return { json: { id: Number(number), path_with_namespace: full } };
    const [, id = '', endpoint] =
      /^\/api\/v4\/projects\/(\d+)\/product_analytics\/request\/(load|meta)$/.exec(request.path) ?? [];
    if (id === '') return { status: 404, json: { message: '404 Project Not Found' } };
    if (world.refusing.has(id)) return { status: 403, json: { message: '403 Forbidden' } };
    if (endpoint === 'meta') return meta;
    await new Promise((resolve) => setTimeout(resolve, world.delays.get(id) ?? 0));
    return load(id, request);
  });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  world.refusing.clear();
  world.delays.clear();
  world.refreshed.clear();
  world.perDay.clear();
  world.paths.clear();
  world.billed.clear();
  world.stops = '2026-11-09';
});

const workspace = (usage: string, more = '') =>
  folderOf({ 'sluice.yaml': `backend: platform\nplatform: {url: "${server.url}"}\nusage: ${usage}\n${more}` });
const run = (folder: Folder, ...argv: readonly string[]) =>
  folder.sluice(['usage', ...asOf, ...argv], { env: { SLUICE_TOKEN: token } });
const rowsOf = (stdout: string) => JSON.parse(stdout) as Record<string, string | number | null>[];
const frozenOf = (folder: Folder, month = '2026-10') =>
  JSON.parse(readFileSync(path.join(folder.root, `reports/usage/${month}.json`), 'utf8')) as FrozenMonth;
const eventsOf = (frozen: FrozenMonth) =>
  Object.fromEntries(frozen.projects.map(({ id, events }) => [id, Number(events)]));

describe('usage with a project that cannot be counted', () => {
  it('freezes those that answered, says which are missing, and completes the month when they answer', async () => {
    const folder = workspace('{groups: [{name: a, projects: [42, 66]}]}');
    world.refusing.add('66');
    const first = await run(folder, '--freeze', '-f', 'json');
    expect(first.code).toBe(5);
    expect(first.stderr).toContain(
      'October 2026 is frozen in reports/usage/2026-10.json. It lacks 66. Freeze it again when they can be counted.',
    );
    expect(frozenOf(folder)).toMatchObject({ missing: ['66'] });
    expect(eventsOf(frozenOf(folder))).toEqual({ 42: 31 * 42 });
    world.refusing.clear();
    world.perDay.set('42', 43);
    const second = await run(folder, '--freeze', '-f', 'json');
    expect(second.stderr).toContain('October 2026 was frozen on 2026-11-10 without 66, which is added.');
    expect(frozenOf(folder).missing).toEqual([]);
    expect(eventsOf(frozenOf(folder))).toEqual({ 42: 31 * 42, 66: 31 * 66 });
    expect((await run(folder, '--freeze', '-f', 'json')).stderr).toContain(
      'was already frozen on 2026-11-10 and is not changed.',
    );
  });

  it('shows forecast and quota of the counted projects', async () => {
    world.refusing.add('66');
    const { stdout } = await run(workspace('{groups: [{name: a, projects: [42, 66], quota: 1300}]}'));
    expect(stdout.split('\n')[0]).toMatch(/^66 could not be counted: /);
    expect(stdout).toContain(
      'In October 2026, a used at least 1,302 of its 1,300 events (100.15%), without 66: 2 more than its quota.',
    );
    expect(stdout).toContain('a has used at least 378 of its 1,300 events (29.08%), without 66.');
  });

  it('leaves out excluded projects, and does not fail because of optional ones', async () => {
    world.refusing.add('66').add('67');
    const usage = '{groups: [{name: a, projects: [42, 66, 67]}], exclude: [67], optional: [66]}';
    const { code, stdout } = await run(workspace(usage));
    expect([code, stdout.split('\n')[0]]).toEqual([
      0,
      expect.stringMatching(/^66 is optional and could not be counted: /),
    ]);
    expect(stdout).toContain('The configuration excludes 1 project: 67.');
    expect(stdout).toContain('The sums of a exclude 66');
    const folder = workspace(usage);
    folder.write(
      'reports/monthly-usage.md',
      readFileSync(new URL('../../../reports/monthly-usage.md', import.meta.url), 'utf8'),
    );
    const report = await folder.sluice(['report', 'run', 'monthly-usage', ...asOf], { env: { SLUICE_TOKEN: token } });
    expect(report.code).toBe(0);
    expect(report.stdout.split('\n').slice(0, 3).join('\n')).toContain('66 is optional and could not be counted');
  });

  it('has a row for it, and the sum and quota of the group with each project', async () => {
    world.refusing.add('66');
    const rows = rowsOf(
      (await run(workspace('{groups: [{name: a, projects: [42, 7, 66], quota: 1000}]}'), '-f', 'json')).stdout,
    );
    expect(
      rows.map((row) => [
        row['Usage.projectId'],
        row['Usage.state'],
        row['Usage.events'],
        row['Usage.groupEvents'],
        row['Usage.quota'],
      ]),
    ).toEqual([
      ['42', 'counted', 31 * 42, 31 * 49, 1000],
      ['7', 'counted', 31 * 7, 31 * 49, 1000],
      ['66', 'failed', null, 31 * 49, 1000],
    ]);
    expect(rows[2]?.['Usage.why']).toContain('403');
    expect(rows[0]?.['Usage.quotaUsed']).toBeCloseTo(151.9, 9);
  });
});

describe('a scheduled usage report with a project that cannot be counted', () => {
  it('is delivered once, with the missing project named first', async () => {
    world.refusing.add('66');
    const folder = workspace('{groups: [{name: a, projects: [42, 66]}]}');
    folder.write(
      'reports/monthly-usage.md',
      readFileSync(new URL('../../../reports/monthly-usage.md', import.meta.url), 'utf8'),
    );
    const due = () => folder.sluice(['report', 'run', '--due', '-f', 'md', ...asOf], { env: { SLUICE_TOKEN: token } });
    expect((await due()).code).toBe(1);
    const delivered = readFileSync(path.join(folder.root, 'out/monthly-usage-2026-11-01.md'), 'utf8');
    expect(delivered).toMatch(
      /^> \*\*2 things in this report need attention\*\*\n>\n> - Events by project: 66 could not be counted/,
    );
    expect(delivered).toContain('**1,302 events**');
    expect((await due()).stderr).toContain('Nothing is due.');
    expect((await run(folder, '-f', 'md,csv', '-o', 's3://bucket/usage')).code).toBe(2);
    expect(existsSync(path.join(folder.root, 's3:'))).toBe(false);
  });
});

describe("the platform's own count", () => {
  const paths = () => world.paths.set('42', 'acme/web').set('7', 'acme/docs');

  it("is shown next to sluice's by project, with the difference and its reason", async () => {
    paths();
    world.billed.set('acme/web', 131).set('acme/docs', 21);
    const folder = workspace('{groups: [{name: a, projects: [42, 7], quota: 1519}]}', 'timezone: Europe/Berlin\n');
    const { code, stdout } = await run(folder, '-f', 'markdown');
    expect(code).toBe(0);
    const lines = stdout.slice(stdout.indexOf('### October 2026 as the platform counts it')).split('\n');
    expect(
      lines
        .filter((line) => line.startsWith('| '))
        .map((line) =>
          line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        )
        .slice(2),
    ).toEqual([
      ['acme/web', '1,302', '1,310', '8', '0.61%'],
      ['acme/docs', '217', '210', '-7', '-3.23%'],
      ['Sum', '1,519', '1,520', '1', '0.0658%'],
    ]);
    expect(stdout).toContain(
      "The platform's own count of October 2026 is 1,520 events, 1 more than here (+0.0658%): it has the events that arrived in the month, this report those that happened in it, by days in Europe/Berlin.",
    );
    // The quota is what the platform bills by.
    expect(stdout).toContain('In October 2026, a used 1,519 of its 1,519 events (100%).');
    expect(stdout).toContain(
      "By the platform's own count, a used 1,520 of its 1,519 events (100.07%): 1 more than its quota.",
    );
    const rows = rowsOf((await run(folder, '-f', 'json')).stdout);
    expect(
      rows.map((row) => [
        row['Usage.project'],
        row['Usage.projectId'],
        row['Usage.billed'],
        row['Usage.beyondCounted'],
      ]),
    ).toEqual([
      ['acme/web', '42', 1310, 8],
      ['acme/docs', '7', 210, -7],
    ]);
    expect((await run(folder, '-f', 'html')).stdout).toMatch(
      /<dt>Platform(?:'|&#39;)s count, October 2026<\/dt><dd class="value">1,520<\/dd><dd class="aside">1 more than here</,
    );
    // The query is fixed; a path is a value in it.
    const asked = server.requests
      .filter(({ path: at }) => at === '/api/graphql')
      .map(({ json }) => json as { query: string });
    expect(new Set(asked.map(({ query }) => query))).toEqual(new Set([expect.stringContaining('fullPath: $path')]));
  });

  it('has no sum while one project is unknown, and shows the reason', async () => {
    paths();
    world.billed.set('acme/web', 131).set('acme/docs', null);
    const folder = workspace('{groups: [{name: a, projects: [42, 7]}]}');
    const { code, stdout } = await run(folder, '-f', 'markdown');
    expect(code).toBe(0);
    expect(stdout).toMatch(/\| Sum +\| 1,519 \| – \| – \| – \|/);
    expect(stdout).not.toContain('than here');
    expect(stdout).toContain(
      "The platform's own count of October 2026 is unknown for acme/docs: The platform shows it only to maintainers.",
    );
  });

  it('delays nothing if the platform does not provide it', async () => {
    paths();
    for (const [reply, why] of [
      [{ status: 503, headers: { 'Retry-After': '3600' } }, 'The platform answered 503.'],
      [{ json: { errors: [{ message: "Field doesn't exist" }] } }, 'The platform does not provide it.'],
      [
        { json: { data: { project: { productAnalyticsEventsStored: [{ year: 2026, month: 9, count: 5 }] } } } },
        'The platform has no count for the month.',
      ],
      [{ text: 'null' }, 'cannot be read'],
      [{ trick: { kind: 'hang-up' } }, '127.0.0.1'],
    ] as const satisfies readonly (readonly [Reply, string])[]) {
      world.billed.set('acme/web', reply);
      const { code, stdout } = await run(workspace('{groups: [{name: a, projects: [42]}]}'), '-f', 'markdown');
      expect([code, stdout.includes('as the platform counts it')]).toEqual([0, false]);
      expect(stdout).toContain("The platform's own count of October 2026 is unknown: ");
      expect(stdout).toContain(why);
    }
  });

  it('is not compared with a partial month', async () => {
    paths();
    world.billed.set('acme/web', 131);
    const rows = rowsOf(
      (await run(workspace('{groups: [{name: a, projects: [42]}]}'), '--month', '2026-11', '-f', 'json')).stdout,
    );
    expect([rows[0]?.['Usage.billed'], rows[0]?.['Usage.beyondCounted']]).toEqual([11 * 131, null]);
  });
});

describe('the quota of the reported month', () => {
  it('is shown, with that of the month in progress', async () => {
    const { stdout } = await run(workspace('{groups: [{name: a, projects: [42], quota: 1000}]}'));
    expect(stdout).toContain('In October 2026, a used 1,302 of its 1,000 events (130.2%): 302 more than its quota.');
    expect(stdout).toContain(
      'a has used 378 of its 1,000 events (37.8%), and is expected to pass its quota before the month ends.',
    );
  });
});

describe('frozen months', () => {
  const two = '{groups: [{name: alpha, projects: [42]}, {name: beta, projects: [7]}]}';

  it('keep each frozen group', async () => {
    const folder = workspace(two);
    await run(folder, 'alpha', '--freeze');
    expect((await run(folder, 'beta', '--freeze', '-f', 'json')).stderr).toContain(
      'October 2026 was frozen on 2026-11-10 without 7, which is added.',
    );
    expect(eventsOf(frozenOf(folder))).toEqual({ 42: 31 * 42, 7: 31 * 7 });
    world.perDay.set('7', 8);
    expect((await run(folder, 'beta', '-f', 'json')).stderr).toContain(
      'October 2026 was issued on 2026-11-10 with 217 events; since then one project has changed: +31 in 7.',
    );
  });

  it('keep what four processes freeze at once, and one of them reports that it froze a project', async () => {
    const ids = ['11', '12', '13', '14'];
    const folder = workspace(`{groups: [${ids.map((id) => `{name: g${id}, projects: [${id}, 99]}`).join(', ')}]}`);
    const said = await Promise.all(
      ids.map(async (id) => {
        const started = spawn(process.execPath, [child, 'usage', `g${id}`, ...asOf, '--freeze', '-f', 'json'], {
          cwd: folder.root,
          env: { PATH: process.env['PATH'], SLUICE_TOKEN: token },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        const chunks: Buffer[] = [];
        started.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
        const [code] = (await once(started, 'close')) as [number];
        return { code, stderr: Buffer.concat(chunks).toString() };
      }),
    );
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(eventsOf(frozenOf(folder))).toEqual({ 11: 341, 12: 372, 13: 403, 14: 434, 99: 31 * 99 });
    expect(said.filter(({ stderr }) => stderr.includes('is frozen in'))).toHaveLength(1);
    expect(said.filter(({ stderr }) => /was frozen on .* without 1\d, which is added/.test(stderr))).toHaveLength(3);
  });

  it('refuse figures that the server computed before the month was over', async () => {
    const folder = workspace('{groups: [{name: a, projects: [42, 7]}]}');
    world.refreshed.set('42', '2026-11-09T23:00:00.000Z').set('7', '2026-10-31T12:00:00.000Z');
    const { code, stdout, stderr } = await run(folder, '--freeze');
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain(
      'October 2026 is not frozen. The server computed its figures at 2026-10-31 12:00: October 2026 may be incomplete.',
    );
    expect(existsSync(path.join(folder.root, 'reports/usage/2026-10.json'))).toBe(false);
    expect((await run(folder, '--freeze', '--allow-stale')).code).toBe(5);
    expect(eventsOf(frozenOf(folder))).toEqual({ 42: 31 * 42, 7: 31 * 7 });
  });

  it('refuse local events that end within the month, also for months long ago', async () => {
    const until = (last: string) =>
      Array.from({ length: 60 }, (_, index) =>
        JSON.stringify({
          projectId: '42',
          utcTime: new Date(Date.parse(`${last}T12:00:00Z`) - index * day).toISOString(),
          eventType: 'pageview',
        }),
      ).join('\n');
    const freeze = (folder: Folder) =>
      folder.sluice(['usage', '--events', 'e.ndjson', ...asOf, '--month', '2026-09', '--freeze', '-f', 'json']);
    const short = folderOf({ 'e.ndjson': until('2026-09-30') });
    expect(await freeze(short)).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining(
        'The latest available events are from 2026-09-30: September 2026 may be incomplete.',
      ) as string,
    });
    const whole = folderOf({ 'e.ndjson': until('2026-10-01') });
    expect((await freeze(whole)).stderr).toContain('September 2026 is frozen');
  });

  it('name months that were frozen in another time zone, and do not use their figures', async () => {
    const folder = workspace(two);
    await run(folder, 'alpha', '--freeze');
    const { stderr } = await run(folder, '--timezone', 'Asia/Tokyo', '-f', 'json');
    expect(stderr).toContain('October 2026 is frozen with days in UTC, so not compared with days in Asia/Tokyo.');
    expect(await run(folder, 'beta', '--timezone', 'Asia/Tokyo', '--freeze')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Freeze with --timezone UTC.') as string,
    });
    expect(Object.keys(eventsOf(frozenOf(folder)))).toEqual(['42']);
  });

  it('never lose or change a project, in any order of completion', () => {
    const project = fc.record({ id: fc.constantFrom('1', '2', '3', '4', '5'), events: fc.nat(99).map(String) });
    const part = fc.record({
      counted: fc.uniqueArray(project, { selector: ({ id }) => id }),
      failed: fc.uniqueArray(fc.constantFrom('1', '2', '3', '4', '5', '6')),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const months = parts.map(
          ({ counted, failed }): FrozenMonth => ({
            sluice: 'usage-month',
            version: 1,
            month: '2026-10',
            zone: 'UTC',
            asOf: '2026-11-01T00:00:00.000Z',
            source: '',
            projects: counted.map(({ id, events }) => ({ id, name: id, events })),
            missing: failed.filter((id) => counted.every((one) => one.id !== id)),
          }),
        );
        const whole = months.slice(1).reduce((before, fresh) => completeMonth(before, fresh).month, months[0]!);
        const first = new Map<string, string>();
        for (const { projects } of months)
          for (const { id, events } of projects) if (!first.has(id)) first.set(id, events);
        expect(Object.fromEntries(whole.projects.map(({ id, events }) => [id, events]))).toEqual(
          Object.fromEntries(first),
        );
        expect(new Set(whole.missing)).toEqual(
          new Set(months.flatMap(({ missing }) => missing).filter((id) => !first.has(id))),
        );
      }),
    );
  });
});

describe('stale data', () => {
  it('are reported before the figures, are not compared, and exit with code 5', async () => {
    world.refreshed.set('42', '2026-10-29T12:00:00.000Z');
    world.stops = '2026-10-29';
    const folder = workspace('{groups: [{name: a, projects: [42, 7]}]}');
    const { code, stdout } = await run(folder);
    expect(code).toBe(5);
    expect(stdout.split('\n')[0]).toBe(
      'The server computed its figures at 2026-10-29 12:00: October 2026 may be incomplete. It counts as part of a month, and is not compared.',
    );
    expect(stdout).toMatch(/^42 .* 1,218~ /m);
    const rows = rowsOf((await run(folder, '-f', 'json')).stdout);
    expect(
      rows.map((row) => [row['Usage.project'], row['Usage.state'], row['Usage.previous'], row['Usage.changePercent']]),
    ).toEqual([
      ['42', 'stale', null, null],
      ['7', 'counted', 210, expect.any(Number)],
    ]);
    expect((await run(folder, '-f', 'svg', '-o', 'usage.svg')).code).toBe(5);
    expect((await run(folder, '-f', 'html')).stdout).toMatch(/class="alert"[^]*may be incomplete/);
  });

  it('are forecast from their end on, not as days without events', async () => {
    const at = (last: string) =>
      Array.from({ length: 90 }, (_, index) =>
        Array.from({ length: 10 }, () =>
          JSON.stringify({
            projectId: '42',
            utcTime: new Date(Date.parse(`${last}T12:00:00Z`) - index * day).toISOString(),
            eventType: 'pageview',
          }),
        ).join('\n'),
      ).join('\n');
    const forecast = async (last: string, present: string) => {
      const folder = folderOf({ 'e.ndjson': at(last) });
      const { stdout } = await folder.sluice(['usage', '--events', 'e.ndjson', '--as-of', present, '-f', 'json']);
      return rowsOf(stdout)[0]?.['Usage.forecast'];
    };
    expect(await forecast('2026-11-09', '2026-11-10T00:00:00Z')).toBe(300);
    expect(await forecast('2026-11-09', '2026-11-20T00:00:00Z')).toBe(300);
    // They end before the month begins.
    expect(await forecast('2026-10-31', '2026-11-10T00:00:00Z')).toBe(300);
  });
});

describe('the list of projects', () => {
  it('has each once, and reports duplicates', async () => {
    const { stdout, stderr } = await run(workspace('{groups: [{name: a, projects: [42, 42, "42", 7]}]}'), '-f', 'json');
    expect(rowsOf(stdout).map((row) => [row['Usage.project'], row['Usage.groupEvents']])).toEqual([
      ['42', 31 * 49],
      ['7', 31 * 49],
    ]);
    expect(stderr).toContain('42 is listed 3 times in a and counted once.');
    const twice = await run(workspace('{groups: [{name: a, projects: [42]}]}'), 'a', 'a', '-f', 'json');
    expect(rowsOf(twice.stdout)).toHaveLength(1);
    expect(await run(workspace('{groups: [{name: a, projects: [42]}, {name: a, projects: [7]}]}'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Two groups are called "a".') as string,
    });
  });

  it('has a project once, whether listed by number or path, and shows its path', async () => {
    world.paths.set('42', 'acme/web').set('66', 'acme/closed');
    const folder = workspace(
      '{groups: [{name: a, projects: [42, acme/web]}, {name: b, projects: [acme/web]}, {name: c, projects: [acme/closed]}], exclude: [66]}',
    );
    const rows = rowsOf((await run(folder, '-f', 'json')).stdout);
    expect(
      rows.map((row) => [row['Usage.group'], row['Usage.project'], row['Usage.projectId'], row['Usage.groupEvents']]),
    ).toEqual([
      ['a', 'acme/web', '42', 31 * 42],
      ['b', 'acme/web', '42', 31 * 42],
    ]);
    const { stdout } = await run(folder);
    expect(stdout).toContain('acme/web is listed twice in a and counted once.');
    expect(stdout).toContain('The configuration excludes 1 project: acme/closed.');
  });

  it('does not depend on which project answers first', async () => {
    const folder = workspace('{groups: [{name: a, projects: [5, 42, 7, 9]}]}');
    for (const id of ['5', '42', '7', '9']) world.perDay.set(id, 3);
    const written = async (...slow: readonly string[]) => {
      world.delays.clear();
      slow.forEach((id, index) => world.delays.set(id, 20 * (index + 1)));
      const { stdout } = await run(folder, '-f', 'json', '--with-provenance');
      return stdout.replace(/"elapsedMs": ?[\d.]+/, '');
    };
    const first = await written('5', '42');
    expect(first).toContain('projects 5, 42, 7, 9');
    expect(await written('9', '7', '5')).toBe(first);
    expect(await written('42', '9')).toBe(first);
  });
});

describe('the zone of a usage report', () => {
  it('is the same by flag and configuration, also for a reference time without offset', async () => {
    const usage = '{groups: [{name: a, projects: [42]}]}';
    for (const [zone, month] of [
      ['America/New_York', '2026-10'],
      ['Asia/Tokyo', '2026-10'],
    ] as const) {
      const configured = await workspace(usage, `timezone: ${zone}\n`).sluice(
        ['usage', '--as-of', '2026-11-01', '-f', 'json'],
        { env: { SLUICE_TOKEN: token } },
      );
      const flagged = await workspace(usage).sluice(
        ['usage', '--as-of', '2026-11-01', '-f', 'json', '--timezone', zone],
        { env: { SLUICE_TOKEN: token } },
      );
      expect(rowsOf(flagged.stdout)[0]?.['Usage.month']).toBe(month);
      expect(flagged.stdout).toBe(configured.stdout);
    }
    const local = (...argv: string[]) =>
      folderOf({ 'e.ndjson': '{"projectId":"42","utcTime":"2026-10-31T22:30:00Z"}\n' }).sluice([
        'usage',
        '--events',
        'e.ndjson',
        '--as-of',
        '2026-11-01',
        '--timezone',
        'America/New_York',
        '-f',
        'json',
        ...argv,
      ]);
    expect(rowsOf((await local()).stdout)[0]?.['Usage.month']).toBe('2026-10');
  });
});

describe('a chart of usage', () => {
  it('shows the figures of the page', async () => {
    const folder = workspace('{groups: [{name: a, projects: [42, 7]}]}');
    const spec = JSON.parse((await run(folder, '-f', 'vega-lite')).stdout) as {
      data: { values: Record<string, unknown>[] };
    };
    const values = JSON.stringify(spec);
    for (const events of [31 * 42, 30 * 42, 31 * 7, 9 * 42]) expect(values).toContain(String(events));
    const svg = (await run(folder, '-f', 'svg')).stdout;
    expect(svg).toContain('Events per month');
  });
});
