import { expect, it } from 'vitest';
import { openWithSession } from '../open-session.ts';
import { openServer } from '../../../src/use/server/open-server.ts';
import { openFolder } from '../run-in-folder.ts';
import { ask } from './open-served.ts';

const rowsOfDay = (day: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      utcTime: `${day}T10:00:00.${String(index).padStart(3, '0')}Z`,
      eventType: 'pageview',
      docPath: `/${index % 7}`,
      userAnonymousId: `u${index % 11}`,
      eventId: `${day}-${index}`,
    }),
  ).join('\n');

it('stops answering with all events once some belong to a project', async () => {
  const day = rowsOfDay('2024-03-05', 4);
  const folder = openFolder({ 'a.ndjson': `${day}\n` });
  try {
    await using sluice = await openWithSession({ workspace: folder.root, events: '*.ndjson', env: {} });
    await using server = await openServer({ session: sluice.session });
    const count = async (project: number) => {
      const { status, body } = await ask(`${server.url}/api/v4/projects/${project}/product_analytics/request/load`, {
        body: { query: { measures: ['TrackedEvents.count'] } },
      });
      return status === 200 ? Number(body.results[0].data[0]['TrackedEvents.count']) : status;
    };
    expect([await count(1), await count(42)]).toEqual([4, 404]);
    folder.write('b.ndjson', `${rowsOfDay('2024-03-06', 3).replaceAll('{', '{"projectId":"42",')}\n`);
    expect([await count(1), await count(42)]).toEqual([404, 3]);
  } finally {
    folder.remove();
  }
});

it('answers many clients while events are loaded into its store: none is refused, none sees fewer events than before, and all see the new ones', async () => {
  const days = ['2024-03-05', '2024-03-06', '2024-03-07', '2024-03-08'];
  const folder = openFolder(Object.fromEntries(days.map((day) => [`${day}.ndjson`, `${rowsOfDay(day, 200)}\n`])));
  try {
    const ingest = async (day: string) =>
      expect(await folder.sluice(['ingest', `${day}.ndjson`, '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    await ingest(days[0]!);
    await using sluice = await openWithSession({ workspace: folder.root, env: {} });
    await using server = await openServer({ session: sluice.session });
    const count = async () => {
      const { status, body } = await ask(`${server.url}/cubejs-api/v1/load`, {
        body: { query: { measures: ['TrackedEvents.count'] } },
      });
      expect([status, body]).toMatchObject([200, { data: [{ 'TrackedEvents.count': expect.any(String) }] }]);
      return Number(body.data[0]['TrackedEvents.count']);
    };
    let over = false;
    const clients = Array.from({ length: 16 }, async () => {
      let seen = 0;
      while (!over) {
        const now = await count();
        expect(now).toBeGreaterThanOrEqual(seen);
        expect(now % 200).toBe(0);
        seen = now;
      }
    });
    try {
      for (const day of days.slice(1)) await ingest(day);
      expect(await count()).toBe(800);
    } finally {
      over = true;
      await Promise.all(clients);
    }
  } finally {
    folder.remove();
  }
});
