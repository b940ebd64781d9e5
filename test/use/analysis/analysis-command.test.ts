import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { open, type Result, type Sluice } from '../../../src/use/index.ts';
import { openFolder } from '../run-in-folder.ts';

const folder = openFolder({
  'queries/weekly.yaml': 'retention:\n  period: week\n  periods: 4\n',
  'queries/shown.yaml': 'retention: {period: day, periods: 3, start: "/", return: any, breakdown: agentName}\n',
  'queries/life.yaml': 'lifecycle:\n  period: week\n',
  'queries/stick.yaml': 'stickiness:\n  period: day\n',
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
const rowsOf = async (...words: readonly string[]) => {
  const { code, stdout, stderr } = await run(...words, '-f', 'json');
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout) as readonly Readonly<Record<string, unknown>>[];
};
/** The same rows, whatever the name of the cube. */
const unnamed = (rows: readonly object[]) =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key.replace(/^\w+\./, ''), value])));

/** The same without what steps are called. */
const nameless = (rows: ReturnType<typeof unnamed>) => rows.map((row) => ({ ...row, name: undefined }));

describe('the commands of analyses', () => {
  it('run a definition of the workspace, with and without "run", like the same query', async () => {
    const asked = await rowsOf(
      'query',
      'weekly.size, weekly.users, weekly.rate by weekly.period, week last 3 weeks order by weekly.cohort.week, weekly.period',
    );
    expect(asked).toHaveLength(9);
    for (const words of [
      ['retention', 'weekly'],
      ['retention', 'run', 'weekly'],
      ['retention', 'queries/weekly.yaml'],
    ])
      expect(await rowsOf(...words, '-r', 'last 3 weeks')).toEqual(asked);
  });

  it('run a definition of flags like one in a file', async () => {
    expect(unnamed(await rowsOf('retention', '--by', 'week', '--periods', '4', '-r', 'last 3 weeks'))).toEqual(
      unnamed(await rowsOf('retention', 'weekly', '-r', 'last 3 weeks')),
    );
    const flags = ['--start', '/', '--return', 'any', '--by', 'day', '--periods', '3', '--breakdown', 'agentName'];
    expect(unnamed(await rowsOf('retention', ...flags))).toEqual(unnamed(await rowsOf('retention', 'shown')));
    expect(unnamed(await rowsOf('lifecycle', '--by', 'week'))).toEqual(unnamed(await rowsOf('lifecycle', 'life')));
    expect(unnamed(await rowsOf('stickiness'))).toEqual(unnamed(await rowsOf('stickiness', 'stick')));
    const steps = ['--step', '/', '--step', '/pricing', '--within', '1 hour'];
    const given = unnamed(await rowsOf('funnel', ...steps));
    expect(given.map(({ name }) => name)).toEqual(['/', 'pricing']);
    expect(nameless(given)).toEqual(nameless(unnamed(await rowsOf('funnel', 'run', 'buy'))));
  });

  it('narrow the events by --where, of a file and of flags equally', async () => {
    const where = ['--where', 'agentName = Firefox', '-r', 'last 3 weeks'];
    const narrowed = unnamed(await rowsOf('retention', 'weekly', ...where));
    expect(narrowed).not.toEqual(unnamed(await rowsOf('retention', 'weekly', '-r', 'last 3 weeks')));
    const flags = ['--start', 'pageview where agentName = Firefox', '--periods', '4', '-r', 'last 3 weeks'];
    expect(unnamed(await rowsOf('retention', ...flags))).toEqual(narrowed);
    expect(unnamed(await rowsOf('retention', '--periods', '4', ...where))).toEqual(narrowed);
    expect((await rowsOf('funnel', 'buy', '--where', 'agentName = Firefox'))[0]).not.toEqual(
      (await rowsOf('funnel', 'buy'))[0],
    );
  });

  it('lay out a table for people: a row for each cohort, a column for each period', async () => {
    const { stdout } = await run('retention', 'weekly', '-r', 'last 3 weeks', '--width', '100');
    expect(stdout).toMatch(/^Cohort +Size +0 +1 +2$/m);
    expect(stdout.match(/^2024-W\d\d .* 100% /gm)).toHaveLength(3);
    expect((await run('lifecycle', 'life', '-f', 'markdown')).stdout).toMatch(
      /^\| .*new.*returning.*resurrecting.*dormant/m,
    );
    expect((await run('retention', 'weekly', '-f', 'csv')).stdout.split('\n')[0]).toContain('weekly.users');
  });

  it('list and check only the files of their analysis', async () => {
    expect((await run('retention', 'list')).stdout).toMatch(/^shown .*queries\/shown\.yaml\nweekly .*weekly\.yaml\n$/);
    expect((await run('lifecycle', 'check')).stderr).toContain('1 lifecycle file: 0 errors');
    folder.write('queries/wrong.yaml', 'stickiness:\n  perod: day\n');
    const { code, stdout } = await run('stickiness', 'check');
    folder.write('queries/wrong.yaml', 'query: {measures: [TrackedEvents.count]}\n');
    expect([code, stdout]).toEqual([2, expect.stringMatching(/wrong\.yaml:2:3.*\n[^]*Did you mean "period"\?/)]);
  });

  it.each([
    [['retention', 'wekly'], 'Did you mean "weekly"?'],
    [['retention', '--start', 'pageview where agentNam = x'], 'Did you mean "TrackedEvents.agentName"?'],
    [['retention', '--start', '/cart?x'], '1:9  error'],
    [['retention', '--start', 'where docPath = /'], 'Name a type of event, or a path'],
    [['retention', '--periods', '0'], '"periods" must be at least 1'],
    [['retention', '--by', 'wek'], 'week'],
    [['retention', '--breakdown', 'agent'], 'There is no dimension'],
    [['retention', 'weekly', '--by', 'day'], 'Leave out the name'],
    [['retention', 'weekly', '--where', 'agentName ='], 'A value is expected'],
    [['funnel'], 'Specify a funnel, or its steps.'],
    [['funnel', '--step', '/'], 'at least 2'],
    [['funnel', '--step', '/', '--step', '/b#c'], '1:17  error'],
    [['funnel', '--step', '/', '--step', '/b', '--within', '1 month'], '"1 month" is not a duration.'],
    [['funnel', 'buyy'], 'Did you mean "buy"?'],
    [['paths', '--from', '/a', '--through', '/b'], '1:21  error'],
    [['paths', '--max-steps', '0'], '"max_steps" must be at least'],
  ])('refuse %j with a hint', async (words, told) => {
    const { code, stderr } = await run(...words);
    expect([code, stderr.includes(told) ? told : stderr]).toEqual([2, told]);
  });

  it.each([
    [['stickiness', '--active', 'any where agentName = Frefox'], 'Did you mean "Firefox"?'],
    [['stickiness', '--where', 'agentName = nothing-like-it'], 'Events have "'],
    [['stickiness', '--active', '/nowhere-at-all/*'], 'No event has a path like "/nowhere-at-all/*"'],
    [
      ['query', 'new_step.count by new_step.step'],
      'No event has the path "/nowhere-at-all" (funnels/new-step.yaml:3:44)',
    ],
    [['paths', '--from', '/nowhere-at-all'], 'No step is called "/nowhere-at-all": no session has a path.'],
    [['paths', '--exclude', '/nowhere-at-all'], 'No step is called "/nowhere-at-all", which is to be left out.'],
    [
      ['paths', '--from', '/pricing', '-r', '1999'],
      'No step is called "/pricing" in this range: no session has a path.',
    ],
  ])('tell of %j that no event has what is named, and what there is', async (words, told) => {
    folder.write(
      'funnels/new-step.yaml',
      'seconds_to_convert: 3600\nsteps:\n  - {name: home, action: pageview, target: /nowhere-at-all}\n  - {name: then, action: pageview, target: /}\nsluice:\n  where: [docHost = example.com]\n',
    );
    const { code, stdout, stderr } = await run(...words);
    const csv = await run(...words, '-f', 'csv');
    expect([code, (stdout + stderr).includes(told) ? told : stdout + stderr]).toEqual([0, told]);
    expect([csv.stdout.includes(told), csv.stderr]).toEqual([false, expect.stringContaining(told)]);
  });

  it('follow paths of flags like those of a file', async () => {
    const flags = [
      '--from',
      '/',
      '--group',
      '/docs*',
      '--exclude',
      '/pricing',
      '--max-steps',
      '3',
      '--edge-limit',
      '4',
    ];
    const definition = { from: '/', groups: ['/docs*'], exclude: ['/pricing'], max_steps: 3, edge_limit: 4 };
    const rows = await rowsOf('paths', ...flags);
    expect(rows.length).toBeGreaterThan(3);
    const given = (await sluice.paths(definition)).rows();
    expect(rows).toEqual(given);
    expectTypeOf(given[0]!).toExtend<{
      readonly 'paths.source': string;
      readonly 'paths.sessions': number;
      readonly 'paths.average_seconds': number | null;
    }>();
    expect(given[0]!['paths.total']).toBeGreaterThan(given[0]!['paths.sessions']);
  });

  it('do not report values that exist', async () => {
    const { stdout } = await run(
      'retention',
      '--start',
      '/',
      '--return',
      'link_click',
      '--where',
      'agentName = Firefox',
    );
    expect(stdout).not.toMatch(/No event at|has no value/);
  });

  it.each([
    ['retention by week', '2023-12-18', '2024-03-02'],
    ['lifecycle by day', '2024-02-21', '2024-03-02'],
    ['stickiness by month', '2023-05-01', '2024-03-02'],
  ])('know the range of %s, and say if no event is in it', async (line, start, end) => {
    const { provenance } = await sluice.query(line);
    expect([provenance.range?.start.slice(0, 10), provenance.range?.end.slice(0, 10)]).toEqual([start, end]);
    expect(provenance.endsEarly).toBeUndefined();
    const late = ['query', line, '--events', 'events.parquet', '--as-of', '2026-03-02'];
    const { code, stdout } = await folder.sluice(late);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('No events in the range: the newest is from 2024-03-01. To ask as of then'),
    ]);
  });

  it('complete their names, flags, and the values of flags', async () => {
    const complete = async (...words: readonly string[]) =>
      (await folder.sluice(['completion', 'zsh', '--', ...words])).stdout;
    expect(await complete('retention', '')).toMatch(/run[^]*list[^]*weekly/);
    expect(await complete('retention', 'run', '')).toContain('weekly');
    expect(await complete('retention', '--st')).toContain('--start');
    expect(await complete('retention', '--by', '')).toContain('week');
    expect(await complete('retention', '--breakdown', 'agent')).toContain('agentName');
    expect(await complete('funnel', '')).toContain('buy');
    expect(await complete('retention', 'check', '--')).not.toContain('--start');
  });
});

describe('the library', () => {
  it('answers like the command line, by name and by definition, with typed rows', async () => {
    const range = 'last 3 weeks';
    const named = await sluice.retention('weekly', { range });
    const given = await sluice.retention({ period: 'week', periods: 4 }, { range });
    expect(unnamed(named.rows())).toEqual(unnamed(given.rows()));
    expect(JSON.parse(JSON.stringify(named.rows()))).toEqual(await rowsOf('retention', 'weekly', '-r', range));
    expectTypeOf(given.rows()[0]!).toExtend<{
      readonly 'retention.cohort.week': string;
      readonly 'retention.period': number;
      readonly 'retention.size': number;
      readonly 'retention.users': number;
      readonly 'retention.rate': number | null;
    }>();
    expectTypeOf(named.rows()[0]!).toExtend<{
      readonly 'weekly.cohort.week'?: string;
      readonly 'weekly.rate': number | null;
    }>();
    const apart = await sluice.retention({ breakdown: 'agentName' });
    expectTypeOf(apart.rows()[0]!['retention.breakdown']).toEqualTypeOf<string | null>();
    const life = await sluice.lifecycle({ period: 'day' }, { range: 'last 3 days' });
    expectTypeOf(life.rows()[0]!).toExtend<{
      readonly 'lifecycle.time.day': string;
      readonly 'lifecycle.status': 'new' | 'returning' | 'resurrecting' | 'dormant';
      readonly 'lifecycle.users': number;
    }>();
    expect(Object.keys(life.rows()[0]!)).toEqual(['lifecycle.status', 'lifecycle.time.day', 'lifecycle.users']);
    const stick = await sluice.stickiness('stick', { range });
    expectTypeOf(stick.rows()[0]!).toExtend<{ readonly 'stick.periods': number; readonly 'stick.users': number }>();
    const generic = await sluice.analysis('stickiness', { period: 'day' }, { range });
    expectTypeOf(generic).toExtend<Result>();
    expect(unnamed(generic.rows())).toEqual(unnamed(stick.rows()));
  });

  it('runs an inline funnel', async () => {
    const given = await sluice.funnel({ steps: ['/', '/pricing'], within: '1 hour' });
    expect(nameless(unnamed(given.rows()))).toEqual(nameless(unnamed((await sluice.funnel('buy')).rows())));
    const named = await sluice.funnel({ steps: [{ name: 'home', target: '/' }, 'pageview where docPath = /pricing'] });
    expect(named.rows().map((row) => row['funnel.name'])).toEqual(['home', 'pageview']);
  });

  it('breaks a funnel down in one line as its command does', async () => {
    const steps = ['/', '/pricing'];
    const own = (await sluice.funnel({ steps, breakdown: { dimension: 'agentName' } })).rows();
    const line = (await sluice.query('funnel /, /pricing breakdown agentName')).rows();
    const toLine = (row: object, value: string) => {
      const { [value]: of, 'funnel.step': step, 'funnel.count': count } = row as Record<string, unknown>;
      return `${String(of)} ${String(step)} ${String(count)}`;
    };
    expect(line.length).toBeGreaterThan(4);
    expect(line.map((row) => toLine(row, 'funnel.breakdown'))).toEqual(
      own.map((row) => toLine(row, 'TrackedEvents.agentName')),
    );
    const firefox = line.find((row) => row['funnel.breakdown'] === 'Firefox' && row['funnel.step'] === 2);
    const users = [
      'query',
      'funnel /, /pricing breakdown agentName',
      '--users',
      '--where',
      'funnel.breakdown = Firefox',
    ];
    expect(await rowsOf(...users, '--where', 'funnel.step = 2')).toHaveLength(Number(firefox?.['funnel.count']));
    const several = await run(
      'query',
      'funnel /, /pricing breakdown agentName',
      '--where',
      'funnel.breakdown in (Firefox, Chrome)',
      '-d',
      'funnel.step',
    );
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringContaining('Add the dimension "funnel.breakdown"'),
    ]);
  });

  it('answers a definition by its name wherever a saved query can be named', async () => {
    const whole = unnamed((await sluice.retention('weekly')).rows());
    expect(unnamed((await sluice.query('weekly')).rows())).toEqual(whole);
    expect(unnamed(await rowsOf('query', 'weekly'))).toEqual(whole);
    folder.write(
      'reports/kept.md',
      '---\ntitle: Kept\n---\n\n```query\nfrom: weekly\nshow: both\nrange: last 3 weeks\n```\n',
    );
    const { code, stdout } = await run('report', 'run', 'kept', '-f', 'markdown');
    expect([code, stdout]).toEqual([0, expect.stringContaining('| 2024-W')]);
    folder.write('reports/kept.md', '---\ntitle: Kept\n---\n\n```query\nfrom: weakly\n```\n');
    expect((await run('report', 'check', 'kept')).stdout).toContain('Did you mean "weekly"?');
  });

  it('refuses a wrong definition, with the path of each mistake', async () => {
    const wrong = sluice.retention({ perod: 'day', start: '/a?b' } as object);
    await expect(wrong).rejects.toMatchObject({
      issues: [
        { code: 'not-a-path', path: ['start'] },
        { code: 'unknown-key', path: ['perod'] },
      ],
    });
    await expect(sluice.retention(7 as never)).rejects.toMatchObject({ code: 'invalid-input' });
    await expect(sluice.analysis('retenton' as never, {})).rejects.toThrow('The analysis cannot be');
    await expect(sluice.lifecycle('none')).rejects.toThrow('There is no lifecycle "none".');
    await expect(sluice.funnel({ steps: ['/'] })).rejects.toMatchObject({ issues: [{ path: ['steps'] }] });
    await expect(sluice.stickiness({}, { rang: 'x' } as object)).rejects.toThrow('range');
  });
});
