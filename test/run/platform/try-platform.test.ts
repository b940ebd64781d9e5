import { expect, it } from 'vitest';
import { listGroupProjects } from '../../../src/run/platform/projects.ts';
import { tryPlatform } from '../../../src/run/platform/try-platform.ts';
import { byPath, type Reply, type Script } from '../http/scripted-server.ts';
import { answered, platformWorld } from '../load/remote.ts';

const request = '/api/v4/projects/42/product_analytics/request';
const user: Reply = { json: { id: 7, username: 'ann', name: 'Ann', bot: null } };
const project: Reply = { json: { id: 42, name: 'web', path_with_namespace: 'acme/web', archived: null } };
const well: Readonly<Record<string, Reply | Script>> = {
  'GET /api/v4/user': user,
  'GET /api/v4/projects/42': project,
  'GET /api/v4/projects/acme%2Fweb': project,
  [`POST ${request}/meta`]: { json: { cubes: [{ name: 'TrackedEvents' }, { name: 'Sessions' }] } },
  [`POST ${request}/load`]: answered([{ 'TrackedEvents.count': '0' }]),
};
const findings = async (changes: Readonly<Record<string, Reply>> = {}, name = '42') => {
  await using world = await platformWorld(byPath({ ...well, ...changes }), { project: name });
  const found = await tryPlatform(world.options);
  return { ...found, problems: found.problems.map(({ code }) => code) };
};
const everything = {
  user: { username: 'ann', name: 'Ann' },
  project: { id: 42, name: 'web', path: 'acme/web', archived: false },
  onboarded: true,
  cubes: ['TrackedEvents', 'Sessions'],
  problems: [],
};

it('finds out who asks, which project it is, and what can be asked', async () => {
  expect(await findings()).toEqual(everything);
  expect(await findings({}, 'acme/web')).toEqual(everything);
});

it('goes on past a token that may not say whose it is, and a platform that does not tell what can be asked', async () => {
  expect(await findings({ 'GET /api/v4/user': { status: 403, json: { error: 'insufficient_scope' } } })).toEqual({
    ...everything,
    user: undefined,
  });
  expect(await findings({ [`POST ${request}/meta`]: { status: 404, json: { error: '404 Not Found' } } })).toEqual({
    ...everything,
    cubes: undefined,
  });
});

it('stops at a bad token', async () => {
  expect(await findings({ 'GET /api/v4/user': { status: 401, json: { message: '401 Unauthorized' } } })).toEqual({
    problems: ['token-refused'],
  });
});

it('tells a project that is not there from one that has no analytics', async () => {
  const none: Reply = { status: 404, json: { message: '404 Project Not Found' } };
  expect(
    await findings({ 'GET /api/v4/projects/42': none, [`POST ${request}/meta`]: none, [`POST ${request}/load`]: none }),
  ).toMatchObject({ project: undefined, onboarded: undefined, problems: ['project-not-found'] });
  const off: Reply = { status: 404, json: { message: 'Product Analytics is not enabled' } };
  expect(await findings({ [`POST ${request}/meta`]: off, [`POST ${request}/load`]: off })).toMatchObject({
    project: everything.project,
    onboarded: false,
    problems: ['not-onboarded'],
  });
});

it('lists the projects of a group, page after page', async () => {
  const pages: Script = ({ query }) =>
    query.has('id_after')
      ? { json: [{ id: 7, name: 'docs', path_with_namespace: 'acme/docs', archived: true }] }
      : {
          json: [{ id: 42, name: 'web', path_with_namespace: 'acme/web', archived: null }],
          headers: { Link: `<${server.url}/api/v4/groups/acme%2Fsub/projects?id_after=42>; rel="next"` },
        };
  await using world = await platformWorld(
    byPath({ 'GET /api/v4/groups/acme%2Fsub/projects': (seen, index) => pages(seen, index) }),
  );
  const { server, options } = world;
  const projects = [];
  for await (const each of listGroupProjects(options.http, 'acme/sub')) projects.push(each);
  expect(projects).toEqual([
    { id: 42, name: 'web', path: 'acme/web', archived: false },
    { id: 7, name: 'docs', path: 'acme/docs', archived: true },
  ]);
});
