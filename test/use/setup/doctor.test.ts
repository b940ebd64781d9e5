import { rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { settingsOfText } from '../../../src/use/config/read-config-file.ts';
import { classOf } from '../../../src/use/process/report-error.ts';
import { lookAtRemote } from '../../../src/use/setup/look-at-remote.ts';
import { byPath, openScriptedServer, type Reply } from '../../run/http/scripted-server.ts';
import { fewEvents, type Folder, folderOf, type Outcome } from '../run-in-folder.ts';

interface Report {
  readonly ok: boolean;
  readonly settings: Readonly<Record<string, { readonly value: string; readonly origin: string }>>;
  readonly checks: readonly {
    readonly what: string;
    readonly verdict: string;
    readonly text: string;
    readonly hint: string | null;
    readonly code: string | null;
  }[];
}

const report = ({ stdout }: Outcome) => JSON.parse(stdout) as Report;
const verdicts = (outcome: Outcome) =>
  Object.fromEntries(report(outcome).checks.map(({ what, verdict }) => [what, verdict]));
const token = 'glpat-0123456789abcdefghij';

const meta = {
  cubes: [
    {
      name: 'TrackedEvents',
      title: 'Tracked Events',
      measures: [
        { name: 'TrackedEvents.count', title: 'Count', shortTitle: 'Count', type: 'number', aggType: 'count' },
      ],
      dimensions: [{ name: 'TrackedEvents.utcTime', title: 'Time', shortTitle: 'Time', type: 'time' }],
      segments: [],
    },
  ],
};
const loaded = {
  queryType: 'multi',
  results: [
    {
      query: { measures: ['TrackedEvents.count'] },
      data: [{ 'TrackedEvents.count': '7' }],
      annotation: { measures: {}, dimensions: {}, segments: {}, timeDimensions: {} },
    },
  ],
};

/** A platform with one project. */
const platform: Readonly<Record<string, Reply>> = {
  '/api/v4/user': { json: { id: 1, username: 'ann', name: 'Ann' } },
  '/api/v4/projects/42': { json: { id: 42, name: 'Web', path_with_namespace: 'shop/web' } },
  '/api/v4/projects/shop%2Fweb': { json: { id: 42, name: 'Web', path_with_namespace: 'shop/web' } },
  '/api/v4/projects/42/product_analytics/request/meta': { json: meta },
  '/api/v4/projects/42/product_analytics/request/load': { json: loaded },
};

describe('sluice doctor', () => {
  it('finds every saved query that cannot run, with its place', async () => {
    const folder = folderOf({
      'e.ndjson': fewEvents,
      'sluice.yaml': 'events: e.ndjson\n',
      'queries/good.yaml': 'query: {measures: [TrackedEvents.count]}\n',
      'queries/typo.yaml': 'query: {measures: [TrackedEvents.cuont]}\n',
      'queries/broken.yaml': 'query: {measures: [\n',
    });
    const { code, stdout } = await folder.sluice(['doctor']);
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /FAIL +saved queries +3 in queries, 2 of them have errors:\nFAIL +broken [^]*queries\/broken\.yaml:[^]*FAIL +typo [^]*queries\/typo\.yaml:1:20[^]*\^[^]*Did you mean/,
    );
    expect(stdout).toContain('sluice query typo --explain');
  });

  it('finds primary keys that several rows have', async () => {
    const folder = folderOf({
      'customers.csv': 'id,plan\n1,pro\n2,free\n2,free\n2,pro\n3,pro\n3,pro\n,pro\n,pro\n',
      'items.csv': 'order_id,line\n1,1\n1,2\n2,1\n',
      'model.yaml': [
        'cubes:',
        '  - name: customers',
        '    sql_table: customers',
        '    dimensions:',
        '      - {name: id, sql: id, type: number, primary_key: true}',
        '      - {name: plan, sql: plan, type: string}',
        '  - name: items',
        '    sql_table: items',
        '    measures:',
        '      - {name: count, type: count}',
        '    dimensions:',
        '      - {name: order_id, sql: order_id, type: number, primary_key: true}',
        '      - {name: line, sql: line, type: number, primary_key: true}',
        '',
      ].join('\n'),
      'sluice.yaml': 'model: model.yaml\ntables: {customers: customers.csv, items: items.csv}\n',
    });
    const { code, stdout } = await folder.sluice(['doctor']);
    expect(code).toBe(2);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'FAIL keys of customers 2 keys of customers.id have several rows: 2 has 3. Joins count what they join once for each of them.',
    );
    expect(stdout).toMatch(/ok +keys of items +items\.order_id, items\.line are unique/);
    folder.write('sluice.yaml', 'model: model.yaml\ntables: {customers: customers.csv, items: gone.csv}\n');
    const { stdout: unread } = await folder.sluice(['doctor']);
    // Nothing is said of keys whose tables are not read.
    expect([unread.match(/^FAIL/gm), unread.includes('keys of')]).toEqual([['FAIL'], false]);
  });

  it('knows the events of a model, and the funnels over them', async () => {
    const folder = folderOf({
      'events.csv': 'id,at,who,page\n1,2024-03-01 10:00,ann,/\n2,2024-03-01 10:05,ann,/pricing\n',
      'model.yaml': [
        'cubes:',
        '  - name: actions',
        '    sql_table: events',
        '    meta: {sluice: {events: {time: at, user: who, page: page}}}',
        '    dimensions:',
        '      - {name: id, sql: id, type: number, primary_key: true}',
        '      - {name: at, sql: at, type: time}',
        '      - {name: who, sql: who, type: string}',
        '      - {name: page, sql: page, type: string}',
        '',
      ].join('\n'),
      'sluice.yaml': 'model: model.yaml\ntables: {events: events.csv}\n',
      'funnels/buying.yaml':
        'seconds_to_convert: 60\nsteps: [{name: a, target: /, action: pageview}, {name: b, target: /pricing, action: pageview}]\n',
      'queries/steps.yaml': 'query: buying.count by step\n',
      'queries/pages.yaml': 'query: TrackedEvents.count by docPath\n',
    });
    const { code, stdout } = await folder.sluice(['doctor']);
    expect(stdout).toMatch(/ok +model +1 cube, of model\.yaml\nok +saved queries +2 in queries\n/);
    expect(stdout).toMatch(/ok +keys of actions +actions\.id is unique/);
    expect([code, stdout.match(/FAIL.*/g)]).toEqual([0, null]);
  });

  it('reports the same as JSON', async () => {
    const folder = folderOf({ 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n' });
    const well = await folder.sluice(['doctor', '-f', 'json'], { env: { SLUICE_TOKEN: token } });
    expect([well.code, report(well).ok, well.stdout.includes(token)]).toEqual([0, true, false]);
    expect(report(well).settings['events']).toEqual({ value: 'e.ndjson', origin: 'sluice.yaml:1' });
    expect(report(well).settings['platform token']).toEqual({ value: 'set', origin: 'SLUICE_TOKEN' });
    const ill = await folder.sluice(['doctor', '-f', 'json', '--events', 'gone.csv']);
    expect([ill.code, report(ill).ok]).toEqual([2, false]);
    expect(report(ill).checks.find(({ what }) => what === 'events')).toMatchObject({
      verdict: 'fails',
      code: 'events-not-found',
      hint: expect.stringContaining('sluice sample') as string,
    });
  });

  it('names the default data: the sample', async () => {
    const folder = folderOf();
    expect(verdicts(await folder.sluice(['doctor', '-f', 'json']))).toMatchObject({ events: 'none', engine: 'ok' });
    await folder.sluice(['sample', '-n', '1000']);
    const sampled = await folder.sluice(['doctor', '-f', 'json', '--quiet']);
    expect(report(sampled).checks.find(({ what }) => what === 'sample')?.text).toMatch(/^1,000 events/);
  });

  it('fits the terminal, and never cuts text to be typed', async () => {
    const { stdout } = await folderOf().sluice(['doctor', '--backend', 'platform'], {
      terminal: { columns: 70, rows: 40 },
    });
    const hints = stdout.split('\n').filter((line) => line.startsWith(' '.repeat(21)));
    expect(hints.length).toBeGreaterThan(0);
    expect(hints.filter((line) => line.length > 70)).toEqual([]);
  });
});

describe('sluice doctor on a platform', () => {
  const doctor = async (
    scripts: Readonly<Record<string, Reply>>,
    { project = '42', env = { SLUICE_TOKEN: token } as Readonly<Record<string, string>> } = {},
  ) => {
    await using server = await openScriptedServer(byPath(scripts));
    const outcome = await folderOf().sluice(['doctor', '-f', 'json', '--host', server.url, '--project', project], {
      env,
    });
    expect(outcome.stdout + outcome.stderr).not.toContain(token);
    return outcome;
  };

  it('reports no problem: token and owner, project by number or path, and metadata', async () => {
    for (const project of ['42', 'shop/web']) {
      const outcome = await doctor(platform, { project });
      expect([outcome.code, report(outcome).ok]).toEqual([0, true]);
      const told = Object.fromEntries(report(outcome).checks.map(({ what, text }) => [what, text]));
      expect(told).toMatchObject({
        token: 'from SLUICE_TOKEN, of Ann (ann)',
        project: 'shop/web, number 42',
        analytics: 'answers, 1 cube',
      });
    }
  });

  it('binds saved queries to the metadata of the platform', async () => {
    await using server = await openScriptedServer(byPath(platform));
    const folder = folderOf({
      'queries/good.yaml': 'query: {measures: [TrackedEvents.count]}\n',
      'queries/elsewhere.yaml': 'query: {measures: [Sessions.count]}\n',
    });
    const outcome = await folder.sluice(['doctor', '-f', 'json', '--host', server.url, '--project', '42'], {
      env: { SLUICE_TOKEN: token },
    });
    expect(verdicts(outcome)).toMatchObject({ 'saved queries': 'fails', elsewhere: 'fails', analytics: 'ok' });
  });

  it.each<[string, Readonly<Record<string, Reply>>, Readonly<Record<string, string>>, number, string, string]>([
    ['no token', {}, {}, 3, 'token', 'token-missing'],
    [
      'a refused token',
      { '/api/v4/user': { status: 401, json: { message: '401 Unauthorized' } } },
      { GITLAB_TOKEN: token },
      3,
      'token',
      'token-refused',
    ],
    [
      'an unknown project',
      {
        '/api/v4/projects/42': { status: 404, json: { message: '404 Project Not Found' } },
        '/api/v4/projects/42/product_analytics/request/load': {
          status: 404,
          json: { message: '404 Project Not Found' },
        },
      },
      { SLUICE_TOKEN: token },
      2,
      'project',
      'project-not-found',
    ],
    [
      'a project that is not onboarded',
      {
        '/api/v4/projects/42/product_analytics/request/load': {
          status: 404,
          json: { message: '404 Clickhouse Database Not Found' },
        },
      },
      { SLUICE_TOKEN: token },
      2,
      'analytics',
      'not-onboarded',
    ],
    [
      'a failing server',
      Object.fromEntries(Object.keys(platform).map((at) => [at, { status: 503, text: '' }])),
      { SLUICE_TOKEN: token },
      4,
      'platform',
      'server-overloaded',
    ],
  ])('names %s, with what to type', async (_, scripts, env, exit, what, code) => {
    const outcome = await doctor({ ...platform, ...scripts }, { env });
    expect(outcome.code).toBe(exit);
    const fault = report(outcome).checks.find(({ verdict }) => verdict === 'fails');
    expect(fault).toMatchObject({ what, code });
    if (what !== 'analytics') expect(fault?.hint).toContain('sluice doctor');
    if (what === 'token' && 'GITLAB_TOKEN' in env) expect(fault?.text).toContain('It is from GITLAB_TOKEN');
  });

  it('does not wait for a server that does not respond', async () => {
    await using server = await openScriptedServer(() => ({ trick: { kind: 'silence' } }));
    const text = `backend: platform\nplatform: {url: "${server.url}", project: 42}\n`;
    const env = { SLUICE_TOKEN: token };
    const settings = settingsOfText({ file: 'sluice.yaml', folder: '/', text }, env);
    const { findings } = await lookAtRemote(settings, {
      env,
      root: '/',
      signal: new AbortController().signal,
      withinMs: 50,
    });
    expect(findings).toEqual([
      expect.objectContaining({ what: 'platform', verdict: 'fails', text: 'No answer within 0.05 seconds.' }),
    ]);
    expect(classOf(findings[0]?.error)).toBe(4);
  });

  it('is not selected because a CI job runs there', async () => {
    const outcome = await folderOf().sluice(['doctor', '-f', 'json'], {
      env: { CI_API_V4_URL: 'http://127.0.0.1:1/api/v4', CI_PROJECT_ID: '42' },
    });
    expect([outcome.code, Object.keys(verdicts(outcome))]).toEqual([
      0,
      ['model', 'saved queries', 'engine', 'events', 'folders', 'disk'],
    ]);
  });
});

describe('sluice doctor on the folders that sluice writes to', () => {
  const checked = async (folder: Folder) => {
    const outcome = await folder.sluice(['doctor', '-f', 'json']);
    const found = report(outcome).checks.filter(({ what }) => what === 'folders');
    return { code: outcome.code, found: found.map(({ verdict, text, hint }) => [verdict, text, hint]) };
  };

  it('names those that it can write', async () => {
    const folder = folderOf();
    expect(await checked(folder)).toEqual({
      code: 0,
      found: [['ok', `${folder.root}, ${tmpdir()} can be written`, null]],
    });
  });

  it('reports a .sluice that is no folder, or is read-only, and a missing TMPDIR', async () => {
    const folder = folderOf({ '.sluice': '' });
    const own = path.join(folder.root, '.sluice');
    const absent = path.join(folder.root, 'absent');
    vi.stubEnv('TMPDIR', absent);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await checked(folder)).toEqual({
      code: 2,
      found: [
        ['fails', `${own} is not a folder.`, 'Remove it, or move it away.'],
        [
          'fails',
          `${absent} cannot be written: it does not exist (ENOENT).`,
          'Set `TMPDIR` to a folder that can be written.',
        ],
      ],
    });
    // Nobody can write there, not even root.
    rmSync(own);
    symlinkSync('/proc/self', own);
    vi.stubEnv('TMPDIR', '/proc/self');
    const { found } = await checked(folder);
    expect(found.map(([verdict]) => verdict)).toEqual(['fails', 'fails']);
  });
});

describe('sluice doctor on a Cube server', () => {
  it('describes the metadata, and problems of the token', async () => {
    await using server = await openScriptedServer(
      byPath({
        '/cubejs-api/v1/meta': ({ headers }) =>
          headers['authorization'] === 'sesame' ? { json: meta } : { status: 403, json: { error: 'Invalid token' } },
      }),
    );
    const folder = folderOf({ 'sluice.yaml': `backend: cube\ncube: {url: "${server.url}/cubejs-api/v1"}\n` });
    const well = await folder.sluice(['doctor', '-f', 'json'], { env: { SLUICE_CUBE_TOKEN: 'sesame' } });
    expect([well.code, report(well).checks.find(({ what }) => what === 'cube')?.text]).toEqual([
      0,
      expect.stringMatching(/token from SLUICE_CUBE_TOKEN, 1 cube$/),
    ]);
    const ill = await folder.sluice(['doctor', '-f', 'json'], { env: { SLUICE_CUBE_TOKEN: 'open' } });
    expect([ill.code, report(ill).checks.find(({ verdict }) => verdict === 'fails')]).toEqual([
      3,
      expect.objectContaining({ what: 'cube token', code: 'token-refused' }),
    ]);
  });
});

describe('sluice init for a platform', () => {
  it('checks the platform, and writes the given settings if it works', async () => {
    await using server = await openScriptedServer(byPath(platform));
    const folder = folderOf();
    const argv = ['init', '--backend', 'platform', '--host', server.url, '--project', 'shop/web'];
    const refused = await folder.sluice(argv);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringMatching(
        /There is no token[^]*export SLUICE_TOKEN=…`, then run the same command again\n[^]*Nothing was written/,
      ),
    ]);
    const made = await folder.sluice(argv, { env: { SLUICE_TOKEN: token } });
    expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(/shop\/web, number 42[^]*Wrote sluice\.yaml/)]);
    const settings = report(await folder.sluice(['doctor', '-f', 'json'], { env: { SLUICE_TOKEN: token } })).settings;
    expect(settings).toMatchObject({
      backend: { value: 'platform', origin: 'sluice.yaml:4' },
      'platform.url': { value: server.url },
      'platform.project': { value: 'shop/web' },
    });
  });
});
