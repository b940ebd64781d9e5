import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { openFolder } from '../run-in-folder.ts';

const folder = openFolder({
  'queries/life.yaml': 'lifecycle:\n  period: week\n',
  'queries/stick.yaml': 'stickiness:\n  period: day\n  every: 2\n  cumulative: true\n',
});
afterAll(() => folder.remove());
beforeAll(() => writeSample({ seed: 3, events: 5000, days: 40, to: '2024-03-01' }, `${folder.root}/events.parquet`));

const ask = (...words: readonly string[]) => folder.sluice(['query', '--events', 'events.parquet', ...words]);

describe('lifecycle and stickiness in the folder of queries', () => {
  it('answer queries, also on a series', async () => {
    const life = await ask('life.users by week, life.status last 3 weeks', '-f', 'csv');
    expect([life.code, life.stdout.trim().split('\n').length, life.stderr]).toEqual([0, 13, expect.any(String)]);
    expect(life.stdout).toMatch(/dormant,\S*-\d/);
    const stick = await ask('stick.users, stick.total by stick.periods last 6 days', '-f', 'csv');
    const rows = stick.stdout.trim().split('\n').slice(1);
    expect([stick.code, rows.length]).toEqual([0, 3]);
    expect(rows[0]).toMatch(/^1,(\d+),\1$/);
  });

  it.each([
    ['life.users by week last 3 weeks', '"life.status"'],
    ['life.users by month, life.status last 3 weeks', 'Use the granularity week'],
    ['stick.users last 6 days', '"stick.periods"'],
    ['stick.users by day, stick.periods last 6 days', 'can only filter'],
    ['stick.total next 6 days', 'begins in the future'],
  ])('refuse %s with a hint', async (query, hint) => {
    const { code, stderr } = await ask(query);
    expect([code, stderr.includes(hint) ? hint : stderr]).toEqual([2, hint]);
  });

  it.each([
    ['lifecycle:\n  period: year\n', 'broken.yaml:2:11'],
    ['stickiness:\n  period: day\n  every: 0\n', 'broken.yaml:3:10'],
    ['stickiness:\n  period: day\n  per_slot: {at_least: 1, at_most: 2}\n', 'broken.yaml:3:'],
  ])('report mistakes of a file at their place: %j', async (text, place) => {
    folder.write('queries/broken.yaml', text);
    const checked = await folder.sluice([text.slice(0, text.indexOf(':')), 'check']);
    expect([checked.code, checked.stdout]).toEqual([2, expect.stringContaining(place)]);
    folder.write('queries/broken.yaml', 'query: {measures: [TrackedEvents.count]}\n');
  });
});
