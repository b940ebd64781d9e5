import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toBucketStart, toBuckets, toUnitStart } from '../../src/ask/time/buckets.ts';
import { granularities, isCalendarUnit, type Granularity } from '../../src/ask/time/granularity.ts';
import { writeLocal } from '../../src/ask/time/local-time.ts';
import type { TimeRange, Weekday } from '../../src/ask/time/range.ts';
import { toInstant, transitions } from '../../src/ask/time/zone.ts';
import { duckDb } from '../../src/plan/sql/duckdb.ts';
import { joined, name, sql } from '../../src/plan/sql/expression.ts';
import { printStatement } from '../../src/plan/sql/print-statement.ts';
import { ask, modelOf } from './ask.ts';
import { openTestEngine, type TestEngine } from './engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine('CREATE TABLE instants (happened TIMESTAMP)');
});
afterAll(() => engine[Symbol.asyncDispose]());

const hour = 3_600_000;

interface Place {
  readonly zone: string;
  readonly year: number;
  /** Its clock was once put back over midnight, which only ranges of known changes mind. */
  readonly onlyRanges?: boolean;
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
  // At 00:01 the clock went back to 23:01 of the day before.
  { zone: 'America/St_Johns', year: 2010, onlyRanges: true },
  { zone: 'America/Moncton', year: 2000, onlyRanges: true },
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

async function bucketsInSql(zone: string, range: TimeRange | undefined, weekStart: Weekday, units: readonly Granularity[]): Promise<ReadonlyMap<number, readonly string[]>> {
  const instant = name('instants', 'happened');
  const columns = units.map((granularity) => sql`${duckDb.toBucket(instant, { granularity, zone, weekStart, range })} AS ${name(granularity)}`);
  const rows = await engine.run(printStatement(sql`SELECT ${instant} AS happened, ${joined(columns, ', ')} FROM instants`, duckDb));
  return new Map(rows.map((row) => [Date.parse(`${row.happened as string}Z`), units.map((unit) => String(row[unit]))]));
}

function bucketsInTime(instant: number, zone: string, weekStart: Weekday, units: readonly Granularity[]): readonly string[] {
  return units.map((unit) => writeLocal(isCalendarUnit(unit) ? toUnitStart(instant, unit, zone, weekStart) : toBucketStart(instant, unit, zone, weekStart)));
}

async function differences(place: Place, instants: readonly number[], range: TimeRange | undefined, weekStart: Weekday = 'monday', units: readonly Granularity[] = granularities): Promise<readonly unknown[]> {
  const inside = instants.filter((instant) => !range || (instant >= range.start && instant < range.end));
  expect(inside.length).toBeGreaterThan(0);
  await engine.setup(`DELETE FROM instants; INSERT INTO instants VALUES ${inside.map((instant) => `(TIMESTAMP '${writeLocal(instant).replace('T', ' ')}')`).join(', ')}`);
  const found = await bucketsInSql(place.zone, range, weekStart, units);
  return inside.flatMap((instant) => {
    const got = found.get(instant);
    const wanted = bucketsInTime(instant, place.zone, weekStart, units);
    return JSON.stringify(got) === JSON.stringify(wanted) ? [] : [{ instant: new Date(instant).toISOString(), got, wanted }];
  }).slice(0, 5);
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
    for (const weekStart of weekStarts) expect(await differences(place, instants, wholeYear(place), weekStart, ['week']), weekStart).toEqual([]);
  });
});

describe.each(places.filter((place) => transitions(place.zone, local(place, 0), local(place, 12)).length > 0))('in $zone in $year', (place) => {
  it('SQL cuts ranges that begin just before, at and after a change of the clock as the calendar does', async () => {
    const instants = interesting(place);
    for (const change of transitions(place.zone, local(place, 0), local(place, 12))) {
      for (const beside of [-20 * 60_000, -1, 0, 1, 20 * 60_000]) {
        expect(await differences(place, instants, { start: change.instant + beside, end: change.instant + 40 * hour }), String(beside)).toEqual([]);
      }
    }
  });
});

describe.each(places.filter((place) => !place.onlyRanges))('by the engine\'s own zone tables, in $zone in $year', (place) => {
  const instants = interesting(place);

  it('SQL without a range cuts as the calendar does', async () => {
    expect(await differences(place, instants, undefined)).toEqual([]);
    for (const weekStart of weekStarts) expect(await differences(place, instants, undefined, weekStart, ['week']), weekStart).toEqual([]);
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
    await engine.setup(`DELETE FROM instants; INSERT INTO instants VALUES ${instants.map((instant) => `(TIMESTAMP '${writeLocal(instant).replace('T', ' ')}')`).join(', ')}`);
    const rows = await ask(engine, { measures: ['T.count'], timeDimensions: [{ dimension: 'T.happened', granularity, dateRange: range }], timezone: zone }, model);
    const span = { start: toInstant(Date.parse(`${range[0]!}T00:00:00Z`), zone, 'first'), end: toInstant(Date.parse(`${range[1]!}T00:00:00Z`) + 24 * hour, zone, 'first') };
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
      const rows = await ask(engine, { measures: ['T.count'], timeDimensions: [{ dimension: 'T.happened', granularity }], timezone }, model);
      expect(rows.map((row) => row[`T.happened.${granularity}`] === null)).toEqual([false, true]);
    }
  }
  expect(await ask(engine, { measures: ['T.count'], timeDimensions: [{ dimension: 'T.happened', granularity: 'hour', dateRange: '2024' }], timezone: 'Australia/Lord_Howe' }, model)).toHaveLength(1);
});

it('ranges reach to the end of the calendar', async () => {
  await engine.setup("DELETE FROM instants; INSERT INTO instants VALUES (TIMESTAMP '0001-01-01'), (TIMESTAMP '2024-01-01'), (TIMESTAMP '9999-12-31 23:59:59.999')");
  for (const timezone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
    const rows = await ask(engine, { measures: ['T.count'], timeDimensions: [{ dimension: 'T.happened', dateRange: ['0001-01-02', '9999-12-31'] }], timezone }, model);
    expect(rows, timezone).toEqual([{ 'T.count': timezone === 'Asia/Tokyo' ? 1 : 2 }]);
  }
});
