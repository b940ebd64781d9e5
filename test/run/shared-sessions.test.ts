import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { now, openFolder } from '../use/run-in-folder.ts';
import { open } from '../../src/use/index.ts';
import { runs } from '../runs.ts';

const what = 'sessions have events of several users, and each counts only for the first of them';

describe('sessions that several users share', () => {
  const folders: ReturnType<typeof openFolder>[] = [];
  afterAll(() => folders.forEach((folder) => folder.remove()));

  async function ask(events: readonly (readonly [session: string, user: string])[], measures: readonly string[]) {
    const lines = events.map(([sessionId, userAnonymousId], index) =>
      JSON.stringify({
        utcTime: new Date(Date.UTC(2024, 2, 1) + index * 1000).toISOString(),
        sessionId,
        userAnonymousId,
      }),
    );
    const folder = openFolder({ 'events.ndjson': `${lines.join('\n')}\n` });
    folders.push(folder);
    await using sluice = await open({ workspace: folder.root, events: 'events.ndjson', env: {}, now: () => now });
    const result = await sluice.query({ measures });
    return { row: result.rows()[0]!, uncounted: result.provenance.uncounted };
  }

  it('are told with their number beside every measure of users who had sessions', { timeout: 60_000 }, async () => {
    const events = fc.array(fc.tuple(fc.constantFrom('s1', 's2', 's3'), fc.constantFrom('u1', 'u2', 'u3', '')), {
      minLength: 1,
      maxLength: 10,
    });
    const names = fc.constantFrom(
      'ReturningUsers.count',
      'ReturningUsers.returningUsersCount',
      'ReturningUsers.allSessionsCount',
      'ReturningUsers.returningUserPercentage',
      'Sessions.uniqueUsersCount',
    );
    await fc.assert(
      fc.asyncProperty(events, names, async (rows, measure) => {
        const bySession = Map.groupBy(
          rows.filter(([, user]) => user !== ''),
          ([session]) => session,
        );
        const shared = [...bySession.values()].filter((of) => new Set(of.map(([, user]) => user)).size > 1).length;
        const { uncounted } = await ask(rows, [measure]);
        expect(
          uncounted.filter((one) => one.what === what),
          measure,
        ).toEqual([{ what, rows: shared }]);
      }),
      { numRuns: runs(15) },
    );
  });

  it('count for the first user alone', async () => {
    expect(
      await ask(
        [
          ['s1', 'a'],
          ['s1', 'b'],
          ['s2', 'a'],
        ],
        ['ReturningUsers.count', 'ReturningUsers.allSessionsCount'],
      ),
    ).toEqual({
      row: { 'ReturningUsers.count': 1, 'ReturningUsers.allSessionsCount': 2 },
      uncounted: [{ what, rows: 1 }],
    });
  });
});
