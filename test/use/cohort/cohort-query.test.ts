import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { open } from '../../../src/use/index.ts';
import { openFolder } from '../run-in-folder.ts';

const folder = openFolder({
  'queries/power-users.yaml':
    'title: Power users\ncohort:\n  did: {event: pageview, at_least: 3, during: last 30 days}\n',
  'queries/newcomers.yaml': 'cohort:\n  first_seen: {during: last 14 days}\n',
  'queries/loyal.yaml':
    'cohort:\n  any:\n    - cohort: power-users\n    - reached: {funnel: buy, step: 2}\n  except: [{cohort: newcomers}]\n',
  'queries/nobody.yaml': 'cohort:\n  did: {event: never_happens}\n',
  'queries/weekly.yaml': 'retention:\n  period: week\n  periods: 3\n',
  'queries/split.yaml':
    'retention:\n  period: week\n  periods: 2\n  breakdown: {dimension: TrackedEvents.cohorts.power_users}\n',
  'queries/short.yaml': 'retention:\n  period: week\n  periods: 2\n  breakdown: cohort.power-users\n',
  'queries/saved.yaml':
    'query:\n  measures: [TrackedEvents.count]\n  dimensions: [TrackedEvents.cohorts.loyal]\n  filters:\n    - {member: TrackedEvents.cohorts, operator: notEquals, values: [power-users]}\n  order: {TrackedEvents.cohorts.loyal: asc}\n',
  'funnels/buy.yaml':
    'seconds_to_convert: 7200\nsteps:\n  - {name: home, action: pageview, target: /}\n  - {name: docs, action: pageview, target: /docs}\n',
  'funnels/of_power.yaml':
    'seconds_to_convert: 7200\nsteps:\n  - {name: home, action: pageview, target: /}\n  - {name: docs, action: pageview, target: /docs}\nsluice:\n  where: [{member: TrackedEvents.cohorts, operator: equals, values: [power-users]}]\n',
});
afterAll(() => folder.remove());
beforeAll(() => writeSample({ seed: 3, events: 5000, days: 40, to: '2024-03-07' }, `${folder.root}/events.parquet`));

const ask = (...words: readonly string[]) => folder.sluice(['query', '--events', 'events.parquet', ...words]);

/** Rows of an answer in CSV, without the header. */
async function rowsOf(...words: readonly string[]) {
  const { code, stdout, stderr } = await ask(...words, '-f', 'csv');
  expect([code, stderr.includes('error')]).toEqual([0, false]);
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

const figure = async (question: string) => Number((await rowsOf(question))[0]?.at(-1));

describe('a cohort', () => {
  it('counts an event at the reference time, as ranges until now do, and none after it or after a bucket', async () => {
    const event = (utcTime: string, userAnonymousId: string) => ({ utcTime, userAnonymousId, eventType: 'visit' });
    const events = [
      event('2024-03-07T00:00:00Z', 'early'),
      event('2024-03-08T00:00:00Z', 'at'),
      event('2024-03-08T00:00:00.001Z', 'late'),
    ];
    const files = openFolder({ 'queries/visitors.yaml': 'cohort:\n  did: {event: any}\n' });
    const s = await open({ workspace: files.root, env: {}, events, asOf: '2024-03-08', onNote: () => undefined });
    const users = (await s.cohorts.users('visitors')).values('visitors.user');
    expect([...users]).toEqual(['at', 'early']);
    expect((await s.query('users since 2024-03-01')).values('TrackedEvents.uniqueUsersCount')[0]).toBe(2);
    expect((await s.query('visitors.users')).values('visitors.users')[0]).toBe(2);
    const byDay = await s.query('visitors.users by day 2024-03-07');
    expect(byDay.values('visitors.users')[0]).toBe(1);
    await s.close();
    files.remove();
  });

  it('splits events and sessions in three: in, not in, and without a user', async () => {
    for (const [measure, by] of [
      ['count', 'cohorts.power_users'],
      ['Sessions.count', 'cohort.power-users'],
      ['ReturningUsers.count', 'cohort.power-users'],
    ] as const) {
      const rows = await rowsOf(`${measure} by ${by}`);
      expect(new Set(rows.map(([value]) => value))).toEqual(
        new Set(measure === 'count' ? ['in', 'not in', ''] : ['in', 'not in']),
      );
      const sum = rows.reduce((total, [, count]) => total + Number(count), 0);
      expect(sum).toBe(await figure(measure));
    }
  });

  it('filters by name, by several names, and by their absence', async () => {
    const [all, power, loyal] = [
      await figure('count'),
      await figure('count where cohort = power-users'),
      await figure('count where cohorts = loyal'),
    ];
    expect(await figure('count where cohort != power_users')).toBe(all - power);
    const either = await figure('count where cohort in (power-users, newcomers)');
    expect(await figure('count where cohort = power-users or cohort = newcomers')).toBe(either);
    expect(await figure('count where cohort not in (power-users, newcomers)')).toBe(all - either);
    expect(await figure('count where cohort.loyal = in')).toBe(loyal);
    expect(power).toBeGreaterThan(0);
    expect(await figure('count where cohort = nobody')).toBe(0);
  });

  it('has its own cube with its size, its users, and its size over time', async () => {
    const size = await figure('power_users.users');
    expect(await figure('uniqueUsersCount where cohort = power-users')).toBe(size);
    expect(await rowsOf('power_users.users by power_users.user')).toHaveLength(size);
    const days = await rowsOf('power_users.users by day last 5 days');
    expect(days.map(([day]) => day?.slice(0, 10))).toEqual([
      '2024-03-03',
      '2024-03-04',
      '2024-03-05',
      '2024-03-06',
      '2024-03-07',
    ]);
    expect(Number(days.at(-1)?.at(-1))).toBe(size);
    // Its size at the end of a day is what a query returns on the next day.
    const then = await ask('power_users.users', '-f', 'csv', '--as-of', '2024-03-05');
    expect(then.stdout.trim().split('\n').at(-1)).toBe(days[1]?.at(-1));
    expect(await rowsOf('nobody.users by day last 2 days')).toHaveLength(2);
    expect(await rowsOf('power_users.users from 2024-03-01 to 2024-03-04')).toEqual([[days[1]?.at(-1)]]);
  });

  it('can be named by a saved query, a funnel and a retention', async () => {
    const saved = await rowsOf('saved');
    expect(saved.map(([value]) => value)).toEqual(['in', 'not in', '']);
    expect(await rowsOf('buy.count by step where cohort = power-users')).toEqual(
      await rowsOf('of_power.count by step'),
    );
    expect((await rowsOf('of_power.count by step'))[0]).not.toEqual((await rowsOf('buy.count by step'))[0]);
    const split = await rowsOf('split.size by split.breakdown last 2 weeks');
    expect(await rowsOf('short.size by short.breakdown last 2 weeks')).toEqual(split);
    const filtered = await figure('weekly.size last 2 weeks where cohorts = power-users');
    expect(split.find(([value]) => value === 'in')?.at(-1)).toBe(String(filtered));
    expect((await folder.sluice(['funnel', 'check'])).code).toBe(0);
  });

  it('is checked together with names that it uses, with line and column', async () => {
    const check = async (text: string, ...files: readonly string[]) => {
      folder.write('queries/wrong.yaml', text);
      const { code, stdout } = await folder.sluice(['cohort', 'check', ...files]);
      folder.write('queries/wrong.yaml', 'cohort: {did: {event: any}}\n');
      return [code, stdout];
    };
    const circle = 'cohort:\n  any:\n    - cohort: wrong\n';
    for (const files of [[], ['queries/wrong.yaml']])
      expect(await check(circle, ...files)).toEqual([
        2,
        expect.stringMatching(/wrong\.yaml:3:15 {2}error {2}The cohort refers to itself: wrong → wrong\./),
      ]);
    expect(await check('cohort: {reached: {funnel: buyy}}\n')).toEqual([
      2,
      expect.stringContaining('Did you mean "buy"?'),
    ]);
    expect(await check('cohort: {cohort: power-user}\n')).toEqual([2, expect.stringContaining('power_users')]);
    expect((await check('cohort: {cohort: power-users}\n'))[0]).toBe(0);
  });

  it('is listed with its size, and its users are exported', async () => {
    const listed = await folder.sluice(['cohort', 'list', '-f', 'json', '--events', 'events.parquet']);
    const size = await figure('power_users.users');
    expect(JSON.parse(listed.stdout)).toContainEqual({ name: 'power_users', title: 'Power users', users: size });
    const users = await folder.sluice(['cohort', 'users', 'power-users', '-f', 'csv', '--events', 'events.parquet']);
    expect([users.code, users.stdout.trim().split('\n').length]).toEqual([0, size + 1]);
    const unknown = await folder.sluice(['cohort', 'users', 'power-user', '--events', 'events.parquet']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('"power_users"')]);
    expect((await folder.sluice(['model', 'TrackedEvents'])).stdout).toContain('cohorts.power_users');
    const { stdout } = await folder.sluice(['completion', 'zsh', '--', 'query', '--dimension', 'cohorts.']);
    expect(stdout).toContain('cohorts.loyal');
    expect((await folder.sluice(['completion', 'zsh', '--', 'query', ''])).stdout).not.toMatch(/^loyal(?:\t|$)/m);
  });

  it('counts by properties of events', async () => {
    folder.write(
      'props.ndjson',
      [
        ['ann', 10],
        ['ann', 30],
        ['bob', 5],
        ['cem', undefined],
      ]
        .map(([user, amount]) =>
          JSON.stringify({ utcTime: '2024-03-01T10:00:00Z', userAnonymousId: user, eventType: 'order', amount }),
        )
        .join('\n'),
    );
    folder.write(
      'queries/rich.yaml',
      'cohort:\n  has: {member: TrackedEvents.props.amount, operator: gt, values: [9]}\n',
    );
    const { code, stdout } = await folder.sluice(['query', 'by rich.user', '--events', 'props.ndjson', '-f', 'csv']);
    expect([code, stdout]).toEqual([0, 'rich.user\nann\n']);
    folder.write(
      'known.ndjson',
      [{ userId: 'dan' }, { userId: 'u1' }, { userAnonymousId: 'uma', userId: 'eve' }, { userAnonymousId: '\u001fu2' }]
        .map((user) => JSON.stringify({ utcTime: '2024-03-01T10:00:00Z', eventType: 'order', amount: 10, ...user }))
        .join('\n'),
    );
    const known = await folder.sluice(['cohort', 'users', 'rich', '--events', 'known.ndjson', '-f', 'json']);
    const ids = (JSON.parse(known.stdout) as readonly Readonly<Record<string, string>>[]).map(
      (row) => row['rich.user'],
    );
    expect(ids.toSorted()).toEqual(['\u001fu2', 'dan', 'u1', 'uma']);
    folder.write('queries/rich.yaml', 'query: {measures: [TrackedEvents.count]}\n');
  });

  it.each([
    ['count where cohort = power-usres', 'Did you mean "power_users"?'],
    ['count by cohort', 'Name one, such as "cohorts.'],
    ['count by cohorts.loyl', 'Did you mean "cohorts.loyal"?'],
    ['count where cohort ~ power', 'Use equals or notEquals.'],
    ['count where cohort is set', 'Use equals or notEquals.'],
    ['buy.count by step where cohort = loyal or buy.step = 1', 'Move it out of the "or".'],
    ['loyal.users by loyal.date', 'needs a granularity'],
    ['loyal.users by hour last 30 days', 'more than 400 buckets'],
    ['loyal.users next 3 weeks', 'begins in the future'],
    ['loyal.users next 3 weeks', '1:13 '],
    ['loyal.users by week from 2024-02-09 to 2024-02-01', '1:21 '],
  ])('refuses %s with a hint', async (query, hint) => {
    const { code, stderr } = await ask(query);
    expect([code, stderr.includes(hint) ? hint : stderr]).toEqual([2, hint]);
  });

  it.each([
    ['  did: {event: pageview, at_least: 1, exactly: 2}\n', 'broken.yaml:2:48', 'cannot be used together'],
    ['  did: {during: last 30 dayz}\n', 'broken.yaml:2:17', 'last 30 days'],
    ['  did: {target: cart}\n', 'broken.yaml:2:17', '"/cart"'],
    ['  did: {where: [{member: TrackedEvents.agentNam, operator: set}]}\n', 'broken.yaml:2:26', 'agentName'],
    ['  dud: {}\n', 'broken.yaml:2:3', '"did"'],
    ['  did: {}\n  all: [{did: {}}]\n', 'broken.yaml:3:8', 'Put each in'],
    ['  all: [{cohort: loyl}]\n', 'broken.yaml:2:18', '"loyal"'],
    ['  reached: {funnel: bye}\n', 'broken.yaml:2:21', 'Use one of buy'],
    ['  reached: {funnel: buy, step: dosc}\n', 'broken.yaml:2:32', '"docs"'],
    ['  reached: {funnel: buy, step: 3}\n', 'broken.yaml:2:32', 'has no step 3'],
    ['  all: [{cohort: broken}]\n', 'broken.yaml:2:18', 'broken → broken'],
    [
      '  has: {member: TrackedEvents.cohorts, operator: equals, values: [broken]}\n',
      'broken.yaml:2:',
      'refers to itself',
    ],
  ])('reports mistakes of a file at their place: %j', async (text, place, what) => {
    folder.write('queries/broken.yaml', `cohort:\n${text}`);
    const { stdout } = await folder.sluice(['cohort', 'check']);
    expect(stdout).toContain(place);
    expect(stdout).toContain(what);
    folder.write('queries/broken.yaml', 'query: {measures: [TrackedEvents.count]}\n');
  });

  it('does not lend its user to questions on events', async () => {
    const hint = expect.stringContaining('To group by user, write `by userId`.');
    for (const question of ['sessions per user', 'count by user'])
      expect((await ask(question)).stderr, question).toEqual(hint);
    expect(await rowsOf('power_users.users by date day 2024-03-07')).toHaveLength(1);
    expect(await rowsOf('power_users.users by user top 2 2024-03-07')).toHaveLength(2);
  });

  it('reports the whole cycle, also through filters of a funnel, and drops everything in it', async () => {
    folder.write('queries/one.yaml', 'cohort:\n  any: [{cohort: two}]\n');
    folder.write('queries/two.yaml', 'cohort:\n  reached: {funnel: round}\n');
    folder.write('queries/above.yaml', 'cohort:\n  except: [{cohort: one}]\n');
    folder.write(
      'funnels/round.yaml',
      'seconds_to_convert: 60\nsteps:\n  - {name: a, action: pageview, target: /}\n  - {name: b, action: pageview, target: /b, sluice: {where: [{member: TrackedEvents.cohorts.one, operator: equals, values: [in]}]}}\n',
    );
    const { code, stderr } = await ask('count by cohorts.loyal');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('3 cohort files have errors. Run: sluice cohort check'),
    ]);
    const { stdout } = await folder.sluice(['cohort', 'check']);
    expect(stdout).toContain('one → two → one');
    expect(stdout).toContain('two → one → two');
    for (const name of ['one', 'two', 'above'])
      folder.write(`queries/${name}.yaml`, 'query: {measures: [TrackedEvents.count]}\n');
  });

  it('has a JSON Schema, and is refused by a server with an alternative', async () => {
    expect(JSON.parse((await folder.sluice(['schema', 'cohort'])).stdout)).toHaveProperty('properties.cohort');
    for (const backend of [
      ['--backend', 'cube'],
      ['--backend', 'platform', '--host', 'http://127.0.0.1:9', '--project', '1'],
    ])
      for (const query of ['TrackedEvents.count where TrackedEvents.cohorts = loyal', 'loyal.users']) {
        folder.write(
          'model.yaml',
          'cubes: [{name: TrackedEvents, sql_table: events, measures: [{name: count, type: count}]}]\n',
        );
        const { code, stderr } = await folder.sluice(['query', query, ...backend, '--explain'], {
          env: { SLUICE_CUBE_URL: 'http://127.0.0.1:9/cubejs-api/v1', SLUICE_TOKEN: 'x', SLUICE_MODEL: 'model.yaml' },
        });
        expect([code, stderr]).toEqual([2, expect.stringContaining('sluice export')]);
      }
  });
});
