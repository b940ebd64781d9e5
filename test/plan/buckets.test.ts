import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toBuckets, toBucketStart, toUnitStart } from '../../src/ask/time/buckets.ts';
import { granularities, type Granularity, isCalendarUnit } from '../../src/ask/time/granularity.ts';
import { writeLocal } from '../../src/ask/time/local-time.ts';
import { type TimeRange, type Weekday, weekdays } from '../../src/ask/time/range.ts';
import { toInstant, transitions } from '../../src/ask/time/zone.ts';
import { duckDb } from '../../src/plan/sql/duckdb.ts';
import { joined, name, sql } from '../../src/plan/sql/expression.ts';
import { printStatement } from '../../src/plan/sql/print-statement.ts';
import { zones } from '../ask/time/zones.ts';
import { ask, modelOf } from './ask.ts';
import { openTestEngine, type TestEngine } from './engine.ts';
import { bucketByIntl } from './zone-oracle.ts';
import { runs, shareOf } from '../runs.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine('CREATE TABLE instants (happened TIMESTAMP)');
});
afterAll(() => engine[Symbol.asyncDispose]());

const hour = 3_600_000;

interface Place {
  readonly zone: string;
  readonly year: number;
}

const places: readonly Place[] = [
  { zone: 'UTC', year: 2024 },
  { zone: 'Pacific/Auckland', year: 2024 },
  { zone: 'America/New_York', year: 2024 },
  { zone: 'Europe/Berlin', year: 2024 },
  { zone: 'Asia/Kolkata', year: 2024 },
  { zone: 'Asia/Kathmandu', year: 2024 },
  { zone: 'Australia/Lord_Howe', year: 2024 },
  // Midnight is skipped in November, and repeated in February.
  { zone: 'America/Sao_Paulo', year: 2018 },
  // 30 December does not exist.
  { zone: 'Pacific/Apia', year: 2011 },
  { zone: 'Africa/Casablanca', year: 2023 },
  { zone: 'America/St_Johns', year: 2024 },
  // At 00:01 the clock went back to 23:01 of the previous day.
  { zone: 'America/St_Johns', year: 2010 },
  { zone: 'America/Moncton', year: 2000 },
];

function interesting({ zone, year }: Place): readonly number[] {
  const found = new Set<number>();
  const start = Date.UTC(year, 0, 1) - 14 * hour;
  for (const change of transitions(zone, start, Date.UTC(year + 1, 0, 2))) {
    for (const beside of [-1, 0, 1, 999, 1000]) found.add(change.instant + beside);
    for (let minutes = -150; minutes <= 150; minutes += 7) found.add(change.instant + minutes * 60_000);
    for (let hours = -30; hours <= 30; hours += 1) found.add(Math.floor(change.instant / hour) * hour + hours * hour);
  }
  for (let days = 0; days <= 366; days += 1) {
    const midnight = toInstant(Date.UTC(year, 0, 1) + days * 24 * hour, zone, 'first');
    for (const beside of [-1, 0, days * 12_345_67]) found.add(midnight + beside);
  }
  return [...found].toSorted((left, right) => left - right);
}

/** Replaces the table's instants. One text is much faster to read than many values. */
async function fill(instants: readonly number[]): Promise<void> {
  await engine.setup(
    `DELETE FROM instants; INSERT INTO instants SELECT make_timestamp(CAST(unnest(string_split('${instants.join(' ')}', ' ')) AS BIGINT) * 1000)`,
  );
}

async function bucketsInSql(
  zone: string,
  range: TimeRange | undefined,
  weekStart: Weekday,
  units: readonly Granularity[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const instant = name('instants', 'happened');
  const columns = units.map(
    (granularity) => sql`${duckDb.toBucket(instant, { granularity, zone, weekStart, range })} AS ${name(granularity)}`,
  );
  const rows = await engine.run(
    printStatement(sql`SELECT ${instant} AS happened, ${joined(columns, ', ')} FROM instants`, duckDb),
  );
  return new Map(rows.map((row) => [Date.parse(`${row.happened as string}Z`), units.map((unit) => String(row[unit]))]));
}

function bucketsInTime(
  instant: number,
  zone: string,
  weekStart: Weekday,
  units: readonly Granularity[],
): readonly string[] {
  return units.map((unit) =>
    writeLocal(
      isCalendarUnit(unit)
        ? toUnitStart(instant, unit, zone, weekStart)
        : toBucketStart(instant, unit, zone, weekStart),
    ),
  );
}

async function differences(
  place: Place,
  instants: readonly number[],
  range: TimeRange | undefined,
  weekStart: Weekday = 'monday',
  units: readonly Granularity[] = granularities,
): Promise<readonly unknown[]> {
  const inside = instants.filter((instant) => !range || (instant >= range.start && instant < range.end));
  expect(inside.length).toBeGreaterThan(0);
  await fill(inside);
  const found = await bucketsInSql(place.zone, range, weekStart, units);
  return inside
    .flatMap((instant) => {
      const got = found.get(instant);
      const wanted = bucketsInTime(instant, place.zone, weekStart, units);
      return JSON.stringify(got) === JSON.stringify(wanted)
        ? []
        : [{ instant: new Date(instant).toISOString(), got, wanted }];
    })
    .slice(0, 5);
}

const local = ({ zone, year }: Place, month: number) => toInstant(Date.UTC(year, month, 1), zone, 'first');
const wholeYear = (place: Place): TimeRange => ({ start: local(place, 0), end: local(place, 12) });
const weekStarts = ['sunday', 'saturday', 'tuesday', 'wednesday'] as const;

describe.each(places)('in $zone in $year', (place) => {
  const instants = interesting(place);

  it('SQL cuts a range into the same buckets as the calendar', async () => {
    expect(await differences(place, instants, wholeYear(place))).toEqual([]);
  });

  it('weeks begin on any day of the week', async () => {
    for (const weekStart of shareOf(weekStarts, places.indexOf(place), 2))
      expect(await differences(place, instants, wholeYear(place), weekStart, ['week']), weekStart).toEqual([]);
  });
});

describe.each(places.filter((place) => transitions(place.zone, local(place, 0), local(place, 12)).length > 0))(
  'in $zone in $year',
  (place) => {
    it('SQL cuts ranges that begin just before, at and after a change of the clock as the calendar does', async () => {
      const instants = interesting(place);
      for (const change of transitions(place.zone, local(place, 0), local(place, 12))) {
        for (const beside of shareOf([-20 * 60_000, -1, 0, 1, 20 * 60_000], places.indexOf(place), 2)) {
          expect(
            await differences(place, instants, { start: change.instant + beside, end: change.instant + 40 * hour }),
            String(beside),
          ).toEqual([]);
        }
      }
    });
  },
);

describe.each(places)('in $zone in $year', (place) => {
  const instants = interesting(place);

  it('SQL without a range cuts as the calendar does', async () => {
    expect(await differences(place, instants, undefined)).toEqual([]);
    for (const weekStart of shareOf(weekStarts, places.indexOf(place) + 1, 2))
      expect(await differences(place, instants, undefined, weekStart, ['week']), weekStart).toEqual([]);
  });

  it('SQL cuts a range of many changes as the calendar does', async () => {
    expect(await differences(place, instants, { start: local(place, -12 * 8), end: local(place, 24) })).toEqual([]);
    expect(await differences(place, instants, { start: Date.UTC(1, 0, 1), end: Date.UTC(10_000, 0, 1) })).toEqual([]);
  });
});

const model = modelOf(`
cubes:
  - name: T
    sql_table: instants
    measures: [{name: count, type: count}]
    dimensions: [{name: happened, type: time, sql: happened}]
`);

describe.each([
  { zone: 'Pacific/Auckland', range: ['2024-04-06', '2024-04-08'] },
  { zone: 'Australia/Lord_Howe', range: ['2024-10-05', '2024-10-07'] },
  { zone: 'America/Sao_Paulo', range: ['2018-11-03', '2018-11-05'] },
  { zone: 'America/St_Johns', range: ['2010-11-06', '2010-11-08'] },
  { zone: 'Pacific/Apia', range: ['2011-12-29', '2011-12-31'] },
])('a query over $range in $zone', ({ zone, range }) => {
  it.each(['hour', 'day'] as const)('counts each event once, in a bucket of the axis: by %s', async (granularity) => {
    const start = Date.parse(`${range[0]!}T00:00:00Z`) - 20 * hour;
    const instants = Array.from({ length: 110 * 6 }, (_, index) => start + index * 10 * 60_000 + 1);
    await fill(instants);
    const rows = await ask(
      engine,
      {
        measures: ['T.count'],
        timeDimensions: [{ dimension: 'T.happened', granularity, dateRange: range }],
        timezone: zone,
      },
      model,
    );
    const span = {
      start: toInstant(Date.parse(`${range[0]!}T00:00:00Z`), zone, 'first'),
      end: toInstant(Date.parse(`${range[1]!}T00:00:00Z`) + 24 * hour, zone, 'first'),
    };
    const wanted = toBuckets(span, granularity, zone).map((bucket) => ({
      [`T.happened.${granularity}`]: granularity === 'day' ? bucket.label : writeLocal(bucket.start),
      'T.count': instants.filter((instant) => instant >= bucket.start && instant < bucket.end).length,
    }));
    expect(rows).toEqual(wanted);
  });
});

it('events without a time stay in a bucket of their own where no range leaves them out', async () => {
  await engine.setup("DELETE FROM instants; INSERT INTO instants VALUES (NULL), (TIMESTAMP '2024-01-01')");
  for (const granularity of ['day', 'hour'] as const) {
    for (const timezone of ['UTC', 'Australia/Lord_Howe', 'America/New_York']) {
      const rows = await ask(
        engine,
        { measures: ['T.count'], timeDimensions: [{ dimension: 'T.happened', granularity }], timezone },
        model,
      );
      expect(rows.map((row) => row[`T.happened.${granularity}`] === null)).toEqual([false, true]);
    }
  }
  expect(
    await ask(
      engine,
      {
        measures: ['T.count'],
        timeDimensions: [{ dimension: 'T.happened', granularity: 'hour', dateRange: '2024' }],
        timezone: 'Australia/Lord_Howe',
      },
      model,
    ),
  ).toHaveLength(1);
});

it('ranges reach to the end of the calendar', async () => {
  await engine.setup(
    "DELETE FROM instants; INSERT INTO instants VALUES (TIMESTAMP '0001-01-01'), (TIMESTAMP '2024-01-01'), (TIMESTAMP '9999-12-31 23:59:59.999')",
  );
  for (const timezone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
    const rows = await ask(
      engine,
      {
        measures: ['T.count'],
        timeDimensions: [{ dimension: 'T.happened', dateRange: ['0001-01-02', '9999-12-31'] }],
        timezone,
      },
      model,
    );
    expect(rows, timezone).toEqual([{ 'T.count': timezone === 'Asia/Tokyo' ? 1 : 2 }]);
  }
});

/** The zones of all tests, and zones with different rules in the engine and the runtime. */
const anyPlace = fc.constantFrom(
  ...zones,
  'America/Vancouver',
  'America/Edmonton',
  'Africa/El_Aaiun',
  'America/Moncton',
  'Europe/London',
  'Asia/Tokyo',
);
const earliestTold = Date.UTC(1850, 0, 1);
const latestTold = Date.UTC(2099, 11, 1);

/** Instants near clock changes, around midnight, and anywhere; mostly in recent years. */
const anyInstants = anyPlace.chain((zone) => {
  const anywhere = fc.oneof(
    fc.integer({ min: Date.UTC(2005, 0, 1), max: Date.UTC(2032, 0, 1) }),
    fc.integer({ min: earliestTold, max: latestTold }),
  );
  const near = fc
    .tuple(anywhere, fc.integer({ min: -26 * hour, max: 26 * hour }))
    .map(([instant, away]) => (transitions(zone, instant, instant + 400 * 24 * hour)[0]?.instant ?? instant) + away);
  return fc.record({
    zone: fc.constant(zone),
    instants: fc.uniqueArray(fc.oneof(anywhere, near), { minLength: 20, maxLength: 40, size: 'max' }),
  });
});
const anyLength = fc.oneof(
  fc.integer({ min: hour, max: 50 * 24 * hour }),
  fc.integer({ min: hour, max: 30_000 * 24 * hour }),
);
const anyWeekStart = fc.constantFrom(...weekdays);

describe('one table of zones', () => {
  it('cuts the same buckets in ranges of every length, and without one, as the clock shows them', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyInstants,
        anyWeekStart,
        fc.nat(),
        anyLength,
        async ({ zone, instants }, weekStart, pick, length) => {
          await fill(instants);
          const start = instants[pick % instants.length]!;
          const always = await bucketsInSql(zone, undefined, weekStart, granularities);
          const within = await bucketsInSql(zone, { start, end: start + length }, weekStart, granularities);
          for (const instant of instants) {
            const wanted = granularities.map((granularity) =>
              writeLocal(bucketByIntl(instant, granularity, zone, weekStart)),
            );
            const what = `${new Date(instant).toISOString()} in ${zone}`;
            expect(always.get(instant), what).toEqual(wanted);
            if (instant >= start && instant < start + length)
              expect(within.get(instant), `${what}, with a range`).toEqual(wanted);
          }
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('lets the same events through filters as fall into buckets', async () => {
    const operators = ['afterOrOnDate', 'afterDate', 'beforeOrOnDate', 'beforeDate', 'onTheDate'] as const;
    await fc.assert(
      fc.asyncProperty(
        anyInstants,
        fc.nat(),
        fc.constantFrom(...operators),
        async ({ zone, instants }, pick, operator) => {
          await fill(instants);
          const day = bucketByIntl(instants[pick % instants.length]!, 'day', zone);
          const date = writeLocal(day).slice(0, 10);
          const passes = {
            afterOrOnDate: (at: number) => at >= day,
            afterDate: (at: number) => at > day,
            beforeOrOnDate: (at: number) => at <= day,
            beforeDate: (at: number) => at < day,
            onTheDate: (at: number) => at === day,
          }[operator];
          const wanted = new Map<string, number>();
          for (const at of instants.map((instant) => bucketByIntl(instant, 'day', zone)).filter(passes))
            wanted.set(writeLocal(at), (wanted.get(writeLocal(at)) ?? 0) + 1);
          const rows = await ask(
            engine,
            {
              measures: ['T.count'],
              timeDimensions: [{ dimension: 'T.happened', granularity: 'day' }],
              filters: [{ member: 'T.happened', operator, values: [date] }],
              timezone: zone,
            },
            model,
          );
          expect(
            new Map(rows.map((row) => [row['T.happened.day'], row['T.count']])),
            `${operator} ${date} in ${zone}`,
          ).toEqual(wanted);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('counts an event on the same day with a short range, a long one and none', async () => {
    await fill([Date.parse('2026-11-10T07:30:00Z')]);
    const counted = (time: object) =>
      ask(
        engine,
        {
          measures: ['T.count'],
          timeDimensions: [{ dimension: 'T.happened', granularity: 'day', ...time }],
          timezone: 'America/Vancouver',
        },
        model,
      );
    const wanted = [
      {
        'T.happened.day': writeLocal(bucketByIntl(Date.parse('2026-11-10T07:30:00Z'), 'day', 'America/Vancouver')),
        'T.count': 1,
      },
    ];
    for (const dateRange of [undefined, ['2026-11-01', '2026-11-20'], ['2020-01-01', '2040-01-01']])
      expect(await counted(dateRange ? { dateRange } : {})).toEqual(wanted);
  });
});
