import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countBuckets,
  toBucketEnd,
  toBuckets,
  toBucketStart,
  toUnitStart,
  writeBucketLabel,
} from '../../../src/ask/time/buckets.ts';
import { granularities, isCalendarUnit } from '../../../src/ask/time/granularity.ts';
import { writeLocal, writeUtc } from '../../../src/ask/time/local-time.ts';
import { weekdays } from '../../../src/ask/time/range.ts';
import { toLocal, transitions } from '../../../src/ask/time/zone.ts';
import { anyZone, anyZoneAndInstant, day, hour, minute, wallByIntl } from './zones.ts';
import { runs } from '../../runs.ts';

const anyGranularity = fc.constantFrom(...granularities);
const anyWeekday = fc.constantFrom(...weekdays);
/** The longest range that keeps the axis short. */
const reach = {
  second: 20 * minute,
  minute: 4 * hour,
  hour: 4 * day,
  day: 60 * day,
  week: 300 * day,
  month: 800 * day,
  quarter: 2000 * day,
  year: 5000 * day,
};

const anyAxis = fc
  .tuple(anyZoneAndInstant, anyGranularity, anyWeekday, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([{ zone, instant }, granularity, weekStart, share]) => ({
    zone,
    granularity,
    weekStart,
    range: { start: instant, end: instant + 1 + Math.floor(share * reach[granularity]) },
  }));

function axis(start: string, end: string, granularity: (typeof granularities)[number], zone: string): string[] {
  return toBuckets({ start: Date.parse(start), end: Date.parse(end) }, granularity, zone).map(
    (bucket) => `${bucket.label} ${writeUtc(bucket.start)}`,
  );
}

describe('toBuckets', () => {
  it('covers the range with whole buckets, without gap or overlap', () => {
    fc.assert(
      fc.property(anyAxis, ({ range, granularity, zone, weekStart }) => {
        const buckets = toBuckets(range, granularity, zone, weekStart);
        expect(buckets[0]!.start).toBeLessThanOrEqual(range.start);
        expect(buckets[0]!.end).toBeGreaterThan(range.start);
        expect(buckets.at(-1)!.start).toBeLessThan(range.end);
        expect(buckets.at(-1)!.end).toBeGreaterThanOrEqual(range.end);
        buckets.forEach((bucket, i) => {
          expect(bucket.end).toBeGreaterThan(bucket.start);
          if (i > 0) expect(bucket.start).toBe(buckets[i - 1]!.end);
        });
      }),
      { numRuns: runs(600) },
    );
  });

  it('puts every instant into exactly the bucket that toBucketStart names', () => {
    fc.assert(
      fc.property(
        anyAxis,
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ range, granularity, zone, weekStart }, share) => {
          const instant = range.start + Math.floor(share * (range.end - range.start - 1));
          const holding = toBuckets(range, granularity, zone, weekStart).filter(
            (bucket) => bucket.start <= instant && instant < bucket.end,
          );
          expect(holding).toHaveLength(1);
          expect(toBucketStart(instant, granularity, zone, weekStart)).toBe(holding[0]!.start);
          expect(toBucketEnd(instant, granularity, zone, weekStart)).toBe(holding[0]!.end);
        },
      ),
      { numRuns: runs(1500) },
    );
  });

  it('never has more buckets than countBuckets says, and nearly as many', () => {
    fc.assert(
      fc.property(anyAxis, ({ range, granularity, zone, weekStart }) => {
        const { length } = toBuckets(range, granularity, zone, weekStart);
        const most = countBuckets(range, granularity, zone);
        expect(length).toBeLessThanOrEqual(most);
        expect(most).toBeLessThanOrEqual(length * 1.1 + 35);
      }),
      { numRuns: runs(600) },
    );
  });

  it('counts extra buckets of clock changes: each year has two half hours at Lord Howe', () => {
    const range = { start: Date.UTC(2010, 0, 1), end: Date.UTC(2020, 0, 1) };
    const { length } = toBuckets(range, 'hour', 'Australia/Lord_Howe');
    expect(length).toBe((10 * 365 + 2) * 24 + 10);
    expect(countBuckets(range, 'hour', 'Australia/Lord_Howe')).toBeGreaterThanOrEqual(length);
  });

  it('labels each bucket once by local time, a day and longer by the calendar', () => {
    fc.assert(
      fc.property(anyAxis, ({ range, granularity, zone, weekStart }) => {
        const buckets = toBuckets(range, granularity, zone, weekStart);
        for (const bucket of buckets) {
          if (isCalendarUnit(granularity)) {
            expect(bucket.label).toMatch(/T00:00:00\.000$/);
            expect(writeBucketLabel(bucket.start, granularity, zone, weekStart)).toBe(bucket.label);
            expect(writeLocal(toUnitStart(bucket.start, granularity, zone, weekStart))).toBe(bucket.label);
          } else {
            expect(bucket.label).toBe(`${wallByIntl(bucket.start, zone)}.000`);
            expect(Date.parse(writeBucketLabel(bucket.start, granularity, zone))).toBe(bucket.start);
          }
        }
        const labels = buckets.map((bucket) => writeBucketLabel(bucket.start, granularity, zone, weekStart));
        expect(new Set(labels).size).toBe(buckets.length);
      }),
      { numRuns: runs(400) },
    );
  });

  it('begins each day at its first local minute, around every clock change', () => {
    fc.assert(
      fc.property(anyZone, fc.integer({ min: 1971, max: 2037 }), (zone, year) => {
        for (const change of transitions(zone, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1))) {
          const from = change.instant - 2 * day;
          const until = change.instant + 2 * day;
          const starts: string[] = [];
          let today = wallByIntl(from - minute, zone).slice(0, 10);
          for (let instant = from; instant < until; instant += minute) {
            const date = wallByIntl(instant, zone).slice(0, 10);
            if (date > today) starts.push(`${date}T00:00:00.000 ${instant}`);
            if (date > today) today = date;
          }
          const buckets = toBuckets({ start: from, end: until }, 'day', zone).filter((bucket) => bucket.start >= from);
          expect(buckets.map((bucket) => `${bucket.label} ${bucket.start}`)).toEqual(starts);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('cuts hours at each new local hour and at clock changes', () => {
    fc.assert(
      fc.property(anyZoneAndInstant, ({ zone, instant }) => {
        const from = Math.floor(instant / minute) * minute;
        const until = from + 30 * hour;
        const starts: number[] = [];
        for (let at = from; at < until; at += minute) {
          const newHour = wallByIntl(at, zone).slice(14, 16) === '00';
          const changed = toLocal(at, zone) - toLocal(at - minute, zone) !== minute;
          if (newHour || changed) starts.push(at);
        }
        const buckets = toBuckets({ start: from, end: until }, 'hour', zone).filter((bucket) => bucket.start >= from);
        expect(buckets.map((bucket) => bucket.start)).toEqual(starts);
      }),
      { numRuns: runs(100) },
    );
  });

  it('has no bucket for the day that Samoa skipped', () => {
    expect(axis('2011-12-29T12:00Z', '2011-12-31T12:00Z', 'day', 'Pacific/Apia')).toEqual([
      '2011-12-29T00:00:00.000 2011-12-29T10:00:00.000Z',
      '2011-12-31T00:00:00.000 2011-12-30T10:00:00.000Z',
      '2012-01-01T00:00:00.000 2011-12-31T10:00:00.000Z',
    ]);
  });

  it.each([
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    ['Asia/Beirut', '2024-03-31', '2024-03-30T22:00:00.000Z'],
    ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00.000Z'],
  ])('starts a day at its first instant if the clock in %s skips midnight on %s', (zone, date, start) => {
    expect(axis(start, new Date(Date.parse(start) + 1).toISOString(), 'day', zone)).toEqual([
      `${date}T00:00:00.000 ${start}`,
    ]);
    expect(writeBucketLabel(Date.parse(start), 'day', zone)).toBe(`${date}T00:00:00.000`);
  });

  it('gives the day of 25 hours 25 buckets with 25 labels', () => {
    const hours = toBuckets(
      { start: Date.UTC(2024, 10, 3, 4), end: Date.UTC(2024, 10, 4, 5) },
      'hour',
      'America/New_York',
    );
    expect(hours).toHaveLength(25);
    expect(hours.slice(1, 3).map((bucket) => bucket.label)).toEqual([
      '2024-11-03T01:00:00.000',
      '2024-11-03T01:00:00.000',
    ]);
    expect(hours.slice(1, 3).map((bucket) => writeBucketLabel(bucket.start, 'hour', 'America/New_York'))).toEqual([
      '2024-11-03T01:00:00.000-04:00',
      '2024-11-03T01:00:00.000-05:00',
    ]);
  });

  it('begins a new hour when Lord Howe moves its clock by half an hour', () => {
    expect(axis('2024-04-06T14:00Z', '2024-04-06T17:00Z', 'hour', 'Australia/Lord_Howe')).toEqual([
      '2024-04-07T01:00:00.000 2024-04-06T14:00:00.000Z',
      '2024-04-07T01:30:00.000 2024-04-06T15:00:00.000Z',
      '2024-04-07T02:00:00.000 2024-04-06T15:30:00.000Z',
      '2024-04-07T03:00:00.000 2024-04-06T16:30:00.000Z',
    ]);
  });

  it.each([
    ['Australia/Lord_Howe', '2024-04-06T12:00Z'],
    ['Australia/Lord_Howe', '2024-10-05T12:00Z'],
    ['America/St_Johns', '2009-11-01T00:00Z'],
    ['Africa/Monrovia', '1972-01-07T00:00Z'],
  ])('finds the same start and end from every instant of a bucket: hours in %s from %s', (zone, from) => {
    const start = Date.parse(from);
    for (const bucket of toBuckets({ start, end: start + 6 * hour }, 'hour', zone)) {
      for (let instant = bucket.start; instant < bucket.end; instant += 30_000) {
        expect([toBucketStart(instant, 'hour', zone), toBucketEnd(instant, 'hour', zone)]).toEqual([
          bucket.start,
          bucket.end,
        ]);
      }
    }
  });

  it('keeps one day when the clock goes back to the day before at 00:01', () => {
    const days = toBuckets(
      { start: Date.UTC(2009, 9, 31, 12), end: Date.UTC(2009, 10, 2, 12) },
      'day',
      'America/St_Johns',
    );
    expect(days.map((bucket) => [bucket.label.slice(0, 10), (bucket.end - bucket.start) / hour])).toEqual([
      ['2009-10-31', 24],
      ['2009-11-01', 25],
      ['2009-11-02', 24],
    ]);
    const lateAgain = Date.UTC(2009, 10, 1, 3);
    expect(wallByIntl(lateAgain, 'America/St_Johns')).toBe('2009-10-31T23:30:00');
    expect([
      toBucketStart(lateAgain, 'day', 'America/St_Johns'),
      toBucketEnd(lateAgain, 'day', 'America/St_Johns'),
    ]).toEqual([days[1]!.start, days[1]!.end]);
  });

  it('gives no bucket for an empty range, and one for one millisecond', () => {
    expect(toBuckets({ start: 5, end: 5 }, 'day', 'UTC')).toEqual([]);
    expect(toBuckets({ start: 6, end: 5 }, 'hour', 'Asia/Kolkata')).toEqual([]);
    expect(toBuckets({ start: 5, end: 6 }, 'day', 'UTC')).toEqual([
      { start: 0, end: day, label: '1970-01-01T00:00:00.000' },
    ]);
    expect(countBuckets({ start: 5, end: 5 }, 'second', 'UTC')).toBe(0);
  });

  it('refuses a year of seconds instead of building it', () => {
    const range = { start: Date.UTC(2024, 0, 1), end: Date.UTC(2025, 0, 1) };
    expect(countBuckets(range, 'second', 'UTC')).toBeGreaterThan(31_000_000);
    expect(() => toBuckets(range, 'second', 'UTC')).toThrow('buckets asked for at once');
  });
});

describe('writeBucketLabel', () => {
  it('writes UTC with Z for buckets shorter than a day', () => {
    expect(writeBucketLabel(Date.UTC(2024, 0, 1, 5), 'hour', 'UTC')).toBe('2024-01-01T05:00:00.000Z');
    expect(writeBucketLabel(Date.UTC(2024, 0, 1), 'month', 'UTC')).toBe('2024-01-01T00:00:00.000');
  });

  it('names a week by its first day even if the zone skipped that day', () => {
    const [week] = toBuckets(
      { start: Date.UTC(2011, 11, 31), end: Date.UTC(2011, 11, 31, 1) },
      'week',
      'Pacific/Apia',
      'friday',
    );
    expect(week!.label).toBe('2011-12-30T00:00:00.000');
    expect(writeBucketLabel(week!.start, 'week', 'Pacific/Apia', 'friday')).toBe(week!.label);
  });
});
