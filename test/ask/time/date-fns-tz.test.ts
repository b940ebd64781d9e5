import { formatInTimeZone } from 'date-fns-tz/formatInTimeZone';
import { fromZonedTime } from 'date-fns-tz/fromZonedTime';
import { getTimezoneOffset } from 'date-fns-tz/getTimezoneOffset';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeInstantLocal, writeWithOffset } from '../../../src/ask/time/local-time.ts';
import { offsetAt, toInstant } from '../../../src/ask/time/zone.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Auckland',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'America/Sao_Paulo',
];
const anyInstant = fc.integer({ min: Date.UTC(1975, 0, 1), max: Date.UTC(2036, 0, 1) });

/** An independent implementation. It uses the clock of the machine in the machine's zone, so that zone is fixed. */
describe('local times agree with date-fns-tz', () => {
  beforeAll(() => {
    process.env['TZ'] = 'UTC';
  });

  it('from an instant to local time', () => {
    fc.assert(
      fc.property(anyInstant, fc.constantFrom(...zones), (instant, zone) => {
        expect(writeWithOffset(instant, zone)).toBe(formatInTimeZone(instant, zone, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"));
      }),
      { numRuns: 2000 },
    );
  });

  it('and back, away from clock changes', () => {
    const day = 86_400_000;
    fc.assert(
      fc.property(anyInstant, fc.constantFrom(...zones), (instant, zone) => {
        fc.pre(offsetAt(zone, instant - day) === offsetAt(zone, instant + day));
        const local = writeInstantLocal(instant, zone);
        expect(fromZonedTime(local, zone).getTime()).toBe(instant);
        expect(toInstant(Date.parse(`${local}Z`), zone, 'first')).toBe(instant);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('known faults of date-fns-tz', () => {
  afterEach(() => {
    process.env['TZ'] = 'UTC';
  });

  it("it moves a local time that the machine's clock skips by an hour", () => {
    const instant = Date.UTC(2024, 2, 31, 2, 30);
    process.env['TZ'] = 'Europe/Berlin';
    expect(formatInTimeZone(instant, 'UTC', 'HH:mm')).toBe('03:30');
    expect(writeInstantLocal(instant, 'UTC')).toBe('2024-03-31T02:30:00.000');
  });

  it('it returns the offset after a change for the hours before', () => {
    const instant = Date.UTC(2024, 2, 10, 2, 0);
    expect(getTimezoneOffset('America/New_York', new Date(instant))).toBe(-4 * 3_600_000);
    expect(offsetAt('America/New_York', instant)).toBe(-5 * 3_600_000);
  });
});
