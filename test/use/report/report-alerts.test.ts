import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/tell/report/report.ts';
import { openScriptedServer } from '../../run/http/scripted-server.ts';
import { type Folder, folderOf } from '../run-in-folder.ts';

const child = path.join(import.meta.dirname, '..', 'sluice-child.ts');
const day = 86_400_000;
const dateOf = (index: number) => new Date(Date.parse('2024-02-01T00:00:00Z') + index * day).toISOString().slice(0, 10);

/** Events on consecutive days, with these counts. */
function events(counts: readonly number[], from = 0): string {
  return counts
    .flatMap((count, index) =>
      Array.from({ length: count }, (_unused, number) =>
        JSON.stringify({
          utcTime: `${dateOf(from + index)}T10:00:${String(number).padStart(2, '0')}Z`,
          eventType: 'pageview',
          userAnonymousId: 'a',
        }),
      ),
    )
    .map((line) => `${line}\n`)
    .join('');
}

const watched = (notify: string, more = '') =>
  `---\ntitle: Days\nschedule: daily at 06:00\ndeliver: []\n${notify}${more}---\n\n\`\`\`compare\nname: d\ntitle: Page views\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\nalert: {when: change < -20%, because: Look at the tracker.}\n\`\`\`\n`;

async function ingest(folder: Folder, counts: readonly number[], from: number): Promise<void> {
  folder.write(`e${from}.ndjson`, events(counts, from));
  expect((await folder.sluice(['ingest', `e${from}.ndjson`])).code).toBe(0);
}
const due = (folder: Folder, index: number, hour = '07') =>
  folder.sluice(['report', 'run', '--due', '--as-of', `${dateOf(index)}T${hour}:00Z`]);
const notices = (folder: Folder) => {
  const box = path.join(folder.root, 'box');
  return (readdirSync(folder.root).includes('box') ? readdirSync(box) : [])
    .map((name) => JSON.parse(readFileSync(path.join(box, name), 'utf8')) as Report)
    .sort((a, b) => (a.asOf < b.asOf ? -1 : 1))
    .map(({ notice }) => `${notice?.about} ${notice?.state}`);
};
const toBox = 'notify: [{folder: box, formats: [json]}]\n';

describe('an alert', () => {
  it('is told once when it is raised and once when it is cleared', async () => {
    const folder = folderOf({ 'reports/days.md': watched(toBox) });
    await ingest(folder, [10, 10, 5, 3, 5, 5], 0);
    for (let index = 1; index <= 6; index += 1) for (const hour of ['07', '08']) await due(folder, index, hour);
    expect(notices(folder)).toEqual(['d: change < -20% raised', 'd: change < -20% clear']);
  });

  it('is judged again if a clock was ahead when its slot ran', async () => {
    const folder = folderOf({ 'reports/days.md': watched(toBox) });
    await ingest(folder, [10, 10, 5, 5], 0);
    await due(folder, 2);
    // On that day, half of the events had not come yet.
    const slot = `${dateOf(3)}T06:00:00.000Z`;
    const judged = { kind: 'judged', slot, states: { 'd: change < -20%': 'clear' }, notices: [] };
    const run = {
      kind: 'run',
      slot,
      started: '2036-01-01T12:00:00.000Z',
      elapsedMs: 0,
      bytes: 1,
      exit: 0,
      formats: [],
    };
    const file = path.join(folder.root, '.sluice/reports/days.ndjson');
    const records = [judged, { ...run, settled: true }].map((one) => `${JSON.stringify(one)}\n`).join('');
    folder.write('.sluice/reports/days.ndjson', readFileSync(file, 'utf8') + records);
    await due(folder, 3);
    expect(notices(folder)).toEqual(['d: change < -20% raised']);
  });

  it('that the report no longer has is no longer raised, and told of to nobody', async () => {
    const folder = folderOf({ 'reports/days.md': watched(toBox) });
    await ingest(folder, [10, 10, 5, 5, 5, 5], 0);
    const raised = async (index: number) => {
      const { stdout } = await folder.sluice(['report', 'list', '-f', 'json', '--as-of', `${dateOf(index)}T07:00Z`]);
      return (JSON.parse(stdout) as { raised: string[] }[]).flatMap((one) => one.raised);
    };
    for (const index of [2, 3]) await due(folder, index);
    expect(await raised(3)).toEqual(['d: change < -20%']);
    // A cell that fails still has its alert.
    folder.write('reports/days.md', watched(toBox).replace('TrackedEvents.count', 'TrackedEvents.sum(props.none)'));
    await due(folder, 4);
    expect(await raised(4)).toEqual(['d: change < -20%']);
    folder.write('reports/days.md', watched(toBox).replace(/alert: .*/, ''));
    await due(folder, 5);
    expect(await raised(5)).toEqual([]);
    expect(notices(folder).filter((one) => !one.startsWith('schedule '))).toEqual(['d: change < -20% raised']);
  });

  it('says the figure, what to do, and the command that shows it', async () => {
    const folder = folderOf({
      'reports/days.md': watched('notify: [{email: a@example.org, into: outbox}]\n'),
    });
    await ingest(folder, [10, 10, 5], 0);
    await due(folder, 2);
    await due(folder, 3);
    const [name = ''] = readdirSync(path.join(folder.root, 'outbox'));
    const email = readFileSync(path.join(folder.root, 'outbox', name), 'utf8').replaceAll(/=\r\n/g, '');
    expect(email).toMatch(/^Subject: Alert: Page views \(change < -20%\): -50%\r$/m);
    expect(email).toContain('Look at the tracker.');
    expect(email).toContain(`cd ${folder.root} && sluice report run reports/days.md --as-of`);
    const [, asOf = ''] = /--as-of (?:=3D)?(\S+?Z)/.exec(email) ?? [];
    const shown = await folder.sluice(['report', 'run', 'reports/days.md', '--as-of', asOf]);
    expect(shown.stdout).toContain('It is -50%. Look at the tracker.');
  });

  it('has the chart of its cell, and its own places', async () => {
    const weekly = `---\nschedule: daily at 06:00\ndeliver: []\n${toBox}---\n\n\`\`\`query\nname: d\nquery: {measures: [TrackedEvents.count], timeDimensions: [{dimension: TrackedEvents.utcTime, granularity: day, dateRange: last 36 days}]}\nalert: {outside: 3 mad of the same weekday, notify: [{email: own@example.org, into: outbox}]}\n\`\`\`\n`;
    const folder = folderOf({ 'reports/days.md': weekly });
    await ingest(
      folder,
      Array.from({ length: 36 }, (_unused, index) => (index === 35 ? 1 : 20 + (index % 3))),
      0,
    );
    await due(folder, 36);
    expect(notices(folder)).toEqual([]);
    const [name = ''] = readdirSync(path.join(folder.root, 'outbox'));
    const email = readFileSync(path.join(folder.root, 'outbox', name), 'utf8');
    expect(email).toContain('Content-Type: image/png');
    expect(email.replaceAll(/=\r\n/g, '')).toContain('The median of 5 earlier');
  });

  it('is neither raised nor cleared by data that end early', async () => {
    const folder = folderOf({ 'reports/days.md': watched(toBox) });
    await ingest(folder, [10, 10], 0);
    // The third day has no events yet, so 10 seems to have become 0.
    await due(folder, 3);
    expect(notices(folder)).toEqual([]);
    await ingest(folder, [10, 2], 2);
    await due(folder, 4);
    expect(notices(folder)).toEqual(['d: change < -20% raised']);
    await due(folder, 5);
    expect(notices(folder)).toEqual(['d: change < -20% raised']);
    await ingest(folder, [2, 2], 4);
    await due(folder, 6);
    expect(notices(folder)).toEqual(['d: change < -20% raised', 'd: change < -20% clear']);
  });

  it('reaches a place that was out of order later, in order, and once', async () => {
    const keys: string[] = [];
    const told: string[] = [];
    let works = false;
    await using hook = await openScriptedServer(({ headers, json }) => {
      if (!works) return { status: 503, headers: { 'Retry-After': '3600' } };
      keys.push(headers['idempotency-key'] ?? '');
      told.push((json as Report).notice?.state ?? '');
      return { status: 200 };
    });
    const folder = folderOf({
      'reports/days.md': watched(`notify: [{webhook: "${hook.url}/hook"}, {folder: box, formats: [json]}]\n`),
    });
    await ingest(folder, [10, 10, 5, 5, 5], 0);
    await due(folder, 2);
    expect((await due(folder, 3)).code).toBe(4);
    expect((await due(folder, 4)).code).toBe(4);
    works = true;
    // Nothing is due, but unsent notices are sent.
    expect((await due(folder, 4, '08')).code).toBe(0);
    await due(folder, 4, '09');
    await due(folder, 5);
    expect(told).toEqual(['raised', 'clear']);
    expect(new Set(keys).size).toBe(2);
    expect(notices(folder)).toHaveLength(2);
  });

  it('is told by its number again, and by no other, where the run was killed as it was told', async () => {
    const keys: string[] = [];
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    let hang = true;
    await using hook = await openScriptedServer(({ headers }) => {
      keys.push(headers['idempotency-key'] ?? '');
      resolve();
      return hang ? { trick: { kind: 'silence' } } : { status: 200 };
    });
    const folder = folderOf({
      'reports/days.md': watched(`notify: [{webhook: "${hook.url}/hook"}]\n`),
    });
    await ingest(folder, [10, 10, 5], 0);
    await due(folder, 2);
    const running = spawn(process.execPath, [child, 'report', 'run', '--due', '--as-of', `${dateOf(3)}T07:00Z`], {
      cwd: folder.root,
      stdio: 'ignore',
    });
    const ended = once(running, 'exit');
    await asked;
    running.kill('SIGKILL');
    await ended;
    hang = false;
    for (const hour of ['08', '09', '10']) expect((await due(folder, 3, hour)).code).toBe(0);
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
  });
});

describe('the schedule of a report', () => {
  const broken = (cell: string, more = '') =>
    `---\ntitle: Days\nschedule: daily at 06:00\ndeliver: [{folder: out, formats: [md]}]\n${toBox}${more}---\n\n\`\`\`query\nquery: {measures: [TrackedEvents.count]}\n${cell}\n\`\`\`\n`;

  it('is told of when it fails, and when it works again, once each', async () => {
    const folder = folderOf({
      'reports/days.md': broken('range: yesterday').replace('query: {measures: [TrackedEvents.count]}', 'from: absent'),
    });
    await ingest(folder, [3, 3, 3, 3, 3], 0);
    for (const index of [2, 3, 4]) await due(folder, index);
    expect(notices(folder)).toEqual(['schedule failed']);
    folder.write('reports/days.md', broken('range: yesterday'));
    for (const hour of ['08', '09']) await due(folder, 4, hour);
    expect(notices(folder)).toEqual(['schedule failed', 'schedule clear']);
  });

  it('is told of when it cannot be read', async () => {
    const folder = folderOf({
      'reports/days.md': broken('rnge: yesterday'),
      'sluice.yaml': 'notify: [{folder: box, formats: [json]}]\n',
    });
    await ingest(folder, [3, 3, 3], 0);
    for (const index of [2, 3]) await due(folder, index);
    expect(notices(folder)).toEqual(['schedule failed']);
    folder.write('reports/days.md', broken('range: yesterday'));
    await due(folder, 3, '08');
    expect(notices(folder)).toEqual(['schedule failed', 'schedule clear']);
  });

  it('is told of to the places of the report if only a cell of it cannot be read', async () => {
    const folder = folderOf({ 'reports/days.md': broken('rnge: yesterday') });
    await ingest(folder, [3, 3, 3], 0);
    for (const index of [2, 3]) await due(folder, index);
    expect(notices(folder)).toEqual(['schedule failed']);
    folder.write('reports/days.md', broken('range: yesterday'));
    await due(folder, 3, '08');
    expect(notices(folder)).toEqual(['schedule failed', 'schedule clear']);
  });

  it('is told of again though an older slot still fails', async () => {
    const stopped = broken('name: d\nrange: yesterday').concat(
      '\n```check\nexpect: [{figure: d.count, above: 0, severity: stop}]\n```\n',
    );
    const folder = folderOf({ 'reports/days.md': stopped });
    await ingest(folder, [3, 0, 3, 3, 3, 3], 0);
    for (const index of [1, 2]) for (const hour of ['07', '08']) await due(folder, index, hour);
    expect(notices(folder)).toEqual(['schedule failed']);
    for (const index of [3, 4]) for (const hour of ['07', '08']) await due(folder, index, hour);
    expect(notices(folder)).toEqual(['schedule failed', 'schedule clear']);
    const [recovered = ''] = readdirSync(path.join(folder.root, 'box')).filter((name) => name.includes('recovered'));
    const text = readFileSync(path.join(folder.root, 'box', recovered), 'utf8');
    expect(text).toContain('The report is delivered again. Still due: 2024-02-03 06:00.');
    folder.write('reports/days.md', stopped.replace('query: {measures: [TrackedEvents.count]}', 'from: absent'));
    for (const hour of ['07', '08']) await due(folder, 5, hour);
    expect(notices(folder)).toEqual(['schedule failed', 'schedule clear', 'schedule failed']);
    folder.write('reports/days.md', stopped);
    await due(folder, 5, '09');
    expect(notices(folder)).toEqual(['schedule failed', 'schedule clear', 'schedule failed', 'schedule clear']);
  });

  it('is told of when it is late, and when it is there', async () => {
    const folder = folderOf({
      'reports/days.md': broken('range: yesterday', 'fresh: {data: covers range, wait: 20h}\nlate: 3h\n'),
    });
    await ingest(folder, [3, 3], 0);
    await due(folder, 3);
    expect(notices(folder)).toEqual([]);
    for (const hour of ['10', '11']) await due(folder, 3, hour);
    expect(notices(folder)).toEqual(['schedule late']);
    await ingest(folder, [3], 2);
    for (const hour of ['12', '13']) await due(folder, 3, hour);
    expect(notices(folder)).toEqual(['schedule late', 'schedule clear']);
  });

  it('is told of once when reports were delivered long after their slots', async () => {
    const folder = folderOf({ 'reports/days.md': broken('range: yesterday') });
    await ingest(folder, [3, 3, 3, 3, 3], 0);
    await due(folder, 1);
    await due(folder, 4);
    await due(folder, 4, '08');
    expect(notices(folder)).toEqual(['schedule late']);
  });

  it('is told of with every line of its errors, where it runs, and what to type', async () => {
    const posted: Record<string, unknown>[] = [];
    await using hook = await openScriptedServer(({ json }) => {
      posted.push(json as Record<string, unknown>);
      return { status: 200 };
    });
    const places = `notify: [{email: a@example.org, into: outbox}, {webhook: "${hook.url}/s", body: slack}, {webhook: "${hook.url}/t", body: teams}]\n`;
    const folder = folderOf({
      'reports/days.md': `---\ntitle: Days\nschedule: daily at 06:00\ntimezone: Europe/Berlin\ndeliver: []\n${places}---\n\n\`\`\`query\nquery: count where docPath = "a\u001b[2J" by docPth\n\`\`\`\n`,
    });
    await ingest(folder, [3, 3], 0);
    expect((await due(folder, 1)).code).toBe(2);
    const [name = ''] = readdirSync(path.join(folder.root, 'outbox'));
    const email = await PostalMime.parse(readFileSync(path.join(folder.root, 'outbox', name)));
    const text = email.text ?? '';
    for (const line of [
      /^ *reports\/days\.md:10:\d+ {2}error {2}There is no /m,
      /^ *query: count where docPath = "a␛\[2J" by docPth$/m,
      /^ +\^+$/m,
      /^ *Report: reports\/days\.md$/m,
      new RegExp(`^ *Machine: ${hostname()}$`, 'm'),
      new RegExp(`^ *Workspace: ${folder.root}$`, 'm'),
      /^ *Scheduled for: 2024-02-02 06:00$/m,
      new RegExp(`^ *cd ${folder.root} && sluice report check reports/days\\.md$`, 'm'),
    ])
      expect(text).toMatch(line);
    expect(text).not.toContain('↵');
    expect(email.html).toMatch(/<pre[^>]*>[^]*docPth[^]*<\/pre>/);
    const [slack, teams] = posted.map((body) => JSON.stringify(body));
    for (const message of [slack, teams])
      for (const part of ['docPth', 'Machine: ', 'sluice report check reports/days.md'])
        expect(message).toContain(part);
    for (const said of [text, slack, teams]) expect(said).not.toContain('\u001b');
  });
});
