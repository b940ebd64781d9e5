import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeInstantLocal, writeLocal, writeUtc, writeWithOffset } from '../../../src/ask/time/local-time.ts';
import { readWrittenTime } from '../../../src/ask/time/read-written-time.ts';
import { anyZoneAndInstant } from './zones.ts';

describe('writing times', () => {
  const instant = Date.UTC(2024, 6, 1, 12, 0, 0, 5);

  it('writes local times, instants and offsets', () => {
    expect(writeLocal(instant)).toBe('2024-07-01T12:00:00.005');
    expect(writeUtc(instant)).toBe('2024-07-01T12:00:00.005Z');
    expect(writeInstantLocal(instant, 'Asia/Kolkata')).toBe('2024-07-01T17:30:00.005');
    expect(writeWithOffset(instant, 'UTC')).toBe('2024-07-01T12:00:00.005Z');
    expect(writeWithOffset(instant, 'America/New_York')).toBe('2024-07-01T08:00:00.005-04:00');
    expect(writeWithOffset(instant, 'Asia/Kolkata')).toBe('2024-07-01T17:30:00.005+05:30');
    expect(writeWithOffset(Date.UTC(2024, 0, 1), 'Europe/London')).toBe('2024-01-01T00:00:00.000+00:00');
    expect(writeWithOffset(0, 'Africa/Monrovia')).toBe('1969-12-31T23:15:30.000-00:44:30');
    expect(writeLocal(Date.parse('0001-01-01T00:00:00Z'))).toBe('0001-01-01T00:00:00.000');
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(anyZoneAndInstant, ({ zone, instant: any }) => {
        const outcome = readWrittenTime(writeWithOffset(any, zone));
        expect(outcome).toMatchObject({ ok: true, value: { unit: 'millisecond' } });
        if (outcome?.ok) expect(outcome.value.local - outcome.value.offset!).toBe(any);
      }),
    );
  });
});

describe('readWrittenTime', () => {
  it.each([
    ['2024', 'year', '2024-01-01T00:00:00.000Z', undefined],
    ['0001', 'year', '0001-01-01T00:00:00.000Z', undefined],
    ['2024-02', 'month', '2024-02-01T00:00:00.000Z', undefined],
    ['2024-W01', 'week', '2024-01-01T00:00:00.000Z', undefined],
    ['2024-Q3', 'quarter', '2024-07-01T00:00:00.000Z', undefined],
    ['2021-W01', 'week', '2021-01-04T00:00:00.000Z', undefined],
    ['2020-W53', 'week', '2020-12-28T00:00:00.000Z', undefined],
    ['2024-w09', 'week', '2024-02-26T00:00:00.000Z', undefined],
    ['2024-02-29', 'day', '2024-02-29T00:00:00.000Z', undefined],
    ['0099-12-31', 'day', '0099-12-31T00:00:00.000Z', undefined],
    ['2024-02-29T10:11', 'millisecond', '2024-02-29T10:11:00.000Z', undefined],
    ['2024-02-29 10:11:12', 'millisecond', '2024-02-29T10:11:12.000Z', undefined],
    ['2024-02-29T10:11:12.5', 'millisecond', '2024-02-29T10:11:12.500Z', undefined],
    ['2024-02-29T23:59:59.999999', 'millisecond', '2024-02-29T23:59:59.999Z', undefined],
    ['2024-02-29T10:11:12Z', 'millisecond', '2024-02-29T10:11:12.000Z', 0],
    ['2024-02-29t10:11z', 'millisecond', '2024-02-29T10:11:00.000Z', 0],
    ['2024-02-29T10:11+05:30', 'millisecond', '2024-02-29T10:11:00.000Z', 5.5 * 3_600_000],
    ['2024-02-29T10:11:12.345 -0400', 'millisecond', '2024-02-29T10:11:12.345Z', -4 * 3_600_000],
  ])('reads %s as a %s', (text, unit, local, offset) => {
    expect(readWrittenTime(text)).toEqual({ ok: true, value: { local: Date.parse(local), unit, offset }, issues: [] });
  });

  it.each([
    '0000',
    '0000-01',
    '0000-W01',
    '2024-13',
    '2024-00',
    '2024-02-30',
    '2023-02-29',
    '1900-02-29',
    '2024-04-31',
    '2024-01-00',
    '2024-Q5',
    '0000-Q1',
    '2024-W00',
    '2024-W53',
    '2024-W54',
    '2024-01-01T24:00',
    '2024-01-01T10:60',
    '2024-01-01T10:00:60',
    '2024-01-01T10:00+24:00',
    '2024-02-30T10:00',
  ])('refuses the impossible date %s', (text) => {
    expect(readWrittenTime(text)).toMatchObject({ ok: false, issues: [{ code: 'invalid-date', severity: 'error' }] });
  });

  it.each([
    '',
    '24',
    '02024',
    '2024-1',
    '2024-1-1',
    '2024/01/01',
    '2024-01-01T',
    '2024-01-01T10',
    'T10:00',
    '2024-W9',
    '2024-Q',
    '2024-Q10',
    '-2024',
    '2024-01-01x',
    '２０２４',
  ])('ignores text that is not a date: %j', (text) => {
    expect(readWrittenTime(text)).toBeUndefined();
  });

  it('numbers ISO weeks by their Thursdays', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 53 }), (year, week) => {
        const name = `${String(year).padStart(4, '0')}-W${String(week).padStart(2, '0')}`;
        const outcome = readWrittenTime(name)!;
        if (!outcome.ok) {
          expect(week).toBe(53);
          return;
        }
        const thursday = new Date(outcome.value.local + 3 * 86_400_000);
        expect(thursday.getUTCDay()).toBe(4);
        expect(thursday.getUTCFullYear()).toBe(year);
        const newYear = new Date(0).setUTCFullYear(year, 0, 1);
        expect(Math.floor((thursday.getTime() - newYear) / (7 * 86_400_000)) + 1).toBe(week);
      }),
    );
  });
});
