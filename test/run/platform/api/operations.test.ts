import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../../src/ask/platform/catalogue.ts';
import type { Resource } from '../../../../src/ask/platform/operation.ts';
import { openPlatformApi } from '../../../../src/run/platform/api/open-platform-api.ts';
import { openTestHttp } from '../../http/open-test-http.ts';
import { serviceOf } from './open-test-api.ts';
import { inTurn, openScriptedServer, type Reply } from '../../http/scripted-server.ts';
import { type Specimen, specimens } from './calls.ts';

type Calls = Readonly<Record<string, Readonly<Record<string, (given?: object) => PromiseLike<unknown>>>>>;

async function open(...replies: readonly Reply[]) {
  const server = await openScriptedServer(inTurn(...replies));
  const http = openTestHttp(server.url);
  const api = openPlatformApi(serviceOf(server.url, http));
  return {
    server,
    api,
    call: (name: string, given?: object) => {
      const [resource = '', operation = ''] = name.split('.');
      return (api as unknown as Calls)[resource]![operation]!(given);
    },
    [Symbol.asyncDispose]: async () => {
      await http[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Removes the random boundary. */
function withoutBoundary(body: string, type = ''): string {
  const boundary = /boundary=(.*)$/.exec(type)?.[1];
  return boundary === undefined ? body : body.replaceAll(boundary, 'B').replaceAll('----B', '--B');
}

describe('every operation', () => {
  it('has a specimen, unless it answers with a file', () => {
    const known = Object.entries(catalogue as Readonly<Record<string, Resource>>).flatMap(([resource, operations]) =>
      Object.entries(operations).flatMap(([name, { download }]) => (download ? [] : [`${resource}.${name}`])),
    );
    expect(specimens.map(({ call }) => call).sort()).toEqual(known.sort());
  });

  it.each(specimens)('$call is sent to the byte', async (specimen: Specimen) => {
    const { call, given, sends, body = '', status = 200, reply } = specimen;
    await using world = await open({ status, ...(reply !== undefined && { json: reply }) });
    const data = await world.call(call, given);
    expect(data).toEqual('gives' in specimen ? specimen.gives : reply);
    const [request] = world.server.requests;
    expect(`${request!.method} ${request!.target.replace(/^\/api\/v4/, '')}`).toBe(sends);
    expect(withoutBoundary(request!.body, request!.headers['content-type'])).toBe(body);
    if (body !== '') expect(Number(request!.headers['content-length'])).toBe(Buffer.byteLength(request!.body));
    expect(world.server.requests).toHaveLength(1);
  });
});

describe('a list', () => {
  it('is its first page if awaited, and all pages if iterated', async () => {
    await using world = await open();
    const page = (n: number, more: boolean): Reply => ({
      json: [{ id: n }],
      headers: more ? { link: `<${world.server.url}/api/v4/projects/1/milestones?page=${n + 1}>; rel="next"` } : {},
    });
    world.server.answer(({ query }) => page(Number(query.get('page') ?? 1), Number(query.get('page') ?? 1) < 3));
    const list = world.api.milestones.list({ id: 1, state: 'active' });
    expect(world.server.requests).toHaveLength(0);
    expect((await list).map(({ id }) => id)).toEqual([1]);
    const ids: number[] = [];
    for await (const { id } of list) ids.push(id);
    expect(ids).toEqual([1, 2, 3]);
    expect((await list.withResponse()).status).toBe(200);
  });
});

describe('a result', () => {
  it('has its status and headers', async () => {
    await using world = await open({ status: 202, json: { message: 'ok' }, headers: { 'x-request-id': 'r1' } });
    const response = await world.api.exports.start({ id: 1 }).withResponse();
    expect(response).toMatchObject({ status: 202, data: { message: 'ok' }, failures: [] });
    expect(response.headers.get('X-Request-Id')).toBe('r1');
  });

  it('is null of a tag that is not signed, and false of booleans that are null', async () => {
    await using world = await open(
      { status: 404, json: { message: '404 Signature Not Found' } },
      { json: { id: 1, expired: null } },
    );
    expect(await world.api.tags.signature({ id: 1, tag_name: 'v1' })).toBeNull();
    expect((await world.api.milestones.get({ id: 1, milestone_id: 1 })).expired).toBe(false);
  });

  it('is taken from where a path has moved to', async () => {
    await using world = await open(
      { status: 301, headers: { location: '/api/v4/projects/9/milestones' } },
      { status: 201, json: { id: 1 } },
    );
    await world.api.milestones.create({ id: 'old/path', title: 't' });
    expect(world.server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/api/v4/projects/old%2Fpath/milestones', '{"title":"t"}'],
      ['POST', '/api/v4/projects/9/milestones', '{"title":"t"}'],
    ]);
  });

  it('of the wrong type is an error', async () => {
    await using world = await open({ json: { id: 'one' } });
    await expect(world.api.milestones.get({ id: 1, milestone_id: 1 })).rejects.toMatchObject({ code: 'bad-response' });
  });
});

describe('a success with failure inside', () => {
  it('names each that was not invited', async () => {
    const json = { status: 'error', message: { 'a@example.org': 'Already invited', 'b@example.org': 'Bad address' } };
    await using world = await open({ status: 201, json });
    const given = { id: 1, email: 'a@example.org,b@example.org', access_level: 30 } as const;
    await expect(world.api.groupInvitations.create(given)).rejects.toMatchObject({
      code: 'partly-failed',
      kind: 'partial',
      failures: ['a@example.org: Already invited', 'b@example.org: Bad address'],
    });
    expect((await world.api.groupInvitations.create(given).withResponse()).failures).toHaveLength(2);
  });

  it('names each relation that was not imported', async () => {
    const failed = {
      id: 1,
      exception_class: 'E',
      exception_message: 'no',
      source: 'x',
      relation_name: 'issues',
      line_number: 0,
    };
    await using world = await open({ json: { import_status: 'finished', failed_relations: [failed] } });
    await expect(world.api.imports.status({ id: 1 })).rejects.toMatchObject({ failures: ['issues x 0 E no'] });
  });
});

describe('following', () => {
  const finished = { json: { export_status: 'finished', id: 1 } };
  const state = (export_status: string): Reply => ({ json: { export_status, id: 1 } });

  it('asks for the state of an export until it is finished', async () => {
    await using world = await open(
      { status: 202, json: { message: 'ok' } },
      state('none'),
      state('queued'),
      state('started'),
      state('regeneration_in_progress'),
      finished,
    );
    const states: string[] = [];
    const options = { follow: true, onState: (each: string) => void states.push(each) };
    expect(await world.api.exports.start({ id: 'acme/shop' }, options)).toEqual(finished.json);
    expect(states).toEqual(['none', 'queued', 'started', 'regeneration_in_progress', 'finished']);
    expect(world.server.requests.map(({ method }) => method).join(' ')).toBe('POST GET GET GET GET GET');
    expect(new Set(world.server.requests.map(({ path }) => path)).size).toBe(1);
  });

  it('asks about the project that an import makes, and names what failed in it', async () => {
    const failed_relations = [{ relation_name: 'issues', exception_message: 'bad' }];
    await using world = await open(
      { status: 201, json: { id: 77, import_status: 'scheduled' } },
      { json: { id: 77, import_status: 'started' } },
      { json: { id: 77, import_status: 'finished', failed_relations } },
    );
    const given = { url: 'https://store.example.org/a?sig=1', path: 'shop' };
    await expect(world.api.imports.createRemote(given, { follow: true })).rejects.toMatchObject({
      code: 'partly-failed',
      failures: ['issues bad'],
    });
    expect(world.server.requests[1]!.path).toBe('/api/v4/projects/77/import');
  });

  it('finds the import of items that it started among all of them, page after page', async () => {
    const item = (id: number, status: string) => ({ id, project_path: 'acme/shop', relation: 'issues', status });
    await using world = await open();
    const page: Reply = {
      json: [item(8, 'failed')],
      headers: { Link: `<${world.server.url}/api/v4/projects/acme%2Fshop/relation-imports?page=2>; rel="next"` },
    };
    world.server.answer(
      inTurn(
        { status: 201, json: item(9, 'created') },
        { json: [item(8, 'failed')] },
        page,
        { json: [item(9, 'started')] },
        { json: [item(9, 'finished'), item(8, 'failed')] },
      ),
    );
    const file = {
      name: 'a.tar.gz',
      bytes: 1,
      open: async function* () {
        yield new Uint8Array([1]);
      },
    };
    const given = { path: 'acme/shop', relation: 'issues' as const, file };
    const states: string[] = [];
    const options = { follow: true, onState: (each: string) => void states.push(each) };
    expect(await world.api.imports.createRelation(given, options)).toMatchObject({ id: 9, status: 'finished' });
    expect(states).toEqual(['none', 'started', 'finished']);
    expect(world.server.requests.slice(1).map(({ path }) => path)).toEqual(
      Array.from({ length: 4 }, () => '/api/v4/projects/acme%2Fshop/relation-imports'),
    );
    world.server.answer(({ method }) =>
      method === 'POST' ? { status: 201, json: item(9, 'created') } : { json: [item(9, 'failed')] },
    );
    await expect(world.api.imports.createRelation(given, options)).rejects.toMatchObject({
      code: 'partly-failed',
      failures: ['issues'],
    });
  });

  it.each(['canceled', 'none', 'something_new'])('ends with an error at %s', async (import_status) => {
    await using world = await open({ json: { import_status } });
    await expect(world.api.imports.status({ id: 1 }, { follow: true })).rejects.toMatchObject({ code: 'not-finished' });
    expect(world.server.requests).toHaveLength(1);
  });

  it('gives up on what was started if nothing is known of it', async () => {
    await using world = await open({ status: 202, json: {} }, state('none'));
    await expect(world.api.exports.start({ id: 1 }, { follow: true })).rejects.toMatchObject({ code: 'not-finished' });
    expect(world.server.requests).toHaveLength(4);
  });
});

describe('a refusal', () => {
  it.each<[number, string]>([
    [400, 'request-refused'],
    [401, 'token-refused'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [405, 'request-refused'],
    [409, 'conflict'],
    [412, 'precondition-failed'],
    [414, 'address-too-long'],
    [422, 'request-refused'],
  ])('of status %i is an error %s', async (status, code) => {
    await using world = await open({ status, json: { message: 'Because' } });
    await expect(world.api.tags.create({ id: 1, tag_name: 'v', ref: 'main' })).rejects.toMatchObject({
      code,
      status,
      message: expect.stringContaining('Because'),
    });
  });

  it.each([200, 400])('of a cherry-pick has its error code (status %i)', async (status) => {
    await using world = await open({ status, json: { message: 'Sorry', error_code: 'conflict' } });
    await expect(world.api.commits.cherryPick({ id: 1, sha: 'a', branch: 'b', dry_run: true })).rejects.toMatchObject({
      code: 'conflict',
      errorCode: 'conflict',
    });
  });

  it('says which role the operation requires', async () => {
    await using world = await open({ status: 403, json: {} });
    await expect(world.api.pages.get({ id: 1 })).rejects.toMatchObject({ hint: expect.stringContaining('Maintainer') });
  });

  it('does not repeat a secret of the request', async () => {
    await using world = await open({ status: 400, json: { message: { value: ['hunter2-is-bad cannot be masked'] } } });
    const error: unknown = await world.api.variables
      .create({ id: 1, key: 'K', value: 'hunter2-is-bad' })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining('… cannot be masked') });
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });
});

describe('a retry', () => {
  it.each<[string, object, number]>([
    ['milestones.create', { id: 1, title: 't' }, 1],
    ['protectedBranches.update', { id: 1, name: 'main' }, 1],
    ['labels.subscribe', { id: 1, label_id: 1 }, 2],
    ['labels.update', { id: 1, label_id: 1, color: 'red' }, 2],
  ])('of %s after a 503 and after a lost connection', async (name, given, times) => {
    for (const first of [{ status: 503 }, { trick: { kind: 'reset' } }] satisfies Reply[]) {
      await using world = await open(first, { status: 201, json: { id: 1, name: 'x', title: 't' } });
      await Promise.resolve(world.call(name, given)).catch(() => undefined);
      expect(world.server.requests).toHaveLength(times);
    }
  });

  it('is not made for the rate limit of another host', async () => {
    await using world = await open({ status: 429, json: { message: 'Rate limit exceeded' } }, { status: 202 });
    await expect(world.api.externalImports.gists({ personal_access_token: 'abc' })).rejects.toMatchObject({
      code: 'rate-limited',
    });
    expect(world.server.requests).toHaveLength(1);
  });

  it('says that an earlier try may have been carried out', async () => {
    await using world = await open({ status: 503 }, { status: 404 });
    await expect(world.api.tags.delete({ id: 1, tag_name: 'v1' })).rejects.toMatchObject({
      hint: expect.stringContaining('earlier try'),
    });
  });
});

describe('an upload', () => {
  const file = (bytes: number, given: number) => ({
    name: 'a.tar.gz',
    bytes,
    open: async function* () {
      yield Buffer.alloc(given, 97);
    },
  });

  it('is not sent twice after a failure', async () => {
    await using world = await open({ status: 503 }, { status: 201, json: { import_status: 'scheduled' } });
    await expect(world.api.imports.create({ file: file(5, 5), path: 'p' })).rejects.toMatchObject({ status: 503 });
    expect(world.server.requests).toHaveLength(1);
  });

  it.each([4, 6])('of a file that changes meanwhile is an error (%i of 5 bytes)', async (given) => {
    await using world = await open({ status: 201, json: { import_status: 'scheduled' } });
    await expect(world.api.imports.create({ file: file(5, given), path: 'p' })).rejects.toMatchObject({
      code: 'file-changed',
    });
  });

  it('of a file that does not exist sends nothing', async () => {
    await using world = await open();
    await expect(world.api.imports.create({ file: '/no/such/file', path: 'p' })).rejects.toMatchObject({
      code: 'file-unreadable',
    });
    expect(world.server.requests).toHaveLength(0);
  });
});
