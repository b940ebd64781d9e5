import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder, type Folder } from '../run-in-folder.ts';
import { open } from '../../../src/use/index.ts';
import { askOracle } from '../../run/funnel/funnel-oracle.ts';
import { runs } from '../../runs.ts';

const step = (name: string, target: string, more = '') =>
  `  - {name: ${name}, action: pageview, target: ${target}${more}}\n`;
const threeSteps = `steps:\n${step('cart', '/cart')}${step('pay', '/pay')}${step('thanks', '/thanks')}`;
const minute = 60_000;
const start = Date.parse('2024-03-06T10:00:00Z');

interface Event {
  readonly user: string | null;
  readonly at: number;
  readonly path: string;
  readonly agent?: string;
}

function eventLines(events: readonly Event[]): string {
  return events
    .map(
      ({ user, at, path, agent = 'Firefox' }) =>
        `${JSON.stringify({
          'TrackedEvents.utcTime': new Date(at).toISOString().replace('Z', ''),
          'TrackedEvents.userAnonymousId': user,
          'TrackedEvents.eventType': 'pageview',
          'TrackedEvents.docPath': path,
          'TrackedEvents.agentName': agent,
        })}\n`,
    )
    .join('');
}

/**
 * ann converts in three minutes, bob stops after the second step, cid after the first. dora is a day later and half
 * done. One visitor has no user ID.
 */
const events: readonly Event[] = [
  { user: 'ann', at: start, path: '/cart' },
  { user: 'ann', at: start + minute, path: '/pay' },
  { user: 'ann', at: start + 3 * minute, path: '/thanks' },
  { user: 'bob', at: start, path: '/cart', agent: 'Chrome' },
  { user: 'bob', at: start + 5 * minute, path: '/pay', agent: 'Chrome' },
  { user: 'cid', at: start + minute, path: '/cart' },
  { user: 'dora', at: start + 24 * 60 * minute, path: '/cart' },
  { user: 'dora', at: start + 24 * 60 * minute + minute, path: '/pay' },
  { user: null, at: start, path: '/cart' },
];

const files = {
  'sluice.yaml': 'events: events.ndjson\n',
  'events.ndjson': eventLines(events),
  'funnels/buy it.yaml': `seconds_to_convert: 600\n${threeSteps}`,
  'funnels/browsers.yaml': `seconds_to_convert: 600\n${threeSteps}sluice: {breakdown: {dimension: TrackedEvents.agentName}, where: [{member: TrackedEvents.agentName, operator: set}]}\n`,
  'funnels/missed.yaml': `seconds_to_convert: 600\nsteps:\n${step('cart', '/cart')}${step('pay', '/Pay/')}`,
  'funnels/broken.yaml': 'seconds_to_convert: 0\nsteps: []\n',
  'queries/steps.yaml':
    'query:\n  measures: [buy_it.count]\n  dimensions: [buy_it.step]\n  filters: [{member: buy_it.date, operator: beforeDate, values: ["2024-03-07"]}]\n',
};

describe('a funnel of the workspace', () => {
  let folder: Folder;
  beforeAll(() => {
    folder = openFolder(files);
  });
  afterAll(() => folder.remove());

  const rows = async (...argv: string[]) => {
    const { stdout, stderr, code } = await folder.sluice(argv);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>[];
  };

  it('is queried in one line, by flags, by a saved query and by a load body', async () => {
    const whole = [
      { 'buy_it.step': 1, 'buy_it.count': 4 },
      { 'buy_it.step': 2, 'buy_it.count': 3 },
      { 'buy_it.step': 3, 'buy_it.count': 1 },
    ];
    const early = [3, 2, 1].map((count, index) => ({ 'buy_it.step': index + 1, 'buy_it.count': count }));
    expect(await rows('query', 'buy_it.count by step', '-f', 'json')).toEqual(whole);
    expect(await rows('query', 'buy_it.count by step 2024-03-06', '-f', 'json')).toEqual(early);
    expect(
      await rows('query', '-m', 'buy_it.count', '-d', 'buy_it.step', '--range', '2024-03-06', '-f', 'json'),
    ).toEqual(early);
    expect(await rows('query', 'steps', '-f', 'json')).toEqual(early);
    const { stdout } = await folder.sluice(['load', '-'], {
      stdin: JSON.stringify({ query: { measures: ['buy_it.count'], dimensions: ['buy_it.step'] } }),
    });
    const { results } = JSON.parse(stdout) as { results: { data: unknown }[] };
    expect(results[0]!.data).toEqual([
      { 'buy_it.step': '1', 'buy_it.count': '4' },
      { 'buy_it.step': '2', 'buy_it.count': '3' },
      { 'buy_it.step': '3', 'buy_it.count': '1' },
    ]);
  });

  it('supports filters, order, limit and total like any other cube', async () => {
    expect(await rows('query', 'buy_it.count by step where buy_it.step > 1', '-f', 'json')).toHaveLength(2);
    expect(
      await rows(
        'query',
        'buy_it.count by step where buy_it.count < 4',
        '--order',
        'buy_it.step:desc',
        '--limit',
        '1',
        '-f',
        'json',
      ),
    ).toEqual([{ 'buy_it.step': 3, 'buy_it.count': 1 }]);
    expect(await rows('query', 'buy_it.count by step 2023', '-f', 'json')).toEqual(
      [1, 2, 3].map((each) => ({ 'buy_it.step': each, 'buy_it.count': 0 })),
    );
  });

  it('is in the model, and a broken one is reported without affecting others', async () => {
    const { stdout, stderr } = await folder.sluice(['model']);
    expect(stdout).toMatch(/^buy_it .*\n.*\n.*count\n.*step, date/m);
    expect(stdout).not.toMatch(/^broken/m);
    expect(stderr).toContain('The funnel funnels/broken.yaml has errors');
    expect((await folder.sluice(['query', 'count'])).code).toBe(0);
  });

  it('explains its statements', async () => {
    const { stdout, code } = await folder.sluice(['query', 'buy_it.count by step 2024-03-06', '--explain']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/GROUP BY who[^]*"\/thanks"/)]);
  });

  it('run shows conversion, drop-off and time to convert', async () => {
    const run = await rows('funnel', 'run', 'buy it', '-f', 'json');
    expect(run.map((row) => Object.values(row))).toEqual([
      [1, 'cart', 4, 100, 100, 0, null, null, null],
      [2, 'pay', 3, 75, 75, 1, 60, 140, expect.closeTo(252, 6)],
      [3, 'thanks', 1, 25, expect.closeTo(100 / 3, 9), 2, 180, 180, 180],
    ]);
  });

  it('run draws a table and bars, and says what was counted', async () => {
    const { stdout } = await folder.sluice(['funnel', 'run', 'buy_it', '--range', '2024-03-06']);
    expect(stdout).toContain('1 cart    █');
    expect(stdout).toContain('66.7% continued, 1 dropped off, median 3 min 00 s since step 1');
    expect(stdout).toMatch(/Step {2}Name/);
    for (const note of [
      '1 event without a user is not counted',
      'within 10 min of the first step',
      'from 2024-03-06 00:00:00 until 2024-03-06 23:59:59.999 (UTC)',
    ])
      expect(stdout).toContain(note);
  });

  it('run --by-entry lets conversions continue after the range', async () => {
    const last = async (...flags: string[]) =>
      (
        await rows(
          'funnel',
          'run',
          'buy_it',
          '-f',
          'json',
          '--range',
          '2024-03-06T10:00:00..2024-03-06T10:02:00',
          ...flags,
        )
      ).map((row) => row['buy_it.count']);
    expect(await last()).toEqual([3, 1, 0]);
    expect(await last('--by-entry')).toEqual([3, 2, 1]);
  });

  it('run --trend counts by entry, including days without users', async () => {
    const trend = await rows(
      'funnel',
      'run',
      'buy_it',
      '--trend',
      'day',
      '--range',
      '2024-03-05..2024-03-07',
      '-f',
      'json',
    );
    expect(
      trend
        .filter((row) => row['buy_it.step'] === 2)
        .map((row) => [row['buy_it.entry.day'], row['buy_it.count'], row['buy_it.conversion']]),
    ).toEqual([
      ['2024-03-05T00:00:00.000', 0, null],
      ['2024-03-06T00:00:00.000', 2, expect.closeTo(200 / 3, 9)],
      ['2024-03-07T00:00:00.000', 1, 100],
    ]);
  });

  it('run --trend ends with the range, also if nobody entered', async () => {
    const trend = await rows(
      'funnel',
      'run',
      'buy_it',
      '--trend',
      'day',
      '--range',
      '2024-01-30..2024-02-01',
      '-f',
      'json',
    );
    expect(
      trend.filter((row) => row['buy_it.step'] === 1).map((row) => [row['buy_it.entry.day'], row['buy_it.count']]),
    ).toEqual([
      ['2024-01-30T00:00:00.000', 0],
      ['2024-01-31T00:00:00.000', 0],
      ['2024-02-01T00:00:00.000', 0],
    ]);
  });

  it('run --users lists who converted and who dropped off', async () => {
    const users = async (who: string) =>
      (await folder.sluice(['funnel', 'run', 'buy_it', '--users', who])).stdout.trim().split('\n').slice(1).sort();
    expect(await users('converted')).toEqual(['ann,anonymous,3,2024-03-06T10:00:00.000']);
    expect((await users('converted:pay')).map((line) => line.split(',')[0])).toEqual(['ann', 'bob', 'dora']);
    expect((await users('dropped:2')).map((line) => line.split(',')[0])).toEqual(['bob', 'dora']);
    expect((await users('dropped:cart')).map((line) => line.split(',')[0])).toEqual(['cid']);
    for (const [who, word] of [
      ['dropped', 'Specify the step'],
      ['dropped:3', 'last step'],
      ['converted:4', 'no step'],
      ['droped:1', 'dropped'],
    ] as const) {
      expect(await folder.sluice(['funnel', 'run', 'buy_it', '--users', who])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(word),
      });
    }
  });

  it('run --users names the kind of ID, and lists sessions if the funnel follows sessions', async () => {
    const line = (ids: object, path: string) =>
      `${JSON.stringify({ 'TrackedEvents.utcTime': '2024-03-06T10:00:00.000', 'TrackedEvents.eventType': 'pageview', 'TrackedEvents.docPath': path, ...ids })}\n`;
    const world = openFolder({
      'sluice.yaml': 'events: events.ndjson\n',
      'events.ndjson':
        line({ 'TrackedEvents.userId': 'u1', 'TrackedEvents.sessionId': 's1' }, '/cart') +
        line({ 'TrackedEvents.userAnonymousId': 'u1', 'TrackedEvents.sessionId': 's2' }, '/cart'),
      'funnels/f.yaml': `seconds_to_convert: 60\n${threeSteps}`,
      'funnels/visits.yaml': `seconds_to_convert: 60\n${threeSteps}sluice: {by: session}\n`,
    });
    const listed = async (...argv: string[]) =>
      (await world.sluice(['funnel', 'run', ...argv, '--users', 'dropped:1'])).stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((row) => row.split(',').slice(0, 2).join(' '))
        .sort();
    const [byUser, known] = [await listed('f'), await listed('f', '-f', 'csv')];
    const bySession = await listed('visits');
    world.remove();
    expect([byUser, known.length]).toEqual([['u1 anonymous', 'u1 known'], 2]);
    expect(bySession).toEqual([expect.stringMatching(/s1 1$/), expect.stringMatching(/s2 1$/)]);
  });

  it('run applies the breakdown of the file', async () => {
    const run = await rows('funnel', 'run', 'browsers', '-f', 'json');
    expect(run.map((row) => [row['TrackedEvents.agentName'], row['browsers.step'], row['browsers.count']])).toEqual([
      ['Chrome', 1, 1],
      ['Chrome', 2, 1],
      ['Chrome', 3, 0],
      ['Firefox', 1, 3],
      ['Firefox', 2, 2],
      ['Firefox', 3, 1],
    ]);
  });

  it('run refuses a path that no event has and that just misses another one', async () => {
    const { code, stderr } = await folder.sluice(['funnel', 'run', 'missed']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/missed\.yaml:\d+:\d+ .* No event has the path "\/Pay\/"\.[^]*Did you mean "\/pay"\?/),
    ]);
  });

  it('is run by a program, too', async () => {
    await using sluice = await open({ workspace: folder.root, env: {} });
    const result = await sluice.funnel('buy_it', { range: '2024-03-06' });
    expect([result.values('buy_it.count'), result.provenance.rows]).toEqual([[3, 2, 1], 3]);
  });

  it('check finds mistakes that only show when it runs', async () => {
    const world = openFolder({
      'funnels/names.yaml': `seconds_to_convert: 60\n${threeSteps}sluice: {where: [{member: TrackedEvents.docPaht, operator: set}]}\n`,
      'funnels/order.yaml': `seconds_to_convert: 60\nsteps:\n${step('cart', '/cart')}${step('pay', '/pay', ', sluice: {within: 5}')}sluice: {order: unordered}\n`,
    });
    const { code, stdout } = await world.sluice(['funnel', 'check']);
    world.remove();
    expect([code, stdout]).toEqual([
      2,
      expect.stringMatching(
        /names\.yaml:6:27 .*docPaht[^]*Did you mean "TrackedEvents\.docPath"[^]*order\.yaml:5:17 .*"pay"/,
      ),
    ]);
  });

  it('run writes files, and lists the funnels if the name is unknown', async () => {
    expect((await folder.sluice(['funnel', 'run', 'buy_it', '-o', 'out.parquet'])).code).toBe(0);
    expect((await folder.sluice(['funnel', 'run', 'buyit'])).stderr).toContain('Did you mean "buy_it"?');
    expect((await folder.sluice(['funnel', 'run', 'other', '-f', 'csv'])).stderr).toContain('browsers');
  });

  it('agrees with the definition on generated events', async () => {
    const paths = ['/cart', '/pay', '/thanks', '/else'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            user: fc.constantFrom('a', 'b', 'c'),
            at: fc.integer({ min: 0, max: 8 }),
            path: fc.constantFrom(...paths),
          }),
          { minLength: 1, maxLength: 18 },
        ),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom('ordered', 'strict', 'unordered'),
        async (made, window, order) => {
          const world = openFolder({
            'sluice.yaml': 'events: events.ndjson\n',
            'events.ndjson': eventLines(made.map(({ at, ...event }) => ({ ...event, at: start + at * 1000 }))),
            'funnels/f.yaml': `seconds_to_convert: ${window}\n${threeSteps}sluice: {order: ${order}}\n`,
          });
          try {
            const { stdout } = await world.sluice(['funnel', 'run', 'f', '-f', 'json']);
            const rules = {
              order: order as 'ordered',
              window,
              exclusions: [],
              steps: [0, 1, 2].map((condition) => ({ condition, within: Infinity })),
            };
            const depths = ['a', 'b', 'c'].map(
              (user) =>
                askOracle(
                  rules,
                  made
                    .filter((event) => event.user === user)
                    .sort((one, other) => one.at - other.at)
                    .map(({ at, path }) => ({ time: at, meets: path === '/else' ? [] : [paths.indexOf(path)] })),
                ).depth,
            );
            expect((JSON.parse(stdout) as Record<string, unknown>[]).map((row) => row['f.count'])).toEqual(
              [1, 2, 3].map((least) => depths.filter((depth) => depth >= least).length),
            );
          } finally {
            world.remove();
          }
        },
      ),
      { numRuns: runs(25) },
    );
  }, 60_000);
});
