import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Sluice } from '../../src/use/index.ts';
import { openFolder } from './run-in-folder.ts';

const folder = openFolder({
  'queries/weekly.yaml': 'retention:\n  period: week\n  periods: 4\n',
  'funnels/buy.yaml':
    'seconds_to_convert: 3600\nsteps:\n  - {name: step_1, action: pageview, target: /}\n  - {name: pricing, action: pageview, target: /pricing}\n',
});
const present = Date.parse('2024-03-02T00:00:00Z');
let sluice: Sluice;

beforeAll(async () => {
  await writeSample({ seed: 3, events: 5000, days: 40, to: '2024-03-01' }, `${folder.root}/events.parquet`);
  sluice = await open({
    workspace: folder.root,
    events: 'events.parquet',
    env: {},
    now: () => present,
    onNote: () => {},
  });
});
afterAll(async () => {
  await sluice[Symbol.asyncDispose]();
  folder.remove();
});

const run = (...words: readonly string[]) =>
  folder.sluice([...words, '--events', 'events.parquet', '--as-of', '2024-03-02T00:00:00Z']);
const csvOf = async (...words: readonly string[]) => {
  const { code, stdout, stderr } = await run(...words, '-f', 'csv');
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  return stdout;
};

describe('an analysis in one line', () => {
  it.each<[line: string, command: readonly string[]]>([
    [
      'retention of / returning any by day periods 3 last 2 weeks',
      ['retention', '--start', '/', '--return', 'any', '--by', 'day', '--periods', '3', '-r', 'last 2 weeks'],
    ],
    [
      'retention by week where agentName = Firefox in Europe/Berlin last 3 weeks',
      ['retention', '--where', 'agentName = Firefox', '--timezone', 'Europe/Berlin', '-r', 'last 3 weeks'],
    ],
    ['retention weekly last 3 weeks', ['retention', 'weekly', '-r', 'last 3 weeks']],
    ['lifecycle by week last 3 weeks', ['lifecycle', '--by', 'week', '-r', 'last 3 weeks']],
    ['stickiness by day last 1 week', ['stickiness', '--by', 'day', '-r', 'last 1 week']],
    ['paths from / max-steps 3 last 2 weeks', ['paths', '--from', '/', '--max-steps', '3', '-r', 'last 2 weeks']],
  ])('%s gives the answer of the command with flags', async (line, command) => {
    expect(await csvOf('query', line)).toBe(await csvOf(...command));
  });

  it('counts the users of a funnel by step like the command', async () => {
    const counts = (csv: string) =>
      csv
        .trim()
        .split('\n')
        .slice(1)
        .map((row) => row.split(','));
    const line = counts(await csvOf('query', 'funnel / then /pricing within 1 hour last 3 weeks'));
    const command = counts(
      await csvOf('funnel', '--step', '/', '--step', '/pricing', '--within', '1 hour', '-r', 'last 3 weeks'),
    );
    expect(line).toEqual(command.map((row) => [row[0], row[2]]));
    expect(line).toEqual(counts(await csvOf('query', 'funnel buy last 3 weeks')));
  });

  it('has a layout, is narrowed by flags, and lists the users behind a row', async () => {
    expect((await run('query', 'retention by week periods 3 last 3 weeks')).stdout).toMatch(
      /^Cohort +Size +0 +1 +2 *\n/,
    );
    const line = 'retention by week last 3 weeks';
    const first = await csvOf('query', line, '--where', 'period = 0', '--range', '2024-W06');
    const size = Number(first.trim().split('\n')[1]?.split(',')[2]);
    const users = await csvOf('query', line, '--where', 'period = 0', '--range', '2024-W06', '--users');
    expect([size > 0, users.trim().split('\n').length - 1]).toEqual([true, size]);
  });

  it('is run by a program, and is not a query', async () => {
    const result = await sluice.query('lifecycle by week last 3 weeks');
    expect(result.rowCount).toBe(12);
    expect(await sluice.validate('lifecycle by wek')).toMatchObject({ ok: false });
    expect(await sluice.parse('lifecycle by week')).toMatchObject({ ok: false, issues: [{ code: 'no-query' }] });
  });

  it.each([
    ['retention of signup by fortnight', '1:24'],
    ['funnel / then /b by agntName', '1:21'],
    ['retention value sum(docPth)', '1:17'],
    ['retention periods 0', '1:19'],
    ['retention last 8 weks', '1:11'],
    ['retention in Europe/Berln', '1:14'],
    ['retention where docPth = /', '1:11'],
    ['retention wekly', '1:11'],
    ['funnel /', '1:8'],
    ['paths from /a through /b', '1:'],
  ])('%s is refused at its place', async (line, place) => {
    const { code, stderr } = await run('query', line);
    expect([code, stderr.includes(`\n${place}`) ? place : stderr]).toEqual([2, place]);
  });

  it('is refused on a server, with an alternative', async () => {
    const { code, stderr } = await folder.sluice(
      ['query', 'retention by week', '--backend', 'cube', '--host', 'http://127.0.0.1:9'],
      { env: { SLUICE_TOKEN: 'x' } },
    );
    expect(code).not.toBe(0);
    expect(stderr).not.toContain('There is no member');
  });
});

describe('a cell of a report', () => {
  it('can be one line, including an analysis', async () => {
    folder.write(
      'reports/lines.md',
      [
        '---\ntitle: Lines\n---\n',
        '```query\nname: views\nquery: count by eventType last 3 weeks\n```\n',
        '```query\nname: back\nquery: retention by week periods 3 last 3 weeks\n```\n',
        '```query\nname: steps\nquery: funnel / then /pricing last 3 weeks\n```\n',
        '```query\nfrom: buy\n```\n',
        'In all {{ views.total | number }}.\n',
      ].join('\n'),
    );
    expect(await run('report', 'check', 'lines')).toMatchObject({ code: 0 });
    const { code, stdout } = await run('report', 'run', 'lines', '-f', 'md');
    expect(code).toBe(0);
    expect(stdout).toMatch(/\| Cohort \| Size \| 0 \| 1 \| 2 \|/);
    // A chart that is laid out as a table is not repeated as a table.
    expect(stdout).not.toMatch(/\| Period \| Cohort \|/);
    expect(stdout).toMatch(/In all [\d,]+\./);
  });

  it('keeps definitions of the same cube apart', async () => {
    const cell = (path: string) => `\`\`\`query\nquery: retention of ${path} by week periods 1 last 3 weeks\n\`\`\`\n`;
    folder.write('reports/apart.md', `---\ntitle: Apart\n---\n\n${cell('/')}\n${cell('/pricing')}`);
    const { stdout } = await run('report', 'run', 'apart', '-f', 'md');
    const sizes = [...stdout.matchAll(/^\| 2024-W\d\d \| ([\d,]+) \|/gm)].map(([, size]) => size);
    expect(sizes).toHaveLength(6);
    expect(sizes.slice(0, 3)).not.toEqual(sizes.slice(3));
  });

  it.each([
    ['query: count by eventTyp', 'r.md:6:17'],
    ['query: retention by wek', 'r.md:6:21'],
    ['from: weekly\ndefine: {retention: {}}', 'r.md:'],
  ])('is refused at its place: %s', async (content, place) => {
    folder.write('reports/r.md', `---\ntitle: R\n---\n\n\`\`\`query\n${content}\n\`\`\`\n`);
    const { code, stdout } = await run('report', 'check', 'reports/r.md');
    expect([code, stdout.includes(place) ? place : stdout]).toEqual([2, place]);
  });
});

describe('a query file', () => {
  it('may define its own analysis', async () => {
    folder.write(
      'queries/second.yaml',
      'define: {retention: {period: week, periods: 3}}\nquery:\n  measures: [retention.users]\n  dimensions: [retention.period]\n  timeDimensions: [{dimension: retention.cohort, granularity: week, dateRange: last 3 weeks}]\n  filters: [{member: retention.period, operator: equals, values: ["1"]}]\n',
    );
    const csv = await csvOf('query', 'second');
    expect(csv.trim().split('\n')).toHaveLength(4);
  });
});
