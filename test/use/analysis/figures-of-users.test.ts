import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../runs.ts';
import { over, typeOf } from '../over-events.ts';
import { type Bucket, bucketOf, dateIn, dayMs, hourMs, plusDays, usersOf } from './trends-oracle.ts';

const figures = {
  count: (events: readonly Numbered[]) => events.length,
  pageViewsCount: (events: readonly Numbered[]) => events.filter(({ type }) => type === 'pageview').length,
  'distinct(docPath)': (events: readonly Numbered[]) =>
    new Set(events.map(({ path }) => path).filter((path) => path !== '')).size,
} as const;

interface Numbered {
  readonly at: number;
  readonly user: string;
  readonly path: string;
  readonly type: string;
}

const worlds = fc.record({
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
  from: fc.constantFrom('2024-03-08', '2024-03-29', '2024-10-25', '2024-04-04'),
  length: fc.integer({ min: 1, max: 16 }),
  figure: fc.constantFrom(...(Object.keys(figures) as (keyof typeof figures)[])),
  bucket: fc.constantFrom<Bucket | undefined>(undefined, 'day', 'week', 'month'),
  split: fc.boolean(),
  isGroup: fc.boolean(),
  least: fc.constantFrom(undefined, 0, 1, 2, 3),
  events: fc.array(
    fc.record({
      halfHour: fc.integer({ min: -48, max: 18 * 48 }),
      user: fc.constantFrom('', 'a', 'b', 'c', 'd'),
      path: fc.constantFrom('', '/x', '/y'),
    }),
    { maxLength: 50 },
  ),
});

describe('figures of each user, over random events', () => {
  it('group and filter by what an oracle counts for each user of each group', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async ({ zone, from, length, figure, bucket, split, isGroup, least, events }) => {
        const until = plusDays(from, length - 1);
        const toDate = dateIn(zone);
        const numbered = events.map(({ halfHour, user, path }, index): Numbered => {
          const at = Date.parse(from) + (halfHour * hourMs) / 2;
          return { at, user, path, type: typeOf(index) };
        });
        await using sluice = await over(numbered);
        const groups = [
          ...(bucket ? [bucket] : []),
          ...(split ? ['docPath'] : []),
          ...(isGroup ? [`${figure} per user`] : []),
        ];
        const line = [
          'uniqueUsersCount, count',
          ...(groups.length > 0 ? [`by ${groups.join(', ')}`] : []),
          ...(least === undefined ? [] : [`where ${figure} per user >= ${least}`]),
          `from ${from} to ${until}`,
        ].join(' ');
        const result = await sluice.query(line, { timezone: zone, fill: 'none' });
        const inRange = numbered.filter(({ at }) => toDate(at) >= from && toDate(at) <= until);
        const groupOf = ({ at, path }: Numbered) =>
          JSON.stringify([bucket && bucketOf(toDate(at), bucket), split ? path || null : undefined]);
        const figureOf = (event: Numbered) =>
          event.user === ''
            ? null
            : figures[figure](
                inRange.filter((other) => other.user === event.user && groupOf(other) === groupOf(event)),
              );
        const kept = inRange.filter((event) => least === undefined || (figureOf(event) ?? -1) >= least);
        const expected = [
          ...Map.groupBy(kept, (event) => `${groupOf(event)} ${isGroup ? figureOf(event) : ''}`).values(),
        ].map((rows) => {
          const [first] = rows as [Numbered];
          return {
            ...(bucket && { bucket: bucketOf(toDate(first.at), bucket) }),
            ...(split && { path: first.path || null }),
            ...(isGroup && { figure: figureOf(first) }),
            users: usersOf(rows.filter(({ user }) => user !== '')),
            count: rows.length,
          };
        });
        const rows = result.rows().map((row) => ({
          ...(bucket && { bucket: String(row[`TrackedEvents.utcTime.${bucket}`]).slice(0, 10) }),
          ...(split && { path: row['TrackedEvents.docPath'] }),
          ...(isGroup && { figure: row[`TrackedEvents.perUser.${figure}`] }),
          users: row['TrackedEvents.uniqueUsersCount'],
          count: row['TrackedEvents.count'],
        }));
        const whole = groups.length === 0 && expected.length === 0 ? [{ users: 0, count: 0 }] : expected;
        const sorted = (all: readonly object[]) => all.map((row) => JSON.stringify(row)).sort();
        expect(sorted(rows), line).toEqual(sorted(whole));
      }),
      { numRuns: runs(60) },
    );
  });
});

const shop = [
  { at: 0, user: 'a', path: '/x' },
  { at: 1, user: 'a', path: '/y' },
  { at: 2, user: 'b', path: '/x' },
  { at: 3, user: '', path: '/x' },
].map(({ at, ...event }) => ({ ...event, at: Date.parse('2024-05-01T00:00:00Z') + at * dayMs }));

const may = 'from 2024-05-01 to 2024-05-31';

describe('lines with figures of each user', () => {
  it('begin with the smallest figure, and list the events of chosen users', async () => {
    await using sluice = await over(shop);
    const ask = async (line: string) => (await sluice.query(line)).rows().map((row) => Object.values(row));
    expect(await ask(`users by count per user ${may}`)).toEqual([
      [1, 1],
      [2, 1],
      [null, 0],
    ]);
    expect(await ask(`users by page views per user, docPath ${may}`)).toEqual([
      [0, '/x', 1],
      [1, '/x', 1],
      [1, '/y', 1],
      [null, '/x', 0],
    ]);
    expect(await ask(`raw events docPath where count per user > 1 ${may}`)).toEqual([['/x'], ['/y']]);
    expect(await ask(`Sessions.uniqueUsersCount by count per user ${may}`)).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(await ask(`users share by count per user ${may}`)).toEqual([
      [1, 50],
      [2, 50],
      [null, 0],
    ]);
  });

  it('are names in queries of programs, with a title of their own', async () => {
    await using sluice = await over(shop);
    const result = await sluice.query({
      measures: ['TrackedEvents.uniqueUsersCount'],
      dimensions: ['TrackedEvents.perUser.distinct(docPath)'],
      order: [['TrackedEvents.perUser.distinct(docPath)', 'desc']],
    });
    expect(result.columns[0]).toMatchObject({ key: 'TrackedEvents.perUser.distinct(docPath)', type: 'number' });
    expect(result.columns[0]?.shortTitle).toBe('Different values of page per user');
  });

  it.each([
    ['users by count per user top 1 with other', '"other" cannot be combined with figures of each user'],
    ['users share by docPath where count per user > 1', 'selects other users in each group'],
    ['users rolling 7 days by day, count per user', 'those of other times'],
    ['users by sessions per user', 'Both have users: `TrackedEvents.uniqueUsersCount`, `Sessions.uniqueUsersCount`.'],
    [
      'users where link_click per user > 3',
      'It is an event: write `count per user`, and the condition `eventType = link_click`.',
    ],
    ['users by conut per user', 'Did you mean "count"?'],
    ['users by docPath per user', '"docPath" is a dimension, not a measure.'],
    ['ReturningUsers.count by ReturningUsers.count per user', 'cannot be computed for each user'],
    ['users by first touch count per user', 'has no first or last touch'],
  ])('refuse %s', async (line, message) => {
    await using sluice = await over(shop);
    await expect(sluice.query(`${line} ${may}`)).rejects.toThrow(message);
  });

  it('are refused where a definition reads events', async () => {
    await using sluice = await over(shop);
    const broken = sluice.retention({ breakdown: 'TrackedEvents.perUser.count' });
    await expect(broken).rejects.toThrow('A definition can filter and split events only by dimensions of the events');
  });
});
