import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { open } from '../../../src/use/index.ts';
import { openFolder } from '../run-in-folder.ts';

const folder = openFolder({
  'queries/weekly.yaml': 'retention:\n  period: week\n  periods: 4\n',
  'queries/split.yaml': 'retention:\n  period: day\n  breakdown: {dimension: TrackedEvents.agentName, limit: 2}\n',
  'queries/none.yaml': 'retention: {period: day, periods: 2, breakdown: customEventName}\n',
  'queries/top.yaml': 'query:\n  measures: [TrackedEvents.count]\n',
});
afterAll(() => folder.remove());
beforeAll(() => writeSample({ seed: 3, events: 5000, days: 40, to: '2024-03-01' }, `${folder.root}/events.parquet`));

const ask = (...words: readonly string[]) => folder.sluice(['query', '--events', 'events.parquet', ...words]);

describe('a retention in the folder of queries', () => {
  it('answers queries by cohort and period, and marks partial values', async () => {
    const { code, stdout } = await ask('weekly.size, weekly.users by week, weekly.period last 3 weeks', '-f', 'csv');
    const rows = stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','));
    expect([code, rows.length]).toEqual([0, 9]);
    for (const [, period, size, users] of rows) if (period === '0') expect(users).toBe(size);
    expect(rows.some(([, period, , users]) => period === '1' && Number(users) > 0)).toBe(true);
    const table = await ask('weekly.rate by weekly.cohort, weekly.period this month');
    expect(table.stdout + table.stderr).toContain('partial');
  });

  it('is drawn as a heat map, explained, and filtered by its rows', async () => {
    const query = 'weekly.rate by weekly.cohort, weekly.period last 3 weeks';
    expect((await ask(query, '-f', 'chart', '--width', '90')).stdout).toContain('100%');
    expect((await ask(query, '--explain')).stdout).toContain('user_key');
    const filtered = await ask('weekly.users by weekly.cohort where weekly.period = 1 last 3 weeks', '-f', 'csv');
    expect([filtered.code, filtered.stdout.trim().split('\n').length]).toEqual([0, 4]);
  });

  it.each([
    ['weekly.users by weekly.cohort last 3 weeks', 'Add the dimension "weekly.period"'],
    ['weekly.users by day, weekly.period last 3 weeks', 'Use the granularity week'],
    ['weekly.users by weekly.period next 3 weeks', 'begins in the future'],
    ['split.users by split.period where split.breakdown != Chrome last 3 days', 'Add the dimension "split.breakdown"'],
  ])('refuses %s with a hint', async (query, hint) => {
    const { code, stderr } = await ask(query);
    expect([code, stderr.includes(hint) ? hint : stderr]).toEqual([2, hint]);
  });

  it('takes the users without a value of the breakdown as one of its groups', async () => {
    const rows = async (query: string) => (await ask(query, '-f', 'csv')).stdout.trim().split('\n').slice(1);
    const all = await rows('none.users by none.breakdown, none.period 2024-02-20..2024-02-22');
    const without = all.flatMap((row) => (row.startsWith(',') ? [row.slice(1)] : []));
    expect(without).toHaveLength(2);
    expect(await rows('none.users by none.period where none.breakdown is not set 2024-02-20..2024-02-22')).toEqual(
      without,
    );
    expect(await rows('none.users by none.period where none.breakdown = null 2024-02-20..2024-02-22')).toEqual(without);
  });

  it('is not a saved query, and its measures are completed', async () => {
    const { stdout } = await folder.sluice(['completion', 'zsh', '--', 'query', '']);
    expect(stdout).toContain('top');
    expect(stdout).toContain('\nweekly.rate\t');
    expect(stdout).not.toMatch(/^weekly\t/m);
    expect((await folder.sluice(['completion', 'zsh', '--', 'query', '--measure', 'weekly.'])).stdout).toContain(
      'weekly.rate',
    );
  });

  it.each([
    ['  period: week\n  periods: 0\n', 'broken.yaml:3:12'],
    ['  period: fortnight\n', 'broken.yaml:2:11'],
    ['  period: week\n  window: 0h\n', 'broken.yaml:3:11'],
    ['  period: day\n  cohort: week\n', 'broken.yaml:3:11'],
    ['  cohort: fortnight\n', 'broken.yaml:2:11'],
    ['  period: week\n  breakdown: {dimension: TrackedEvents.agntName}\n', 'broken.yaml:3:26'],
    ['  period: week\n  start: {where: [{member: Events.none.of, operator: set}]}\n', 'broken.yaml:3:'],
  ])('reports mistakes of a file at their place: %j', async (text, place) => {
    const file = folder.write('queries/broken.yaml', `retention:\n${text}`);
    const { stdout } = await folder.sluice(['retention', 'check']);
    expect([file, stdout]).toEqual([file, expect.stringContaining(place)]);
    folder.write('queries/broken.yaml', 'query: {measures: [TrackedEvents.count]}\n');
  });

  it('counts first starts beside events without a type, however often it is asked', async () => {
    const day = (at: number) => new Date(Date.UTC(2024, 1, 1 + at)).toISOString();
    const events = ['a', 'b', 'c', 'd'].flatMap((user, first) =>
      Array.from({ length: 12 }, (_, at) => ({
        utcTime: day(first + at),
        userId: user,
        docPath: `/${user}`,
        ...(at === 0 ? { eventType: 'pageview' } : {}),
      })),
    );
    const typeless = folder.write('typeless.ndjson', events.map((event) => JSON.stringify(event)).join('\n'));
    await using s = await open({ env: {}, workspace: folder.root, events: typeless, onNote: () => undefined });
    for (let periods = 2; periods < 32; periods += 1) {
      const given = {
        start: 'pageview',
        return: 'any',
        cohort: 'first_ever',
        period: 'day',
        breakdown: 'docPath',
      } as const;
      const result = await s.retention(
        { ...given, periods, window: periods % 2 ? '24h' : 'calendar' },
        { range: '2024-02' },
      );
      const started = result.rows().filter((row) => row['retention.period'] === 0);
      expect(started.map((row) => [row['retention.breakdown'], row['retention.size']]).sort()).toEqual(
        ['/a', '/b', '/c', '/d'].map((path) => [path, 1]),
      );
    }
  });

  it('has a JSON Schema, and is refused by a server with an alternative', async () => {
    expect(JSON.parse((await folder.sluice(['schema', 'retention'])).stdout)).toHaveProperty('properties.retention');
    folder.write('model.yaml', 'cubes: [{name: orders, sql_table: orders, measures: [{name: count, type: count}]}]\n');
    const { code, stderr } = await folder.sluice(
      ['query', 'weekly.size by weekly.cohort', '--backend', 'cube', '--explain'],
      { env: { SLUICE_CUBE_URL: 'http://127.0.0.1:9/cubejs-api/v1', SLUICE_MODEL: 'model.yaml' } },
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('sluice export')]);
  });
});
