import { describe, expect, it } from 'vitest';
import { openThrottle } from '../../../src/run/http/throttle.ts';
import { type FakeClock, openFakeClock } from './fake-clock.ts';
import { get, openTestHttp } from './open-test-http.ts';
import { openScriptedServer } from './scripted-server.ts';

const never = new AbortController().signal;
const settle = () => new Promise(setImmediate);

function allowance(clock: FakeClock, limit: number, remaining: number, seconds: number) {
  const values: Record<string, string> = {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(clock.now() / 1000 + seconds),
  };
  return (name: string) => values[name];
}

describe('the gate', () => {
  it('lets so many through at once, in their order', async () => {
    const gate = openThrottle(openFakeClock('by-hand'), 2);
    const through: number[] = [];
    const leaves: (() => void)[] = [];
    for (let number = 0; number < 5; number += 1)
      void gate.enter(Infinity, never).then((leave) => {
        through.push(number);
        leaves.push(leave);
      });
    for (const expected of [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4],
    ]) {
      await settle();
      expect(through).toEqual(expected);
      leaves.shift()!();
    }
  });

  it('spreads what remains over the window, though no response comes yet', async () => {
    const clock = openFakeClock('by-hand');
    const gate = openThrottle(clock, 100);
    gate.note(200, allowance(clock, 1000, 3, 60));
    let through = 0;
    for (let number = 0; number < 10; number += 1)
      void gate.enter(Infinity, never).then(() => {
        through += 1;
      });
    const seen: number[] = [];
    for (let second = 0; second < 60; second += 1) {
      await settle();
      seen.push(through);
      clock.advance(1000);
    }
    expect(seen.at(-1)).toBe(3);
    expect(new Set(seen).size).toBeGreaterThan(2);
    await settle();
    expect(through).toBe(10);
    expect(clock.waiting).toBe(0);
  });

  it('does not count the request that was answered as one on its way', async () => {
    const clock = openFakeClock('by-hand');
    const gate = openThrottle(clock, 100);
    const leave = await gate.enter(Infinity, never);
    gate.note(200, allowance(clock, 20, 11, 60));
    leave();
    await gate.enter(Infinity, never);
    expect(clock.waits).toEqual([]);
  });

  it('keeps nobody beyond the patience that is left', async () => {
    const clock = openFakeClock('by-hand');
    const gate = openThrottle(clock, 100);
    gate.note(200, allowance(clock, 1000, 0, 100));
    const through: string[] = [];
    void gate.enter(clock.now() + 200_000, never).then(() => through.push('patient'));
    void gate.enter(clock.now() + 10_000, never).then(() => through.push('impatient'));
    await settle();
    expect(through).toEqual(['impatient']);
    clock.advance(100_000);
    await settle();
    expect(through).toEqual(['impatient', 'patient']);
  });

  it('is closed to everybody while a 429 says so', async () => {
    const clock = openFakeClock('by-hand');
    await using server = await openScriptedServer((_, index) =>
      index === 0 ? { status: 429, headers: { 'Retry-After': '5' } } : {},
    );
    await using http = openTestHttp(server.url, { clock, connections: 1, random: () => 0 });
    const all = Promise.all([http.request(get), http.request(get), http.request(get)]);
    while (clock.waiting < 2) await settle();
    expect(server.requests).toHaveLength(1);
    clock.advance(4999);
    await settle();
    expect(server.requests).toHaveLength(1);
    clock.advance(1);
    expect((await all).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(server.requests).toHaveLength(4);
  });
});
