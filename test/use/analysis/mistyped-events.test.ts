import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { openServer } from '../../../src/use/server/open-server.ts';
import { ask } from '../server/open-served.ts';
import { openWithSession, type SluiceWithSession } from '../open-session.ts';
import { openFolder } from '../run-in-folder.ts';

const folder = openFolder({
  'queries/typo.yaml': 'title: pageviw\nretention:\n  start: pageviw\n',
  'queries/typo-cohort.yaml':
    'cohort: {any: [{did: {event: pagevew}}, {did: {target: /prcing}}, {reached: {funnel: buy}}]}\n',
  'queries/starred.yaml': 'cohort: {did: {target: /zz/*}}\n',
  'queries/readers.yaml': 'cohort: {all: [{did: {target: /docs}}]}\n',
  'queries/beside.yaml': 'define: {retention: {start: pagevew}}\nquery: {measures: [retention.size]}\n',
  'funnels/buy.yaml':
    'seconds_to_convert: 3600\nsteps:\n  - {name: home, action: pageview, target: /}\n  - {name: pricing, action: pageview, target: /prcing}\n',
  'reports/kept.md':
    '---\ntitle: Kept\n---\n\n```query\nfrom: typo\n```\n\n```query\nquery: retention of pagevew by week\n```\n',
});
const present = Date.parse('2024-03-02T00:00:00Z');
let sluice: SluiceWithSession;

beforeAll(async () => {
  await writeSample({ seed: 3, events: 5000, days: 40, to: '2024-03-01' }, `${folder.root}/events.parquet`);
  sluice = await openWithSession({
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

describe('a type or a path that no event has, and that is near to one that there is', () => {
  it.each([
    [['retention', '--start', 'pagevew'], '1:9  error  No event has the type "pagevew".', 'Did you mean "pageview"?'],
    [['retention', '--start', 'PageView'], '1:9  error', 'Did you mean "pageview"?'],
    [['retention', '--return', 'searched'], '1:10  error', 'Write `"any where customEventName = searched"`.'],
    [['lifecycle', '--active', '/prcing'], '1:10  error  No event has the path "/prcing".', 'Did you mean "/pricing"?'],
    [['stickiness', '--active', '/produkts/*'], '1:11  error  No event has a path like', 'Did you mean "/products/*"?'],
    [['funnel', '--step', '/', '--step', 'link_clck'], '1:17  error', 'Did you mean "link_click"?'],
    [['funnel', '--step', '/', '--step', '/prcing', '--users', 'converted:1'], '1:17  error', '"/pricing"'],
    [['funnel', '--step', '/', '--step', '/cart', '--exclude', '/prcing'], '1:33  error', '"/pricing"'],
    [['funnel', 'buy', '-f', 'csv'], 'funnels/buy.yaml:4:47  error', 'Did you mean "/pricing"?'],
    [['query', 'buy.count by buy.step'], 'The funnel "buy" has errors.\nfunnels/buy.yaml:4:47  error', '"/pricing"'],
    [['query', 'buy.count by buy.step', '--users'], 'funnels/buy.yaml:4:47  error', '"/pricing"'],
    [['query', 'typo'], 'queries/typo.yaml:3:10  error', 'Did you mean "pageview"?'],
    [
      ['query', 'count by cohort.starred'],
      'queries/starred.yaml:1:24  error  No event has the path "/zz/*": a target is one exact path.',
      'For a pattern, write `any_of: ["/zz/*"]`.',
    ],
    [['query', 'retention of pagevew by week'], '1:14  error', 'Did you mean "pageview"?'],
    [['query', 'retention of pagevew by week', '-r', 'last 2 weeks'], '1:14  error', 'Did you mean "pageview"?'],
    [['query', 'lifecycle of "pagevew where docPath = pagevew"', '-f', 'csv'], '1:15  error', '"pageview"'],
    [['query', 'beside'], 'queries/beside.yaml:1:29  error', '"pageview"'],
    [['retention', '--start', 'pagevew', '--window', '24h', '--breakdown', 'agentName'], '1:9  error', '"pageview"'],
    [['retention', '--start', 'pagevew', '--users', 'period=0'], '1:9  error', 'Did you mean "pageview"?'],
    [['paths', '--from', '/prcing'], '1:8  error  No step is called "/prcing".', 'Did you mean "/pricing"?'],
    [['paths', '--from', '/prcing', '-r', '1999'], '1:8  error', 'Did you mean "/pricing"?'],
    [['paths', '--exclude', '/prcing'], '1:11  error', 'Did you mean "/pricing"?'],
    [['paths', '--event', 'pagevew'], '1:9  error', 'Did you mean "pageview"?'],
    [['query', 'typo_cohort.users'], 'queries/typo-cohort.yaml:1:30  error', 'Did you mean "pageview"?'],
    [['query', 'count where cohort = typo-cohort'], 'queries/typo-cohort.yaml:1:56  error', 'Did you mean "/pricing"?'],
    [['query', 'count by utcTime where cohort = typo-cohort', '-f', 'csv'], 'typo-cohort.yaml:1:56', '"/pricing"'],
    [['lifecycle', '--where', 'cohorts = typo-cohort'], 'queries/typo-cohort.yaml:1:56  error', '"/pricing"'],
  ])('is refused in %j with its place', async (words, place, hint) => {
    const { code, stdout, stderr } = await run(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(place);
    expect(stderr).toContain(hint);
  });

  it.each([
    ['/help/*', '/help/**'],
    ['/help*', '/help**'],
    ['/helps/*', '/help/**'],
  ])('is offered with ** where all pages of %s have more slashes', async (pattern, offered) => {
    await using opened = await openWithSession({
      workspace: folder.root,
      events: [{ utcTime: '2024-03-01 09:00:00', userAnonymousId: 'a', eventType: 'pageview', docPath: '/help/a/b' }],
      env: {},
      now: () => present,
      onNote: () => {},
    });
    await expect(opened.stickiness({ active: pattern })).rejects.toMatchObject({
      issues: [{ code: 'unknown-path', hint: expect.stringContaining(`Did you mean "${offered}"?`) }],
    });
    const { rows } = await opened.stickiness({ active: offered, period: 'day' }, { range: '2024-03-01' });
    expect(rows()).toEqual([{ 'stickiness.periods': 1, 'stickiness.users': 1 }]);
  });

  it('is refused by the library, with the path of each', async () => {
    const wrong = sluice.retention({ start: 'pagevew', return: { any_of: ['/prcing'] } });
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid-input',
      issues: [
        { code: 'unknown-event', name: 'pagevew', path: ['start'] },
        { code: 'unknown-path', name: '/prcing', path: ['return', 'any_of', 0] },
      ],
    });
    await expect(sluice.query('stickiness of pagevew by day')).rejects.toMatchObject({
      issues: [{ span: { line: 1, column: 15 } }],
    });
    await expect(sluice.paths({ through: '/prcing' })).rejects.toMatchObject({
      issues: [{ code: 'unknown-step', path: ['through'] }],
    });
  });

  it('is refused in a cell of a report, which says so', async () => {
    const { code, stdout, stderr } = await run('report', 'run', 'kept', '-f', 'markdown');
    expect(code).toBe(2);
    expect(stdout + stderr).toContain('No event has the type "pageviw"');
    expect(stdout + stderr).toContain('No event has the type "pagevew"');
    expect(stdout + stderr).toContain('Did you mean "pageview"?');
  });

  it('is a mistake of the client of a server', async () => {
    await using server = await openServer({ session: sluice.session });
    const query = { measures: ['buy.count'], dimensions: ['buy.step'] };
    const cube = await ask(`${server.url}/cubejs-api/v1/load`, { body: { query } });
    const platform = await ask(`${server.url}/api/v4/projects/42/product_analytics/request/load`, { body: { query } });
    const told = 'No event has the path "/prcing". Did you mean "/pricing"?';
    expect([cube.status, platform.status]).toEqual([400, 400]);
    expect([cube.body.error, platform.body.message]).toEqual([
      expect.stringContaining(told),
      expect.stringContaining(told),
    ]);
    const loaded = await sluice.load({ query });
    expect(loaded).toMatchObject({ status: 400, body: { error: expect.stringContaining(told) } });
  });

  it('takes no other cohort with it where all are listed', async () => {
    const { code, stdout, stderr } = await run('cohort', 'list');
    expect([code, stdout]).toEqual([2, expect.stringMatching(/^readers +[\d,]+/m)]);
    expect(stderr).toContain('queries/typo-cohort.yaml:1:30');
  });

  it('can be asked for on purpose, by a condition', async () => {
    for (const [words, told] of [
      [['retention', '--start', 'any where eventType = pagevew'], 'No event has the eventType "pagevew"'],
      [['query', 'lifecycle of "any where docPath = /prcing"'], 'No event has the docPath "/prcing"'],
    ] as const) {
      const { code, stdout, stderr } = await run(...words);
      expect([code, stdout + stderr]).toEqual([0, expect.stringContaining(told)]);
    }
  });
});

describe('an event of several words without quotes', () => {
  const rows = 'time,user,event\n2024-03-01,ann,Add to Cart\n2024-03-02,ann,Add to Cart\n2024-03-02,ann,Buy\n';
  const ask = (line: string) => {
    folder.write('words.csv', rows);
    return folder.sluice(['query', line, '--events', 'words.csv', '--as-of', '2024-03-03']);
  };
  const quoted = 'hint: Put names of several words in quotes: "Add to Cart".';

  it.each([
    ['retention of Add to Cart by day', '1:14  error  No event has the type "Add".', quoted],
    [
      'retention of Add to Cart returning Buy by day',
      'The line already has "return".',
      'Put the name of events in quotes',
    ],
    ['funnel Add to Cart then Buy', '1:12  error  "to" is not expected here.', '`"Add to Cart"`'],
    ['paths of any from Add to Cart', '1:19  error  No step is called "Add".', quoted],
  ])('is refused with its quotes: %s', async (line, error, hint) => {
    const { code, stderr } = await ask(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(error)]);
    expect(stderr).toContain(hint);
  });

  it('is not meant by its first word if events have that, too', async () => {
    folder.write('both.csv', `${rows}2024-03-01,bob,Add\n2024-03-02,bob,Cart\n`);
    const { code, stdout } = await folder.sluice([
      'query',
      'retention of Add to Cart by day last 2 days',
      '--events',
      'both.csv',
      '--as-of',
      '2024-03-03',
      '-f',
      'csv',
    ]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('2024-03-01')]);
  });
});

describe('what is no mistake', () => {
  it.each([
    [
      ['funnel', '--step', '/', '--step', '/docs2'],
      'No event has the path "/docs2": figures about it are empty. Did you mean "/docs"?',
    ],
    [['paths', '--from', '/fr'], 'No step is called "/fr": no session has a path.'],
    [['funnel', '--step', '/', '--step', 'pricing'], 'It is a page: write `/pricing`.'],
    [['retention', '--start', 'purchase'], 'No event has the type "purchase"'],
  ])('is told in a note: %j', async (words, told) => {
    const { code, stdout, stderr } = await run(...words);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining(told)]);
  });

  it.each([
    [
      'paths',
      'No session has a page view with a path. By default, steps are the paths of page views: `event any` adds',
    ],
    ['paths from bought', 'No step is called "bought": no session has a path. By default, steps are the paths of page'],
    ['paths from bought of any', '1_bought'],
  ])('is told with what to add if page views have no path: %j', async (line, told) => {
    folder.write('viewed.csv', 'time,user,event\n2024-03-01,ann,pageview\n2024-03-02,ann,bought\n');
    const { code, stdout } = await folder.sluice(['query', line, '--events', 'viewed.csv']);
    expect([code, stdout]).toEqual([0, expect.stringContaining(told)]);
  });

  it.each(['lifecycle by week', 'retention by week', 'stickiness by day', 'paths'])(
    'is told with what else to follow if %j finds no page views',
    async (line) => {
      folder.write('opened.csv', 'time,user,event\n2024-03-01,ann,opened\n2024-03-02,ann,sent\n');
      const { code, stdout } = await folder.sluice(['query', line, '--events', 'opened.csv', '--as-of', '2024-03-03']);
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(
          'No event has the type "pageview": figures about it are empty. Events have "opened", "sent": name one of these types, or `any` for all events.',
        ),
      ]);
    },
  );

  it('is one of several paths that stand for each other', async () => {
    const steps = [
      { name: 'home', target: '/' },
      { name: 'price', any_of: ['/prcing', '/pricing'] },
    ];
    const both = await sluice.funnel({ steps });
    expect(both.values('funnel.count')).toEqual(
      (await sluice.funnel({ steps: ['/', '/pricing'] })).values('funnel.count'),
    );
    expect(both.provenance.lacking).toEqual([expect.stringContaining('No event has the path "/prcing"')]);
    const neither = sluice.funnel({ steps: [steps[0]!, { name: 'price', any_of: ['/prcing', '/nowhere'] }] });
    await expect(neither).rejects.toThrow('Did you mean "/pricing"?');
  });
});

describe('what else is mistyped', () => {
  it.each([
    [
      ['retention', '--where', 'cohort = readrs'],
      '1:10  error  There is no cohort "readrs".',
      'Did you mean "readers"?',
    ],
    [['funnel', '--step', '/', '--step', '/cart', '--where', 'cohort = readrs'], '1:32  error', '"readers"'],
    [['retention', '--start', 'any where agentNam = x', '--where', 'cohort = readrs'], '1:43  error', '"readers"'],
    [['retention', '--start', 'any where agentNam = x', '--where', 'cohort = readers'], '1:9  error', 'agentName"?'],
    [['query', 'retention by week where cohort = readrs'], '1:19  error', 'Did you mean "readers"?'],
    [
      ['query', 'funnel https://a.example/, /'],
      '1:8  error  A target is a path, not a full URL.',
      'only the path: "/"',
    ],
    [['query', 'retention of'], '1:13  error  A value is expected after "of", not the end.', 'Write `of EVENTS`.'],
    [['query', 'paths from last 7 days'], '1:12  error  A value is expected after "from", not "last".', '`from STEP`'],
    [['query', 'retention by fortnight'], '1:14  error', 'A period is one of hour, day, week, month.'],
    [['query', 'retention by agentNam'], '1:14  error', 'hint: Did you mean "TrackedEvents.agentName"?'],
    [
      ['query', 'count by fortnight'],
      '1:10  error',
      'or group by second, minute, hour, day, week, month, quarter or year',
    ],
    [['funnel', '--step', '/', '--step', '/cart', '-r', '2030'], 'The range of "funnel" begins in the future.', 'past'],
    [['query', 'funnel / then /cart 2030'], '1:21  error  The range of "funnel" begins in the future.', 'in the past'],
    [['query', 'retention by week 2030'], '1:19  error  The range of "retention" begins in the future.', 'in the past'],
  ])('is refused in %j with its place', async (words, place, hint) => {
    const { code, stderr } = await run(...words);
    expect(code).toBe(2);
    expect(stderr).toContain(place);
    expect(stderr).toContain(hint);
  });

  it('is told once: no warning beside an error at the same place', async () => {
    const { stderr } = await run('retention', '-r', 'from 2024-02-10 to 2024-02-01');
    expect(stderr).toContain('error  The range of "retention" is empty');
    expect(stderr).not.toContain('warning');
  });

  it('takes cohorts in conditions as questions do', async () => {
    const range = 'last 2 weeks';
    const size = 'retention.size';
    const [all, some] = [
      await sluice.retention({}, { range }),
      await sluice.retention({ where: ['cohort = readers'] }, { range }),
    ];
    expect(Number(some.rows()[0]?.[size])).toBeGreaterThan(0);
    expect(Number(some.rows()[0]?.[size])).toBeLessThan(Number(all.rows()[0]?.[size]));
  });

  it('is told of a question over the future, whose zeros say nothing', async () => {
    const { code, stdout } = await run('query', 'count by day from 2030-01-01 to 2030-01-02');
    expect([code, stdout]).toEqual([0, expect.stringContaining('The range begins in the future')]);
  });
});

describe('periods that have begun for nobody', () => {
  const sizes = async (...words: readonly string[]) => JSON.parse((await run(...words, '-f', 'json')).stdout);

  it('have no column, in any format', async () => {
    const words = ['retention', '-r', 'last 3 weeks'];
    expect(await sizes(...words)).toHaveLength(9);
    expect((await run(...words, '-f', 'csv')).stdout.trim().split('\n')).toHaveLength(10);
    expect((await run(...words)).stdout).toMatch(/^Cohort +Size +0 +1 +2$/m);
    expect((await run(...words, '-f', 'markdown')).stdout).toContain('| Cohort | Size | 0 | 1 | 2 |');
    expect((await run(...words, '-f', 'chart')).stdout).not.toMatch(/\b3\b.*\b4\b.*\b5\b/);
  });

  it('are left out of ranges that go on into the future', async () => {
    const labels = (rows: readonly Readonly<Record<string, string>>[], key: string) =>
      new Set(rows.map((row) => row[key]));
    const month = ['-r', 'from 2024-02-20 to 2024-03-31'];
    expect([...labels(await sizes('lifecycle', ...month), 'lifecycle.time.week')]).toEqual([
      '2024-02-19T00:00:00.000',
      '2024-02-26T00:00:00.000',
    ]);
    expect((await sizes('stickiness', '--by', 'week', ...month)).length).toBe(2);
    expect((await sizes('retention', ...month)).length).toBe(4);
    expect((await sizes('retention', '--by', 'day', '--window', '24h', '-r', 'last 2 days')).length).toBe(4);
  });
});
