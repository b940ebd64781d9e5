import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { BodySieve } from '../../../src/run/http/body-sieve.ts';
import { listGroupProjects } from '../../../src/run/platform/projects.ts';
import { tryPlatform } from '../../../src/run/platform/try-platform.ts';
import { byPath, type Reply } from '../http/scripted-server.ts';
import {
  answered,
  count,
  cubeWorld,
  failureOf,
  platformWorld,
  remotePlan,
  type RemoteWorld,
  rowsOf,
  token,
} from './remote.ts';

const base64 = Buffer.from(`user:${token}`).toString('base64');
const spellings = [
  token,
  token.toUpperCase(),
  encodeURIComponent(token).replaceAll('-', '%2D'),
  [...token].map((character) => `&#${character.charCodeAt(0)};`).join(''),
  base64,
  `${token.slice(0, 9)}\n${token.slice(9)}`,
];
/** All output, as one text without what could hide a token. */
const shown = (...values: readonly unknown[]) =>
  values
    .map((value) => inspect(value, { depth: 12, showHidden: true, maxStringLength: null, breakLength: Infinity }))
    .join(' ')
    .toLowerCase();
const expectClean = (text: string) => {
  for (const spelling of spellings) expect(text).not.toContain(spelling.toLowerCase());
  expect(text.replaceAll(/\\n|\s|' \+\n/g, '')).not.toContain(token.toLowerCase());
  expect(text).not.toContain(base64.slice(8, -8).toLowerCase());
};

const path = 'TrackedEvents.docPath';
const rows = remotePlan({ measures: ['TrackedEvents.count'], dimensions: [path], order: [] });

describe('a token among the data of an answer', () => {
  const echoes: Readonly<Record<string, (echo: string) => Reply>> = {
    'in a value': (echo) => answered([{ [path]: `/a?key=${echo}`, 'TrackedEvents.count': '1' }]),
    'in a figure': (echo) => answered([{ [path]: '/a', 'TrackedEvents.count': echo }]),
    'in a key': (echo) => answered([{ [`TrackedEvents.${echo}`]: '/a', 'TrackedEvents.count': '1' }]),
    'in lastRefreshTime': (echo) => answered([{ [path]: '/a', 'TrackedEvents.count': '1' }], { lastRefreshTime: echo }),
    'beside the data': (echo) =>
      answered([{ [path]: '/a', 'TrackedEvents.count': '1' }], { requestHeaders: { 'private-token': echo } }),
    'as plain text': (echo) => ({ text: `Hello ${echo}` }),
    'in a title': (echo) => ({ text: `<html><title>Signed in with ${echo}</title>` }),
    'in an error of a success': (echo) => ({ json: { error: `no ${echo}` } }),
    'where it is cut off': (echo) => ({ text: `{"results":[{"data":[{"${path}":"${echo}` }),
  };
  it.each(Object.entries(echoes))('%s is an error that does not show it', async (_, reply) => {
    for (const echo of spellings) {
      await using world = await platformWorld(reply(echo));
      const failure = await failureOf(rowsOf(world.backend, rows));
      expect(failure.code).toBe('token-echoed');
      expect(failure.hint).toMatch(/^Revoke this token/);
      expectClean(shown(failure));
      expect(world.server.requests).toHaveLength(1);
    }
  });

  it.each(Object.entries(echoes))('%s is given on to no sieve', async (_, reply) => {
    for (const echo of spellings) {
      await using world = await platformWorld(reply(echo));
      const taken: Uint8Array[] = [];
      const sieve: BodySieve = {
        begin: async () => undefined,
        take: (piece) => void taken.push(Uint8Array.from(piece)),
        end: async () => Buffer.concat(taken),
      };
      const failure = await failureOf(world.backend.siftRows(rows, sieve));
      expect(failure.code).toBe('token-echoed');
      expectClean(shown(failure, Buffer.concat(taken).toString()));
    }
  });

  it('is one of Cube, too', async () => {
    await using world = await cubeWorld(answered([{ 'TrackedEvents.count': 'HEADER.payload.signature' }]));
    expect(await failureOf(rowsOf(world.backend, remotePlan(count)))).toMatchObject({ code: 'token-echoed' });
  });
});

describe('a token in what a server says', () => {
  it.each(spellings)('of a failure is not shown: %s', async (echo) => {
    const bodies: readonly Reply[] = [
      { text: `no ${echo}` },
      { text: `<title>${echo}</title>` },
      { json: { message: { name: [`is ${echo}`] } } },
      { json: { error: echo, error_description: echo } },
      { json: { message: token.slice(0, 8), error: token.slice(8) } },
      { json: { error: 'insufficient_scope', scope: echo } },
      { json: { message: '', needs_captcha_response: true, captcha_site_key: echo, spam_log_id: echo } },
    ];
    for (const body of bodies) {
      for (const status of [400, 401, 403, 404, 422, 500]) {
        await using world = await platformWorld({ ...body, status });
        const failure = await failureOf(rowsOf(world.backend, rows));
        expectClean(shown(failure));
      }
    }
  });

  it.each(spellings)('of itself, its users and projects is blotted out: %s', async (echo) => {
    const project = { id: 42, name: `web ${echo}`, path_with_namespace: `a/${echo}` };
    const model = {
      cubes: [
        {
          name: 'TrackedEvents',
          title: echo,
          measures: [{ name: 'TrackedEvents.count', title: echo, aggType: 'count' }],
          dimensions: [{ name: 'TrackedEvents.derivedTstamp', description: echo, type: 'time' }],
        },
      ],
    };
    const found = async (world: RemoteWorld) => {
      const projects = [];
      for await (const each of listGroupProjects(world.options.http, 'acme')) projects.push(each);
      return [await tryPlatform(world.options), await world.backend.describe(), projects] as const;
    };
    await using world = await platformWorld(
      byPath({
        '/api/v4/user': { json: { id: 1, username: echo, name: echo } },
        '/api/v4/projects/42': { json: project },
        '/api/v4/groups/acme/projects': { json: [project] },
        'POST /api/v4/projects/42/product_analytics/request/meta': { json: model },
        'POST /api/v4/projects/42/product_analytics/request/load': answered([{ 'TrackedEvents.count': '1' }]),
      }),
    );
    const all = await found(world);
    expectClean(shown(all));
    expect(all[0]).toMatchObject({
      user: { name: expect.stringContaining('[redacted]') as string },
      project: { id: 42, name: expect.stringMatching(/^web .*\[redacted\]/) as string },
      onboarded: true,
      cubes: ['TrackedEvents'],
      problems: [],
    });
    expect(all[2]).toHaveLength(1);
  });
});
