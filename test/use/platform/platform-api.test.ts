import { describe, expect, it, onTestFinished } from 'vitest';
import { open, platform } from '../../../src/use/index.ts';
import { byPath, openScriptedServer, type Script } from '../../run/http/scripted-server.ts';
import { token } from '../../run/http/open-test-http.ts';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const tagPath = '/api/v4/projects/acme%2Fshop/repository/tags';
const tag = { name: 'v1', message: null, target: 'abc' };

async function serve(script: Script) {
  const server = await openScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const pages: Script = ({ query }) => {
  const page = Number(query.get('page') ?? 1);
  return {
    json: [{ id: page, title: `M${page}` }],
    headers: page < 3 ? { link: `<?page=${page + 1}>; rel="next"` } : {},
  };
};

describe('platform()', () => {
  it('needs only an address and a token', async () => {
    const server = await serve(byPath({ [`POST ${tagPath}`]: { status: 201, json: tag } }));
    await using api = platform({ url: server.url, token, env: {}, workspace: folderOf().root });
    const name: string = (await api.tags.create({ id: 'acme/shop', tag_name: 'v1', ref: 'main' })).name;
    expect(name).toBe('v1');
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', json: { tag_name: 'v1', ref: 'main' } });
    expect(request!.headers['private-token']).toBe(token);
  });

  it('returns a list as its first page or as all pages, and sends nothing before it is read', async () => {
    const server = await serve(pages);
    await using api = platform({ url: server.url, token, env: {}, workspace: folderOf().root });
    const list = api.milestones.list({ id: 'acme/shop', state: 'active' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.requests).toHaveLength(0);
    expect(await list).toEqual([{ id: 1, title: 'M1' }]);
    const titles: (string | null | undefined)[] = [];
    for await (const { title } of list) titles.push(title);
    expect(titles).toEqual(['M1', 'M2', 'M3']);
    expect((await list.withResponse()).status).toBe(200);
  });

  it('sends calls other than lists at once', async () => {
    const server = await serve(() => ({ status: 204 }));
    await using api = platform({ url: server.url, token, env: {}, workspace: folderOf().root });
    const deleting = api.tags.delete({ id: 1, tag_name: 'v1' });
    await expect.poll(() => server.requests.length).toBe(1);
    expect(await deleting).toBeNull();
  });

  it('reports unknown operations and wrong options', async () => {
    const loose = platform({
      url: 'http://127.0.0.1:9',
      token,
      env: {},
      workspace: folderOf().root,
    }) as never as Readonly<Record<string, Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>>>;
    await expect(loose['milestone']!['list']!()).rejects.toMatchObject({ hint: expect.stringContaining('milestones') });
    await expect(loose['tags']!['crate']!()).rejects.toMatchObject({ hint: expect.stringContaining('create') });
    await expect(loose['tags']!['list']!({ id: 1 }, { singal: 1 })).rejects.toThrow('Unknown key');
    await expect(loose['tags']!['get']!({ id: 1 })).rejects.toThrow('tag_name');
  });

  it('reports missing settings with the first call', async () => {
    const root = folderOf().root;
    await expect(platform({ env: {}, workspace: root }).tags.list({ id: 1 })).rejects.toMatchObject({
      code: 'platform-not-configured',
    });
    await expect(
      platform({ url: 'https://code.example.org', env: {}, workspace: root }).tags.list({ id: 1 }),
    ).rejects.toMatchObject({ code: 'token-missing' });
  });

  it('aborts calls when closed, and accepts none afterwards', async () => {
    const server = await serve(() => ({ trick: { kind: 'silence' } }));
    const api = platform({ url: server.url, token, env: {}, workspace: folderOf().root });
    const asking = api.tags.get({ id: 1, tag_name: 'v' });
    await expect.poll(() => server.requests.length).toBe(1);
    await Promise.all([expect(asking).rejects.toMatchObject({ code: 'aborted' }), api.close()]);
    await expect(api.tags.get({ id: 1, tag_name: 'v' })).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('the platform of an opened workspace', () => {
  it('comes from its settings, along with local events', async () => {
    const server = await serve(pages);
    const folder = folderOf({ 'events.ndjson': fewEvents });
    await using s = await open({
      workspace: folder.root,
      env: {},
      events: 'events.ndjson',
      backend: 'embedded',
      platform: { url: server.url, token },
    });
    expect((await s.query('count')).rows()).toEqual([{ 'TrackedEvents.count': 5 }]);
    const ids: number[] = [];
    for await (const { id } of s.platform.milestones.list({ id: 7 })) ids.push(id);
    expect(ids).toEqual([1, 2, 3]);
    await s.close();
    await expect(s.platform.milestones.list({ id: 7 })).rejects.toMatchObject({ code: 'closed' });
  });
});
