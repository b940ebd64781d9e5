import { afterAll, describe, expect, it } from 'vitest';
import { open } from '../../../src/use/index.ts';
import { openFolder } from '../run-in-folder.ts';

/** User, type, product and minute. `late` first fails with one product, and then buys another. */
const did = [
  ['same', 'view', 'kettle', 0],
  ['same', 'cart', 'kettle', 1],
  ['same', 'buy', 'kettle', 2],
  ['mixed', 'view', 'kettle', 0],
  ['mixed', 'cart', 'teapot', 1],
  ['mixed', 'buy', 'teapot', 2],
  ['late', 'view', 'kettle', 0],
  ['late', 'view', 'teapot', 1500],
  ['late', 'cart', 'teapot', 1501],
  ['late', 'buy', 'teapot', 1502],
  ['bare', 'view', 'kettle', 0],
  ['bare', 'cart', null, 1],
] as const;
const events = did.map(([userAnonymousId, eventType, sku, minute]) => {
  const utcTime = new Date(Date.UTC(2024, 2, 1) + minute * 60_000).toISOString();
  return `${JSON.stringify({ utcTime, eventType, userAnonymousId, docPath: '/', ...(sku && { sku }) })}\n`;
});
const step = (name: string) => `  - {name: ${name}, action: pageview, target: /, sluice: {event: ${name}}}\n`;
const folder = openFolder({
  'a.ndjson': events.join(''),
  'funnels/same.yaml': `seconds_to_convert: 7200\nsteps:\n${step('view')}${step('cart')}${step('buy')}sluice: {hold: sku}\n`,
});
afterAll(() => folder.remove());

const given = { steps: ['view', 'cart', 'buy'], within: '2 hours', hold: 'sku' } as const;
const shared = { workspace: folder.root, events: `${folder.root}/a.ndjson`, backend: 'embedded' } as const;

describe('a funnel that holds a dimension', () => {
  it('counts each user once, by the product that came furthest', async () => {
    await using sluice = await open(shared);
    const run = await sluice.funnel(given);
    expect([...run.values('funnel.count')]).toEqual([4, 2, 2]);
    expect(run.provenance.uncounted).toEqual([{ what: 'events without a value of a held dimension', rows: 1 }]);
    expect(run.provenance.notes).toContain(
      'Counted by user, in this order, other events allowed between, within 2 h of the first step, with the same sku in all steps.',
    );
    expect([...(await sluice.funnel('same')).values('same.count')]).toEqual([4, 2, 2]);
    const line = await sluice.query('funnel view then cart then buy within 2 hours holding sku');
    expect([...line.values('funnel.count')]).toEqual([4, 2, 2]);
  });

  it('enters users into a trend, and splits them, by the attempt of that product', async () => {
    await using sluice = await open(shared);
    const trend = await sluice.funnel(given, { trend: 'day' });
    expect(trend.rows().map((row) => [row['funnel.entry.day'], row['funnel.count']])).toEqual([
      ...[3, 1, 1].map((count) => ['2024-03-01T00:00:00.000', count]),
      ...[1, 1, 1].map((count) => ['2024-03-02T00:00:00.000', count]),
    ]);
    const split = await sluice.funnel({ ...given, breakdown: { dimension: 'sku' } });
    expect(split.rows().map((row) => [row['TrackedEvents.props.sku'], row['funnel.count']])).toEqual([
      ...[3, 1, 1].map((count) => ['kettle', count]),
      ...[1, 1, 1].map((count) => ['teapot', count]),
    ]);
  });

  it('lists the users behind its figures, and those who dropped off', async () => {
    const usersOf = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await folder.sluice([...args, '--events', 'a.ndjson', '-f', 'csv']);
      expect(code, stderr).toBe(0);
      const lines = stdout.trim().split('\n').slice(1);
      return lines.map((line) => line.split(',')[0]).toSorted();
    };
    expect(await usersOf('funnel', 'run', 'same', '--users', 'converted')).toEqual(['late', 'same']);
    expect(await usersOf('funnel', 'run', 'same', '--users', 'dropped:1')).toEqual(['bare', 'mixed']);
    expect(await usersOf('funnel', 'run', 'same', '--users', 'converted:1,began=2024-03-02')).toEqual(['late']);
    expect(await usersOf('query', 'same.count by step where same.step = 3', '--users')).toEqual(['late', 'same']);
    const flags = ['--step', 'view', '--step', 'cart', '--within', '2 hours', '--hold', 'sku'];
    expect(await usersOf('funnel', ...flags, '--users', 'converted')).toEqual(['late', 'same']);
  });
});
