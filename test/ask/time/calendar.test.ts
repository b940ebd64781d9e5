import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUnits, startOf } from '../../../src/ask/time/calendar.ts';
import { granularities } from '../../../src/ask/time/granularity.ts';
import { weekdays } from '../../../src/ask/time/range.ts';

const anyLocal = fc.integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') });
const anyGranularity = fc.constantFrom(...granularities);
const anyWeekday = fc.constantFrom(...weekdays);

function text(local: number): string {
  return new Date(local).toISOString();
}

describe('startOf', () => {
  const local = Date.UTC(2024, 4, 16, 17, 48, 33, 217);

  it.each([
    ['second', '2024-05-16T17:48:33.000Z'],
    ['minute', '2024-05-16T17:48:00.000Z'],
    ['hour', '2024-05-16T17:00:00.000Z'],
    ['day', '2024-05-16T00:00:00.000Z'],
    ['week', '2024-05-13T00:00:00.000Z'],
    ['month', '2024-05-01T00:00:00.000Z'],
    ['quarter', '2024-04-01T00:00:00.000Z'],
    ['year', '2024-01-01T00:00:00.000Z'],
  ] as const)('finds the %s', (granularity, start) => {
    expect(text(startOf(local, granularity))).toBe(start);
  });

  it('begins weeks on the requested day', () => {
    fc.assert(
      fc.property(anyLocal, anyWeekday, (any, weekStart) => {
        const start = startOf(any, 'week', weekStart);
        expect((new Date(start).getUTCDay() + 6) % 7).toBe(weekdays.indexOf(weekStart));
        expect(start % 86_400_000 === 0 && start <= any && any < start + 7 * 86_400_000).toBe(true);
      }),
    );
  });

  it('lies in its own unit, and the next unit starts later', () => {
    fc.assert(
      fc.property(anyLocal, anyGranularity, anyWeekday, (any, granularity, weekStart) => {
        const start = startOf(any, granularity, weekStart);
        const next = addUnits(start, granularity, 1);
        expect(start).toBeLessThanOrEqual(any);
        expect(next).toBeGreaterThan(any);
        expect(startOf(start, granularity, weekStart)).toBe(start);
        expect(startOf(next - 1, granularity, weekStart)).toBe(start);
        expect(startOf(next, granularity, weekStart)).toBe(next);
      }),
    );
  });
});

describe('addUnits', () => {
  it.each([
    ['2024-01-31T10:00:00.000Z', 'month', 1, '2024-02-29T10:00:00.000Z'],
    ['2024-03-31T10:00:00.000Z', 'month', -1, '2024-02-29T10:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z', 'year', 1, '2025-02-28T00:00:00.000Z'],
    ['2024-11-30T00:00:00.000Z', 'quarter', 1, '2025-02-28T00:00:00.000Z'],
    ['2024-12-31T23:59:59.999Z', 'day', 1, '2025-01-01T23:59:59.999Z'],
    ['2024-03-10T02:30:00.000Z', 'hour', -3, '2024-03-09T23:30:00.000Z'],
    ['0001-03-31T00:00:00.001Z', 'month', -1, '0001-02-28T00:00:00.001Z'],
    ['1969-12-31T23:00:00.000Z', 'month', 2, '1970-02-28T23:00:00.000Z'],
  ] as const)('%s plus a %s times %i is %s', (from, granularity, n, to) => {
    expect(text(addUnits(Date.parse(from), granularity, n))).toBe(to);
  });

  it('returns to the start of a unit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e12, max: 4e12 }),
        anyGranularity,
        fc.integer({ min: -5000, max: 5000 }),
        (any, granularity, n) => {
          const start = startOf(any, granularity);
          expect(addUnits(addUnits(start, granularity, n), granularity, -n)).toBe(start);
        },
      ),
    );
  });
});
