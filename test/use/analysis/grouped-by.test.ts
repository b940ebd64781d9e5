import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sluice } from '../../../src/use/index.ts';
import { openFolder } from '../run-in-folder.ts';

const folder = openFolder();
let sluice: Sluice;
let notes: string[] = [];

beforeAll(async () => {
  const events = [
    { userId: 'ann', eventType: 'view', plan: 'free' },
    { userId: 'ann', eventType: 'buy', plan: 'pro' },
    { userId: 'bob', eventType: 'view' },
  ];
  const lines = events.map((event, index) => JSON.stringify({ utcTime: `2024-03-01T1${index}:00:00Z`, ...event }));
  folder.write('events.ndjson', `${lines.join('\n')}\n`);
  for (const attribution of ['last', 'buy'])
    folder.write(
      `funnels/of_${attribution}.yaml`,
      `within: 1 day\nsteps: [view, buy]\nbreakdown: {dimension: plan, attribution: ${attribution}}\n`,
    );
  sluice = await open({
    workspace: folder.root,
    env: {},
    events: 'events.ndjson',
    onNote: ({ text }) => notes.push(text),
  });
});
afterAll(async () => {
  await sluice?.[Symbol.asyncDispose]();
  folder.remove();
});

describe('an analysis with a breakdown', () => {
  it.each([
    [
      'funnel view then buy by plan 2024-03-01',
      'Grouped by plan of the first step, also if later steps have another value.',
    ],
    ['of_last.count by step, breakdown 2024-03-01', 'Grouped by plan of the last step that is reached.'],
    [
      'of_buy.count by step, breakdown 2024-03-01',
      'Grouped by plan of step 2: those who do not reach it have no value.',
    ],
    [
      'retention of view by day, plan 2024-03-01..2024-03-03',
      'Grouped by plan of each start: returns with another value do not count, and a user may be in several groups.',
    ],
    [
      'retention of view by day, plan first_time 2024-03-01..2024-03-03',
      'Grouped by plan of each start: returns with another value do not count.',
    ],
  ])('says for %s which value of a user counts', async (line, sentence) => {
    notes = [];
    await sluice.query(line);
    expect(notes.filter((text) => text.startsWith('Grouped by'))).toEqual([sentence]);
  });

  it('says nothing of it without a breakdown', async () => {
    notes = [];
    await sluice.query('funnel view then buy 2024-03-01');
    await sluice.query('retention of view by day 2024-03-01..2024-03-03');
    expect(notes.filter((text) => text.startsWith('Grouped by'))).toEqual([]);
  });
});
