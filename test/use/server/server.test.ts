import { request as httpRequest } from 'node:http';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { open } from '../../../src/use/index.ts';
import { openServer } from '../../../src/use/server/open-server.ts';
import { fewEvents, openFolder } from '../run-in-folder.ts';
import { servedOnce } from './open-served.ts';

const count = { measures: ['TrackedEvents.count'] };
const inDays = (first: string, last: string) => ({
  member: 'TrackedEvents.utcTime',
  operator: 'inDateRange',
  values: [first, last],
});
const perDay = {
  ...count,
  timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
  filters: [inDays('2024-03-05', '2024-03-07')],
};
const load = (project: string) => `/api/v4/projects/${project}/product_analytics/request/load`;
const cube = '/cubejs-api/v1/load';
const inAddress = (query: unknown) => `query=${encodeURIComponent(JSON.stringify(query))}`;
const rowsOf = (body: any) => body.results[0].data;

describe("a server of one project's events", () => {
  const served = servedOnce({ 'events.ndjson': fewEvents });

  it("answers in the platform's form: several results, days filled", async () => {
    const { status, body, headers } = await served().ask(load('1'), { body: { query: perDay } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(rowsOf(body).map((row: any) => row['TrackedEvents.count'])).toEqual(['3', '2', '0']);
  });

  it("answers in Cube's form: one bare result, nothing filled", async () => {
    const { body } = await served().ask(cube, { body: { query: perDay } });
    expect(body.data.map((row: any) => row['TrackedEvents.count'])).toEqual(['3', '2']);
    expect((await served().ask(`${cube}?queryType=multi`, { body: { query: perDay } })).body.queryType).toBe(
      'regularQuery',
    );
  });

  it('reads the query from the address, a body, text, or a form; the body has priority over the address', async () => {
    const asForm = new URLSearchParams([
      ['query[measures][]', 'TrackedEvents.count'],
      ['query[filters][0][member]', 'TrackedEvents.eventType'],
      ['query[filters][0][operator]', 'equals'],
      ['query[filters][0][values][]', 'pageview'],
    ]);
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const { ask } = served();
    const answers = [
      await ask(`${load('1')}?${inAddress(count)}`, { method: 'POST' }),
      await ask(load('1'), { body: { query: JSON.stringify(count) } }),
      await ask(`${load('1')}?${inAddress({ measures: ['Nope.count'] })}`, { body: { query: count, badParam: 1 } }),
      await ask(load('1'), { ...form, body: `query=${encodeURIComponent(JSON.stringify(count))}` }),
      await ask(`${cube}?queryType=multi&${inAddress(count)}`),
    ];
    expect(answers.map(({ body }) => rowsOf(body))).toEqual(answers.map(() => [{ 'TrackedEvents.count': '5' }]));
    expect(rowsOf((await ask(load('1'), { ...form, body: asForm.toString() })).body)).toEqual([
      { 'TrackedEvents.count': '4' },
    ]);
  });

  it('reads numbers and booleans of a form, and multipart forms; refuses files and broken forms', async () => {
    const { ask, server } = served();
    const fields: [string, string][] = [
      ['query[measures][]', 'TrackedEvents.count'],
      ['query[dimensions][]', 'TrackedEvents.docPath'],
      ['query[order][TrackedEvents.docPath]', 'asc'],
      ['query[limit]', '1'],
      ['query[offset]', '1'],
      ['query[total]', 'true'],
    ];
    const parts = new FormData();
    for (const [name, value] of fields) parts.append(name, value);
    const asked = [
      await ask(load('1'), {
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      await ask(`${load('1')}?${new URLSearchParams(fields)}`, { method: 'POST' }),
    ];
    const inParts = await fetch(server.url + load('1'), { method: 'POST', body: parts });
    const bodies = [...asked.map(({ body }) => body), await inParts.json()];
    for (const {
      results: [result],
    } of bodies)
      expect([result.query.limit, result.query.offset, result.total, result.data.length]).toEqual([
        1,
        1,
        expect.any(Number),
        1,
      ]);
    expect(bodies[1].results[0].data).toEqual(bodies[0].results[0].data);
    parts.append('archive', new Blob(['x']), 'x.txt');
    expect((await fetch(server.url + load('1'), { method: 'POST', body: parts })).status).toBe(400);
    expect(
      (
        await ask(load('1'), {
          body: 'nothing of the kind',
          headers: { 'content-type': 'multipart/form-data; boundary=x' },
        })
      ).status,
    ).toBe(400);
    expect((await ask(load('1'), { body: 'x', headers: { 'content-type': 'multipart/form-data' } })).status).toBe(400);
  });

  it('fills an empty range by day with zeros, as the platform does; Cube does not fill', async () => {
    const { ask } = served();
    const empty = { ...perDay, filters: [inDays('2023-03-05', '2023-03-07')] };
    expect(
      rowsOf((await ask(load('1'), { body: { query: empty } })).body).map((row: any) => row['TrackedEvents.count']),
    ).toEqual(['0', '0', '0']);
    expect((await ask(cube, { body: { query: empty } })).body.data).toEqual([]);
    const endless = { ...perDay, filters: [inDays('0001-01-01', '9999-12-31')] };
    expect(await ask(load('1'), { body: { query: endless } })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('days') },
    });
    expect((await ask(cube, { body: { query: endless } })).status).toBe(200);
  });

  it('returns how it understands a query, the metadata, and the SQL', async () => {
    const { ask, sluice } = served();
    for (const path of [`/api/v4/projects/1/product_analytics/request/dry-run`, '/cubejs-api/v1/dry-run']) {
      expect((await ask(path, { body: { query: count } })).body).toMatchObject({
        queryType: 'regularQuery',
        normalizedQueries: [{ measures: ['TrackedEvents.count'], limit: 10_000 }],
      });
    }
    for (const path of [
      '/api/v4/projects/1/product_analytics/request/meta',
      '/cubejs-api/v1/meta',
      '/cubejs-api/v1/meta?extended',
    ]) {
      for (const method of ['GET', 'POST'])
        expect((await ask(path, { method })).body.cubes[0]).toMatchObject({
          name: sluice.model.cubes[0]!.name,
          type: 'cube',
        });
    }
    const { body } = await ask(
      `/cubejs-api/v1/sql?${inAddress({ ...count, filters: [{ member: 'TrackedEvents.docPath', operator: 'equals', values: ["'; --"] }] })}`,
    );
    expect(body.sql).toMatchObject({
      status: 'ok',
      sql: [expect.stringContaining('SELECT count(*)'), ["'; --"]],
      aliasNameToMember: { 'TrackedEvents.count': 'TrackedEvents.count' },
    });
  });

  it('returns a query as written, including values without effect and reversed ranges', async () => {
    const { ask } = served();
    const filters = [
      { member: 'TrackedEvents.docPath', operator: 'set', values: ['x', null] },
      { member: 'TrackedEvents.docPath', operator: 'notSet', values: [] },
      { member: 'TrackedEvents.docPath', operator: 'set' },
      {
        or: [
          {
            and: [
              { member: 'TrackedEvents.eventType', operator: 'equals', values: [1.5, true] },
              { member: 'TrackedEvents.docPath', operator: 'set', values: [5] },
            ],
          },
        ],
      },
    ];
    const timeDimensions = [
      { dimension: 'TrackedEvents.utcTime', granularity: 'day', dateRange: ['2024-03-07', '2024-03-05'] },
    ];
    const { body } = await ask(cube, { body: { query: { ...count, filters, timeDimensions } } });
    expect(body.query.filters).toEqual([
      ...filters.slice(0, 3),
      {
        or: [
          {
            and: [
              { ...(filters[3] as any).or[0].and[0], values: ['1.5', 'true'] },
              { ...(filters[3] as any).or[0].and[1], values: ['5'] },
            ],
          },
        ],
      },
    ]);
    expect(body.query.timeDimensions).toEqual([
      { ...timeDimensions[0], dateRange: ['2024-03-07T00:00:00.000', '2024-03-05T23:59:59.999'] },
    ]);
    expect(body.data).toEqual([]);
    const compared = {
      ...count,
      timeDimensions: [
        {
          dimension: 'TrackedEvents.utcTime',
          compareDateRange: [
            ['2024-03-07', '2024-03-05'],
            ['2024-03-05', '2024-03-07'],
          ],
        },
      ],
    };
    const { results } = (await ask(`${cube}?queryType=multi`, { body: { query: compared } })).body;
    expect(results.map(({ data }: any) => data[0].compareDateRange)).toEqual([
      '2024-03-07T00:00:00.000 - 2024-03-05T23:59:59.999',
      '2024-03-05T00:00:00.000 - 2024-03-07T23:59:59.999',
    ]);
  });

  it('reads cache settings, and refuses unknown ones as Cube does; the platform ignores them', async () => {
    const { ask } = served();
    const asked = async (path: string, cache: unknown) => (await ask(path, { body: { query: count, cache } })).status;
    for (const cache of ['stale-if-slow', 'stale-while-revalidate', 'must-revalidate', 'no-cache'])
      expect(await asked(cube, cache)).toBe(200);
    expect(await ask(cube, { body: { query: count, cache: 'bogus' } })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('"cache"') },
    });
    expect([await asked(cube, 5), await asked(cube, null), await asked(load('1'), 'bogus')]).toEqual([400, 400, 200]);
    expect((await ask(`${cube}?${inAddress(count)}&cache=bogus`)).status).toBe(400);
  });

  it('reports mistakes in the form of each API', async () => {
    const { ask } = served();
    const told = async (path: string, body: unknown) => {
      const answer = await ask(path, { body });
      return [answer.status, answer.body];
    };
    const unknown = { query: { measures: ['TrackedEvents.cuont'] } };
    expect(await told(load('1'), unknown)).toEqual([
      400,
      { message: expect.stringContaining('"TrackedEvents.count"') },
    ]);
    expect(await told(cube, unknown)).toEqual([
      400,
      { type: 'UserError', error: expect.stringContaining('"TrackedEvents.count"') },
    ]);
    expect(await told(load('1'), { query: { ...count, limit: 60_000 } })).toEqual([
      400,
      { message: expect.stringContaining('50000') },
    ]);
    expect(await told(cube, { query: { ...count, limit: 60_000 } })).toEqual([
      500,
      { error: expect.stringContaining('Error: The query limit has been exceeded.') },
    ]);
    expect(await told(cube, { query: { ...count, limit: '10' } })).toEqual([400, { error: expect.any(String) }]);
    expect(await told(load('1'), {})).toEqual([400, { message: 'query is missing' }]);
    expect(await told(load('1'), { query: [perDay] })).toEqual([400, { message: 'query is invalid' }]);
    expect(await told(cube, {})).toEqual([400, { error: expect.any(String) }]);
    expect(await told(cube, { query: [perDay, perDay] })).toEqual([
      400,
      { error: expect.stringContaining('queryType=multi') },
    ]);
    expect(await told(load('1'), '{"query":')).toEqual([400, { message: expect.stringContaining('not JSON') }]);
    expect(await told(cube, '{"query":')).toEqual([400, { error: expect.stringContaining('not JSON') }]);
  });

  it('knows its addresses and methods', async () => {
    const { ask } = served();
    const told = async (path: string, method = 'GET') => {
      const { status, body, text } = await ask(path, { method });
      return [status, body ?? text];
    };
    expect(await told('/readyz')).toEqual([200, { health: 'HEALTH' }]);
    expect(await told('/livez')).toEqual([200, { health: 'HEALTH' }]);
    expect(await told('/api/v4/user')).toEqual([200, expect.objectContaining({ id: 1, username: 'sluice' })]);
    for (const path of [
      '/api/v4/nope',
      '/api/v4/projects',
      '/api/v4/projects//product_analytics/request/load',
      '/api/v4/projects/1/product_analytics/request/sql',
      '/api/v4/projects/%E0%A4%A',
    ]) {
      expect(await told(path), path).toEqual([404, { message: '404 Not Found' }]);
    }
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(await told(load('1'), method)).toEqual([405, { message: '405 Method Not Allowed' }]);
    expect((await ask(load('1'))).headers.get('allow')).toBe('POST, OPTIONS');
    for (const path of [
      '/',
      '/cubejs-api/v1',
      '/cubejs-api/v2/load',
      '/cubejs-api/v1/load/x',
      '/cubejs-api/v1/__proto__',
      '/cubejs-api/v1/constructor',
    ]) {
      expect(await told(path), path).toEqual([404, expect.stringContaining(`<pre>Cannot GET ${path}</pre>`)]);
    }
    for (const path of ['/readyz', '/api/v4/user', '/cubejs-api/v1/meta', `${cube}?${inAddress(count)}`]) {
      const [{ headers }, head] = [await ask(path), await ask(path, { method: 'HEAD' })];
      expect([head.status, head.text], path).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(headers.get('content-length'));
    }
    expect(await told(load('1'), 'HEAD')).toEqual([405, '']);
    expect(await told(cube, 'PUT')).toEqual([404, expect.stringContaining(`<pre>Cannot PUT ${cube}</pre>`)]);
    expect((await ask('/cubejs-api/<script>alert(1)</script>')).text).not.toContain('<script>');
  });

  it('is project 1 if no event names a project', async () => {
    const { ask } = served();
    expect((await ask('/api/v4/projects/1')).body).toMatchObject({ id: 1, path_with_namespace: '1', name: '1' });
    expect(await ask('/api/v4/projects/2')).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } });
    expect(await ask(load('2'), { body: { query: count } })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
  });

  it('returns the request ID, or generates one if it is missing or invalid', async () => {
    const { ask } = served();
    const idOf = async (given?: string) =>
      (await ask('/cubejs-api/v1/meta', given === undefined ? {} : { headers: { 'x-request-id': given } })).headers.get(
        'x-request-id',
      );
    expect(await idOf('0b6c1a3e-span-1')).toBe('0b6c1a3e-span-1');
    expect(await idOf()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf('<b> x')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers only under names of this machine, and no page of another site', async () => {
    const { server, ask } = served();
    const underName = (host: string) =>
      new Promise<number>((resolve, reject) => {
        httpRequest(`${server.url}/cubejs-api/v1/meta`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        })
          .on('error', reject)
          .end();
      });
    expect(
      await Promise.all(['localhost', 'LOCALHOST:1234', '127.0.0.1:80', '[::1]:80', 'app.localhost'].map(underName)),
    ).toEqual([200, 200, 200, 200, 200]);
    expect(
      await Promise.all(
        [
          'evil.example',
          'localhost.evil.example',
          '127.0.0.1.evil.example',
          '10.0.0.1',
          'evil.example:80',
          '@localhost',
        ].map(underName),
      ),
    ).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await ask('/cubejs-api/v1/meta', { headers: { origin: 'http://evil.example' } })).status).toBe(403);
    expect((await ask('/cubejs-api/v1/meta', { headers: { origin: server.url } })).status).toBe(200);
  });

  it('refuses to listen on other addresses without a token', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.org', '127.0.0.1.nip.io']) {
      await expect(openServer({ session: served().session, host })).rejects.toMatchObject({ code: 'token-needed' });
    }
  });

  it('reports that a port is in use', async () => {
    const port = Number(new URL(served().server.url).port);
    await expect(openServer({ session: served().session, port })).rejects.toMatchObject({ code: 'port-in-use' });
  });
});

const projectEvents = (['42', '42', 'acme/shop', 'acme/shop', 'acme/shop', null] as const)
  .map(
    (projectId, index) =>
      `${JSON.stringify({ utcTime: `2024-03-06T10:0${index}:00.000`, eventType: 'pageview', projectId })}\n`,
  )
  .join('');

describe('the metadata of a server', () => {
  const event = { utcTime: '2024-03-06T10:00:00.000', eventType: 'pageview' };
  const folder = openFolder({ 'a.ndjson': `${JSON.stringify({ ...event, plan: 'pro', price: 2 })}\n` });
  const served = servedOnce({}, { open: { workspace: folder.root, events: '*.ndjson' } });
  afterAll(folder.remove);

  it('lists the properties of the events as they are now, whatever was asked before', async () => {
    const properties = async () =>
      (await served().ask('/cubejs-api/v1/meta')).body.cubes[0].dimensions
        .map(({ name }: { readonly name: string }) => name)
        .filter((name: string) => name.includes('props.'));
    expect(await properties()).toEqual(['TrackedEvents.props.plan', 'TrackedEvents.props.price']);
    folder.write('b.ndjson', `${JSON.stringify({ ...event, 'Plan type': 'x' })}\n`);
    expect(await properties()).toEqual([
      'TrackedEvents.props.Plan%20type',
      'TrackedEvents.props.plan',
      'TrackedEvents.props.price',
    ]);
    for (const dimension of await properties())
      expect((await served().ask(cube, { body: { query: { ...count, dimensions: [dimension] } } })).status).toBe(200);
    expect(await properties()).toHaveLength(3);
  });

  it('is the model of a client that queries this server', async () => {
    const url = `${served().server.url}/cubejs-api/v1`;
    const client = await open({ workspace: folder.root, cube: { url, token: 'any' }, env: {} });
    onTestFinished(() => client.close());
    const local = await served().sluice.query('count, sum(price) by plan', { fill: 'none' });
    expect((await client.query('count, sum(price) by plan', { fill: 'none' })).rows()).toEqual(local.rows());
  });
});

describe("a server of several projects' events", () => {
  const served = servedOnce(
    { 'events.ndjson': projectEvents, 'sluice.yaml': 'usage: {groups: [{name: acme, projects: [7]}]}\n' },
    { open: { events: 'events.ndjson' } },
  );
  const counted = async (project: string) => {
    const { status, body } = await served().ask(load(project), { body: { query: count } });
    return status === 200 ? rowsOf(body)[0]['TrackedEvents.count'] : [status, body.message];
  };

  it('selects a project by number and by path, including the number it assigns to a path', async () => {
    expect(await counted('42')).toBe('2');
    expect(await counted('acme%2Fshop')).toBe('3');
    const { body } = await served().ask('/api/v4/projects/acme%2Fshop');
    expect(body).toMatchObject({ id: expect.any(Number), name: 'shop', path_with_namespace: 'acme/shop' });
    expect(await counted(String(body.id))).toBe('3');
  });

  it('distinguishes an unknown project from one without events', async () => {
    expect(await counted('43')).toEqual([404, '404 Project Not Found']);
    expect(await counted('acme/shop')).toEqual([404, '404 Not Found']);
    expect((await served().ask('/api/v4/projects/7')).body).toMatchObject({ id: 7 });
    expect(await counted('7')).toEqual([404, '404 Clickhouse Database Not Found']);
    expect(await counted("42' OR 1=1 --")).toEqual([404, '404 Project Not Found']);
  });

  it("queries all of them in Cube's form", async () => {
    expect((await served().ask(cube, { body: { query: count } })).body.data).toEqual([{ 'TrackedEvents.count': '6' }]);
  });
});

describe('a server with a token', () => {
  const token = 'correct-horse-battery';
  const served = servedOnce({ 'events.ndjson': fewEvents }, { token, host: '0.0.0.0' });
  const path = '/api/v4/projects/1';
  const statusOf = async (headers: Record<string, string>, address: string) => {
    const { status, body } = await served().ask(address.replace('0.0.0.0', '127.0.0.1'), { headers });
    return [status, status === 200 ? undefined : body];
  };

  it("accepts it as the platform's clients send it", async () => {
    const refused = [401, { message: '401 Unauthorized' }];
    expect(await statusOf({ 'private-token': token }, path)).toEqual([200, undefined]);
    expect(await statusOf({ authorization: `Bearer ${token}` }, path)).toEqual([200, undefined]);
    expect(await statusOf({}, path)).toEqual(refused);
    expect(await statusOf({ 'private-token': `${token}x` }, path)).toEqual(refused);
    expect(await statusOf({ 'private-token': '' }, path)).toEqual(refused);
    expect(await statusOf({ authorization: token }, path)).toEqual(refused);
    expect(await statusOf({}, '/api/v4/nope')).toEqual(refused);
    expect(await statusOf({ 'private-token': token }, `${path}?private_token=${token}`)).toEqual([
      401,
      { message: expect.stringContaining('PRIVATE-TOKEN') },
    ]);
  });

  it("accepts it as Cube's clients send it", async () => {
    const meta = '/cubejs-api/v1/meta';
    expect(await statusOf({ authorization: token }, meta)).toEqual([200, undefined]);
    expect(await statusOf({ authorization: `Bearer ${token}` }, meta)).toEqual([200, undefined]);
    expect(await statusOf({}, meta)).toEqual([403, { error: "Authorization header isn't set" }]);
    expect(await statusOf({ authorization: 'Bearer x' }, meta)).toEqual([403, { error: 'Invalid token' }]);
    expect(await statusOf({}, '/readyz')).toEqual([200, undefined]);
  });
});

describe('a server with an allowed origin', () => {
  const origin = 'http://localhost:5173';
  const served = servedOnce({ 'events.ndjson': fewEvents }, { cors: [origin] });

  it('allows only that page', async () => {
    const { ask } = served();
    const asked = await ask('/cubejs-api/v1/meta', { headers: { origin } });
    expect([asked.status, asked.headers.get('access-control-allow-origin'), asked.headers.get('vary')]).toEqual([
      200,
      origin,
      'Origin',
    ]);
    const before = await ask(cube, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(before.headers.get('access-control-allow-headers')).toContain('authorization');
    const wrong = await ask('/cubejs-api/v1/meta', { headers: { origin: 'http://localhost:5174' } });
    expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect((await ask('/cubejs-api/v1/meta')).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a server that makes clients wait', () => {
  const served = servedOnce({ 'events.ndjson': fewEvents }, { continueWait: 2 });

  it('answers the first polls of each different request with "Continue wait"', async () => {
    const { ask } = served();
    const poll = async (path: string, query: unknown) => (await ask(path, { body: { query } })).text.slice(0, 25);
    const waiting = '{"error":"Continue wait"}';
    expect([
      await poll(cube, count),
      await poll(cube, perDay),
      await poll(cube, count),
      await poll(load('1'), count),
    ]).toEqual([waiting, waiting, waiting, waiting]);
    expect(await poll(cube, count)).not.toBe(waiting);
    expect(await poll(cube, { measures: ['Nope.count'] })).not.toBe(waiting);
  });
});
