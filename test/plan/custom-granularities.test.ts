import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countBuckets, toBuckets, toBucketStart, toUnitStart } from '../../src/ask/time/buckets.ts';
import { type CustomGranularity, isCalendarUnit, type WrittenGrid } from '../../src/ask/time/granularity.ts';
import { writeLocal } from '../../src/ask/time/local-time.ts';
import type { TimeRange } from '../../src/ask/time/range.ts';
import { transitions } from '../../src/ask/time/zone.ts';
import { readGridRule, readSeveralUnits, toCustomGranularity } from '../../src/plan/model/granularity-definition.ts';
import { duckDb } from '../../src/plan/sql/duckdb.ts';
import { name, sql } from '../../src/plan/sql/expression.ts';
import { printStatement } from '../../src/plan/sql/print-statement.ts';
import { openTestEngine, type TestEngine } from './engine.ts';
import { bucketOnGrid, isShortGrid, type SlowGrid } from './grid-oracle.ts';
import { runs } from '../runs.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine('CREATE TABLE instants (happened TIMESTAMP)');
});
afterAll(() => engine[Symbol.asyncDispose]());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

function granularityOf(written: WrittenGrid, zone: string): CustomGranularity {
  const rule = readGridRule(written);
  if (typeof rule === 'string') throw new Error(rule);
  return toCustomGranularity({ name: 'own', title: 'own', rule }, zone);
}

type Case = readonly [what: string, written: WrittenGrid, slow: SlowGrid];

/** Each rule in Cube's notation, and spelled out. */
const cases: readonly Case[] = [
  [
    'quarters of an hour',
    { interval: '15 minutes' },
    { months: 0, milliseconds: 15 * minute, origin: '2011-06-01T00:00:00' },
  ],
  [
    'hours that begin five minutes late',
    { interval: '1 hour', offset: '5 minutes' },
    { months: 0, milliseconds: hour, origin: '2011-06-01T00:05:00' },
  ],
  [
    'stretches of 25 minutes',
    { interval: '25 minutes', origin: '2011-06-01 10:15:00' },
    { months: 0, milliseconds: 25 * minute, origin: '2011-06-01T10:15:00' },
  ],
  [
    'half days',
    { interval: '12 hours', offset: '-3 hours' },
    { months: 0, milliseconds: 12 * hour, origin: '2011-06-01T09:00:00' },
  ],
  [
    'stretches of 36 hours from an instant',
    { interval: '1 day 12 hours', origin: '2011-06-01T10:00:00.000Z' },
    { months: 0, milliseconds: 36 * hour, origin: '2011-06-01T10:00:00.000Z' },
  ],
  [
    'days that begin at half past two',
    { interval: '1 day', offset: '2 hours 30 minutes' },
    { months: 0, milliseconds: day, origin: '2024-01-01T02:30:00' },
  ],
  [
    'weeks from Sunday',
    { interval: '1 week', offset: '-1 day' },
    { months: 0, milliseconds: 7 * day, origin: '2024-01-07T00:00:00' },
  ],
  [
    'fortnights',
    { interval: '2 weeks', origin: '2024-08-23' },
    { months: 0, milliseconds: 14 * day, origin: '2024-08-23T00:00:00' },
  ],
  ['half years', { interval: '6 months' }, { months: 6, milliseconds: 0, origin: '2020-01-01T00:00:00' }],
  [
    'half years from April',
    { interval: '2 quarters', offset: '3 months' },
    { months: 6, milliseconds: 0, origin: '2020-04-01T00:00:00' },
  ],
  [
    'months from the eleventh',
    { interval: '1 month', offset: '10 days' },
    { months: 1, milliseconds: 0, origin: '2020-01-11T00:00:00' },
  ],
  [
    'months that begin two days early',
    { interval: '1 month', offset: '-2 days' },
    { months: 1, milliseconds: 0, origin: '2020-01-01T00:00:00', later: -2 * day },
  ],
  [
    'fiscal years',
    { interval: '1 year', origin: '2025-04-06' },
    { months: 12, milliseconds: 0, origin: '2025-04-06T00:00:00' },
  ],
  [
    'months from the last day of one',
    { interval: '1 month', origin: '2024-01-31' },
    { months: 1, milliseconds: 0, origin: '2024-01-31T00:00:00' },
  ],
  [
    'months and days together',
    { interval: '1 month 10 days', origin: '2023-11-30T06:00' },
    { months: 1, milliseconds: 10 * day, origin: '2023-11-30T06:00:00' },
  ],
];

const zones = ['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Pacific/Apia', 'America/St_Johns'];

/** Near clock changes, at the ends of buckets, and anywhere. */
function instantsIn(zone: string, grid: CustomGranularity, range: TimeRange, seed: number): readonly number[] {
  const changes = transitions(zone, range.start, range.end).slice(0, 4);
  const near = changes.flatMap(({ instant }) =>
    [-181, -90, -31, -1, 0, 1, 29, 61, 90, 181].map((minutes) => instant + minutes * minute),
  );
  const anywhere = fc.sample(fc.integer({ min: range.start, max: range.end - 1 }), { numRuns: 12, seed });
  const ends = anywhere.slice(0, 5).flatMap((instant) => {
    const start = toBucketStart(instant, grid, zone);
    return [start - 1, start, start + 1];
  });
  return [...near, ...anywhere, ...ends].filter((instant) => instant >= range.start && instant < range.end);
}

const range: TimeRange = { start: Date.UTC(2010, 9, 1, 5, 17), end: Date.UTC(2012, 3, 1, 11, 3) };

const shown = cases.map(([what, written, slow], index) => ({
  what,
  written,
  slow,
  // Each zone is tested with every kind of rule.
  zones: zones.filter((_, at) => (at + index) % 3 !== 0),
}));

describe.each(shown)('$what', ({ written, slow, zones }) => {
  it.each(zones)('begin in %s where the slow way finds them, in time and in SQL', async (zone) => {
    const grid = granularityOf(written, zone);
    const instants = instantsIn(zone, grid, range, 7);
    await engine.setup(
      `DELETE FROM instants; INSERT INTO instants VALUES ${instants.map((each) => `(TIMESTAMP '${writeLocal(each).replace('T', ' ')}')`).join(', ')}`,
    );
    const bucket = (cut: TimeRange | undefined) =>
      duckDb.toBucket(name('instants', 'happened'), { granularity: grid, zone, weekStart: 'monday', range: cut });
    const rows = await engine.run(
      printStatement(
        sql`SELECT happened, ${bucket(range)} AS ranged, ${bucket(undefined)} AS open FROM instants`,
        duckDb,
      ),
    );
    const found = new Map(
      rows.map(({ happened, ranged, open }) => [Date.parse(`${happened as string}Z`), [ranged, open]]),
    );
    for (const instant of instants) {
      const wanted = bucketOnGrid(instant, slow, zone);
      const about = new Date(instant).toISOString();
      expect(isCalendarUnit(grid)).toBe(!isShortGrid(slow));
      const inTime = isCalendarUnit(grid) ? toUnitStart(instant, grid, zone) : toBucketStart(instant, grid, zone);
      expect(new Date(inTime).toISOString(), about).toBe(new Date(wanted).toISOString());
      expect(found.get(instant), about).toEqual([writeLocal(wanted), writeLocal(wanted)]);
    }
  });

  it.each(zones)('tile a range in %s, and are counted beforehand', (zone) => {
    const grid = granularityOf(written, zone);
    const short = { start: range.start, end: isCalendarUnit(grid) ? range.end : range.start + 40 * day };
    const buckets = toBuckets(short, grid, zone);
    expect(buckets.length).toBeLessThanOrEqual(countBuckets(short, grid, zone));
    expect(buckets[0]!.start).toBeLessThanOrEqual(short.start);
    expect(buckets.at(-1)!.start).toBeLessThan(short.end);
    expect(buckets.at(-1)!.end).toBeGreaterThanOrEqual(short.end);
    buckets.forEach((bucket, index) => {
      if (index > 0) expect(bucket.start).toBe(buckets[index - 1]!.end);
      expect(toBucketStart(bucket.start, grid, zone)).toBe(bucket.start);
      expect(toBucketStart(bucket.end - 1, grid, zone)).toBe(bucket.start);
    });
  });
});

const units = { second: 1000, minute, hour, day, week: 7 * day } as const;

describe('a rule', () => {
  it('of any interval and origin cuts in SQL as the slow way does', async () => {
    const rules = fc.record({
      months: fc.nat(30),
      unit: fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[])),
      count: fc.nat(50),
      origin: fc.date({
        min: new Date('1999-01-01T00:00:00Z'),
        max: new Date('2030-12-31T00:00:00Z'),
        noInvalidDate: true,
      }),
      zone: fc.constantFrom(...zones),
      instants: fc.array(fc.integer({ min: range.start, max: range.end - 1 }), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        rules.filter(({ months, count, unit }) => months > 0 || count * units[unit] >= 10 * hour),
        async ({ months, unit, count, origin, zone, instants }) => {
          const text = origin.toISOString().slice(0, 19);
          const interval = [...(months > 0 ? [`${months} months`] : []), ...(count > 0 ? [`${count} ${unit}s`] : [])];
          const grid = granularityOf({ interval: interval.join(' '), origin: text }, zone);
          const values = instants.map((each) => `(TIMESTAMP '${writeLocal(each).replace('T', ' ')}')`).join(', ');
          const bucket = duckDb.toBucket(name('v', 'happened'), {
            granularity: grid,
            zone,
            weekStart: 'monday',
            range,
          });
          const rows = await engine.run(
            printStatement(
              sql`SELECT ${bucket} AS bucket FROM (VALUES ${{ parts: [{ kind: 'text', text: values }] }}) AS v(happened)`,
              duckDb,
            ),
          );
          const wanted = instants.map((instant) =>
            writeLocal(bucketOnGrid(instant, { months, milliseconds: count * units[unit], origin: text }, zone)),
          );
          expect(rows.map((row) => row['bucket'])).toEqual(wanted);
        },
      ),
      { numRuns: runs(60), seed: 11 },
    );
  });

  it.each<[WrittenGrid, RegExp]>([
    [{ interval: '5 days' }, /needs an `origin`/],
    [{ interval: '7 minutes' }, /needs an `origin`/],
    [{ interval: '2 years' }, /needs an `origin`/],
    [{ interval: '1 month 1 day' }, /needs an `origin`/],
    [{ interval: '1 fortnight' }, /is not a duration/],
    [{ interval: '-1 day', origin: '2024-01-01' }, /is not a duration/],
    [{ interval: '0 days', origin: '2024-01-01' }, /is empty/],
    [{ interval: '900000 years', origin: '2024-01-01' }, /is too long/],
    [{ interval: '1 day', origin: 'yesterday' }, /is not a date/],
    [{ interval: '1 day', origin: '2024-02-30' }, /is not a date/],
    [{ interval: '1 day', offset: 'one hour' }, /is not a duration/],
    [{ interval: '1 day', offset: '1 hour', origin: '2024-01-01' }, /both/],
  ])('%j is refused', (written, reason) => {
    expect(readGridRule(written)).toMatch(reason);
  });
});

describe('several minutes or hours', () => {
  it('are buckets from midnight, if they fill an hour or a day evenly', () => {
    for (const [unit, length, whole] of [
      ['minute', minute, 60],
      ['hour', hour, 24],
    ] as const)
      for (let count = 1; count <= whole; count += 1) {
        const size = readSeveralUnits(`${unit}s${count}`, 'Europe/Berlin');
        if (whole % count > 0) {
          expect(size).toMatch(/evenly/);
          continue;
        }
        const slow = { months: 0, milliseconds: count * length, origin: '2024-03-31T00:00:00' };
        for (let at = Date.UTC(2024, 2, 30, 20); at < Date.UTC(2024, 2, 31, 20); at += 7 * minute)
          if (typeof size === 'object' && isShortGrid(slow))
            expect(toBucketStart(at, size, 'Europe/Berlin')).toBe(bucketOnGrid(at, slow, 'Europe/Berlin'));
      }
  });

  it('have names of their own', () => {
    for (const name of ['minute', 'minutes', 'minutes 15', 'hours1000', 'days2', '15'])
      expect(readSeveralUnits(name, 'UTC')).toBeUndefined();
    expect(readSeveralUnits('minutes0', 'UTC')).toMatch(/evenly/);
  });
});
