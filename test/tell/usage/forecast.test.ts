import { describe, expect, it } from 'vitest';
import { forecastMonth, type MonthInProgress } from '../../../src/tell/usage/forecast.ts';

const day = 86_400_000;

/** Gives the same numbers for the same seed. Source: mulberry32, public domain. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

interface History {
  /** Mean events by weekday, Thursday first. */
  readonly means: readonly number[];
  /** Spread of a day as a fraction of its mean. */
  readonly spread: number;
  /** Correlation of a day with the one before, from 0 to 1. */
  readonly alike: number;
}

const monthStart = Date.parse('2026-10-01T00:00:00Z');
const monthEnd = Date.parse('2026-11-01T00:00:00Z');

/** Days from well before the month until its end. */
function simulate({ means, spread, alike }: History, random: () => number): ReadonlyMap<number, number> {
  const days = new Map<number, number>();
  let mood = normal(random);
  for (let local = monthStart - 90 * day; local < monthEnd; local += day) {
    mood = alike * mood + Math.sqrt(1 - alike ** 2) * normal(random);
    const mean = means[(local / day) % 7]!;
    days.set(local, Math.max(0, Math.round(mean * (1 + spread * mood))));
  }
  return days;
}

/** Forecasts the month on its tenth day, which is not counted yet. */
function forecast(days: ReadonlyMap<number, number>, dayOfMonth = 10, known = 90): ReturnType<typeof forecastMonth> {
  const now = monthStart + (dayOfMonth - 1) * day;
  const past = [...days].filter(([local]) => local < now && local >= now - known * day);
  const soFar = past.filter(([local]) => local >= monthStart).reduce((sum, [, events]) => sum + events, 0);
  const world: MonthInProgress = {
    days: new Map(past.map(([local, events]) => [new Date(local).toISOString().slice(0, 10), events])),
    end: monthEnd,
    soFar,
    now,
    zone: 'UTC',
  };
  return forecastMonth(world);
}

function total(days: ReadonlyMap<number, number>): number {
  return [...days].filter(([local]) => local >= monthStart).reduce((sum, [, events]) => sum + events, 0);
}

const week = [1000, 900, 300, 250, 1100, 1200, 1050];

describe('a forecast', () => {
  const histories: Readonly<Record<string, History>> = {
    'a site with quiet weekends': { means: week, spread: 0.15, alike: 0 },
    'a small site': { means: week.map((mean) => mean / 50), spread: 0.4, alike: 0 },
    'a site with clusters of good days': { means: week, spread: 0.2, alike: 0.5 },
  };

  for (const [name, history] of Object.entries(histories)) {
    it(`covers ${name} in four months of five, early and late in the month`, () => {
      const random = randomOf(20_261_001);
      const rounds = 800;
      for (const dayOfMonth of [4, 10, 24]) {
        let inside = 0;
        let off = 0;
        for (let round = 0; round < rounds; round++) {
          const days = simulate(history, random);
          const found = forecast(days, dayOfMonth)!;
          const really = total(days);
          if (found.low <= really && really <= found.high) inside++;
          off += (found.expected - really) / really;
        }
        // Three standard errors of 800 rounds are 4%.
        expect(inside / rounds, `day ${dayOfMonth}`).toBeGreaterThan(0.75);
        expect(inside / rounds, `day ${dayOfMonth}`).toBeLessThan(0.9);
        expect(Math.abs(off / rounds)).toBeLessThan(0.02);
      }
    });
  }

  it('is exact for a site that repeats every week', () => {
    const days = simulate({ means: week, spread: 0, alike: 0 }, randomOf(1));
    expect(forecast(days)).toEqual({ expected: total(days), low: total(days), high: total(days) });
  });

  it('counts the remaining weekdays, not days', () => {
    const days = simulate({ means: [0, 0, 0, 0, 700, 0, 0], spread: 0, alike: 0 }, randomOf(1));
    // Mondays of October 2026: 5, 12, 19 and 26.
    expect(forecast(days, 27)?.expected).toBe(2800);
    expect(forecast(days, 13)?.expected).toBe(2800);
  });

  it('adds only the rest of today', () => {
    const flat = new Map(
      Array.from({ length: 60 }, (_, index) => [
        new Date(monthEnd - (index + 2) * day).toISOString().slice(0, 10),
        240,
      ]),
    );
    const now = monthEnd - day / 4;
    expect(forecastMonth({ days: flat, end: monthEnd, soFar: 30 * 240 + 190, now, zone: 'UTC' })).toEqual({
      expected: 30 * 240 + 250,
      low: 30 * 240 + 250,
      high: 30 * 240 + 250,
    });
  });

  it('never falls below the current count', () => {
    const random = randomOf(7);
    for (let round = 0; round < 200; round++) {
      const days = simulate({ means: week.map((mean) => mean / 300), spread: 1, alike: 0.3 }, random);
      for (const dayOfMonth of [2, 15, 31]) {
        const soFar = [...days]
          .filter(([local]) => local >= monthStart && local < monthStart + (dayOfMonth - 1) * day)
          .reduce((sum, [, events]) => sum + events, 0);
        const found = forecast(days, dayOfMonth);
        if (!found) continue;
        expect(found.low).toBeGreaterThanOrEqual(soFar);
        expect(found.low).toBeLessThanOrEqual(found.expected);
        expect(found.high).toBeGreaterThanOrEqual(found.expected);
      }
    }
  });

  it('is missing with fewer than two weeks since the first event', () => {
    const days = simulate({ means: week, spread: 0.1, alike: 0 }, randomOf(3));
    expect(forecast(days, 10, 13)).toBeUndefined();
    expect(forecast(days, 10, 14)).toBeDefined();
    expect(
      forecastMonth({ days: new Map(), end: monthEnd, soFar: 0, now: monthStart + 9 * day, zone: 'UTC' }),
    ).toBeUndefined();
  });

  it('uses the days of the zone, including a long one', () => {
    // On 25 October 2026 the clock in Berlin goes back: 25 hours.
    const days = new Map(
      Array.from({ length: 70 }, (_, index) => [
        new Date(Date.parse('2026-10-24T00:00:00Z') - index * day).toISOString().slice(0, 10),
        100,
      ]),
    );
    const now = Date.parse('2026-10-24T22:00:00Z');
    const end = Date.parse('2026-10-31T23:00:00Z');
    expect(forecastMonth({ days, end, soFar: 2400, now, zone: 'Europe/Berlin' })?.expected).toBe(2400 + 700);
  });
});
