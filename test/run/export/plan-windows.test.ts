import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBuckets } from '../../../src/ask/time/buckets.ts';
import { day, hour, minute, second } from '../../../src/ask/time/granularity.ts';
import { writeInstantLocal } from '../../../src/ask/time/local-time.ts';
import type { TimeRange } from '../../../src/ask/time/range.ts';
import { halveRange } from '../../../src/run/export/fetch-range.ts';
import { findChanged, planWindows, type WindowOptions } from '../../../src/run/export/plan-windows.ts';
import { toExportQuery } from '../../../src/run/export/rows/export-query.ts';
import { type ExportSource, unitSizes } from '../../../src/run/export/rows/export-source.ts';
import type { Window } from '../../../src/run/export/rows/window.ts';
import { platformModel } from './export-world.ts';

const september = Date.UTC(2026, 8, 1);

/** A source that only counts instants, and how often it was asked. */
function counting(instants: readonly number[], limit: number): ExportSource & { readonly asked: () => number } {
  let asked = 0;
  const within = ({ start, end }: TimeRange) => instants.filter((instant) => instant >= start && instant < end);
  return {
    asked: () => asked,
    query: toExportQuery(platformModel),
    limit,
    together: 0,
    expires: true,
    habits: { mostRows: limit, suspected: undefined, rewrite: false, sort: false, alike: false, note: () => undefined },
    async count(range) {
      asked += 1;
      return within(range).length;
    },
    async countBy(range, unit) {
      asked += 1;
      const counts = new Map<number, number>();
      for (const instant of within(range)) {
        const bucket = Math.floor(instant / unitSizes[unit]) * unitSizes[unit];
        counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
      }
      return counts;
    },
    leftOut: () => Promise.reject(new Error('nobody asked what is left out')),
    fetchRows: () => Promise.reject(new Error('nobody asked for rows')),
  };
}

async function plan(
  source: ExportSource,
  range: TimeRange,
  options: Partial<WindowOptions> = {},
): Promise<readonly Window[]> {
  const windows: Window[] = [];
  for await (const window of planWindows(source, range, { zone: 'UTC', ...options })) windows.push(window);
  return windows;
}

const instantWithin = (range: TimeRange) =>
  fc.oneof(
    fc.integer({ min: range.start, max: range.end - 1 }),
    // Crowded: some seconds, some milliseconds.
    fc.integer({ min: 0, max: 2_000 }).map((offset) => Math.min(range.end - 1, range.start + day + offset)),
    fc.constantFrom(range.start, range.end - 1, range.start + day, range.start + day + 7 * hour),
  );

const zones = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Asia/Kathmandu',
  'America/New_York',
];

/** Some local days, with and without clock changes. */
const spans = fc
  .record({
    zone: fc.constantFrom(...zones),
    from: fc.constantFrom(Date.UTC(2026, 2, 27), Date.UTC(2026, 9, 2), Date.UTC(2026, 9, 24), september),
    days: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ zone, from, days }) => {
    const buckets = toBuckets({ start: from, end: from + days * day }, 'day', zone);
    return { zone, range: { start: buckets[0]!.start, end: buckets.at(-1)!.end } };
  });

describe('windows', () => {
  it('tile the range, keep within days, and have no more events than come at once but in a single millisecond', async () => {
    await fc.assert(
      fc.asyncProperty(
        spans.chain(({ zone, range }) =>
          fc.record({
            zone: fc.constant(zone),
            range: fc.constant(range),
            instants: fc.array(instantWithin(range), { maxLength: 60 }),
            limit: fc.integer({ min: 1, max: 20 }),
          }),
        ),
        async ({ zone, range, instants, limit }) => {
          const windows = await plan(counting(instants, limit), range, { zone });
          expect(windows[0]!.start).toBe(range.start);
          expect(windows.at(-1)!.end).toBe(range.end);
          for (const [index, window] of windows.entries()) {
            if (index > 0) expect(window.start).toBe(windows[index - 1]!.end);
            expect(window.events).toBe(
              instants.filter((instant) => instant >= window.start && instant < window.end).length,
            );
            expect(writeInstantLocal(window.start, zone).slice(0, 10)).toBe(
              writeInstantLocal(window.end - 1, zone).slice(0, 10),
            );
            if (window.end - window.start > 1) expect(window.events).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('are the same whatever part of them is exported already', async () => {
    await fc.assert(
      fc.asyncProperty(
        spans.chain(({ zone, range }) =>
          fc.record({
            zone: fc.constant(zone),
            range: fc.constant(range),
            instants: fc.array(instantWithin(range), { maxLength: 60 }),
            limit: fc.integer({ min: 1, max: 20 }),
            keep: fc.func(fc.boolean()),
          }),
        ),
        async ({ zone, range, instants, limit, keep }) => {
          const source = counting(instants, limit);
          const all = await plan(source, range, { zone });
          const committed = all.filter((window) => keep(window.start));
          const rest = await plan(source, range, { zone, committed });
          expect([...committed, ...rest].toSorted((a, b) => a.start - b.start)).toEqual(all);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('go around what is exported where the source has changed since', async () => {
    const range = { start: september, end: september + 3 * day };
    await fc.assert(
      fc.asyncProperty(
        fc.array(instantWithin(range), { maxLength: 60 }),
        fc.array(instantWithin(range), { maxLength: 60 }),
        fc.integer({ min: 1, max: 10 }),
        fc.func(fc.boolean()),
        async (before, since, limit, keep) => {
          const committed = (await plan(counting(before, limit), range)).filter((window) => keep(window.start));
          const rest = await plan(counting([...before, ...since], limit), range, { committed });
          const tiles = [...committed, ...rest].toSorted((a, b) => a.start - b.start);
          expect([tiles[0]!.start, tiles.at(-1)!.end]).toEqual([range.start, range.end]);
          for (const [index, tile] of tiles.entries()) if (index > 0) expect(tile.start).toBe(tiles[index - 1]!.end);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('of a year take three counts where no day has too many events', async () => {
    const source = counting(
      Array.from({ length: 1_000 }, (_, index) => september + index * 8 * hour),
      50,
    );
    expect(await plan(source, { start: september, end: september + 365 * day })).toHaveLength(365);
    expect(source.asked()).toBe(3);
  });

  it('that all are exported take no count', async () => {
    const source = counting([], 50);
    const range = { start: september, end: september + 5 * day };
    expect(await plan(source, range, { committed: [range] })).toEqual([]);
    expect(source.asked()).toBe(0);
  });
});

describe('a stretch of time', () => {
  it.each([
    [0, day, 12 * hour],
    [0, hour, 30 * minute],
    [18.5 * hour, 42.5 * hour, 31 * hour],
    [0, minute, 30 * second],
    [0, second, 500],
    [0, 2, 1],
    [0, 23 * hour, 12 * hour],
    [5, hour + 5, hour],
  ])('from %d to %d is halved at %d', (start, end, middle) => {
    expect(halveRange({ start, end })).toEqual([
      { start, end: middle },
      { start: middle, end },
    ]);
  });

  it('of a millisecond is not halved', () => {
    expect(halveRange({ start: 7, end: 8 })).toBeUndefined();
  });
});

describe('windows that have changed', () => {
  it('are found by counting again', async () => {
    await fc.assert(
      fc.asyncProperty(
        spans.chain(({ zone, range }) =>
          fc.record({
            zone: fc.constant(zone),
            range: fc.constant(range),
            before: fc.array(instantWithin(range), { maxLength: 40 }),
            since: fc.array(instantWithin(range), { maxLength: 3 }),
            limit: fc.integer({ min: 1, max: 20 }),
          }),
        ),
        async ({ zone, range, before, since, limit }) => {
          const windows = await plan(counting(before, limit), range, { zone });
          const now = [...before, ...since];
          const changed = await findChanged(counting(now, limit), windows);
          const expected = windows.filter(({ start, end }) =>
            since.some((instant) => instant >= start && instant < end),
          );
          expect(changed.map(({ window }) => window)).toEqual(expected);
          for (const { window, counted } of changed)
            expect(counted).toBe(now.filter((instant) => instant >= window.start && instant < window.end).length);
        },
      ),
      { numRuns: 60 },
    );
  });
});
