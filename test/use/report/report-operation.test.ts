import { openScriptedServer } from '../../run/http/scripted-server.ts';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ListedReport } from '../../../src/use/report/run/list-states.ts';
import { writeIndex } from '../../../src/use/report/deliver/write-index.ts';
import { reportOf } from '../../tell/report/specimen-reports.ts';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const report = (
  head: string,
  cell = 'query\nname: v\ntitle: Views\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday',
) => `---\ntitle: Days\n${head}---\n\n\`\`\`${cell}\n\`\`\`\n`;
const config = { 'events.ndjson': fewEvents, 'sluice.yaml': 'events: events.ndjson\n' };

describe('sluice report list', () => {
  it('has the next slot, the last result and the raised alerts of each report', async () => {
    const folder = folderOf({
      ...config,
      'reports/a.md': report(
        'schedule: daily at 06:00\ntimezone: Europe/Berlin\ndeliver: []\n',
        'query\nname: v\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\nalert: total < 100',
      ),
      'reports/b.md': report(''),
      'reports/c.md': report('schedule: weekly on monday at 06:00\n', 'query\nfrom: absent'),
      'reports/d.md': '---\ntitle: [\n---\n',
    });
    const asOf = ['--as-of', '2024-03-08T12:00Z'];
    const before = await folder.sluice(['report', 'list', ...asOf]);
    expect(before.stdout).toContain(
      'a  next 2024-03-09 06:00 (Europe/Berlin), 1 slot due since 2024-03-08 06:00  never ran\n',
    );
    await folder.sluice(['report', 'run', '--due', ...asOf]);
    await folder.sluice(['report', 'run', 'b', ...asOf]);
    const { stdout, code } = await folder.sluice(['report', 'list', ...asOf]);
    expect(code).toBe(0);
    expect(stdout.replaceAll(/ {2,}/g, '  ').split('\n')).toEqual([
      'a  next 2024-03-09 06:00 (Europe/Berlin)  last 2024-03-08 06:00: done',
      'b  no schedule  last 2024-03-08 12:00: done',
      'c  next 2024-03-11 06:00 (UTC), 1 slot due since 2024-03-04 06:00  last 2024-03-04 06:00: failed (exit 2), to be run again: Failed: a query cell (reports/c.md:7:7): There is no saved query "absent".',
      'd  cannot be read: run sluice report check',
      'Alert raised in a: v: total < 100',
      '',
    ]);
    const listed = JSON.parse(
      (await folder.sluice(['report', 'list', '-f', 'json', ...asOf])).stdout,
    ) as ListedReport[];
    expect(listed.map(({ name, next, due, dueSince, raised }) => [name, next, due, dueSince, raised])).toEqual([
      ['a', '2024-03-09T05:00:00.000Z', 0, undefined, ['v: total < 100']],
      ['b', undefined, 0, undefined, []],
      ['c', '2024-03-11T06:00:00.000Z', 1, '2024-03-04T06:00:00.000Z', []],
      ['d', undefined, 0, undefined, []],
    ]);
  });
});

it('sluice report list lists the reports beside one whose file or records cannot be read', async () => {
  const asOf = ['--as-of', '2024-03-08T12:00Z'];
  const folder = folderOf({
    ...config,
    'reports/a.md': report(''),
    'reports/b.md': report(''),
    'reports/c.md': report(''),
  });
  await folder.sluice(['report', 'run', 'a', ...asOf]);
  await folder.sluice(['report', 'run', 'b', ...asOf]);
  const records = path.join(folder.root, '.sluice/reports');
  appendFileSync(path.join(records, 'b.ndjson'), 'damaged\n');
  mkdirSync(path.join(records, 'c.ndjson'));
  mkdirSync(path.join(folder.root, 'reports/d.md'));
  const { stdout, stderr, code } = await folder.sluice(['report', 'list', ...asOf]);
  expect(stdout.replaceAll(/ {2,}/g, '  ').split('\n')).toEqual([
    'a  no schedule  last 2024-03-08 12:00: done',
    'b  no schedule  last 2024-03-08 12:00: done',
    'c  no schedule  its runs cannot be read',
    'd  cannot be read: run sluice report check',
    '',
  ]);
  expect(stderr).toBe(
    `${path.join(records, 'b.ndjson')} has 1 line that cannot be read. It is ignored, so a slot may run again.\n` +
      `${path.join(records, 'c.ndjson')} cannot be read: it is a folder (EISDIR). It records which reports ran. Check its permissions.\n`,
  );
  expect(code).toBe(5);
  const checked = await folder.sluice(['report', 'check']);
  expect(checked).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('d.md cannot be read: it is a folder') as string,
  });
});

describe('sluice report schedule', () => {
  it('writes one line for all reports with a schedule', async () => {
    const folder = folderOf({
      ...config,
      'reports/a.md': report('schedule: daily at 06:15\ndeliver: [{webhookFrom: HOOK_A}]\n'),
      'reports/b.md': report('schedule: monthly on the last day at 20:45\ndeliver: [{webhookFrom: HOOK_B}]\n'),
      'reports/c.md': report(''),
    });
    const { stdout } = await folder.sluice(['report', 'schedule']);
    expect(stdout).toMatch(/^15,45 \* \* \* \* cd \S+ && sluice report run --due$/m);
    expect(stdout).toContain('HOOK_A, HOOK_B');
    expect((await folder.sluice(['report', 'schedule', '--for', 'systemd'])).stdout).toContain(
      'OnCalendar=*-*-* *:15,45:00',
    );
  });
});

it('a scheduled run fails if the reports cannot be listed', async () => {
  const folder = folderOf(config);
  symlinkSync('reports', path.join(folder.root, 'reports'));
  expect(await folder.sluice(['report', 'run', '--due'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('its links form a loop (ELOOP)') as string,
  });
});

describe('a folder of reports', () => {
  const run = async (head: string, days: readonly number[]) => {
    const folder = folderOf({ ...config, 'reports/days.md': report(`schedule: daily at 06:00\n${head}`) });
    for (const day of days) await folder.sluice(['report', 'run', '--due', '--as-of', `2024-03-0${day}T12:00Z`]);
    return {
      folder,
      at: (name: string) => readFileSync(path.join(folder.root, 'made', name), 'utf8'),
      names: () => readdirSync(path.join(folder.root, 'made')).sort(),
    };
  };

  it('keeps the latest files alone, and those of others', async () => {
    const { folder, names } = await run('deliver: [{folder: made, formats: [md, json], keep: 2}]\n', [5]);
    for (const name of ['days-2024-01-01-notes.md', 'days-off-2024-01-01.md', 'other-2024-01-01.md'])
      folder.write(`made/${name}`, '');
    for (const day of [6, 7, 8]) await folder.sluice(['report', 'run', '--due', '--as-of', `2024-03-0${day}T12:00Z`]);
    expect(names()).toEqual([
      'days-2024-01-01-notes.md',
      'days-2024-03-07.json',
      'days-2024-03-07.md',
      'days-2024-03-08.json',
      'days-2024-03-08.md',
      'days-off-2024-01-01.md',
      'other-2024-01-01.md',
    ]);
  });

  it('has a page that lists what is there, without a script or a request', async () => {
    const { at } = await run('deliver: [{folder: made, index: true, keep: 2}]\n', [6, 7, 8]);
    const page = at('index.html');
    expect([...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      'days-2024-03-08.html',
      'days-2024-03-07.html',
    ]);
    expect(page).toContain('<dt>Events</dt><dd>2</dd>');
    expect(page).not.toMatch(/<script|https?:\/\//);
    expect(page).toContain("default-src 'none'");
  });

  it('has a page that lists a report whose summary is damaged', async () => {
    const { folder, at } = await run('deliver: [{folder: made, index: true}]\n', [6, 7]);
    folder.write('made/.index/days-2024-03-06.json', '{"name": "days", "tit');
    rmSync(path.join(folder.root, 'made/.index/days-2024-03-07.json'));
    mkdirSync(path.join(folder.root, 'made/.index/days-2024-03-07.json'));
    expect(await folder.sluice(['report', 'run', '--due', '--as-of', '2024-03-08T12:00Z'])).toMatchObject({ code: 0 });
    for (const day of [6, 7, 8]) expect(at('index.html')).toContain(`href="days-2024-03-0${day}.html"`);
  });

  it('has a page that lists all reports, also one that another process writes meanwhile', async () => {
    const folder = folderOf({});
    const at = (name: string) => path.join(folder.root, name);
    const write = async (name: string, signal: AbortSignal) => {
      folder.write(`${name}-2024-03-08.html`, '');
      await writeIndex(folder.root, reportOf([], { name }), `${name}-2024-03-08`, signal);
    };
    await write('other', new AbortController().signal);
    const entry = readFileSync(at('.index/other-2024-03-08.json'), 'utf8');
    rmSync(at('.index/other-2024-03-08.json'));
    // The signal is first asked after the entry is written when the reports are listed, and the page is not written.
    await write('own', {
      get aborted() {
        if (existsSync(at('.index/own-2024-03-08.json'))) folder.write('.index/other-2024-03-08.json', entry);
        return false;
      },
    } as AbortSignal);
    const page = readFileSync(at('index.html'), 'utf8');
    for (const name of ['own', 'other']) expect(page).toContain(`href="${name}-2024-03-08.html"`);
  });
});

it('a schedule freezes the month that it reported', async () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_unused, index) =>
      JSON.stringify({
        utcTime: new Date(Date.parse('2024-02-28T01:00Z') + (from + index) * 86_400_000).toISOString(),
        projectId: '1',
        eventType: 'pageview',
        userAnonymousId: 'a',
      }),
    ).join('\n');
  const folder = folderOf({
    'sluice.yaml': 'usage: {groups: [{name: a, projects: [1]}]}\n',
    'march.ndjson': lines(20, 40),
    'reports/usage.md': report('schedule: monthly on day 1 at 06:00\n', 'usage\nmonths: 1\nfreeze: true'),
  });
  const due = () => folder.sluice(['report', 'run', '--due', '--as-of', '2024-04-01T12:00Z']);
  folder.write('early.ndjson', lines(0, 20));
  await folder.sluice(['ingest', 'early.ndjson']);
  // What the data lack may come; nothing is to be corrected.
  for (const _ of ['', 'again']) {
    const early = await due();
    expect(early).toMatchObject({ code: 5 });
    expect(early.stderr).toContain('sluice usage --month 2024-03 --freeze --allow-stale');
    expect(early.stderr).toContain('exit 5.');
  }
  await folder.sluice(['ingest', 'march.ndjson']);
  const { stderr } = await due();
  expect(stderr).toContain('Froze ');
  const found = readdirSync(folder.root, { recursive: true })
    .map(String)
    .find((name) => name.endsWith('2024-03.json'));
  expect(JSON.parse(readFileSync(path.join(folder.root, found ?? ''), 'utf8'))).toMatchObject({ month: '2024-03' });
});

it('a schedule freezes the month once later events are known, also if they came after its slot', async () => {
  const event = (time: string) => `${JSON.stringify({ utcTime: time, projectId: '1', eventType: 'pageview' })}\n`;
  const folder = folderOf({
    'early.ndjson': event('2024-03-01T10:00:00Z') + event('2024-03-31T22:00:00Z'),
    'late.ndjson': event('2024-04-01T09:00:00Z'),
    'reports/usage.md': report('schedule: monthly on day 1 at 06:00\n', 'usage\nmonths: 1\nfreeze: true'),
  });
  await folder.sluice(['ingest', 'early.ndjson']);
  const due = (asOf: string) => folder.sluice(['report', 'run', '--due', '--as-of', asOf]);
  expect(await due('2024-04-01T07:00Z')).toMatchObject({ code: 5, stderr: expect.stringContaining('is not frozen') });
  await folder.sluice(['ingest', 'late.ndjson']);
  expect(await due('2024-04-02T07:00Z')).toMatchObject({ code: 0, stderr: expect.stringContaining('2024-03.json') });
  expect((await due('2024-04-02T08:00Z')).stderr).toContain('Nothing is due.');
});

it('a schedule does not freeze a month before the first event, and is done with it', async () => {
  const event = (time: string) => `${JSON.stringify({ utcTime: time, projectId: '1', eventType: 'pageview' })}\n`;
  const folder = folderOf({
    'sluice.yaml': 'usage: {groups: [{name: a, projects: [1]}]}\n',
    'events.ndjson': event('2024-04-01T02:00:00Z') + event('2024-04-02T09:00:00Z'),
    'march.ndjson': event('2024-03-31T22:00:00Z'),
    'reports/usage.md': report('schedule: monthly on day 1 at 06:00\n', 'usage\nmonths: 1\nfreeze: true'),
  });
  await folder.sluice(['ingest', 'events.ndjson']);
  const due = (asOf: string) => folder.sluice(['report', 'run', '--due', '--as-of', asOf]);
  const refused = 'March 2024 is not frozen, because it ended before the first event.';
  expect(await due('2024-04-02T10:00Z')).toMatchObject({ code: 0, stderr: expect.stringContaining(refused) });
  expect((await due('2024-04-02T11:00Z')).stderr).toContain('Nothing is due.');
  const freeze = (...more: readonly string[]) =>
    folder.sluice(['usage', '--as-of', '2024-04-02T10:00Z', '--freeze', ...more]);
  expect(await freeze()).toMatchObject({ code: 2, stderr: expect.stringContaining(refused) });
  expect(await freeze('--month', '2024-02', '--allow-stale')).toMatchObject({ code: 0 });
  await folder.sluice(['ingest', 'march.ndjson']);
  expect(await freeze()).toMatchObject({ code: 0 });
});

describe('a command that can be asked', () => {
  it('is not given again what it has, though the records are lost', async () => {
    const folder = folderOf({
      'events.ndjson': fewEvents,
      'sluice.yaml':
        'events: events.ndjson\ncommands:\n  s3: {run: "cat > $SLUICE_NAME; echo $SLUICE_NAME >> log", has: "test -f $SLUICE_NAME"}\n',
      'reports/days.md': report('schedule: daily at 06:00\ndeliver: [{command: s3, formats: [md]}]\n'),
    });
    const due = (...more: readonly string[]) =>
      folder.sluice(['report', 'run', '--due', '--as-of', '2024-03-08T12:00Z', ...more]);
    const log = () => readFileSync(path.join(folder.root, 'log'), 'utf8').trim().split('\n');
    expect((await due()).code).toBe(0);
    for (const state of ['lost', 'lost-again']) expect((await due('--state', state)).code).toBe(0);
    expect(log()).toEqual(['days-2024-03-08.md']);
    await due('--state', 'forced', '--force');
    expect(log()).toHaveLength(2);
  });
});

it('a receiver that knows keys, and a mail system that knows numbers of emails, get nothing twice though the records are lost', async () => {
  const keys: string[] = [];
  await using hook = await openScriptedServer(({ headers }) => {
    keys.push(headers['idempotency-key'] ?? '');
    return { status: 200 };
  });
  const folder = folderOf({
    'events.ndjson': fewEvents,
    'sluice.yaml': 'events: events.ndjson\nmailer: cat >> sent.eml\n',
    'reports/days.md': report(
      `schedule: daily at 06:00\ndeliver:\n  - {webhook: "${hook.url}/hook"}\n  - {email: [ann@example.org], from: us@example.org}\n`,
    ),
  });
  for (const state of ['first', 'lost'])
    expect(
      (await folder.sluice(['report', 'run', '--due', '--as-of', '2024-03-08T12:00Z', '--state', state])).code,
    ).toBe(0);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  const numbers = readFileSync(path.join(folder.root, 'sent.eml'), 'utf8').match(/^Message-ID: .*$/gim) ?? [];
  expect([numbers.length, new Set(numbers).size]).toEqual([2, 1]);
});
