import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { earlierRange, isRelativeRange } from '../../../src/ask/query/earlier-range.ts';

const context = { now: Date.parse('2024-03-31T12:00:00Z'), zone: 'Europe/Berlin' };

const day = 86_400_000;
const plus = (date: string, days: number) => new Date(Date.parse(date) + days * day).toISOString().slice(0, 10);
const weekday = (date: string) => new Date(date).getUTCDay();
const days = (range: unknown) => {
  const [from, to] = range as readonly [string, string];
  return (Date.parse(to) - Date.parse(from)) / day + 1;
};

describe('earlier ranges', () => {
  it.each([
    ['-2d', '2024-03-08', '2024-03-12'],
    ['-1w', '2024-03-03', '2024-03-07'],
    ['-1m', '2024-02-10', '2024-02-14'],
    ['-1q', '2023-12-10', '2023-12-14'],
    ['-1y', '2023-03-10', '2023-03-14'],
    ['a year before', '2023-03-10', '2023-03-14'],
    ['previous', '2024-03-05', '2024-03-09'],
    // 10 March 2024 and 12 March 2023 are Sundays.
    ['-1y by weekday', '2023-03-12', '2023-03-16'],
    ['a year before by weekday', '2023-03-12', '2023-03-16'],
    ['previous by weekday', '2024-03-03', '2024-03-07'],
  ])('%s', (other, from, to) => {
    expect(earlierRange(['2024-03-10', '2024-03-14'], other, context)).toEqual([from, to]);
  });

  it.each([
    ['2026-03-01', '2026-03-28', '-1m', '2026-02-01', '2026-02-28'],
    ['2026-03-01', '2026-03-30', '-1m', '2026-02-01', '2026-02-28'],
    ['2026-05-01', '2026-05-30', '-1m', '2026-04-01', '2026-04-30'],
    ['2026-04-15', '2026-04-30', '-1m', '2026-03-15', '2026-03-30'],
    ['2026-03-30', '2026-03-31', '-1m', '2026-02-28', '2026-02-28'],
    ['2024-02-20', '2024-02-29', '-1y', '2023-02-20', '2023-02-28'],
    ['2025-02-20', '2025-02-28', '-1y', '2024-02-20', '2024-02-28'],
    // Whole months stay whole.
    ['2026-03-01', '2026-03-31', '-1m', '2026-02-01', '2026-02-28'],
    ['2026-04-01', '2026-04-30', '-1m', '2026-03-01', '2026-03-31'],
    ['2025-02-01', '2025-02-28', '-1y', '2024-02-01', '2024-02-29'],
  ])('has the same days: %s to %s, %s', (start, end, other, from, to) => {
    expect(earlierRange([start, end], other, context)).toEqual([from, to]);
  });

  // The clock skips the midnight at which 24 April 2026 begins in Cairo.
  it.each([
    ['2026-04-24', '2026-04-24', 'previous', '2026-04-23', '2026-04-23'],
    ['2026-04-23', '2026-04-23', 'previous', '2026-04-22', '2026-04-22'],
    ['2026-04-24', '2026-04-30', 'previous', '2026-04-17', '2026-04-23'],
    ['2026-04-24', '2026-04-24', '-1w', '2026-04-17', '2026-04-17'],
    ['2026-05-01', '2026-05-07', '-1w', '2026-04-24', '2026-04-30'],
    ['2026-04-20', '2026-04-23', '-1m', '2026-03-20', '2026-03-23'],
    ['2026-05-24', '2026-05-24', '-1m', '2026-04-24', '2026-04-24'],
    ['2026-04-24', '2026-04-24', 'previous by weekday', '2026-04-17', '2026-04-17'],
  ])('has whole days if the clock skips a midnight: %s to %s, %s', (start, end, other, from, to) => {
    const asked = { now: Date.parse('2026-06-01T12:00:00Z'), zone: 'Africa/Cairo' };
    expect(earlierRange([start, end], other, asked)).toEqual([from, to]);
  });

  it('takes hours as elapsed time', () => {
    expect(earlierRange(['2024-03-31T10:00', '2024-03-31T10:59:59.999'], '-12h', context)).toEqual([
      '2024-03-30T20:00:00.000Z',
      '2024-03-30T20:59:59.999Z',
    ]);
  });

  it('by weekday has as many days, starts on the same weekday, and is the nearest such range', () => {
    const dates = fc.integer({ min: 0, max: 4000 }).map((offset) => plus('2018-01-01', offset));
    fc.assert(
      fc.property(
        dates,
        fc.integer({ min: 1, max: 70 }),
        fc.constantFrom('-1y', '-1m', '-3d'),
        (from, length, shift) => {
          const range = [from, plus(from, length - 1)];
          const before = earlierRange(range, 'previous by weekday', context) as readonly [string, string];
          expect([days(before), weekday(before[0])]).toEqual([length, weekday(from)]);
          const gap = (Date.parse(from) - Date.parse(before[1])) / day;
          expect(gap >= 1 && gap <= 7).toBe(true);
          const plain = earlierRange(range, shift, context) as readonly [string, string];
          const moved = earlierRange(range, `${shift} by weekday`, context) as readonly [string, string];
          expect([days(moved), weekday(moved[0])]).toEqual([length, weekday(from)]);
          expect(Math.abs(Date.parse(moved[0]) - Date.parse(plain[0])) / day).toBeLessThanOrEqual(3);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('distinguishes relative from absolute ranges', () => {
    expect(['previous', '-1y', ' -2W by weekday', 'A year before'].map(isRelativeRange)).toEqual(Array(4).fill(true));
    expect(['previous week', '-1', '1y', 'last 7 days', '-1y by week'].map(isRelativeRange)).toEqual(
      Array(5).fill(false),
    );
  });
});
