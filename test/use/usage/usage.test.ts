import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

interface LoadBody {
  readonly query: {
    readonly timeDimensions: readonly { readonly dimension: string; readonly dateRange: readonly [string, string] }[];
  };
}

/** Events per day and project. The first number of a day is enough to distinguish months. */
type History = (date: string) => number;

const histories: Record<string, History> = {
  42: (date) => (date < '2026-06-01' ? 0 : 100 + Number(date.slice(5, 7))),
  7: (date) => (date < '2026-08-15' ? 0 : 10),
  99: (date) => (date.startsWith('2026-10') ? 1000 : 0),
};

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

/**
 * Days of the range with events, until the reference time. The platform omits or fills the others, and both must give
 * the same result.
 */
function load(project: string, { json }: SeenRequest, filled: boolean): Reply {
  const {
    dimension,
    dateRange: [first, last],
  } = (json as LoadBody).query.timeDimensions[0]!;
  const rows: Record<string, string>[] = [];
  for (let at = Date.parse(first); at <= Math.min(Date.parse(last), Date.parse('2026-11-09')); at += day) {
    const date = new Date(at).toISOString().slice(0, 10);
    const count = histories[project]!(date);
    if (count > 0 || filled)
      rows.push({
        [`${dimension}.day`]: `${date}T00:00:00.000`,
        [dimension]: `${date}T00:00:00.000`,
        'TrackedEvents.count': String(count),
      });
  }
  return answered(rows);
}

let server: ScriptedServer;
beforeAll(async () => {
  server = await openScriptedServer((request) => {
    const project = /^\/api\/v4\/projects\/(\d+)\/product_analytics\/request\/(load|meta)$/.exec(request.path);
    if (project) {
      const [, id = '', endpoint] = project;
      if (id === '13') return { status: 404, json: { message: '404 Clickhouse Database Not Found' } };
      if (id === '66') return { status: 403, json: { message: '403 Forbidden' } };
      if (endpoint === 'meta') return meta;
      if (id === '14') return answered([{ 'TrackedEvents.utcTime.day': null, 'TrackedEvents.count': null }]);
      return load(id, request, id === '7');
    }
    if (request.path === '/api/v4/groups/acme%2Fapps/projects') {
      const second = request.query.get('id_after') !== null;
      return second
        ? { json: [{ id: 7, name: 'docs', path_with_namespace: 'acme/apps/docs' }] }
        : {
            json: [{ id: 42, name: 'web', path_with_namespace: 'acme/apps/web' }],
            headers: { Link: `<${server.url}/api/v4/groups/acme%2Fapps/projects?id_after=42>; rel="next"` },
          };
    }
    return { status: 404, json: { error: '404 Not Found' } };
  });
});
afterAll(() => server[Symbol.asyncDispose]());

function workspace(usage: string): Folder {
  return folderOf({ 'sluice.yaml': `backend: platform\nplatform: {url: "${server.url}"}\nusage: ${usage}\n` });
}

const run = (folder: Folder, ...argv: readonly string[]) =>
  folder.sluice(['usage', ...asOf, ...argv], { env: { SLUICE_TOKEN: token } });
const rowsOf = (stdout: string) => JSON.parse(stdout) as Record<string, string | number | null>[];
const octoberOf = (history: History) =>
  Array.from({ length: 31 }, (_, index) => history(`2026-10-${String(index + 1).padStart(2, '0')}`)).reduce(
    (sum, count) => sum + count,
    0,
  );

describe('sluice usage on a platform', () => {
  it('counts each project of the groups by month, leaves out projects that are not onboarded, and names failed ones', async () => {
    const folder = workspace('{groups: [{name: acme, projects: [42, 7, 13, 14, 66]}]}');
    const { code, stdout, stderr } = await run(folder, '-f', 'json');
    expect(code).toBe(5);
    const rows = rowsOf(stdout);
    expect(rows.map((row) => [row['Usage.project'], row['Usage.events'], row['Usage.previous']])).toEqual([
      ['42', octoberOf(histories[42]!), 30 * 109],
      ['7', 310, 300],
      ['66', null, null],
    ]);
    expect(rows.map((row) => row['Usage.state'])).toEqual(['counted', 'counted', 'failed']);
    expect(rows[0]).toMatchObject({
      'Usage.month': '2026-10',
      'Usage.change': 31 * 110 - 30 * 109,
      'Usage.toDate': 9 * 111,
      'Usage.issued': null,
    });
    expect(rows.reduce((sum, row) => sum + Number(row['Usage.share']), 0)).toBeCloseTo(100, 9);
    expect(stderr).toContain(
      '2 projects are left out, because they have not been onboarded to product analytics: 13, 14.',
    );
    expect(stderr).toMatch(/66 could not be counted: .*403/s);
    expect(stderr).toContain('The sums of acme exclude 66, which could not be counted.');
  });

  it('forecasts those projects of a group that could be counted', async () => {
    const folder = workspace('{groups: [{name: whole, projects: [42, 7]}, {name: part, projects: [42, 66]}]}');
    const { stdout } = await run(folder, '-f', 'markdown');
    const lines = stdout.slice(stdout.indexOf('### November 2026, in progress')).split('\n');
    const cells = (group: string, project: string) =>
      lines
        .find((line) => line.startsWith(`| ${group} | ${project} |`))
        ?.split('|')
        .map((cell) => cell.trim())
        .slice(3, -1);
    expect(cells('part', '42')).toEqual(cells('whole', '42'));
    expect(cells('part', 'Sum of those counted')?.slice(2, 5)).toEqual(cells('part', '42')?.slice(2, 5));
    const [, toDate, forecast] = cells('whole', 'Sum')!.map((cell) => Number(cell.replaceAll(',', '')));
    expect(toDate).toBe(9 * 121);
    // Ten of each weekday at 110 or 111, and ten per day.
    expect(forecast).toBeGreaterThan(9 * 121 + 21 * 119);
    expect(forecast).toBeLessThan(9 * 121 + 21 * 122);
  });

  it('lists the projects of a group of the platform, page by page', async () => {
    const folder = workspace('{groups: [{name: apps, path: acme/apps}]}');
    const named = await run(folder, 'apps', '-f', 'csv');
    expect(
      named.stdout
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(',').slice(0, 3)),
    ).toEqual([
      ['apps', 'acme/apps/web', '42'],
      ['apps', 'acme/apps/docs', '7'],
    ]);
    const unnamed = await run(folder, 'acme/apps', '-f', 'csv');
    expect(unnamed.stdout.replaceAll('\nacme/apps,', '\napps,')).toBe(named.stdout);
  });

  it('counts the configured project if there is no group, and asks for a project if there is none', async () => {
    const folder = workspace('{}');
    expect(
      rowsOf((await run(folder, '--project', '7', '-f', 'json')).stdout).map((row) => row['Usage.events']),
    ).toEqual([310]);
    const { code, stdout, stderr } = await run(folder);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /Specify the groups or projects to count\.\n {2}hint: Use a group of the platform \(`sluice usage acme`\), a project \(--project 42\),/,
    );
  });

  it('fails with the code of the failure if every project fails', async () => {
    const { code, stdout, stderr } = await run(workspace('{groups: [{name: acme, projects: [66]}]}'));
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('403');
  });

  it('freezes a closed month once, and reports later events', async () => {
    const folder = workspace('{groups: [{name: acme, projects: [42, 7, 99]}]}');
    expect((await run(folder, '--freeze', '-f', 'csv')).stderr).toContain(
      'October 2026 is frozen in reports/usage/2026-10.json.',
    );
    const before = histories[99]!;
    try {
      histories[99] = (date) => before(date) + (date === '2026-10-31' ? 5 : 0);
      const { stdout, stderr } = await run(folder, '--freeze', '-f', 'json');
      expect(stderr).toContain('October 2026 was already frozen on 2026-11-10 and is not changed.');
      expect(stderr).toContain(
        `October 2026 was issued on 2026-11-10 with ${(octoberOf(histories[42]!) + 310 + 31_000).toLocaleString('en')} events; since then one project has changed: +5 in 99.`,
      );
      const row = rowsOf(stdout).find((each) => each['Usage.project'] === '99');
      expect(row).toMatchObject({ 'Usage.events': 31_005, 'Usage.issued': 31_000, 'Usage.sinceIssued': 5 });
      expect(rowsOf(stdout).find((each) => each['Usage.project'] === '7')).toMatchObject({
        'Usage.issued': 310,
        'Usage.sinceIssued': 0,
      });
      // A frozen file of another calendar is ignored.
      expect((await run(folder, '--timezone', 'Asia/Tokyo', '-f', 'json')).stderr).not.toContain('was issued');
    } finally {
      histories[99] = before;
    }
  });

  it('does not freeze a month in progress', async () => {
    expect(
      (await run(workspace('{groups: [{name: a, projects: [42]}]}'), '--month', 'this month', '--freeze')).stderr,
    ).toContain('November 2026 is not over');
  });

  it('answers if the file of a frozen month is broken, and names it', async () => {
    const folder = workspace('{groups: [{name: a, projects: [42]}]}');
    await run(folder, '--month', '2026-09', '--freeze');
    const ofSeptember = path.join(folder.root, 'reports/usage/2026-09.json');
    const issued = readFileSync(ofSeptember, 'utf8');
    folder.write('reports/usage/2026-09.json', issued.replace(/"events": "\d+"/, '"events": "1"'));
    folder.write('reports/usage/2026-10.json', '{"month": "2026-10"');
    mkdirSync(path.join(folder.root, 'reports/usage/2026-08.json'));
    const { code, stdout, stderr } = await run(folder, '-f', 'json');
    expect(code).toBe(5);
    expect(rowsOf(stdout)).toMatchObject([{ 'Usage.events': octoberOf(histories[42]!) }]);
    expect(stderr).toContain('reports/usage/2026-10.json is not a valid frozen report of October 2026.');
    expect(stderr).toMatch(/reports\/usage\/2026-08\.json cannot be read: it is a folder \(EISDIR\)\./);
    // The valid one is compared.
    expect(stderr).toContain('September 2026 was issued on 2026-11-10 with 1 events');
    expect(await run(folder, '--freeze')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('reports/usage/2026-10.json is not a valid frozen report') as string,
    });
  });

  it('compares usage with the quota', async () => {
    const { stdout } = await run(
      workspace(
        '{groups: [{name: a, projects: [42], quota: 2000}, {name: b, projects: [7], quota: 50}, {name: c, projects: [7], quota: 100000}]}',
      ),
    );
    expect(stdout).toContain(
      'a has used 999 of its 2,000 events (49.95%), and is expected to pass its quota before the month ends.',
    );
    expect(stdout).toContain('b has used 90 of its 50 events (180%): 40 more than its quota.');
    expect(stdout).toContain('c has used 90 of its 100,000 events (0.09%).');
  });

  it('does not compare a month in progress with a whole one', async () => {
    const { stdout, stderr } = await run(
      workspace('{groups: [{name: a, projects: [42]}]}'),
      '--month',
      'this month',
      '-f',
      'json',
    );
    expect(rowsOf(stdout)[0]).toMatchObject({
      'Usage.events': 999,
      'Usage.previous': null,
      'Usage.change': null,
      'Usage.changePercent': null,
      'Usage.toDate': 999,
    });
    expect(stderr).toContain('November 2026 is not over: it is not compared with the whole previous month.');
  });

  it('can be an email with the content of the page, with its recipients', async () => {
    const folder = workspace('{groups: [{name: acme, projects: [42, 7, 13, 66], quota: 5000}]}');
    const { code, stdout, stderr } = await run(
      folder,
      '-f',
      'eml',
      '--from',
      'Reports <reports@example.org>',
      '--to',
      'a@example.org',
      '--to',
      'b@example.org',
    );
    expect(code).toBe(5);
    const mail = await PostalMime.parse(stdout);
    expect(mail).toMatchObject({
      subject: 'Usage in October 2026',
      date: '2026-11-10T00:00:00.000Z',
      from: { name: 'Reports', address: 'reports@example.org' },
      to: [{ address: 'a@example.org' }, { address: 'b@example.org' }],
    });
    expect(mail.attachments.map(({ mimeType, disposition }) => [mimeType, disposition])).toEqual([
      ['image/png', 'inline'],
    ]);
    const events = (octoberOf(histories[42]!) + 310).toLocaleString('en');
    for (const form of [mail.text ?? '', mail.html ?? '']) {
      for (const words of [
        events,
        octoberOf(histories[42]!).toLocaleString('en'),
        'Project by project',
        'November 2026, in progress',
        '1 project is left out',
        '66 could not be counted',
      ])
        expect(form).toContain(words);
    }
    // The sender also learns what could not be counted; other notes are in the email.
    expect(stderr).toMatch(/^66 could not be counted: [^\n]*\n$/);
  });

  it('writes an email along with other files, or by the extension of the one file', async () => {
    const folder = workspace('{groups: [{name: acme, projects: [42]}]}');
    expect((await run(folder, '-f', 'csv,eml,md', '-o', 'out')).code).toBe(0);
    expect(readdirSync(path.join(folder.root, 'out')).sort()).toEqual(['usage.csv', 'usage.eml', 'usage.md']);
    expect((await run(folder, '-o', 'letter.eml', '--subject', 'October')).code).toBe(0);
    expect((await PostalMime.parse(readFileSync(path.join(folder.root, 'letter.eml')))).subject).toBe('October');
    expect(await run(folder, '-f', 'csv,eml')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Several formats need an output folder') as string,
    });
    expect(await run(folder, '-f', 'csv', '--to', 'a@example.org')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--to is only for emails (`-f eml`).') as string,
    });
    expect(await run(folder, '-f', 'eml', '--to', 'a@example.org\nBcc: b@example.org')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('is not an email address') as string,
    });
  });

  it('names months that cannot be reported', async () => {
    const folder = workspace('{groups: [{name: a, projects: [42]}]}');
    for (const [month, expected] of [
      ['2026-12', 'has not begun'],
      ['2026-W40', 'is not one month'],
      ['octobre', 'octobre'],
    ] as const) {
      expect(await run(folder, '--month', month)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(expected),
      });
    }
    expect((await run(folder, '--months', '0')).code).toBe(2);
  });
});

describe('the monthly usage report on a platform', () => {
  const report = readFileSync(new URL('../../../reports/monthly-usage.md', import.meta.url), 'utf8');
  const runReport = (folder: Folder, ...argv: readonly string[]) =>
    folder.sluice(['report', 'run', 'monthly-usage', ...asOf, ...argv], { env: { SLUICE_TOKEN: token } });

  it('counts what it can, names failed projects, and says that it is incomplete', async () => {
    const folder = workspace('{groups: [{name: acme, projects: [42, 7, 13, 14, 66]}]}');
    folder.write('reports/monthly-usage.md', report);
    const { code, stdout } = await runReport(folder);
    expect(stdout).toContain(
      `**${(octoberOf(histories[42]!) + 310).toLocaleString('en')} events** were received by 2 projects`,
    );
    expect(stdout).toMatch(/2 projects are left out.*13, 14\./);
    expect(stdout).toContain('66 could not be counted');
    expect(stdout).toMatch(/✗.*usage\.failed is exactly 0/);
    expect(code).toBe(1);
  });

  it('reports events that came since the month was issued', async () => {
    const folder = workspace('{groups: [{name: acme, projects: [42, 7]}]}');
    folder.write('reports/monthly-usage.md', report);
    await run(folder, '--freeze');
    const before = histories[7]!;
    try {
      histories[7] = (date) => before(date) + (date === '2026-10-03' ? 2 : 0);
      const { code, stdout } = await runReport(folder, '--param', 'month=2026-10');
      expect(code).toBe(0);
      expect(stdout).toContain('since then one project has changed: +2 in 7');
    } finally {
      histories[7] = before;
    }
  });
});

describe('sluice usage on local events', () => {
  const rows = [...Array<undefined>(40)].flatMap((_, index) => {
    const at = new Date(Date.parse('2026-10-31T22:30:00Z') - index * day).toISOString();
    return [
      { projectId: 'shop', utcTime: at, eventType: 'pageview' },
      ...(index % 2 === 0 ? [{ projectId: "do'cs", utcTime: at, eventType: 'pageview' }] : []),
      ...(index === 0 ? [{ utcTime: at, eventType: 'pageview' }] : []),
    ];
  });
  const events = rows.map((row) => JSON.stringify(row)).join('\n');

  it('reports missing glyphs in the picture of an email', async () => {
    const folder = folderOf({ 'e.ndjson': events.replaceAll('"shop"', '"\u{12000}"') });
    const { code, stderr } = await folder.sluice(['usage', '--events', 'e.ndjson', ...asOf, '-f', 'eml', '--quiet']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('empty boxes for 1 character that its fonts do not have: \u{12000}') as string,
    ]);
  });

  it('finds the projects itself, including events without a project', async () => {
    const folder = folderOf({ 'e.ndjson': events });
    const { stdout, code } = await folder.sluice(['usage', '--events', 'e.ndjson', ...asOf, '-f', 'json']);
    expect(code).toBe(0);
    expect(rowsOf(stdout).map((row) => [row['Usage.project'], row['Usage.events'], row['Usage.previous']])).toEqual([
      ['shop', 31, 9],
      ["do'cs", 16, 4],
      ['no project', 1, 0],
    ]);
  });

  it('reports if there is nothing to count', async () => {
    const folder = folderOf({ 'e.ndjson': events });
    const { code, stdout } = await folder.sluice(['usage', '--events', 'e.ndjson', '--as-of', '2020-01-15']);
    expect([code, ...stdout.split('\n').filter((line) => line !== '')].slice(0, 3)).toEqual([
      5,
      'No events from 2019-07-01 on are available: December 2019 may be incomplete.',
      'No project has events in these months.',
    ]);
  });

  it('reports if the events do not reach the end of the month', async () => {
    const folder = folderOf({
      'e.ndjson': events
        .split('\n')
        .filter((line) => !line.includes('2026-10-3'))
        .join('\n'),
    });
    const { stderr } = await folder.sluice(['usage', '--events', 'e.ndjson', ...asOf, '-f', 'json']);
    expect(stderr).toContain('The latest available events are from 2026-10-29: October 2026 may be incomplete.');
    expect(
      (await folderOf({ 'e.ndjson': events }).sluice(['usage', '--events', 'e.ndjson', ...asOf, '-f', 'json'])).stderr,
    ).not.toContain('may lack');
  });

  it('uses the calendar of the zone', async () => {
    const folder = folderOf({ 'e.ndjson': events });
    const { stdout } = await folder.sluice([
      'usage',
      '--events',
      'e.ndjson',
      ...asOf,
      '-f',
      'json',
      '--timezone',
      'Asia/Tokyo',
    ]);
    // Half past ten in the evening is the next morning there.
    expect(rowsOf(stdout).find((row) => row['Usage.project'] === 'shop')).toMatchObject({
      'Usage.events': 31,
      'Usage.toDate': 1,
      'Usage.previous': 8,
    });
  });
});
