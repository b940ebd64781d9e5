import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { titleize } from '../../../src/plan/model/identifier.ts';

it.each([
  ['startAt', 'Start at'],
  ['sessionID', 'Session Id'],
  ['first_timestamp', 'First Timestamp'],
  ['TrackedEvents', 'Tracked Events'],
  ['averagePerUser', 'Average Per User'],
  ['osVersionMajor', 'Os Version Major'],
  ['count', 'Count'],
  ['at', 'At'],
  ['_', ''],
])('%s reads %s', (name, title) => {
  expect(titleize(name)).toBe(title);
});

const cases = new URL('../../../../shared/golden/cases/', import.meta.url);

it.skipIf(!existsSync(cases))(
  'agrees with the titles of recorded answers (skipped where the recordings are absent)',
  () => {
    const seen = new Map<string, string>();
    for (const file of readdirSync(cases)) {
      for (const [name, shortTitle] of shortTitles(JSON.parse(readFileSync(new URL(file, cases), 'utf8'))))
        seen.set(name, shortTitle);
    }
    expect(seen.size).toBeGreaterThan(15);
    for (const [name, shortTitle] of seen) expect(titleize(name.split('.')[1] ?? '')).toBe(shortTitle);
  },
);

function shortTitles(value: unknown): readonly (readonly [string, string])[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const own =
      inner !== null && typeof inner === 'object' && 'shortTitle' in inner && /^\w+\.\w+$/.test(key)
        ? [[key, String(inner.shortTitle)] as const]
        : [];
    return [...own, ...shortTitles(inner)];
  });
}
