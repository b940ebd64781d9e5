import fc from 'fast-check';
import { expect, it } from 'vitest';
import { day } from '../../../src/ask/time/granularity.ts';
import { exportAll, openExportWorld, rowsOf } from './export-world.ts';
import type { Manners, PlatformEvent } from './scripted-platform.ts';
import { runs } from '../../runs.ts';

const start = Date.UTC(2026, 8, 1);
const range = { start, end: start + 3 * day };

const event = fc.record({
  // Some anywhere, many in one second, some in one millisecond.
  at: fc.oneof(
    fc.integer({ min: 0, max: 3 * day - 1 }).map((ms) => (start + ms) * 1_000),
    fc.integer({ min: 0, max: 999 }).map((ms) => (start + day + ms) * 1_000),
    fc.integer({ min: 1, max: 3 }).map((ms) => (start + 2 * day - ms) * 1_000),
    fc.constantFrom(start * 1_000, (start + 7_200_000) * 1_000),
  ),
  user: fc.option(fc.constantFrom('a', 'b', '"},{"TrackedEvents.utcTime":"')),
  path: fc.option(fc.constantFrom('/', '/a', '\\"', '🙂')),
});

const faults = fc.record({
  cap: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
  ignoresOrder: fc.option(fc.constant('stable' as const), { nil: undefined }),
  writes: fc.option(fc.constantFrom('pretty' as const, 'reordered' as const, 'numbers' as const), { nil: undefined }),
  cutOff: fc.integer({ min: 0, max: 9 }),
  limited: fc.integer({ min: 0, max: 9 }),
  short: fc.option(fc.nat(5), { nil: undefined }),
});

function mannersOf({
  cutOff,
  limited,
  short,
  ...rest
}: typeof faults extends fc.Arbitrary<infer T> ? T : never): Manners {
  return {
    ...rest,
    ...(cutOff > 5 && {
      trick: (index, bytes) => (index % 11 === cutOff ? { kind: 'cut-off', after: Math.floor(bytes / 3) } : undefined),
    }),
    ...(limited > 5 && {
      instead: (index) =>
        index % 13 === limited ? { status: 429, headers: { 'Retry-After': '3' }, text: 'Retry later' } : undefined,
    }),
    ...(short !== undefined && { rows: (rows, index) => (index === short ? rows.slice(0, -1) : rows) }),
  };
}

it('the windows of any events, from a source of any manners, hold every row once with its number, and no other', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      faults,
      fc.constantFrom('UTC', 'Asia/Kolkata'),
      async (events: readonly PlatformEvent[], limit, misdeeds, zone) => {
        await using world = await openExportWorld(events, mannersOf(misdeeds), { limit });
        const exported = await exportAll(world, range, { zone });
        const expected = new Map<string, number>();
        for (const { at, user, path } of events) {
          const key = JSON.stringify([new Date(at / 1_000).toISOString().slice(0, -1), user, path]);
          expected.set(key, (expected.get(key) ?? 0) + 1);
        }
        const found = new Map<string, number>();
        for (const row of rowsOf(exported)) {
          const key = JSON.stringify([
            row['TrackedEvents.utcTime'],
            row['TrackedEvents.userAnonymousId'],
            row['TrackedEvents.docPath'],
          ]);
          found.set(key, (found.get(key) ?? 0) + Number(row['TrackedEvents.count']));
        }
        expect(exported.map(({ fetched }) => fetched.why)).toEqual(exported.map(() => undefined));
        expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
        for (const [index, { window }] of exported.entries())
          if (index > 0) expect(window.start).toBe(exported[index - 1]!.window.end);
      },
    ),
    { numRuns: runs(25) },
  );
});

it('the windows of a source that keeps to no order and to its own layout are those of one that does as it is told, to the byte', {
  timeout: 120_000,
}, async () => {
  const writes = fc.option(fc.constantFrom('pretty' as const, 'reordered' as const), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), writes, async (events: readonly PlatformEvent[], layout) => {
      const textsOf = async (manners: Manners) => {
        await using world = await openExportWorld(events, manners);
        const exported = await exportAll(world, range);
        expect(exported.map(({ fetched }) => fetched.why)).toEqual(exported.map(() => undefined));
        return exported.map(({ text }) => text);
      };
      expect(await textsOf({ ignoresOrder: 'never-the-same', writes: layout })).toEqual(await textsOf({}));
    }),
    { numRuns: runs(25) },
  );
});
