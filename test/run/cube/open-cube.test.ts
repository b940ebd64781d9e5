import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Query } from '../../../src/ask/query/query.ts';
import { signToken, toCubeCredential } from '../../../src/run/cube/cube-credential.ts';
import { tryCube } from '../../../src/run/cube/open-cube.ts';
import { exitCodeOf } from '../../../src/use/process/report-error.ts';
import { byPath, inTurn, type Reply } from '../http/scripted-server.ts';
import { answered, count, cubeWorld, failureOf, remotePlan, rowsOf } from '../load/remote.ts';

const one = answered([{ 'TrackedEvents.count': '335' }]);
const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as unknown;

describe('a question to a Cube deployment', () => {
  it('is the load body, posted, with the token as it is', async () => {
    await using world = await cubeWorld(one);
    expect(await rowsOf(world.backend, remotePlan(count))).toEqual([[335]]);
    expect(world.server.requests[0]).toMatchObject({
      method: 'POST',
      target: '/load',
      json: { queryType: 'multi', query: { measures: ['TrackedEvents.count'], timezone: 'UTC' } },
      headers: { authorization: 'header.payload.signature' },
    });
    expect(world.server.requests[0]?.body).not.toContain('renewQuery');
  });

  it('takes an answer that stands bare, and numbers that are numbers', async () => {
    await using world = await cubeWorld({ json: { data: [{ 'TrackedEvents.count': 335 }], annotation: {} } });
    expect(await rowsOf(world.backend, remotePlan(count))).toEqual([[335]]);
  });

  it('reads numbers that JSON would bend from the text', async () => {
    await using world = await cubeWorld({ text: '{"results":[{"data":[{"TrackedEvents.count":9007199254740993}]}]}' });
    expect(await rowsOf(world.backend, remotePlan(count))).toEqual([[9007199254740993n]]);
  });

  it('is asked again while the server is still at work', async () => {
    await using world = await cubeWorld(inTurn({ json: { error: 'Continue wait' } }, one));
    expect(await rowsOf(world.backend, remotePlan(count))).toEqual([[335]]);
  });

  it('is about the project that is configured, where the model tells projects apart', async () => {
    await using world = await cubeWorld(one);
    await rowsOf(world.backend, remotePlan(count, { project: '42' }));
    expect(world.server.requests[0]?.json).toMatchObject({
      query: { filters: [{ member: 'TrackedEvents.projectId', operator: 'equals', values: ['42'] }] },
    });
  });

  it('asks for what can be asked by GET', async () => {
    await using world = await cubeWorld(byPath({ 'GET /meta': { json: { cubes: [{ name: 'Orders' }] } } }));
    expect(await tryCube(world.options)).toEqual({ cubes: ['Orders'], problems: [] });
  });

  it('takes no row that lacks a column: Cube fills no days', async () => {
    const days: Query = {
      ...count,
      dimensions: ['TrackedEvents.docPath'],
      timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' }],
      filters: [{ member: 'TrackedEvents.utcTime', operator: 'inDateRange', values: ['2024-03-08', '2024-03-09'] }],
    };
    await using world = await cubeWorld(
      answered([{ 'TrackedEvents.utcTime.day': '2024-03-08T00:00:00.000', 'TrackedEvents.count': '0' }]),
    );
    expect(await failureOf(world.backend.run(remotePlan(days)))).toMatchObject({ code: 'answer-unreadable' });
  });
});

const refusals: Readonly<Record<string, readonly [reply: Reply, code: string, exit: number, told: RegExp]>> = {
  'no token': [
    { status: 403, json: { error: "Authorization header isn't set" } },
    'token-missing',
    3,
    /SLUICE_CUBE_TOKEN/,
  ],
  'a bad token': [{ status: 403, json: { error: 'Invalid token' } }, 'token-refused', 3, /expired/],
  'no access': [{ status: 403, json: { error: 'Forbidden' } }, 'forbidden', 3, /Forbidden/],
  'an unknown member': [
    { status: 400, json: { type: 'UserError', error: "'nope' not found for path 'TrackedEvents.nope'" } },
    'query-refused',
    2,
    /'nope' not found/,
  ],
  'an invalid query': [
    { status: 400, json: { error: 'Invalid query format: "filters[0]" does not match any of the allowed types' } },
    'query-refused',
    2,
    /Invalid query format/,
  ],
  'too many rows': [
    { status: 500, json: { error: 'Error: The query limit has been exceeded.' } },
    'limit-too-high',
    2,
    /sluice export/,
  ],
  'another fault': [{ status: 500, json: { error: 'Error: spawn EBADF' } }, 'server-error', 4, /EBADF/],
  'another address': [
    { status: 404, text: '<!DOCTYPE html><pre>Cannot POST /load</pre>' },
    'endpoint-not-found',
    2,
    /cubejs-api\/v1/,
  ],
};

describe('a refusal of Cube', () => {
  it.each(Object.entries(refusals))('%s', async (_, [reply, code, exit, told]) => {
    await using world = await cubeWorld(reply);
    const error = await failureOf(world.backend.run(remotePlan(count)));
    expect(error.code).toBe(code);
    expect(`${error.message} ${error.hint}`).toMatch(told);
    expect(exitCodeOf(error)).toBe(exit);
    expect((await tryCube(world.options)).problems).toHaveLength(1);
  });
});

describe('a token that is made from the secret', () => {
  const now = Date.UTC(2024, 2, 8, 12);

  it('is signed by it, and lives for an hour', () => {
    const [header, payload, signature] = signToken('secret', now).split('.');
    expect(decoded(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(decoded(payload)).toEqual({ iat: now / 1000 - 60, exp: now / 1000 + 3600 });
    expect(signature).toBe(createHmac('sha256', 'secret').update(`${header}.${payload}`).digest('base64url'));
  });

  it('is made anew before it runs out, and the secret itself is never sent', async () => {
    let at = now;
    const credential = toCubeCredential({ kind: 'secret', read: () => 'a-secret\n' }, () => at);
    const first = await credential.token();
    at += 29 * 60_000;
    expect(await credential.token()).toBe(first);
    at += 60_000;
    expect(await credential.token()).not.toBe(first);
    await using world = await cubeWorld(one, { credential });
    await rowsOf(world.backend, remotePlan(count));
    expect(JSON.stringify(world.server.requests)).not.toContain('a-secret');
    expect(world.server.requests[0]?.headers['authorization']).toMatch(/^eyJ/);
  });
});
