import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { over, typeOf } from '../over-events.ts';
import {
  type Bucket,
  bucketOf,
  bucketsOf,
  dateIn,
  dayMs,
  endOf,
  hourMs,
  inWindow,
  nextBucket,
  plusDays,
  type Seen,
  type Unit,
  usersOf,
} from './trends-oracle.ts';
import { runs } from '../../runs.ts';

/** Interpolates between the two nearest values. */
function percentileOf(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  const place = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below === undefined || above === undefined ? null : below + (above - below) * (place % 1);
}

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'] as const;

/** Around clock changes of the zones, and the end of February. */
const starts = ['2024-03-06', '2024-03-27', '2024-10-23', '2024-10-30', '2024-04-03', '2024-02-20'] as const;

const worlds = fc
  .record({
    zone: fc.constantFrom(...zones),
    from: fc.constantFrom(...starts),
    length: fc.integer({ min: 1, max: 20 }),
    bucket: fc.constantFrom<Bucket>('day', 'week', 'month'),
    amount: fc.integer({ min: 1, max: 30 }),
    unit: fc.constantFrom<Unit>('hour', 'day', 'week', 'month'),
    mean: fc.integer({ min: 1, max: 5 }),
    split: fc.boolean(),
  })
  .chain((world) =>
    fc.record({
      ...(Object.fromEntries(Object.entries(world).map(([key, value]) => [key, fc.constant(value)])) as {
        [Key in keyof typeof world]: fc.Arbitrary<(typeof world)[Key]>;
      }),
      events: fc.array(
        fc.record({
          at: fc
            .integer({ min: -60 * 48, max: 25 * 48 })
            .map((halfHours) => Date.parse(world.from) + halfHours * (hourMs / 2)),
          user: fc.constantFrom('a', 'b', 'c', 'd'),
          path: fc.constantFrom('', '/x', '/y'),
        }),
        { maxLength: 50 },
      ),
    }),
  );

const count = 'TrackedEvents.count';
const users = 'TrackedEvents.uniqueUsersCount';
const path = 'TrackedEvents.docPath';

const rolled = ({ amount, unit }: { amount: number; unit: Unit }) =>
  `rolling ${amount} ${unit}${amount === 1 ? '' : 's'}`;

describe('trends over random events, in zones with clock changes', () => {
  it('agree with an oracle that reads all events for every figure', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const { zone, from, length, bucket, amount, unit, mean, split, events } = world;
        const range = [from, plusDays(from, length - 1)] as const;
        const toDate = dateIn(zone);
        await using sluice = await over(events);
        const window = rolled(world);
        const result = await sluice.query(
          {
            measures: [count, users],
            formulas: {
              'TrackedEvents.rolled': `uniqueUsersCount ${window}`,
              'TrackedEvents.sticky': `uniqueUsersCount / uniqueUsersCount ${window}`,
              'TrackedEvents.soFar': 'uniqueUsersCount cumulative',
              'TrackedEvents.sum': 'count cumulative',
              'TrackedEvents.mean': `count moving average ${mean}`,
              'TrackedEvents.share': 'count share',
              'TrackedEvents.mostOfOne': 'pageViewsCount max per user',
              'TrackedEvents.ofEach': 'pageViewsCount avg per user',
              'TrackedEvents.middle': 'pageViewsCount median per user',
              'TrackedEvents.high': 'pageViewsCount p75 per user',
              'TrackedEvents.mixed': '(count + 1) * 2 - uniqueUsersCount / 4',
            },
            ...(split && { dimensions: [path] }),
            timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: bucket, dateRange: [...range] }],
            timezone: zone,
          },
          { fill: 'all' },
        );
        const inRange = events.filter(({ at }) => toDate(at) >= range[0] && toDate(at) <= range[1]);
        const buckets = bucketsOf(range, bucket);
        const reached = events.filter(
          (event) =>
            inRange.includes(event) ||
            buckets.some((start) => inWindow(event, endOf(start, bucket, range), amount, unit, zone)),
        );
        const series = split ? [...new Set(reached.map((event) => event.path))] : [undefined];
        const expected = buckets.flatMap((start) => {
          const end = endOf(start, bucket, range);
          return series.map((own) => {
            const of = (all: readonly Seen[]) => all.filter((event) => own === undefined || event.path === own);
            const within = (first: string, until: string) =>
              of(events).filter(({ at }) => toDate(at) >= first && toDate(at) < until);
            const here = of(inRange).filter(({ at }) => bucketOf(toDate(at), bucket) === start);
            const active = usersOf(of(events).filter((event) => inWindow(event, end, amount, unit, zone)));
            const soFar = within(range[0], end);
            const whole = split
              ? inRange.filter(({ at }) => bucketOf(toDate(at), bucket) === start).length
              : inRange.length;
            const means = Array.from({ length: mean }, (_, back) => {
              const first = nextBucket(start, bucket, -back);
              return within(first, back === 0 ? end : nextBucket(first, bucket)).length;
            });
            const atUsers = usersOf(here);
            const viewed = here.filter((event) => typeOf((events as readonly Seen[]).indexOf(event)) === 'pageview');
            const views = [...Map.groupBy(viewed, ({ user }) => user).values()].map((each) => each.length);
            return {
              bucket: start,
              path: own === '' ? null : own,
              count: here.length,
              users: atUsers,
              rolled: active,
              sticky: active === 0 ? null : atUsers / active,
              soFar: usersOf(soFar),
              sum: soFar.length,
              mean: means.reduce((sum, value) => sum + value, 0) / mean,
              share: whole === 0 ? null : (100 * here.length) / whole,
              mostOfOne: views.length === 0 ? null : Math.max(...views),
              ofEach: views.length === 0 ? null : viewed.length / views.length,
              middle: percentileOf(views, 0.5),
              high: percentileOf(views, 0.75),
              mixed: (here.length + 1) * 2 - atUsers / 4,
            };
          });
        });
        const rows = result.rows().map((row) => ({
          bucket: String(row[`TrackedEvents.utcTime.${bucket}`]).slice(0, 10),
          path: split ? row[path] : undefined,
          count: row[count],
          users: row[users],
          ...Object.fromEntries(
            [
              ...['rolled', 'sticky', 'soFar', 'sum', 'mean', 'share'],
              ...['mostOfOne', 'ofEach', 'middle', 'high', 'mixed'],
            ].map((name) => [name, row[`TrackedEvents.${name}`]]),
          ),
        }));
        const sorted = (list: readonly object[]) => list.map((row) => JSON.stringify(row)).sort();
        expect(sorted(rows)).toEqual(sorted(expected));
      }),
      { numRuns: runs(25, 400) },
    );
  });

  it('count the events of the given number of hours in windows by hours', async () => {
    const hours = fc.record({
      zone: fc.constantFrom(...zones),
      from: fc.constantFrom('2024-03-31', '2024-10-27', '2024-03-10', '2024-11-03', '2024-04-07'),
      amount: fc.integer({ min: 1, max: 30 }),
      offsets: fc.array(fc.tuple(fc.integer({ min: -30 * 4, max: 30 * 4 }), fc.constantFrom('a', 'b', 'c')), {
        maxLength: 20,
      }),
    });
    await fc.assert(
      fc.asyncProperty(hours, async ({ zone, from, amount, offsets }) => {
        const events = offsets.map(([quarters, user]) => ({
          at: Date.parse(from) + quarters * (hourMs / 4),
          user,
          path: '/x',
        }));
        await using sluice = await over(events);
        const line = `users rolling ${amount} hours as active by hour from ${from} to ${from} in ${zone}`;
        const rows = (await sluice.query(line)).rows();
        expect(rows.length).toBeGreaterThanOrEqual(23);
        for (const row of rows) {
          const start = Date.parse(String(row['TrackedEvents.utcTime.hour']));
          const next = rows[rows.indexOf(row) + 1]?.['TrackedEvents.utcTime.hour'];
          // The last hour ends at midnight of the zone: an hour later, but on no day of this list.
          const end = next === undefined ? start + hourMs : Date.parse(String(next));
          const active = usersOf(events.filter(({ at }) => at >= end - amount * hourMs && at < end));
          expect(row['TrackedEvents.active']).toBe(active);
        }
      }),
      { numRuns: runs(15, 300) },
    );
  });
});

const shop: readonly Seen[] = [
  ...Array.from({ length: 12 }, (_, index) => ({
    at: Date.parse('2024-03-04T10:00Z') + (index % 6) * dayMs,
    user: `u${index % 5}`,
    path: ['/a', '/b', '/c'][index % 3]!,
  })),
  { at: Date.parse('2024-02-20T10:00Z'), user: 'old', path: '/a' },
];

describe('formulas', () => {
  it('order, limit and filter the rows', async () => {
    await using sluice = await over(shop);
    const all = (await sluice.query('count, users, count / users as each by docPath')).rows();
    expect(all.map((row) => row['TrackedEvents.each'])).toEqual(
      all.map((row) => (row[count] as number) / (row[users] as number)),
    );
    const ordered = (
      await sluice.query('count, count / users as each by docPath order by each, docPath limit 2')
    ).rows();
    const expected = [...all].sort(
      (a, b) =>
        (a['TrackedEvents.each'] as number) - (b['TrackedEvents.each'] as number) ||
        (String(a[path]) < String(b[path]) ? -1 : 1),
    );
    expect(ordered.map((row) => row[path])).toEqual(expected.slice(0, 2).map((row) => row[path]));
    const filtered = (
      await sluice.query('count, count / users as each by docPath where each > 1.2 and count > 1')
    ).rows();
    expect(filtered.map((row) => row[path])).toEqual(
      all
        .filter((row) => (row['TrackedEvents.each'] as number) > 1.2 && (row[count] as number) > 1)
        .map((row) => row[path]),
    );
    const either = (await sluice.query('count, count / users as each by docPath where each > 100 or count = 1')).rows();
    expect(either.map((row) => row[path])).toEqual(all.filter((row) => row[count] === 1).map((row) => row[path]));
  });

  it('are exact, and null for a division by zero', async () => {
    await using sluice = await over(shop);
    const [row] = (
      await sluice.query(
        'count * 0.1 as tenth, count * 9007199254740993 as large, count / (count - count) as none, - count as negative, count - 0.1 - 0.2 as less',
      )
    ).rows();
    expect(row).toEqual({
      'TrackedEvents.tenth': 1.4,
      'TrackedEvents.large': 126100789566373902n,
      'TrackedEvents.none': null,
      'TrackedEvents.negative': -14,
      'TrackedEvents.less': 13.7,
    });
  });

  it('mark figures with a partial window, and none that the start of the range does not cut', async () => {
    await using sluice = await over(shop, Date.parse('2024-03-09T12:00Z'));
    const line =
      'count, users rolling 7 days as active, count moving average 2 as mean by week from 2024-03-06 to 2024-03-17';
    const result = await sluice.query(line, { fill: 'all' });
    const marks = (key: string) => [0, 1].map((row) => result.marks.of(key, row));
    expect(result.rows().map((row) => row['TrackedEvents.active'])).toEqual([5, 0]);
    // 4: cut by the range. 8: by the reference time.
    expect(marks(count).map((flag) => flag & 12)).toEqual([12, 8]);
    expect(marks('TrackedEvents.active').map((flag) => flag & 12)).toEqual([8, 8]);
    expect(marks('TrackedEvents.mean').map((flag) => flag & 12)).toEqual([8, 8]);
  });

  it('count each user once per group, and skip events without a user', async () => {
    const at = (day: number) => Date.parse(`2024-03-0${day}T10:00Z`);
    const seen = [
      [4, 'a'],
      [4, 'a'],
      [4, 'a'],
      [4, 'b'],
      [4, ''],
      [4, ''],
      [5, ''],
    ] as const;
    await using sluice = await over(seen.map(([day, user]) => ({ at: at(day), user, path: '/x' })));
    const line = 'count, count avg per user as mean, count max per user as most by day from 2024-03-04 to 2024-03-06';
    expect(
      (await sluice.query(line))
        .rows()
        .map((row) => [row[count], row['TrackedEvents.mean'], row['TrackedEvents.most']]),
    ).toEqual([
      [6, 2, 3],
      [1, null, null],
      [0, null, null],
    ]);
  });

  it('put the formulas of two ranges next to each other', async () => {
    await using sluice = await over(shop);
    const each = 'TrackedEvents.each';
    const rows = (
      await sluice.query(
        'count / users as each, count by docPath top 1 from 2024-03-07 to 2024-03-09 compare with previous',
        {
          ranges: 'beside',
        },
      )
    ).rows();
    const plain = async (range: string, of: unknown) =>
      (await sluice.query(`count / users as each by docPath ${range}`)).rows().find((row) => row[path] === of)?.[each];
    expect(rows).toHaveLength(1);
    expect(rows[0]?.[each]).toBe(await plain('from 2024-03-07 to 2024-03-09', rows[0]?.[path]));
    expect(rows[0]?.[`${each}.previous`]).toBe(await plain('from 2024-03-04 to 2024-03-06', rows[0]?.[path]));
  });

  it.each([
    ['count * 2 as users by docPath', ['TrackedEvents.users']],
    ['count / users as each, count by docPath', ['TrackedEvents.each', count]],
    ['users rolling 28 days by day last 3 days', ['TrackedEvents.uniqueUsersCount_rolling_28_days']],
  ])('%s has the columns that it names', async (line, keys) => {
    await using sluice = await over(shop);
    const { columns } = await sluice.query(line);
    expect(columns.filter(({ kind }) => kind === 'measure').map(({ key }) => key)).toEqual(keys);
  });

  it.each([
    ['count * 2 as count by docPath', /1:1 {2}error {2}"TrackedEvents.count" is a measure of the model/],
    ['1 + 2 as three by docPath', /uses no measure/],
    ['count moving average 3 by docPath', /needs a time with a granularity and a range/],
    ['users rolling 7 days by day', /needs a time range/],
    ['count moving average 3 weeks as mean by day last 7 days', /mean of weeks, and the buckets are days/],
    ['Sessions.averagePerUser rolling 7 days by day last 7 days', /computed from other measures/],
    ['Sessions.median(durationMinutes) rolling 7 days by day last 7 days', /is a median or percentile/],
    ['count + as more by docPath', /1:9 {2}error {2}A measure is expected here, not "as"/],
    ['(count + users by docPath', /"\)" is expected here, not "by"/],
    ['count rolling 0 days by day last 7 days', /from 1 to 1000 is expected here, not "0"/],
  ])('%s is refused', async (line, message) => {
    await using sluice = await over(shop);
    await expect(sluice.query(line)).rejects.toThrow(message);
  });

  it('are refused if they refer to themselves', async () => {
    await using sluice = await over(shop);
    const formulas = { 'TrackedEvents.a': 'TrackedEvents.b + 1', 'TrackedEvents.b': 'a + 1' };
    await expect(sluice.query({ formulas })).rejects.toThrow(/refers to itself/);
    expect(
      (await sluice.query({ formulas: { 'TrackedEvents.a': 'b + 1', 'TrackedEvents.b': 'count * 2' } })).rows(),
    ).toEqual([{ 'TrackedEvents.a': 29, 'TrackedEvents.b': 28 }]);
  });
});
