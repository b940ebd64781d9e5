import { afterEach, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../src/run/http/http-client.ts';
import { get, openTestHttp, token } from './open-test-http.ts';
import { loopbackCertificate, loopbackKey } from './loopback-certificate.ts';
import { type Reply, type ScriptedServer, byPath, openScriptedServer } from './scripted-server.ts';

const open = new Set<AsyncDisposable>();
afterEach(async () => {
  for (const each of open) await each[Symbol.asyncDispose]();
  open.clear();
});

async function serve(
  replies: Record<string, Reply> = {},
  options?: Parameters<typeof openScriptedServer>[1],
): Promise<ScriptedServer> {
  const server = await openScriptedServer(byPath(replies), options);
  open.add(server);
  return server;
}

function ask(server: ScriptedServer, request: Partial<HttpRequest> = {}, ca?: string) {
  const http = openTestHttp(server.url, { ca });
  open.add(http);
  return http.request({ ...get, path: '/a', ...request });
}

const to = (status: number, location: string): Reply => ({ status, headers: { location } });
const problem = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a redirect', () => {
  it.each([301, 302, 307, 308])('of %i keeps method and body, and the token at the same origin', async (status) => {
    const server = await serve({ '/a': to(status, '/b?c=1'), '/b': { json: 1 } });
    const response = await ask(server, { method: 'POST', json: { a: 1 }, safe: false });
    expect([response.url, response.href, response.status, response.strayed]).toEqual([
      `${server.url}/b`,
      `${server.url}/b?c=1`,
      200,
      false,
    ]);
    expect(
      server.requests.map(({ method, target, body, headers }) => [method, target, body, headers['private-token']]),
    ).toEqual([
      ['POST', '/a', '{"a":1}', token],
      ['POST', '/b?c=1', '{"a":1}', token],
    ]);
  });

  it.each([
    ['POST', 'GET'],
    ['PUT', 'GET'],
    ['HEAD', 'HEAD'],
  ])('of 303 after %s fetches the result by %s', async (method, next) => {
    const server = await serve({ '/a': to(303, '/b'), '/b': {} });
    await ask(server, { method, json: method === 'HEAD' ? undefined : 1 });
    expect(server.requests[1]).toMatchObject({ method: next, body: '' });
  });

  it.each([
    ['b', '/x/b'],
    ['../b', '/b'],
    ['?c', '/x/a?c'],
    ['/b#d', '/b'],
    ['  /b ', '/b'],
  ])('to %j is understood from where it stands', async (location, target) => {
    const server = await serve({
      '/x/a': to(301, location),
      [target.split('?')[0]!]: {},
      ...(target.startsWith('/x/a') ? { '/x/a': to(301, location) } : {}),
    });
    let count = 0;
    server.answer(() => ((count += 1) === 1 ? to(301, location) : {}));
    await ask(server, { path: '/x/a' });
    expect(server.requests[1]!.target).toBe(target);
  });

  it('is followed five times, not six', async () => {
    const chain = (length: number) =>
      serve({
        ...Object.fromEntries(
          Array.from({ length }, (_, index) => [index === 0 ? '/a' : `/${index}`, to(302, `/${index + 1}`)]),
        ),
        [`/${length}`]: { text: 'there' },
      });
    expect(await (await ask(await chain(5))).text()).toBe('there');
    expect(await problem(ask(await chain(6)))).toMatchObject({ name: 'HttpError', code: 'too-many-redirects' });
  });

  it('in a circle is noticed', async () => {
    const server = await serve({ '/a': to(302, '/b'), '/b': to(302, '/a') });
    expect(await problem(ask(server))).toMatchObject({ code: 'too-many-redirects' });
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, Reply]>([
    ['nowhere', { status: 302 }],
    ['nothing', to(302, ' ')],
    ['an invalid URL', to(302, 'http://[')],
    ['another scheme', to(302, 'file:///etc/passwd')],
    ['a script', to(302, 'javascript:alert(1)')],
    ['a user', to(302, 'http://u:p@127.0.0.1/')],
    ['a token parameter', to(302, '/b?private_token=x')],
    ['the token', to(302, `/b?x=${token}`)],
    ['the encoded token', to(302, `/b/${token.replace('.', '%2E')}`)],
  ])('to %s is an error', async (_, reply) => {
    const server = await serve({ '/a': reply });
    const error = await problem(ask(server));
    expect(error).toMatchObject({ name: 'HttpError', code: 'bad-redirect', status: 302 });
    expect(String(error)).not.toContain(token);
    expect(server.requests).toHaveLength(1);
  });

  it.each([300, 304, 305, 306])('%i is not followed', async (status) => {
    const server = await serve({ '/a': to(status, '/b') });
    expect((await ask(server)).status).toBe(status);
  });

  it('to another origin loses the token for good, even where it comes back', async () => {
    const home = await serve();
    const other = await serve({ '/b': to(307, `${home.url}/c`) });
    home.answer(byPath({ '/a': to(307, `${other.url}/b`), '/c': { json: 1 } }));
    const response = await ask(home, { headers: { 'x-mine': 'a' }, method: 'POST', json: { q: 1 } });
    expect(response.strayed).toBe(true);
    expect(other.requests).toMatchObject([{ method: 'POST', body: '{"q":1}' }]);
    expect(JSON.stringify([other.requests, home.requests[1]])).not.toContain(token);
    expect(JSON.stringify([other.requests, home.requests[1]])).not.toContain('x-mine');
    expect(home.requests[0]!.headers['private-token']).toBe(token);
  });

  it('to another origin gets no body that is to stay at home, also where it comes after others', async () => {
    const other = await serve({ '/b': { json: 1 } });
    const home = await serve({ '/a': to(308, '/b'), '/b': to(308, `${other.url}/b`) });
    expect(await problem(ask(home, { method: 'POST', body: 'mine', staysHome: true }))).toMatchObject({
      code: 'redirected-away',
      status: 308,
      message: `${home.url}/b redirects to another origin, ${other.url}, which must not receive this request.`,
    });
    expect([home.requests.map(({ body }) => body), other.requests]).toEqual([['mine', 'mine'], []]);
    home.answer(() => to(303, `${other.url}/b`));
    expect((await ask(home, { method: 'POST', body: 'mine', staysHome: true })).status).toBe(200);
    expect(other.requests).toMatchObject([{ method: 'GET', body: '' }]);
  });

  it.each([301, 302, 303, 307, 308])(
    'of %i to another origin ends a request for data, which goes there neither with its body nor without',
    async (status) => {
      const other = await serve({ '/b': { json: { data: [] } } });
      const home = await serve({ '/a': to(status, '/b'), '/b': to(status, `${other.url}/b`) });
      const error = await problem(ask(home, { method: 'POST', json: { filters: ['user-42'] }, isData: true }));
      expect(error).toMatchObject({
        code: 'redirected-away',
        status,
        message: expect.stringContaining(`${home.url}/b redirects to another origin, ${other.url},`),
      });
      expect(error).toMatchObject({
        hint: `If ${other.url} is the right server, configure its URL instead of ${home.url}.`,
      });
      expect(other.requests).toEqual([]);
      // On the original origin, it is followed.
      home.answer(byPath({ '/a': to(307, '/b'), '/b': { json: { data: [] } } }));
      expect((await ask(home, { method: 'POST', json: {}, isData: true })).status).toBe(200);
    },
  );

  it('to the same port under another name of the host is to another origin', async () => {
    const server = await serve();
    server.answer(byPath({ '/a': to(302, `http://localhost:${server.port}/b`), '/b': {} }));
    await ask(server);
    expect(server.requests[1]!.headers).not.toHaveProperty('private-token');
  });

  it('from https to http is refused, from http to https goes without the token', async () => {
    const plain = await serve({ '/b': {} });
    const secure = await serve(
      { '/a': to(302, `${plain.url}/b`), '/c': {} },
      { tls: { key: loopbackKey, cert: loopbackCertificate } },
    );
    expect(await problem(ask(secure, {}, loopbackCertificate))).toMatchObject({ code: 'bad-redirect' });
    expect(plain.requests).toEqual([]);
    plain.answer(byPath({ '/a': to(302, `${secure.url}/c`) }));
    expect((await ask(plain, {}, loopbackCertificate)).status).toBe(200);
    expect(secure.requests[1]!.headers).not.toHaveProperty('private-token');
  });
});
