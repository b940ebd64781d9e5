import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Issue } from '../../../src/ask/outcome.ts';
import { readSchedule } from '../../../src/tell/schedule/read-schedule.ts';
import { dueSlots } from '../../../src/tell/schedule/schedule-slots.ts';
import { type Folder, folderOf } from '../run-in-folder.ts';
import { runs } from '../../runs.ts';

const event = (time: string) => `${JSON.stringify({ utcTime: time, eventType: 'pageview', userAnonymousId: 'a' })}\n`;
const report = (head: string) =>
  `---\ntitle: Days\nschedule: daily at 06:00\n${head}---\n\n\`\`\`compare\nname: d\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\n\`\`\`\n`;

/** A workspace with a store, which knows its latest event. */
async function open(head: string, ...times: string[]): Promise<Folder> {
  const folder = folderOf({ 'reports/days.md': report(head) });
  await ingest(folder, ...times);
  return folder;
}
async function ingest(folder: Folder, ...times: string[]): Promise<void> {
  const name = `${times[0]!.replace(/\W/g, '')}.ndjson`;
  folder.write(name, times.map(event).join(''));
  expect((await folder.sluice(['ingest', name])).code).toBe(0);
}
const due = (folder: Folder, asOf: string) => folder.sluice(['report', 'run', '--due', '-f', 'md', '--as-of', asOf]);
const out = (folder: Folder) =>
  readdirSync(folder.root).includes('out') ? readdirSync(path.join(folder.root, 'out')) : [];
const read = (folder: Folder, name: string) => readFileSync(path.join(folder.root, 'out', name), 'utf8');

describe('a scheduled report that needs fresh data', () => {
  it('waits for them, then goes out once, without a warning', async () => {
    const folder = await open('fresh: covers range\n', '2024-03-05T10:00:00Z', '2024-03-06T10:00:00Z');
    const waiting = await due(folder, '2024-03-08T07:00Z');
    expect([waiting.code, out(folder)]).toEqual([0, []]);
    expect(waiting.stderr).toContain('days of 2024-03-08 06:00 waits for fresh data until 2024-03-08 12:00: ');
    await ingest(folder, '2024-03-07T10:00:00Z');
    expect((await due(folder, '2024-03-08T08:00Z')).code).toBe(0);
    expect(out(folder)).toEqual(['days-2024-03-08.md']);
    expect(read(folder, 'days-2024-03-08.md')).not.toMatch(/attention/);
    expect((await due(folder, '2024-03-08T09:00Z')).stderr).toContain('Nothing is due.');
  });

  it('goes out at the deadline with a warning first, and without a change', async () => {
    const folder = await open(
      'fresh: {data: covers range, wait: 2h}\n',
      '2024-03-05T10:00:00Z',
      '2024-03-06T10:00:00Z',
    );
    expect((await due(folder, '2024-03-08T07:59Z')).code).toBe(0);
    expect(out(folder)).toEqual([]);
    expect((await due(folder, '2024-03-08T08:00Z')).code).toBe(5);
    expect(read(folder, 'days-2024-03-08.md')).toMatch(/^> \*\*1 thing in this report needs attention\*\*\n>\n> - d: /);
    expect(read(folder, 'days-2024-03-08.md')).not.toContain('%');
    expect((await due(folder, '2024-03-08T09:00Z')).stderr).toContain('Nothing is due.');
  });

  it('is judged by the age of its newest event', async () => {
    const folder = await open('fresh: {data: 6h, wait: 1h}\n', '2024-03-07T10:00:00Z');
    expect((await due(folder, '2024-03-08T06:30Z')).stderr).toContain(
      'The newest data are from 2024-03-07 10:00, but the report requires data of the last 6h.',
    );
    expect((await due(folder, '2024-03-08T07:00Z')).code).toBe(5);
    expect(read(folder, 'days-2024-03-08.md')).toContain('requires data of the last 6h');
    await ingest(folder, '2024-03-09T01:00:00Z');
    expect((await due(folder, '2024-03-09T06:30Z')).code).toBe(0);
    expect(read(folder, 'days-2024-03-09.md')).not.toContain('attention');
  });

  it('holds up no later slot', async () => {
    const folder = await open('fresh: {data: covers range, wait: 3d}\n', '2024-03-06T10:00:00Z');
    await due(folder, '2024-03-08T07:00Z');
    await due(folder, '2024-03-09T07:00Z');
    expect(out(folder)).toEqual([]);
    await ingest(folder, '2024-03-08T10:00:00Z');
    expect((await due(folder, '2024-03-09T08:00Z')).code).toBe(0);
    expect(out(folder)).toEqual(['days-2024-03-08.md', 'days-2024-03-09.md']);
  });
});

describe('missed slots', () => {
  it.each([
    ['latest', ['2024-03-10'], 2],
    ['2', ['2024-03-09', '2024-03-10'], 1],
    ['all', ['2024-03-08', '2024-03-09', '2024-03-10'], 0],
  ])('are made up for as catchUp: %s says', async (catchUp, dates, skipped) => {
    const folder = await open(`catchUp: ${catchUp}\n`, '2024-03-10T05:00:00Z');
    await due(folder, '2024-03-07T07:00Z');
    const { stderr } = await due(folder, '2024-03-10T07:00Z');
    expect(out(folder)).toEqual(['2024-03-07', ...dates].map((date) => `days-${date}.md`));
    const named = [
      '',
      '1 missed or failed slot, 2024-03-08 06:00',
      '2 missed or failed slots, 2024-03-08 06:00 to 2024-03-09 06:00',
    ];
    if (skipped > 0) expect(stderr).toContain(`days skips ${named[skipped]} (catchUp in its front matter).`);
    else expect(stderr).not.toContain('skips');
    expect((await due(folder, '2024-03-10T08:00Z')).stderr).toContain('Nothing is due.');
  });

  it('that failed are skipped once, and are then no longer due', async () => {
    const folder = await open('catchUp: latest\n', '2024-03-10T05:00:00Z');
    const good = readFileSync(path.join(folder.root, 'reports/days.md'), 'utf8');
    folder.write('reports/days.md', good.replace('TrackedEvents.count', 'TrackedEvents.absent'));
    expect((await due(folder, '2024-03-07T07:00Z')).code).toBe(2);
    folder.write('reports/days.md', good);
    const said: string[] = [];
    for (const slot of ['2024-03-08', '2024-03-09', '2024-03-10'])
      said.push((await due(folder, `${slot}T07:00Z`)).stderr);
    expect(said.map((text) => /skips .*/.exec(text)?.[0])).toEqual([
      'skips 1 missed or failed slot, 2024-03-07 06:00 (catchUp in its front matter).',
      undefined,
      undefined,
    ]);
    const { stdout } = await folder.sluice(['report', 'list', '--as-of', '2024-03-10T08:00Z']);
    expect(stdout).toBe('days  next 2024-03-11 06:00 (UTC)  last 2024-03-10 06:00: done\n');
  });

  it('are the latest of those that would be due without a limit', () => {
    const schedule = readSchedule('15 */7 * * 1-5');
    if (!schedule.ok) throw new Error('It is a schedule.');
    const start = Date.parse('2026-10-20T00:17:31Z');
    fc.assert(
      fc.property(
        fc.constantFrom('Europe/Berlin', 'UTC'),
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 4 }),
        (zone, hours, limit, opens) => {
          const now = start + hours * 3_600_000;
          const all = dueSlots(schedule.value, zone, { latest: start - 20 * 86_400_000, open: [] }, now);
          const done = all.slice(0, Math.max(1, all.length - 5));
          const history = {
            latest: done.at(-1),
            open: [...new Set(opens)].sort((a, b) => a - b).flatMap((i) => done[i] ?? []),
          };
          const eligible = new Set(all.slice(-limit));
          const whole = dueSlots(schedule.value, zone, history, now);
          expect(dueSlots(schedule.value, zone, history, now, Infinity, limit)).toEqual(
            whole.filter((slot) => eligible.has(slot)),
          );
        },
      ),
      { seed: 7, numRuns: runs(60) },
    );
  });

  it('have their date in the subject of their emails', async () => {
    const folder = await open('deliver: [{email: a@example.org, into: outbox}]\n', '2024-03-08T05:00:00Z');
    await folder.sluice(['report', 'run', '--due', '--as-of', '2024-03-07T07:00Z']);
    await folder.sluice(['report', 'run', '--due', '--as-of', '2024-03-09T07:00Z']);
    const subjects = readdirSync(path.join(folder.root, 'outbox')).map(
      (name) => /^Subject: (.*)\r$/m.exec(readFileSync(path.join(folder.root, 'outbox', name), 'utf8'))?.[1],
    );
    expect(subjects).toEqual(['Days (2024-03-07)', 'Days (2024-03-08)', 'Days (2024-03-09)']);
  });
});

it('what the front matter says of them is checked in its place', async () => {
  const check = async (head: string) => {
    const folder = folderOf({ 'e.ndjson': event('2024-03-07T10:00:00Z'), 'reports/days.md': report(head) });
    const { stdout } = await folder.sluice(['report', 'check', '-f', 'json', '--events', 'e.ndjson']);
    return (JSON.parse(stdout) as [{ issues: Issue[] }])[0].issues.map(({ span }) => `${span?.line}:${span?.column}`);
  };
  for (const head of ['fresh: soon\n', 'fresh: {data: 6h, wait: long}\n', 'catchUp: some\n', 'catchUp: 0\n'])
    expect(
      (await check(head)).map((place) => place.split(':')[0]),
      head,
    ).toEqual(['4']);
  for (const head of ['fresh: covers range\n', 'fresh: 2d\n', 'fresh: {data: 6h, wait: 90m}\n', 'catchUp: 3\n'])
    expect(await check(head), head).toEqual([]);
});

it('a check does not pass because it compares nothing with nothing where data are missing', async () => {
  const report = (range: string) =>
    `---\ntitle: Buys\n---\n\n\`\`\`query\nname: b\nquery: {measures: [TrackedEvents.count], filters: [{member: TrackedEvents.eventType, operator: equals, values: [buy]}]}\nrange: ${range}\n\`\`\`\n\n\`\`\`check\nexpect:\n  - {figure: b.count.total, within: 20%, of: previous}\n\`\`\`\n`;
  const event = (day: number, eventType: string) =>
    JSON.stringify({ utcTime: `2024-03-${String(day).padStart(2, '0')}T10:00:00Z`, userId: 'a', eventType });
  const folder = folderOf({
    'sluice.yaml': 'events: e.ndjson\n',
    // Somebody buys on the first day, and views until the 10th.
    'e.ndjson': [event(1, 'buy'), ...Array.from({ length: 10 }, (_, day) => event(day + 1, 'view'))].join('\n'),
    'reports/ends.md': report('["2024-03-14", "2024-03-15"]'),
    'reports/begins.md': report('["2024-02-14", "2024-02-15"]'),
    'reports/none.md': report('["2024-03-07", "2024-03-08"]'),
    'reports/some.md': report('["2024-03-01", "2024-03-10"]'),
  });
  const run = async (name: string) => {
    const { stdout, stderr, code } = await folder.sluice([
      'report',
      'run',
      name,
      '-f',
      'json',
      '-o',
      '-',
      '--as-of',
      '2024-03-20',
    ]);
    const { status, blocks } = JSON.parse(stdout) as {
      readonly status: string;
      readonly blocks: readonly { readonly checks?: readonly { readonly state: string; readonly finding: string }[] }[];
    };
    const check = blocks.flatMap(({ checks = [] }) => checks)[0]!;
    return { code, status, state: check.state, finding: check.finding, stderr };
  };
  const notJudged = {
    status: 'good',
    state: 'not-judged',
    finding: 'It is 0, as the previous period is, and the data do not cover both.',
  };
  const ended = await run('ends');
  expect(ended).toMatchObject(notJudged);
  expect(ended.stderr).toContain('Check not judged: b.count.total is within 20 % of the previous period.');
  expect(await run('begins')).toMatchObject(notJudged);
  expect(await run('none')).toMatchObject({
    code: 0,
    status: 'good',
    state: 'passed',
    finding: 'It is 0, compared with 0.',
  });
  expect(await run('some')).toMatchObject({
    status: 'failed-check',
    state: 'failed',
    finding: 'It is 1, compared with 0.',
  });
  const { stdout } = await folder.sluice(['report', 'run', 'ends', '--as-of', '2024-03-20']);
  expect(stdout).toContain('- – **not judged** · b.count.total is within 20 % of the previous period: It is 0');
});
