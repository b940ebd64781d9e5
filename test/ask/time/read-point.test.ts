import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeInstantLocal, writeUtc } from '../../../src/ask/time/local-time.ts';
import type { TimeContext } from '../../../src/ask/time/range.ts';
import { readPoint } from '../../../src/ask/time/read-date-range.ts';
import { anyZoneAndInstant } from './zones.ts';

/** Wednesday shortly after noon in New York. */
const context: TimeContext = { now: Date.parse('2024-03-13T16:04:05.678Z'), zone: 'America/New_York' };

describe('readPoint', () => {
  it.each([
    ['2024-03-10', true, '2024-03-10T05:00:00.000Z', '2024-03-11T04:00:00.000Z'],
    ['2024-03', true, '2024-03-01T05:00:00.000Z', '2024-04-01T04:00:00.000Z'],
    ['2024', true, '2024-01-01T05:00:00.000Z', '2025-01-01T05:00:00.000Z'],
    ['2024-W10', true, '2024-03-04T05:00:00.000Z', '2024-03-11T04:00:00.000Z'],
    ['2024-03-08T10:00', false, '2024-03-08T15:00:00.000Z', '2024-03-08T15:00:00.001Z'],
    ['2024-03-08T10:00Z', false, '2024-03-08T10:00:00.000Z', '2024-03-08T10:00:00.001Z'],
    ['2024-03-08 10:00:00.5+02:00', false, '2024-03-08T08:00:00.500Z', '2024-03-08T08:00:00.501Z'],
    ['now', false, '2024-03-13T16:04:05.678Z', '2024-03-13T16:04:05.679Z'],
    ['Today', true, '2024-03-13T04:00:00.000Z', '2024-03-14T04:00:00.000Z'],
    [' yesterday ', true, '2024-03-12T04:00:00.000Z', '2024-03-13T04:00:00.000Z'],
    ['tomorrow', true, '2024-03-14T04:00:00.000Z', '2024-03-15T04:00:00.000Z'],
    ['3  Days ago', true, '2024-03-10T05:00:00.000Z', '2024-03-11T04:00:00.000Z'],
    ['1 week ago', true, '2024-03-06T05:00:00.000Z', '2024-03-07T05:00:00.000Z'],
    ['2 days from now', true, '2024-03-15T04:00:00.000Z', '2024-03-16T04:00:00.000Z'],
    ['2 hours ago', true, '2024-03-13T14:00:00.000Z', '2024-03-13T15:00:00.000Z'],
    ['last month', true, '2024-02-01T05:00:00.000Z', '2024-03-01T05:00:00.000Z'],
  ])('reads %j', (text, bare, start, end) => {
    const outcome = readPoint(text, context);
    expect(
      outcome.ok && {
        bare: outcome.value.bare,
        start: writeUtc(outcome.value.range.start),
        end: writeUtc(outcome.value.range.end),
      },
    ).toEqual({ bare, start, end });
  });

  it('covers both occurrences of a repeated time, and nothing for a skipped time', () => {
    expect(readPoint('2024-11-03T01:30', context)).toMatchObject({
      ok: true,
      value: { range: { start: Date.UTC(2024, 10, 3, 5, 30), end: Date.UTC(2024, 10, 3, 6, 30) + 1 } },
    });
    expect(readPoint('2024-03-10T02:30', context)).toMatchObject({
      ok: true,
      value: { range: { start: Date.UTC(2024, 2, 10, 7), end: Date.UTC(2024, 2, 10, 7) } },
    });
  });

  it.each(['last 7 days', 'week to date', 'since 2024', 'from 2024 to 2025', '', 'noon', '2024-1-1'])(
    'refuses %j',
    (text) => {
      expect(readPoint(text, context)).toMatchObject({ ok: false, issues: [{ code: 'unreadable-range' }] });
    },
  );

  it('covers any instant whose local time it reads', () => {
    fc.assert(
      fc.property(anyZoneAndInstant, ({ zone, instant }) => {
        // Newfoundland went back from 00:01 to the day before: that hour belongs to the new day, whatever the local
        // date.
        fc.pre(zone !== 'America/St_Johns');
        const wall = writeInstantLocal(instant, zone);
        for (const [text, bare] of [
          [wall, false],
          [wall.slice(0, 4), true],
          [wall.slice(0, 7), true],
        ] as const) {
          const outcome = readPoint(text, { ...context, zone });
          if (!outcome.ok) throw new Error(text);
          expect(outcome.value.bare).toBe(bare);
          expect(outcome.value.range.start).toBeLessThanOrEqual(instant);
          expect(outcome.value.range.end).toBeGreaterThan(instant);
        }
      }),
      { numRuns: 500 },
    );
  });
});
