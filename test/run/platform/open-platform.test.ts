import { describe, expect, it } from 'vitest';
import type { Query } from '../../../src/ask/query/query.ts';
import { AbortedError, BackendError } from '../../../src/ask/sluice-error.ts';
import { toLoadBody } from '../../../src/plan/load-body.ts';
import type { Wait } from '../../../src/run/backend.ts';
import { fetchBilledEvents } from '../../../src/run/platform/billed-events.ts';
import { openTestHttp } from '../http/open-test-http.ts';
import { byPath, inTurn, openScriptedServer, type Reply } from '../http/scripted-server.ts';
import { answered, count, failureOf, platformWorld, remotePlan, rowsOf, token } from '../load/remote.ts';

const load = '/api/v4/projects/42/product_analytics/request/load';
const one = answered([{ 'TrackedEvents.count': '335' }]);

it("the platform's own count of events is waited for a while, and an end is an end", async () => {
  await using server = await openScriptedServer(() => ({ trick: { kind: 'silence' } }));
  await using http = openTestHttp(server.url);
  const month = { year: 2026, month: 10 };
  expect(await fetchBilledEvents(http, 'acme/shop', month, undefined, 50)).toEqual({
    why: 'The platform did not answer within 0.05 s.',
  });
  const ended = fetchBilledEvents(http, 'acme/shop', month, AbortSignal.timeout(20));
  await expect(ended).rejects.toMatchObject({ kind: 'aborted' });
});

describe('a question to the platform', () => {
  it('is the load body, posted to the project, with the token in its header and nowhere else', async () => {
    await using world = await platformWorld(one);
    const plan = remotePlan(count);
    expect(await rowsOf(world.backend, plan)).toEqual([[335]]);
    const [request] = world.server.requests;
    expect(request).toMatchObject({
      method: 'POST',
      target: `${load}?queryType=multi`,
      json: JSON.parse(JSON.stringify(toLoadBody(plan))),
      headers: { 'private-token': token, 'content-type': 'application/json' },
    });
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify([request?.target, request?.body])).not.toContain(token);
  });

  it('goes by Authorization where that is asked for', async () => {
    await using world = await platformWorld(one, { credential: { kind: 'bearer', token: () => 'a'.repeat(64) } });
    await rowsOf(world.backend, remotePlan(count));
    expect(world.server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${'a'.repeat(64)}` });
  });

  it('looks the number of a path up once', async () => {
    await using world = await platformWorld(
      byPath({
        'GET /api/v4/projects/acme%2Fshop%2Fweb': {
          json: { id: 42, name: 'web', path_with_namespace: 'acme/shop/web', archived: null },
        },
        [`POST ${load}`]: one,
      }),
      { project: 'acme/shop/web' },
    );
    await Promise.all([rowsOf(world.backend, remotePlan(count)), rowsOf(world.backend, remotePlan(count))]);
    await rowsOf(world.backend, remotePlan(count));
    expect(world.server.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST', 'POST']);
  });

  it('goes on looking it up for one caller where another is interrupted', async () => {
    const stop = new AbortController();
    await using world = await platformWorld(
      byPath({
        'GET /api/v4/projects/acme%2Fweb': (_, index) => {
          if (index > 0) return { json: { id: 42 } };
          setImmediate(() => stop.abort());
          return { trick: { kind: 'silence' } };
        },
        [`POST ${load}`]: one,
      }),
      { project: 'acme/web' },
    );
    const [stopped, answer] = await Promise.allSettled([
      rowsOf(world.backend, remotePlan(count), { signal: stop.signal }),
      rowsOf(world.backend, remotePlan(count)),
    ]);
    expect([stopped?.status, answer]).toEqual(['rejected', { status: 'fulfilled', value: [[335]] }]);
  });

  it('sends the path itself, encoded, where the number cannot be had', async () => {
    await using world = await platformWorld(
      byPath({
        'POST /api/v4/projects/acme%2Fweb/product_analytics/request/load': one,
        'GET /api/v4/projects/acme%2Fweb': { status: 403, json: { error: 'insufficient_scope' } },
      }),
      { project: 'acme/web' },
    );
    expect(await rowsOf(world.backend, remotePlan(count))).toEqual([[335]]);
  });

  it('says that a proxy may decode %2F, where nothing is there under a path', async () => {
    await using world = await platformWorld({ status: 404, json: { error: '404 Not Found' } }, { project: 'acme/web' });
    expect(await failureOf(world.backend.run(remotePlan(count)))).toMatchObject({
      code: 'endpoint-not-found',
      hint: expect.stringContaining('%2F'),
    });
  });

  it('is asked again at once, by the very same request, while the platform is still at work', async () => {
    await using world = await platformWorld(
      inTurn(
        ...Array.from({ length: 19 }, () => ({ json: { error: 'Continue wait' } })),
        { json: { error: 'Continue wait', stage: 'Executing query' } },
        one,
      ),
    );
    const waits: Wait[] = [];
    expect(await rowsOf(world.backend, remotePlan(count), { onWait: (wait) => waits.push(wait) })).toEqual([[335]]);
    expect(waits.map(({ round }) => round)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    const [first, ...more] = world.server.requests;
    for (const request of more) expect([request.target, request.body]).toEqual([first?.target, first?.body]);
  });

  it('does not hammer a server that says so without waiting itself', async () => {
    await using world = await platformWorld(inTurn({ json: { error: 'Continue wait' } }, one));
    await rowsOf(world.backend, remotePlan(count));
    expect(world.clock.waits).toEqual([200]);
  });

  it('ends with the budget for waiting', async () => {
    await using world = await platformWorld({ json: { error: 'Continue wait' } }, { waitBudgetMs: 1000 });
    expect(await failureOf(world.backend.run(remotePlan(count)))).toMatchObject({ code: 'answer-takes-too-long' });
    expect(world.server.requests.length).toBe(5);
  });

  it('ends with the budget for waiting also where the platform says nothing', async () => {
    await using world = await platformWorld({ trick: { kind: 'silence' } }, { waitBudgetMs: 50 });
    expect(await failureOf(world.backend.run(remotePlan(count)))).toMatchObject({
      code: 'answer-takes-too-long',
      hint: expect.stringContaining('--wait'),
    });
  });

  it('ends with the signal, while the platform is at work or silent', async () => {
    for (const reply of [
      { json: { error: 'Continue wait' } },
      { trick: { kind: 'silence' } },
    ] satisfies readonly Reply[]) {
      const stop = new AbortController();
      await using world = await platformWorld(() => {
        setImmediate(() => stop.abort());
        return reply;
      });
      await expect(world.backend.run(remotePlan(count), { signal: stop.signal })).rejects.toBeInstanceOf(AbortedError);
    }
  });
});

describe('what the platform says beside the rows', () => {
  const facts = async (reply: Reply, query: Query = count) => {
    await using world = await platformWorld(reply);
    return (await world.backend.run(remotePlan(query))).facts();
  };
  const rows = [{ 'TrackedEvents.count': '1' }];

  it('is the total, as a number or as text', async () => {
    expect((await facts(answered(rows, { total: 9 }))).total).toBe(9);
    expect((await facts(answered(rows, { total: '9' }))).total).toBe(9);
    expect((await facts(answered(rows))).total).toBeUndefined();
  });

  it('is when the figures were computed, and a note where the range goes on beyond', async () => {
    const range: Query = {
      ...count,
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: 'last 7 days' }],
    };
    expect(await facts(answered(rows, { lastRefreshTime: '2024-03-13T15:30:00.000Z' }), range)).toMatchObject({
      refreshed: '2024-03-13T15:30:00.000Z',
      notes: [],
    });
    const { notes } = await facts(answered(rows, { lastRefreshTime: '2024-03-12T01:00:00.000Z' }), range);
    expect(notes).toEqual([expect.stringContaining('2024-03-12 01:00 UTC')]);
  });

  it('is that a range before the last year may not be there any more', async () => {
    const from = (first: string) =>
      facts(answered(rows), {
        ...count,
        timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: [first, '2024-03-01'] }],
      });
    expect((await from('2023-03-01')).notes).toEqual([expect.stringContaining('one year')]);
    const filters: Query['filters'] = [
      { member: 'TrackedEvents.utcTime', operator: 'inDateRange', values: ['2023-03-01', '2024-03-01'] },
    ];
    expect((await facts(answered(rows), { ...count, filters })).notes).toEqual([
      expect.stringContaining('begins on 2023-03-01'),
    ]);
    expect((await from('2023-04-01')).notes).toEqual([]);
  });
});

it('explains a plan by the body as sent and the answer of a dry run', async () => {
  await using world = await platformWorld(
    byPath({
      [`POST ${load.replace('load', 'dry-run')}`]: { json: { queryType: 'regularQuery', normalizedQueries: [] } },
    }),
  );
  const { statement, parameters, enginePlan } = await world.backend.explain(remotePlan(count));
  expect(statement).toBe(
    `POST ${world.server.url}${load}?queryType=multi\n${JSON.stringify(toLoadBody(remotePlan(count)), null, 2)}`,
  );
  expect(parameters).toEqual([]);
  expect(JSON.parse(enginePlan ?? '')).toEqual({ queryType: 'regularQuery', normalizedQueries: [] });
});

it('asks for what can be asked by POST, and by GET where the platform is as its documentation says', async () => {
  const meta = { cubes: [] };
  const path = load.replace('load', 'meta');
  await using newer = await platformWorld(byPath({ [`POST ${path}`]: { json: meta } }));
  expect(await newer.backend.describe()).toEqual(meta);
  await using older = await platformWorld(byPath({ [`GET ${path}`]: { json: meta } }));
  expect(await older.backend.describe()).toEqual(meta);
  await using none = await platformWorld({ status: 405, text: '' });
  expect(await failureOf(none.backend.describe())).toMatchObject({ code: 'endpoint-not-found' });
});

it('refuses weeks that start on another day than the server has them start', async () => {
  await using world = await platformWorld(one);
  const weekly: Query = { ...count, timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'week' }] };
  expect(await failureOf(world.backend.run(remotePlan(weekly, { weekStart: 'sunday' })))).toMatchObject({
    code: 'week-start-unknown-there',
  });
  expect(world.server.requests).toEqual([]);
  await expect(world.backend.run(remotePlan(weekly))).rejects.toBeInstanceOf(BackendError);
  expect(world.server.requests).toHaveLength(1);
});
