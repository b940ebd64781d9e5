import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Allowance, learn, paceDelay, readAllowance, spend } from '../../../src/run/http/throttle.ts';
import {
  readHttpDate,
  readNamedDelay,
  readReset,
  readRetryAfter,
  retryDelay,
} from '../../../src/run/http/retry-delay.ts';

const now = Date.UTC(2024, 2, 8, 12);
const headers = (values: Record<string, string>) => (name: string) => values[name];
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempts = fc.integer({ min: 1, max: 2000 });

describe('the wait before the next try', () => {
  it('is below a ceiling that doubles up to twenty seconds, and is spread over all of it', () => {
    fc.assert(
      fc.property(attempts, chance, (attempt, random) => {
        const ceiling = Math.min(20_000, 500 * 2 ** (attempt - 1));
        const delay = retryDelay(attempt, random);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(ceiling);
        expect(delay / ceiling).toBeCloseTo(random, 9);
      }),
    );
  });

  it('is never shorter than what the server named, and not a second longer', () => {
    fc.assert(
      fc.property(attempts, chance, fc.integer({ min: 0, max: 10 ** 9 }), (attempt, random, named) => {
        const delay = retryDelay(attempt, random, named);
        expect(delay).toBeGreaterThanOrEqual(named);
        expect(delay).toBeLessThanOrEqual(named + 1000);
      }),
    );
  });

  it('is named by seconds and by dates alike', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 7 }), (seconds) => {
        const date = new Date(now + seconds * 1000).toUTCString();
        expect(readRetryAfter(headers({ 'retry-after': String(seconds) }), now)).toBe(seconds * 1000);
        expect(readRetryAfter(headers({ 'retry-after': date }), now)).toBe(seconds * 1000);
        expect(readReset(headers({ 'ratelimit-reset': String(now / 1000 + seconds) }), now)).toBe(seconds * 1000);
        expect(readReset(headers({ 'ratelimit-resettime': date }), now)).toBe(seconds * 1000);
        expect(readReset(headers({ 'ratelimit-reset': String(seconds) }), now)).toBe(seconds * 1000);
      }),
    );
  });

  it('is the same for a server whose clock is wrong, if it shows its clock', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(10 ** 6), max: 10 ** 6 }),
        fc.integer({ min: 0, max: 10 ** 5 }),
        (skew, seconds) => {
          const there = now + skew * 1000;
          const date = new Date(there).toUTCString();
          expect(
            readRetryAfter(headers({ date, 'retry-after': new Date(there + seconds * 1000).toUTCString() }), now),
          ).toBe(seconds * 1000);
          expect(readReset(headers({ date, 'ratelimit-reset': String(there / 1000 + seconds) }), now)).toBe(
            seconds * 1000,
          );
        },
      ),
    );
  });

  it('is not named by nonsense, and never negative', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.constantFrom('-1', '1.5', '1e3', '0x10', '1, 2', 'Fri, 31 Feb 2024 00:00:00 GMT', 'Infinity'),
        ),
        (text) => {
          const delay = readRetryAfter(headers({ 'retry-after': text }), now);
          expect(delay === undefined || delay >= 0).toBe(true);
          if (!/^\s*\d+\s*$/.test(text)) expect(delay).toBeUndefined();
        },
      ),
    );
    expect(readRetryAfter(headers({ 'retry-after': new Date(now - 5000).toUTCString() }), now)).toBe(0);
  });

  it.each<[string, number, Record<string, string>, number | undefined]>([
    ['Retry-After rather than the reset', 429, { 'retry-after': '2', 'ratelimit-reset': '9' }, 2000],
    ['the reset where a 429 names nothing else', 429, { 'ratelimit-reset': '9' }, 9000],
    [
      'nothing where requests remain, since another limit was hit',
      429,
      { 'ratelimit-reset': '9', 'ratelimit-remaining': '5' },
      undefined,
    ],
    ['nothing by the reset where the status is another', 503, { 'ratelimit-reset': '9' }, undefined],
    ['Retry-After for every status', 503, { 'retry-after': '2' }, 2000],
  ])('is named by %s', (_, status, values, delay) => {
    expect(readNamedDelay(status, headers(values), now)).toBe(delay);
  });
});

describe('a date of a header', () => {
  it('is read in all three forms', () => {
    const expected = Date.UTC(1994, 10, 6, 8, 49, 37);
    for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])
      expect(readHttpDate(text, now)).toBe(expected);
  });

  it('is what Date makes of it', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(readHttpDate(date.toUTCString(), now)).toBe(Math.floor(date.getTime() / 1000) * 1000);
        },
      ),
    );
  });

  it('of two digits lies not more than fifty years ahead', () => {
    expect(readHttpDate('Sunday, 06-Nov-74 08:49:37 GMT', now)).toBe(Date.UTC(2074, 10, 6, 8, 49, 37));
    expect(readHttpDate('Sunday, 06-Nov-75 08:49:37 GMT', now)).toBe(Date.UTC(1975, 10, 6, 8, 49, 37));
  });

  it.each([
    '',
    '2024-03-08',
    'Fri, 31 Feb 2024 00:00:00 GMT',
    'Fri, 08 Mar 2024 24:00:00 GMT',
    'Fri, 08 Mar 2024 00:60:00 GMT',
    'Fri, 08 Mar 2024 00:00:00 CET',
    'Fri, 00 Mar 2024 00:00:00 GMT',
    '0',
  ])('is not %j', (text) => {
    expect(readHttpDate(text, now)).toBeUndefined();
  });
});

describe('the pace', () => {
  const allowances = fc.record({
    limit: fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined }),
    remaining: fc.integer({ min: 0, max: 10_000 }),
    resetAt: fc.integer({ min: now - 10 ** 6, max: now + 10 ** 6 }),
  });

  it('never waits beyond the reset, waits until then where nothing is left, and not at all while there is plenty', () => {
    fc.assert(
      fc.property(allowances, fc.integer({ min: now - 10 ** 6, max: now }), (allowance, lastSentAt) => {
        const delay = paceDelay(allowance, lastSentAt, now);
        const rest = Math.max(0, allowance.resetAt - now);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(rest);
        if (allowance.remaining === 0) expect(delay).toBe(rest);
        if (allowance.remaining > Math.max(10, (allowance.limit ?? 0) / 10)) expect(delay).toBe(0);
      }),
    );
  });

  it('sends no more than the allowance before the reset, and wastes none of it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1000, max: 10 ** 6 }), (remaining, length) => {
        let allowance: Allowance = { limit: 100, remaining, resetAt: now + length };
        let time = now;
        let last = now - 10 ** 6;
        let sent = 0;
        while (time < allowance.resetAt) {
          const delay = paceDelay(allowance, last, time);
          if (delay > 0) {
            time += delay;
            continue;
          }
          sent += 1;
          last = time;
          allowance = spend(allowance);
        }
        expect(sent).toBe(remaining);
      }),
    );
  });

  it('knows by the smaller figure of one window, and forgets a window that is over', () => {
    const known = { limit: 100, remaining: 5, resetAt: now + 60_000 };
    expect(learn(known, { ...known, remaining: 9 }, 0).remaining).toBe(5);
    expect(learn(known, { ...known, remaining: 9 }, 7).remaining).toBe(2);
    expect(learn(known, { limit: 100, remaining: 99, resetAt: now + 120_000 }, 3).remaining).toBe(96);
  });

  it.each([[{}], [{ 'ratelimit-remaining': 'many', 'ratelimit-reset': '9' }], [{ 'ratelimit-remaining': '9' }]])(
    'is not set by %j',
    (values) => {
      expect(readAllowance(headers(values as Record<string, string>), now)).toBeUndefined();
    },
  );
});
