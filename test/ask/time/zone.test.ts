import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeLocal } from '../../../src/ask/time/local-time.ts';
import { offsetAt, readZone, toInstant, toLocal, transitions } from '../../../src/ask/time/zone.ts';
import { anyInstant, anyZone, anyZoneAndInstant, day, hour, minute, wallByIntl } from './zones.ts';
import { runs } from '../../runs.ts';

describe('readZone', () => {
  it.each([
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['Z', 'UTC'],
    ['GMT', 'UTC'],
    ['Zulu', 'UTC'],
    ['GMT+0', 'UTC'],
    ['europe/berlin', 'Europe/Berlin'],
    [' America/New_York ', 'America/New_York'],
    ['US/Pacific', 'America/Los_Angeles'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('reads %s as %s', (name, zone) => {
    expect(readZone(name)).toEqual({ ok: true, value: zone, issues: [] });
  });

  it.each([
    ['Mars/Phobos', undefined],
    ['', undefined],
    ['+02:00', undefined],
    ['a'.repeat(100_000), undefined],
    ['\u001b[31m', undefined],
    ['Europe/Berln', 'Europe/Berlin'],
    ['Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['America/Los Angeles', 'America/Los_Angeles'],
  ])('refuses %j and suggests %s', (name, near) => {
    const outcome = readZone(name);
    expect(outcome).toMatchObject({ ok: false, issues: [{ code: 'unknown-zone', path: [], severity: 'error' }] });
    expect(outcome.issues[0]!.hint).toContain(near ?? 'IANA');
    expect(outcome.issues[0]!.message).not.toMatch(/\p{Cc}/u);
    expect(outcome.issues[0]!.message.length).toBeLessThan(200);
  });

  it.each(['BST', 'IST', 'PST', 'CST'])('refuses an abbreviation of several zones: %s', (name) => {
    expect(readZone(name).ok).toBe(false);
  });

  it('reads every zone of the runtime, and its result is canonical', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const zone = readZone(name);
      expect(zone, name).toMatchObject({ ok: true });
      if (zone.ok) expect(readZone(zone.value)).toEqual(zone);
    }
  });
});

describe('offsetAt and toLocal', () => {
  it('give the local time', () => {
    fc.assert(
      fc.property(anyZoneAndInstant, ({ zone, instant }) => {
        expect(writeLocal(toLocal(instant, zone)).slice(0, 19)).toBe(wallByIntl(instant, zone));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('are right before 1970, to the second', () => {
    fc.assert(
      fc.property(anyZone, fc.integer({ min: Date.UTC(1850, 0, 1), max: 0 }), (zone, instant) => {
        expect(writeLocal(toLocal(instant, zone)).slice(0, 19)).toBe(wallByIntl(instant, zone));
      }),
    );
    expect(offsetAt('Africa/Monrovia', 0)).toBe(-(44 * 60 + 30) * 1000);
    expect(offsetAt('America/New_York', Date.parse('0001-06-01T00:00:00Z'))).toBe(-(4 * 3600 + 56 * 60 + 2) * 1000);
  });

  it('keep milliseconds', () => {
    expect(toLocal(-1, 'America/New_York')).toBe(-5 * hour - 1);
    expect(toLocal(Date.UTC(2024, 2, 10, 7) - 1, 'America/New_York')).toBe(Date.UTC(2024, 2, 10, 2) - 1);
    expect(toLocal(Date.UTC(2024, 2, 10, 7), 'America/New_York')).toBe(Date.UTC(2024, 2, 10, 3));
  });
});

describe('transitions', () => {
  it('are the instants in (from, to] at which the offset changes', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, fc.integer({ min: 0, max: 3 * 366 * day }), (zone, from, length) => {
        const changes = transitions(zone, from, from + length);
        let offset = offsetAt(zone, from);
        let last = from;
        for (const change of changes) {
          expect(change.instant).toBeGreaterThan(last);
          expect(offsetAt(zone, change.instant - 1)).toBe(offset);
          expect(offsetAt(zone, change.instant)).toBe(change.offset);
          expect(change.offset).not.toBe(offset);
          ({ instant: last, offset } = change);
        }
        expect(last).toBeLessThanOrEqual(from + length);
        expect(offsetAt(zone, from + length)).toBe(offset);
      }),
    );
  });

  it('exclude the start and include the end', () => {
    const change = Date.UTC(2024, 2, 10, 7);
    expect(transitions('America/New_York', change - 1, change)).toEqual([{ instant: change, offset: -4 * hour }]);
    expect(transitions('America/New_York', change, change + day)).toEqual([]);
  });

  it('include both ends of the shortest summer time, a week in Recife', () => {
    expect(transitions('America/Recife', Date.UTC(2000, 8, 1), Date.UTC(2000, 11, 1))).toHaveLength(2);
  });
});

describe('toInstant', () => {
  it('inverts toLocal, as the first or the last instant with this local time', () => {
    fc.assert(
      fc.property(anyZoneAndInstant, ({ zone, instant }) => {
        const local = toLocal(instant, zone);
        const first = toInstant(local, zone, 'first');
        const last = toInstant(local, zone, 'last');
        expect(toLocal(first, zone)).toBe(local);
        expect(toLocal(last, zone)).toBe(local);
        expect(first).toBeLessThanOrEqual(instant);
        expect(last).toBeGreaterThanOrEqual(instant);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('agrees with a search minute by minute', () => {
    fc.assert(
      fc.property(anyZoneAndInstant, ({ zone, instant }) => {
        const local = Math.floor(instant / minute) * minute;
        const shown = writeLocal(local).slice(0, 19);
        const around = Array.from({ length: 52 * 60 }, (_, i) => local - 26 * hour + i * minute).map((at) => ({
          at,
          wall: wallByIntl(at, zone),
        }));
        const same = around.filter(({ wall }) => wall === shown);
        const jump = around.find(({ wall }) => wall > shown)!;
        expect(toInstant(local, zone, 'first')).toBe((same[0] ?? jump).at);
        expect(toInstant(local, zone, 'last')).toBe((same.at(-1) ?? jump).at);
      }),
      { numRuns: runs(150) },
    );
  });

  it('gives the jump for a skipped local time', () => {
    const jump = Date.UTC(2024, 2, 10, 7);
    for (const when of ['first', 'last'] as const) {
      expect(toInstant(Date.UTC(2024, 2, 10, 2), 'America/New_York', when)).toBe(jump);
      expect(toInstant(Date.UTC(2024, 2, 10, 2, 59, 59, 999), 'America/New_York', when)).toBe(jump);
      expect(toInstant(Date.UTC(2011, 11, 30, 12), 'Pacific/Apia', when)).toBe(Date.UTC(2011, 11, 30, 10));
    }
  });

  it('distinguishes the two occurrences of a repeated local time', () => {
    const local = Date.UTC(2024, 10, 3, 1, 30);
    expect(toInstant(local, 'America/New_York', 'first')).toBe(Date.UTC(2024, 10, 3, 5, 30));
    expect(toInstant(local, 'America/New_York', 'last')).toBe(Date.UTC(2024, 10, 3, 6, 30));
  });

  it('supports the years 1 and 9999', () => {
    for (const zone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
      for (const local of [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')]) {
        expect(toLocal(toInstant(local, zone, 'first'), zone)).toBe(local);
      }
    }
  });
});
