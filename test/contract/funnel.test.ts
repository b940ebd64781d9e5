import { afterAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { open, type Query } from '../../src/use/index.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { remoteNames, remoteOptions, serve } from './served.ts';

const step = (name: string, target: string) => `  - {name: ${name}, action: pageview, target: ${target}}\n`;
const folder = openFolder({
  'funnels/buy.yaml': `seconds_to_convert: 7200\nsteps:\n${step('kettle', '/products/kettle')}${step('cart', '/cart')}${step('paid', '/thanks')}${step('never', '/never')}`,
  'funnels/hurried.yaml': `seconds_to_convert: 60\nsteps:\n${step('kettle', '/products/kettle')}${step('cart', '/cart')}sluice: {order: strict}\n`,
});
afterAll(() => folder.remove());

const byStep: Query = { measures: ['buy.count'], dimensions: ['buy.step'] };
const questions: readonly Query[] = [
  byStep,
  { ...byStep, timeDimensions: [{ dimension: 'buy.date', dateRange: 'last 7 days' }] },
  {
    ...byStep,
    filters: [{ member: 'buy.date', operator: 'inDateRange', values: ['2024-02-20', '2024-02-27'] }],
    timezone: 'America/New_York',
  },
  {
    ...byStep,
    filters: [{ member: 'buy.date', operator: 'beforeDate', values: ['2024-02-27'] }],
    order: [['buy.step', 'desc']],
    limit: 3,
  },
  {
    ...byStep,
    filters: [
      { member: 'buy.step', operator: 'gt', values: ['1'] },
      { member: 'buy.count', operator: 'lt', values: ['100000'] },
    ],
    total: true,
  },
  {
    ...byStep,
    timeDimensions: [{ dimension: 'buy.date', compareDateRange: ['2024-02-20', ['2024-02-21', '2024-02-25']] }],
  },
];

describe('a plain funnel', () => {
  it.each(remoteNames)(
    'has the same figures on %s as on the engine behind its server, and an extended one is refused',
    async (name) => {
      const events = `${folder.root}/${name}.parquet`;
      await writeSample({ seed: 3, events: 6000, days: 30, to: '2024-02-29' }, events);
      const shared = { workspace: folder.root, now: () => Date.parse('2024-03-01T00:00:00Z') };
      await using served = await serve({ ...shared, env: {}, events });
      await using remote = await open({ ...remoteOptions(name, served.url), ...shared });
      for (const query of questions) {
        const [there, here] = [await remote.query(query), await served.local.query(query)];
        expect([query, there.rows()]).toEqual([query, here.rows()]);
        expect(here.rows().some((row) => Number((row as Record<string, unknown>)['buy.count']) > 0)).toBe(true);
      }
      const notes = (await remote.query(byStep)).provenance.notes;
      expect(notes.some((note) => note.includes('Counted by the server'))).toBe(true);
      const [run, local] = [
        await remote.funnel('buy', { range: 'last 7 days' }),
        await served.local.funnel('buy', { range: 'last 7 days' }),
      ];
      for (const key of ['step', 'name', 'count', 'conversion', 'stepConversion', 'dropOff'])
        expect([key, run.values(`buy.${key}`)]).toEqual([key, local.values(`buy.${key}`)]);
      expect([run.columns.length, local.columns.length]).toEqual([6, 9]);
      for (const further of [{ byEntry: true }, { trend: 'day' as const }])
        await expect(remote.funnel('buy', further)).rejects.toThrow('A server does not return enough data');
      expect(
        (
          await fetch(`${served.url}/cubejs-api/v1/sql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query: byStep }),
          })
        ).status,
      ).toBe(200);
      const extended = { measures: ['hurried.count'], dimensions: ['hurried.step'] };
      expect((await served.local.query(extended)).rowCount).toBe(2);
      await expect(remote.query(extended)).rejects.toThrow(/a different funnel[^]*sluice export/);
    },
  );

  it.each(remoteNames)('is refused where the server behind %s has no funnels', async (name) => {
    const bare = openFolder({
      'events.ndjson':
        '{"TrackedEvents.projectId":"42","TrackedEvents.utcTime":"2024-02-20T10:00:00.000","TrackedEvents.userAnonymousId":"a","TrackedEvents.eventType":"pageview"}\n',
    });
    try {
      await using served = await serve({ workspace: bare.root, env: {}, events: `${bare.root}/events.ndjson` });
      await using remote = await open({ ...remoteOptions(name, served.url), workspace: folder.root });
      await expect(remote.query(byStep)).rejects.toThrow(/does not know the funnel "buy"[^]*sluice export/);
    } finally {
      bare.remove();
    }
  });
});
