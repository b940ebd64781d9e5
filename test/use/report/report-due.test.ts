import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockReport } from '../../../src/use/report/due/report-runs.ts';
import { fewEvents, type Folder, folderOf } from '../run-in-folder.ts';

const report = (head: string, more = '') =>
  `---\ntitle: "{{ day }}"\nparams:\n  day: {type: date, default: yesterday}\n${head}---\n\nThere were {{ d.count.total }} events.\n\n\`\`\`query\nname: d\nquery: {measures: [TrackedEvents.count]}\nrange: "{{ day }}"\n\`\`\`\n${more}`;
const daily = report('schedule: daily at 06:00\ntimezone: Europe/Berlin\n');
const busy = '\n```check\nseverity: stop\nexpect:\n  - {figure: d.count.total, atLeast: 3}\n```\n';
const files = { 'events.ndjson': fewEvents, 'sluice.yaml': 'events: events.ndjson\n', 'reports/days.md': daily };

const runDue = (folder: Folder, asOf: string, ...flags: string[]) =>
  folder.sluice(['report', 'run', '--due', '-f', 'md', '--as-of', asOf, ...flags]);
const out = (folder: Folder) => readdirSync(path.join(folder.root, 'out'));
const read = (folder: Folder, name: string) => readFileSync(path.join(folder.root, name), 'utf8');
const records = (folder: Folder, name = 'days') =>
  read(folder, `.sluice/reports/${name}.ndjson`)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('sluice report run --due', () => {
  it('runs a new report for its last slot alone, once, as of that slot', async () => {
    const folder = folderOf(files);
    const { code, stdout, stderr } = await runDue(folder, '2024-03-08T12:00Z');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      /^Wrote out\/days-2024-03-08\.md\.\ndays of 2024-03-08 06:00: \d+\.\d s, \d+ B, exit 0\.\n$/,
    );
    expect(out(folder)).toEqual(['days-2024-03-08.md']);
    expect(read(folder, 'out/days-2024-03-08.md')).toContain('# 2024-03-07\n\nThere were 2 events.');
    expect(read(folder, 'out/days-2024-03-08.md')).toContain('As of 2024-03-08 06:00 · days in Europe/Berlin');
    expect(records(folder)).toEqual([
      { kind: 'begun', slot: '2024-03-08T05:00:00.000Z' },
      {
        kind: 'run',
        slot: '2024-03-08T05:00:00.000Z',
        started: '2024-03-08T12:00:00.000Z',
        elapsedMs: 0,
        bytes: Buffer.byteLength(read(folder, 'out/days-2024-03-08.md')),
        exit: 0,
        formats: ['markdown'],
        settled: true,
      },
    ]);
    rmSync(path.join(folder.root, 'out'), { recursive: true });
    expect(await runDue(folder, '2024-03-08T12:00Z')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Nothing is due. Next: days at 2024-03-09 06:00 (Europe/Berlin).\n',
    });
    expect(readdirSync(folder.root)).not.toContain('out');
  });

  it('runs the reports that exist if another name is wrong, and fails with that name', async () => {
    const folder = folderOf(files);
    const { code, stderr } = await runDue(folder, '2024-03-08T12:00Z', 'dayz', 'days');
    expect([code, out(folder)]).toEqual([2, ['days-2024-03-08.md']]);
    expect(stderr).toContain('sluice: There is no report "dayz".\n  hint: Did you mean "days"?\n');
    expect((await runDue(folder, '2024-03-08T12:00Z', 'dayz', 'days')).code).toBe(2);
  });

  it('records why a run failed, and lists it', async () => {
    const folder = folderOf({ ...files, 'reports/days.md': `${daily}${busy}` });
    await runDue(folder, '2024-03-07T12:00Z');
    expect(records(folder).at(-1)).not.toHaveProperty('reasons');
    await runDue(folder, '2024-03-08T12:00Z');
    const reason = 'Check failed: d.count.total is at least 3.';
    expect(records(folder).at(-1)).toMatchObject({ kind: 'run', exit: 1, reasons: [reason] });
    const list = await folder.sluice(['report', 'list', '--as-of', '2024-03-08T12:00Z']);
    expect(list.stdout).toContain(`failed, to be run again: ${reason}`);
    folder.write('reports/days.md', daily.replace('TrackedEvents.count]', 'TrackedEvents.count, nothing]'));
    await folder.sluice(['report', 'run', 'days']);
    expect(records(folder).at(-1)).toMatchObject({ slot: null, reasons: [expect.stringContaining('nothing')] });
    folder.write('reports/days.md', daily);
    rmSync(path.join(folder.root, 'out'), { recursive: true });
    folder.write('out', 'in the way');
    await runDue(folder, '2024-03-10T12:00Z');
    expect(records(folder).at(-1)).toMatchObject({
      exit: 4,
      reasons: [expect.stringMatching(/^Not delivered to .*out/)],
    });
  });

  it('makes up for each slot that was missed, with that slot as its clock', async () => {
    const folder = folderOf(files);
    await runDue(folder, '2024-03-06T05:00Z');
    expect((await runDue(folder, '2024-03-09T04:59Z')).code).toBe(0);
    expect(out(folder)).toEqual(['days-2024-03-06.md', 'days-2024-03-07.md', 'days-2024-03-08.md']);
    expect(out(folder).map((name) => /There were (\d) events/.exec(read(folder, `out/${name}`))?.[1])).toEqual([
      '0',
      '3',
      '2',
    ]);
  });

  it('keeps a report that a check stops due, and runs what comes after it, until it is well or taken as it is', async () => {
    const folder = folderOf({ ...files, 'reports/days.md': `${daily}${busy}` });
    await runDue(folder, '2024-03-07T12:00Z');
    const failed = await runDue(folder, '2024-03-08T12:00Z');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/^days of .*: Check failed/m);
    expect(failed.stderr).toContain('It is not delivered and stays due. To deliver it anyway, add --force.');
    expect(records(folder).at(-1)).toMatchObject({ exit: 1, settled: false });
    // A later slot runs, then the earlier one again.
    folder.write(
      'events.ndjson',
      fewEvents +
        ['09:02', '09:03', '09:04']
          .map((time) => fewEvents.split('\n').at(-2)!.replace('07T09:01', `08T${time}`))
          .join('\n'),
    );
    expect((await runDue(folder, '2024-03-09T12:00Z')).code).toBe(1);
    expect(out(folder)).toEqual([
      'days-2024-03-07.md',
      'days-2024-03-08.failed.md',
      'days-2024-03-08.md',
      'days-2024-03-09.md',
    ]);
    const ended = records(folder).filter(({ kind }) => kind === 'run');
    expect(ended.slice(-2)).toMatchObject([
      { slot: '2024-03-09T05:00:00.000Z', settled: true },
      { slot: '2024-03-08T05:00:00.000Z', settled: false },
    ]);
    expect((await runDue(folder, '2024-03-09T12:00Z', '--force')).code).toBe(1);
    expect((await runDue(folder, '2024-03-09T12:00Z')).stderr).toContain('Nothing is due.');
  });

  it('delivers a report with a failed check that only warns, with what failed said first, once', async () => {
    const folder = folderOf({ ...files, 'reports/days.md': `${daily}${busy.replace('severity: stop\n', '')}` });
    await runDue(folder, '2024-03-07T12:00Z');
    expect((await runDue(folder, '2024-03-08T12:00Z')).code).toBe(1);
    expect(read(folder, 'out/days-2024-03-08.md')).toMatch(/^> \*\*1 thing in this report needs attention\*\*/);
    expect(records(folder).at(-1)).toMatchObject({ exit: 1, settled: true });
    expect((await runDue(folder, '2024-03-08T12:00Z')).stderr).toContain('Nothing is due.');
  });

  it('notifies somebody where a check that alerts fails, and only then', async () => {
    const head =
      'schedule: daily at 06:00\ntimezone: Europe/Berlin\ndeliver: [{folder: public, formats: [md]}]\nnotify: [{email: oncall@example.org, into: outbox}]\n';
    const folder = folderOf({
      ...files,
      'reports/days.md': report(head, busy.replace('severity: stop', 'severity: alert')),
    });
    const due = (asOf: string) => folder.sluice(['report', 'run', '--due', '--as-of', asOf]);
    await due('2024-03-07T12:00Z');
    expect(readdirSync(folder.root)).not.toContain('outbox');
    expect((await due('2024-03-08T06:00Z')).code).toBe(1);
    expect(readdirSync(path.join(folder.root, 'outbox'))).toEqual(['days-2024-03-08.eml']);
    expect(readdirSync(path.join(folder.root, 'public'))).toEqual(['days-2024-03-07.md', 'days-2024-03-08.md']);
  });

  it('does a month of slots at a time, and says that there are more', async () => {
    const folder = folderOf({
      ...files,
      'reports/days.md': report(
        'schedule: daily at 06:00\ntimezone: Europe/Berlin\ndeliver: [{folder: public, formats: [json]}]\n',
      ),
    });
    const due = (asOf: string) => folder.sluice(['report', 'run', '--due', '--as-of', asOf]);
    await due('2024-03-06T12:00Z');
    const far = await due('2034-03-06T12:00Z');
    expect(far.stderr).toContain(
      'More than 31 slots of days are due, from 2024-03-07 06:00 on. This run does the first 31. Check the clock.',
    );
    expect(records(folder).filter(({ kind }) => kind === 'run')).toHaveLength(32);
  });

  it('takes no run for done that was made under a clock that was ahead', async () => {
    const folder = folderOf(files);
    await runDue(folder, '2024-03-06T12:00Z');
    // The machine's clock was in 2036.
    const ahead = (day: string, started: string) =>
      JSON.stringify({
        kind: 'run',
        slot: `${day}T05:00:00.000Z`,
        started,
        elapsedMs: 0,
        bytes: 1,
        exit: 0,
        formats: ['markdown'],
        settled: true,
      });
    const file = path.join(folder.root, '.sluice/reports/days.ndjson');
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}${['2024-03-07', '2024-03-08', '2024-03-09', '2036-01-01'].map((day) => ahead(day, '2036-01-01T12:00:00.000Z')).join('\n')}\n`,
    );
    const { code, stderr } = await runDue(folder, '2024-03-08T12:00Z');
    expect(code).toBe(0);
    expect(stderr).toContain('has 4 runs dated in the future: a clock was ahead. They do not count as done.');
    expect(out(folder)).toEqual(['days-2024-03-06.md', 'days-2024-03-07.md', 'days-2024-03-08.md']);
    const again = await runDue(folder, '2024-03-08T12:00Z');
    expect([again.code, again.stderr.includes('Nothing is due.')]).toEqual([0, true]);
    expect(records(folder).filter(({ kind }) => kind === 'clock')).toHaveLength(1);
  });

  it('after a crash between the output and its record runs again, to the same bytes', async () => {
    const folder = folderOf(files);
    await runDue(folder, '2024-03-08T12:00Z');
    const before = read(folder, 'out/days-2024-03-08.md');
    const lines = read(folder, '.sluice/reports/days.ndjson').split('\n');
    for (const left of [`${lines[0]}\n`, `${lines[0]}\n${lines[1]!.slice(0, 40)}`, '']) {
      writeFileSync(path.join(folder.root, '.sluice/reports/days.ndjson'), left);
      writeFileSync(path.join(folder.root, 'out/days-2024-03-08.md'), 'half');
      expect((await runDue(folder, '2024-03-08T12:00Z')).code).toBe(0);
      expect(read(folder, 'out/days-2024-03-08.md')).toBe(before);
      expect((await runDue(folder, '2024-03-08T12:00Z')).stderr).toContain('Nothing is due.');
    }
  });

  it('puts no report with failures over a good one of the same slot, unless that is asked for', async () => {
    const folder = folderOf(files);
    await runDue(folder, '2024-03-08T12:00Z');
    const before = read(folder, 'out/days-2024-03-08.md');
    rmSync(path.join(folder.root, '.sluice'), { recursive: true });
    folder.write('reports/days.md', `${daily}${busy}`);
    expect((await runDue(folder, '2024-03-08T12:00Z')).code).toBe(1);
    expect(out(folder)).toEqual(['days-2024-03-08.failed.md', 'days-2024-03-08.md']);
    expect(read(folder, 'out/days-2024-03-08.md')).toBe(before);
    await runDue(folder, '2024-03-08T12:00Z', '--force');
    expect(read(folder, 'out/days-2024-03-08.md')).toContain('✗');
  });

  it('keeps a second run out, who has nothing to do', async () => {
    const folder = folderOf(files);
    const lock = await lockReport(path.join(folder.root, '.sluice/reports/.days.lock'));
    if (lock.kind === 'taken') throw new Error('it is free');
    const second = await runDue(folder, '2024-03-08T12:00Z');
    expect(second).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('is being run by this process. Nothing was done.') as string,
    });
    const byHand = await folder.sluice(['report', 'run', 'days', '-o', 'x.md']);
    expect([byHand.code, readdirSync(folder.root).includes('x.md')]).toEqual([0, false]);
    // Without output to a file, nothing conflicts with the other run.
    expect((await folder.sluice(['report', 'run', 'days'])).stdout).toContain('There were');
    lock[Symbol.dispose]();
    const both = await Promise.all([runDue(folder, '2024-03-08T12:00Z'), runDue(folder, '2024-03-08T12:00Z')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(records(folder).filter(({ kind, slot }) => kind === 'run' && slot !== null)).toHaveLength(1);
  });

  it('writes runs by hand down, too, which do not count', async () => {
    const folder = folderOf(files);
    await folder.sluice(['report', 'run', 'days']);
    await folder.sluice(['report', 'run', 'days', '--param', 'day=none']);
    expect(records(folder)).toMatchObject([
      { kind: 'run', slot: null, exit: 0, formats: ['markdown'], settled: false },
      { slot: null, exit: 2, bytes: 0 },
    ]);
    await runDue(folder, '2024-03-08T12:00Z');
    expect(out(folder)).toEqual(['days-2024-03-08.md']);
  });

  it('looks at all reports that have a schedule, and one that cannot be used holds up no other', async () => {
    const folder = folderOf({
      ...files,
      'reports/a.md': report('schedule: whenever\n'),
      'reports/free.md': report(''),
      'reports/hourly.md': report('schedule: hourly\n'),
    });
    const { code, stderr } = await runDue(folder, '2024-03-08T12:30Z');
    expect(code).toBe(2);
    expect(stderr).toContain('reports/a.md:5:11  error  "whenever" is not a valid schedule.');
    expect(out(folder)).toEqual(['days-2024-03-08.md', 'hourly-2024-03-08T1200Z.md']);
    const named = await runDue(folder, '2024-03-08T12:30Z', 'free');
    expect([named.code, named.stderr.includes('has no schedule')]).toEqual([2, true]);
    for (const flags of [
      ['--param', 'day=today'],
      ['--to', 'a@example.org'],
    ])
      expect((await runDue(folder, '2024-03-08T12:30Z', ...flags)).code).toBe(2);
  });

  it('runs the other reports if the records of one cannot be read, also if somebody is notified', async () => {
    const notified = 'events: events.ndjson\nnotify: [{folder: box, formats: [md]}]\n';
    const folder = folderOf({ ...files, 'reports/a.md': daily, 'sluice.yaml': notified });
    mkdirSync(path.join(folder.root, '.sluice/reports/a.ndjson'), { recursive: true });
    const { code, stderr } = await runDue(folder, '2024-03-08T12:00Z');
    expect([code, stderr.split('a.ndjson cannot be read').length]).toEqual([1, 2]);
    expect(out(folder)).toEqual(['days-2024-03-08.md']);
  });

  it('keeps its state where it is told to, apart for reports of one name', async () => {
    const folder = folderOf({ ...files, 'more/days.md': daily, 'sluice.yaml': 'events: events.ndjson\nruns: state\n' });
    await runDue(folder, '2024-03-08T12:00Z', 'reports/days.md', 'more/days.md');
    expect(readdirSync(path.join(folder.root, 'state')).filter((name) => name.endsWith('.ndjson'))).toEqual([
      expect.stringMatching(/^days-[0-9a-f]{8}\.ndjson$/),
      'days.ndjson',
    ]);
    await runDue(folder, '2024-03-08T12:00Z', 'reports/days.md', '--state', 'other');
    expect(readdirSync(path.join(folder.root, 'other'))).toContain('days.ndjson');
  });

  it('tells what a record holds that it cannot read, and goes on', async () => {
    const folder = folderOf(files);
    mkdirSync(path.join(folder.root, '.sluice/reports'), { recursive: true });
    folder.write('.sluice/reports/days.ndjson', 'nonsense\n{"kind":"run"}\n');
    const { code, stderr } = await runDue(folder, '2024-03-08T12:00Z');
    expect(code).toBe(0);
    expect(stderr).toContain('has 2 lines that cannot be read');
  });

  it('says that slots may be missing if its records are gone, but not at its first run', async () => {
    const folder = folderOf(files);
    expect((await runDue(folder, '2024-03-08T12:00Z')).stderr).not.toContain('has no runs');
    rmSync(path.join(folder.root, '.sluice/reports/days.ndjson'));
    const { stderr } = await runDue(folder, '2024-03-11T12:00Z');
    expect(stderr).toContain(
      'days.ndjson has no runs, although days ran before. Only its latest slot runs, perhaps again. Earlier slots that were missed or failed do not run.',
    );
    expect((await runDue(folder, '2024-03-12T12:00Z')).stderr).not.toContain('has no runs');
  });
});
