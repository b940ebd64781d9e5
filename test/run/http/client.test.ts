import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { toStatusError } from '../../../src/run/http/failure.ts';
import type { RetryNotice } from '../../../src/run/http/retry-notice.ts';
import type { HttpRequest } from '../../../src/run/http/http-client.ts';
import type { HttpOptions } from '../../../src/run/http/open-http.ts';
import { openFakeClock } from './fake-clock.ts';
import { loopbackCertificate, loopbackKey } from './loopback-certificate.ts';
import { get, openTestHttp, token } from './open-test-http.ts';
import { inTurn, openScriptedServer, type Reply, type Script, type ScriptedServer } from './scripted-server.ts';

const stack = new Set<AsyncDisposable>();
afterEach(async () => {
  for (const each of stack) await each[Symbol.asyncDispose]();
  stack.clear();
});

async function serve(
  script: Script | Reply,
  options?: Parameters<typeof openScriptedServer>[1],
): Promise<ScriptedServer> {
  const server = await openScriptedServer(typeof script === 'function' ? script : () => script, options);
  stack.add(server);
  return server;
}

function open(url: string, options: Partial<HttpOptions> = {}) {
  const http = openTestHttp(url, options);
  stack.add(http);
  return http;
}

const failing = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => error,
  );
const post: HttpRequest = { method: 'POST', path: '/api/v4/load', json: { query: { measures: ['a'] } }, safe: false };

describe('a request', () => {
  it('carries its credential in a header, its parameters in the query, its body as JSON', async () => {
    const server = await serve({ json: { ok: true } });
    for (const kind of ['private-token', 'bearer', 'raw'] as const) {
      const http = open(`${server.url}/gitlab/`, { credential: { kind, token: () => `${token}\n` } });
      await http.request({ ...post, query: { tz: '+02:00', ids: [1, 2] }, headers: { 'X-Request-Id': '7' } });
    }
    expect(server.requests.map(({ method, target, json }) => [method, target, json])).toEqual(
      Array(3).fill(['POST', '/gitlab/api/v4/load?tz=%2B02%3A00&ids[]=1&ids[]=2', { query: { measures: ['a'] } }]),
    );
    expect(server.requests.map(({ headers }) => [headers['private-token'], headers['authorization']])).toEqual([
      [token, undefined],
      [undefined, `Bearer ${token}`],
      [undefined, token],
    ]);
    expect(server.requests[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-request-id': '7',
    });
  });

  it('asks for its token anew for each try', async () => {
    const server = await serve(inTurn({ status: 503 }, {}));
    let number = 0;
    await open(server.url, {
      credential: { kind: 'bearer', token: async () => `token-number-${(number += 1)}` },
    }).request(get);
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-number-1',
      'Bearer token-number-2',
    ]);
  });

  it.each(['', '  ', 'a b', 'a\r\nX-Evil: 1', 'tökën'])(
    'is not sent with the token %j, which is not shown',
    async (bad) => {
      const server = await serve({});
      const error = await failing(open(server.url, { credential: { kind: 'bearer', token: () => bad } }).request(get));
      expect(error).toMatchObject({ name: 'ConfigError', code: 'bad-token' });
      if (bad.trim() !== '') expect(String(error)).not.toContain(bad);
      expect(server.requests).toEqual([]);
    },
  );

  it.each([
    'ftp://code.example.org',
    'code.example.org',
    '',
    'https://',
    `https://user:${token}@code.example.org`,
    `https://user@code.example.org`,
    `https://code.example.org?private_token=${token}`,
    'https://code.example.org/#a',
    'https://code.example.org?a=b',
  ])('has no base address %j', (url) => {
    let error: unknown;
    try {
      open(url);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ name: 'ConfigError', code: 'bad-address' });
    expect(String(error)).not.toContain(token);
  });

  it.each<[string, Partial<HttpRequest>]>([
    ['a token parameter', { query: { private_token: 'x' } }],
    ['another', { path: '/a?ACCESS_TOKEN=x' }],
    ['an encoded one', { path: '/a?private%5Ftoken=x' }],
    ['the token as any parameter', { query: { search: token } }],
    ['the token in the path', { path: `/api/${token}` }],
    ['a user', { path: new URL('http://u:p@127.0.0.1/') }],
    ['a way out of the base', { path: '/../../etc' }],
    ['an encoded way out', { path: '/%2e%2E/%2e%2e/etc' }],
    ['another scheme', { path: new URL('file:///etc/passwd') }],
  ])('is not sent with %s in its address', async (_, part) => {
    const server = await serve({});
    const error = await failing(open(`${server.url}/gitlab`).request({ ...get, ...part }));
    expect(error).toMatchObject({ name: 'HttpError', code: 'bad-address' });
    expect(server.requests).toEqual([]);
  });

  it('stays on its server whatever its path begins with', async () => {
    const server = await serve({});
    await open(server.url).request({ ...get, path: '//evil.example/a' });
    expect(server.requests[0]!.path).toBe('/evil.example/a');
  });

  it('goes to another origin without the token and without the headers of the caller', async () => {
    const [home, other] = [await serve({}), await serve({})];
    const response = await open(home.url).request({
      ...get,
      path: new URL(`${other.url}/a`),
      headers: { 'x-mine': '1' },
    });
    expect(response.strayed).toBe(true);
    expect(JSON.stringify(other.requests)).not.toContain(token);
    expect(other.requests[0]!.headers).not.toHaveProperty('x-mine');
  });
});

describe('a response', () => {
  const text = JSON.stringify({ data: 'é'.repeat(5000) });
  it.each<[string, Uint8Array]>([
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity', Buffer.from(text)],
  ])('is decoded from %s', async (encoding, bytes) => {
    const server = await serve({ bytes, headers: { 'content-encoding': encoding } });
    expect(await (await open(server.url).request(get)).text()).toBe(text);
  });

  it('has no body where there is nothing to decode', async () => {
    const server = await serve({ status: 204, headers: { 'content-encoding': 'gzip' } });
    expect(await (await open(server.url).request(get)).bytes()).toHaveLength(0);
  });

  it.each([
    ['lzma', Buffer.from('x')],
    ['gzip, gzip, gzip, gzip', Buffer.from('x')],
    ['constructor', Buffer.from('x')],
    ['gzip', Buffer.from('not gzip')],
    ['br', Buffer.from('not brotli')],
    ['zstd', Buffer.from('not zstd')],
  ])('in %s that cannot be decoded is an error', async (encoding, bytes) => {
    const server = await serve({ bytes, headers: { 'content-encoding': encoding } });
    expect(await failing(open(server.url).request(get))).toMatchObject({
      name: 'HttpError',
      code: 'bad-response',
      attempts: 1,
    });
  });

  it.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
  ])('whose %s stops halfway was cut off', async (encoding, bytes) => {
    const server = await serve({ bytes: bytes.subarray(0, -5), headers: { 'content-encoding': encoding } });
    expect(await failing(open(server.url).request(get))).toMatchObject({ code: 'response-cut-off', attempts: 5 });
  });

  it.each<[string, Reply]>([
    ['plain', { bytes: Buffer.alloc(1001) }],
    [
      'small until it is decoded',
      { bytes: gzipSync(Buffer.alloc(10_000_000)), headers: { 'content-encoding': 'gzip' } },
    ],
  ])('that is too large, %s, is an error', async (_, reply) => {
    const server = await serve(reply);
    const http = open(server.url);
    expect(await failing(http.request({ ...get, maxBytes: reply.bytes!.length > 1001 ? 20_000 : 1000 }))).toMatchObject(
      { code: 'body-too-large', attempts: 1 },
    );
  });

  it('is told to be too large in megabytes', async () => {
    const server = await serve({ bytes: Buffer.alloc(17 * 2 ** 20) });
    expect(await failing(open(server.url).request(get))).toMatchObject({
      code: 'body-too-large',
      message: expect.stringContaining('more than 16 MB'),
    });
  });

  it('of a failure counts by its status, however large it is', async () => {
    const server = await serve({
      status: 403,
      bytes: gzipSync(Buffer.alloc(30_000_000)),
      headers: { 'content-encoding': 'gzip' },
    });
    const response = await open(server.url).request(get);
    expect([response.status, await response.text()]).toEqual([403, '']);
  });

  it('that never ends is read as far as it may be, and its connection is closed', async () => {
    await using endless = await openEndlessServer();
    for (const status of [200, 401]) {
      const outcome = await open(endless.url(status))
        .request({ ...get, maxBytes: 2 ** 20 })
        .catch((error: unknown) => error);
      expect(outcome).toMatchObject(status === 200 ? { code: 'body-too-large', attempts: 1 } : { status });
      // The machine buffers more than that between the two.
      expect(await endless.sent()).toBeLessThan(50 * 2 ** 20);
    }
  });

  it.each<[string, Partial<HttpRequest>]>([
    ['kept', {}],
    ['data', { isData: true }],
    ['sifted', { sieve: { begin: async () => undefined, take: () => undefined, end: async () => new Uint8Array() } }],
  ])('that is a part of one is refused, where it is %s', async (_, more) => {
    const server = await serve({ status: 206, json: { data: [] }, headers: { 'content-range': 'bytes 0-10/400' } });
    expect(await failing(open(server.url).request({ ...get, ...more }))).toMatchObject({
      code: 'partial-response',
      attempts: 1,
    });
  });

  it('is as large as it may be', async () => {
    const server = await serve({ bytes: gzipSync(Buffer.alloc(1000)), headers: { 'content-encoding': 'gzip' } });
    expect(await (await open(server.url).request({ ...get, maxBytes: 1000 })).bytes()).toHaveLength(1000);
  });

  it('that is no JSON says what came instead', async () => {
    const server = await serve({
      bytes: Buffer.from('<html>\u001b[31mSign in\u202e'),
      headers: { 'content-type': 'text/html' },
    });
    const response = await open(server.url).request(get);
    const error = await failing(response.json());
    expect(error).toMatchObject({ code: 'not-json', status: 200 });
    expect((error as Error).message).toBe(
      `${server.url}/api/v4/list answered (200) with a response that is not JSON: text/html, "<html>␛[31mSign in<U+202E>".`,
    );
  });

  it('that is no JSON and echoes the token keeps no part of it in the cause', async () => {
    const server = await serve({ text: `{"a": ${token}` });
    const error = await failing((await open(server.url).request(get)).json());
    expect(error).toMatchObject({ code: 'not-json' });
    expect((error as Error).cause).toBeUndefined();
    expect(await failing((await open((await serve({ text: '{"a": x' })).url).request(get)).json())).toMatchObject({
      cause: { name: 'SyntaxError' },
    });
  });

  it('of a final 4xx or 5xx is a response, with the number of tries', async () => {
    const server = await serve({ status: 500, text: 'no' });
    const response = await open(server.url).request(get);
    expect([response.status, response.attempts, await response.text()]).toEqual([500, 5, 'no']);
  });
});

describe('an error of a status', () => {
  it.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [414, 'address-too-long'],
    [429, 'rate-limited'],
    [409, 'refused-by-server'],
    [503, 'server-error'],
  ])('%i is %s, with what the server said', async (status, code) => {
    const server = await serve({ status, text: `no \u001b[31m ${token}` });
    const error = await toStatusError(await open(server.url, { retryBudgetMs: 0 }).request(get));
    expect(error).toMatchObject({ code, status, url: `${server.url}/api/v4/list` });
    expect(error.message).toMatch(new RegExp(`\\(${status}\\): "no ␛\\[31m \\[redacted\\]"\\.$`));
    expect(error.retryable).toBe(status === 429 || status === 503);
  });

  it('tells that the request went without the token to another origin', async () => {
    const other = await serve({ status: 401 });
    const home = await serve({ status: 302, headers: { location: other.url } });
    expect((await toStatusError(await open(home.url).request(get))).hint).toContain(other.url);
  });
});

describe('a trace', () => {
  it('tells of tries, redirects and waits', async () => {
    const lines: string[] = [];
    const server = await serve(
      inTurn(
        { status: 301, headers: { location: '/b?secret=1' } },
        { status: 429, headers: { 'Retry-After': '2' } },
        { trick: { kind: 'hang-up' } },
        { text: 'good' },
      ),
    );
    await open(server.url, {
      trace: (line) => lines.push(line.replace(server.url, '').replace(/\d+ ms$/, '… ms')),
    }).request(get);
    expect(lines).toEqual([
      'GET /api/v4/list',
      '  301, 0 bytes, to /b, after … ms',
      'GET /b',
      '  429, 0 bytes, after … ms',
      '  again in 2.3 s, as the server says',
      'GET /api/v4/list (try 2)',
      '  closed the connection without an answer, after … ms',
      '  again in … ms',
      'GET /api/v4/list (try 3)',
      '  200, 4 bytes, after … ms',
    ]);
  });
});

describe('trouble', () => {
  it.each<[string, Reply]>([
    ['a 500', { status: 500 }],
    ['a 502', { status: 502 }],
    ['a 503', { status: 503 }],
    ['a 504', { status: 504 }],
    ['a reset', { trick: { kind: 'reset' } }],
    ['a hang-up', { trick: { kind: 'hang-up' } }],
    ['a body cut off', { text: 'a long text', trick: { kind: 'cut-off', after: 4 } }],
    ['a body reset', { text: 'a long text', trick: { kind: 'cut-off', after: 4, reset: true } }],
    [
      'a chunked body cut off',
      { text: 'a long text', headers: { 'transfer-encoding': 'chunked' }, trick: { kind: 'cut-off', after: 4 } },
    ],
    ['a 503 cut off', { status: 503, text: 'a long text', trick: { kind: 'cut-off', after: 4 } }],
  ])('%s is got over where the request may be repeated, and only there', async (_, trouble) => {
    const server = await serve(inTurn(trouble, { text: 'good' }));
    const http = open(server.url);
    const response = await http.request({ ...post, safe: true });
    expect([await response.text(), response.attempts]).toEqual(['good', 2]);
    expect(server.requests[1]!.body).toBe(server.requests[0]!.body);

    const strict = await serve(inTurn(trouble, { text: 'good' }));
    const outcome = await open(strict.url)
      .request(post)
      .catch((error: unknown) => error);
    expect(outcome).toMatchObject({ attempts: 1 });
    expect(strict.requests).toHaveLength(1);
  });

  it('of a server that says nothing is one try, however long that took', async () => {
    const clock = openFakeClock();
    const silence = (): Reply => {
      clock.advance(120_000);
      return { trick: { kind: 'silence' } };
    };
    const server = await serve((_, index) => (index === 0 ? silence() : { text: 'good' }));
    const response = await open(server.url, { clock, timeoutMs: 1_000 }).request(get);
    expect([await response.text(), response.attempts]).toEqual(['good', 2]);

    const silent = await serve(silence);
    expect(await failing(open(silent.url, { clock, timeoutMs: 300 }).request(get))).toMatchObject({
      code: 'timed-out',
      attempts: 2,
    });
    expect(silent.requests).toHaveLength(2);
    expect(await failing(open(silent.url, { clock, timeoutMs: 300, retryBudgetMs: 0 }).request(get))).toMatchObject({
      attempts: 1,
    });
  });

  it('of a server that closes a kept connection is got over', async () => {
    const server = await serve((_, index) => ({
      text: String(index),
      ...(index < 20 ? { trick: { kind: 'close-after' } } : {}),
    }));
    const http = open(server.url);
    for (let round = 0; round < 25; round += 1) expect((await http.request(get)).status).toBe(200);
  });

  it('of a refused connection is named, and tried again even where the request may not be repeated', async () => {
    const server = await openScriptedServer();
    await server[Symbol.asyncDispose]();
    const clock = openFakeClock();
    const error = await failing(open(server.url, { clock }).request(post));
    expect(error).toMatchObject({
      name: 'HttpError',
      code: 'unreachable',
      attempts: 12,
      message: `${server.url} refused the connection (12 tries in 60.0 s).`,
    });
    expect((error as Error).cause).toMatchObject({ code: 'ECONNREFUSED' });
    expect(clock.waits.slice(0, 6)).toEqual([250, 500, 1000, 2000, 4000, 8000]);
  });

  it('of a server that restarts within the stated time is got over, and not of one that is away for longer', async () => {
    for (const away of [10_000, 59_000, 61_000]) {
      const clock = openFakeClock();
      const began = clock.now();
      const server = await serve(() => (clock.now() - began < away ? { status: 503 } : { text: 'good' }));
      let seed = 7;
      const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
      const http = open(server.url, { clock, random });
      const { status, elapsedMs } = await http.request(get);
      expect([away, status]).toEqual([away, away < 60_000 ? 200 : 503]);
      expect(elapsedMs).toBeLessThanOrEqual(60_000);
      if (status === 503) expect(elapsedMs).toBe(60_000);
    }
  });

  it('is not repeated without end by a server that names no delay', async () => {
    const hasty = await serve({ status: 503, headers: { 'retry-after': '0' } });
    await open(hasty.url, { clock: openFakeClock(), random: () => 0 }).request(get);
    expect(hasty.requests.length).toBeLessThan(50);
  });

  it('of a name that is not known is named at once', async () => {
    expect(await failing(open('http://sluice.invalid').request(get))).toMatchObject({
      code: 'unreachable',
      attempts: expect.any(Number) as number,
      message: expect.stringMatching(
        /^http:\/\/sluice.invalid (?:is not a known host|could not be looked up)/,
      ) as string,
    });
  });

  it.each([
    ['not HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['a head without an end', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(40_000)}`],
  ])('of %s is named', async (_, text) => {
    const server = await serve({ trick: { kind: 'raw', text } });
    expect(await failing(open(server.url).request(get))).toMatchObject({ code: 'bad-response', attempts: 1 });
  });

  it('of a certificate is named, and is none with the certificate that signed it', async () => {
    const tls = { key: loopbackKey, cert: loopbackCertificate };
    const server = await serve({ text: 'good' }, { tls });
    expect(await failing(open(server.url).request(get))).toMatchObject({
      code: 'unreachable',
      attempts: 1,
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
    });
    expect(await (await open(server.url, { ca: loopbackCertificate }).request(get)).text()).toBe('good');
    expect(await failing(open(server.url, { ca: 'nonsense' }).request(get))).toMatchObject({
      name: 'ConfigError',
      code: 'bad-certificate',
    });
  });

  it('of a server without TLS is named', async () => {
    const server = await serve({});
    expect(await failing(open(server.url.replace('http:', 'https:')).request(get))).toMatchObject({
      code: 'unreachable',
      attempts: 1,
      message: expect.stringContaining('does not speak TLS') as string,
    });
  });

  it.each<[string, Reply]>([
    ['says nothing', { trick: { kind: 'silence' } }],
    ['stops in the middle', { text: 'a long text', trick: { kind: 'stall', after: 3 } }],
    ['drips', { text: 'x'.repeat(10_000), trick: { kind: 'drip', everyMs: 5 } }],
  ])('of a server that %s ends by a time-out', async (_, reply) => {
    const server = await serve(reply);
    const error = await failing(
      open(server.url, { timeoutMs: 150, bodyTimeoutMs: 150, retryBudgetMs: 0 }).request(get),
    );
    expect(error).toMatchObject({ code: 'timed-out', attempts: 1 });
  });
});

describe('a request that takes its time', () => {
  it('is told of while nothing comes, and before each further try', async () => {
    await using server = await openScriptedServer(() => ({ trick: { kind: 'silence' } }));
    const clock = openFakeClock('by-hand');
    const told: RetryNotice[] = [];
    await using http = openTestHttp(server.url, { clock, onHoldup: (holdup) => told.push(holdup) });
    const asking = http.request(get).catch((error: unknown) => (error as Error).name);
    await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(1);
    for (const [ms, heard] of [
      [1_499, 0],
      [1, 1],
      [29_999, 1],
      [1, 2],
    ] as const) {
      clock.advance(ms);
      await new Promise(setImmediate);
      expect(told).toHaveLength(heard);
    }
    expect(told[1]).toMatchObject({
      kind: 'silent',
      waitedMs: 31_500,
      text: expect.stringMatching(/^Still waiting for 127\.0\.0\.1:\d+ \(31\.5 s\)\.$/),
    });
    await http[Symbol.asyncDispose]();
    expect([await asking, clock.waiting]).toEqual(['AbortedError', 0]);
  });

  it.each([
    [503, ''],
    [500, ' or 5 tries'],
  ])('says what the trouble is (%i), when it is tried again, and for how long at most', async (status, tries) => {
    await using server = await openScriptedServer(inTurn({ status }, {}));
    const clock = openFakeClock('by-hand');
    const told: RetryNotice[] = [];
    await using http = openTestHttp(server.url, {
      clock,
      random: () => 0.5,
      retryBudgetMs: 20_000,
      onHoldup: (holdup) => told.push(holdup),
    });
    const asking = http.request(get);
    await expect.poll(() => told.length, { timeout: 30_000 }).toBe(1);
    expect(told[0]).toMatchObject({
      kind: 'again',
      waitedMs: 0,
      inMs: 250,
      text: expect.stringMatching(
        new RegExp(` has a problem \\(${status}\\): retrying in 250 ms, for at most 20\\.0 s${tries}\\.$`),
      ),
    });
    clock.advance(250);
    expect([(await asking).status, clock.waiting]).toEqual([200, 0]);
  });
});

describe('the waits', () => {
  it('are those that the server names, and the jitter', async () => {
    const clock = openFakeClock();
    const soon = new Date(clock.now() + 9_000).toUTCString();
    const server = await serve(
      inTurn(
        { status: 429, text: 'Retry later', headers: { 'Retry-After': '3' } },
        { status: 429, headers: { 'RateLimit-Remaining': '0', 'RateLimit-Reset': String(clock.now() / 1000 + 8) } },
        { status: 429, headers: { 'RateLimit-ResetTime': new Date(clock.now() + 12_000).toUTCString() } },
        { status: 503, headers: { 'Retry-After': soon } },
        { text: 'good' },
      ),
    );
    const response = await open(server.url, { clock, random: () => 0 }).request(get);
    expect(response.attempts).toBe(5);
    expect(clock.waits).toEqual([3000, 5000, 4000, 0]);
    expect(response.elapsedMs).toBe(12_000);
  });

  it('tell moments by the clock of the server', async () => {
    const clock = openFakeClock();
    const skewed = clock.now() + 3_600_000;
    const server = await serve(
      inTurn(
        {
          status: 429,
          headers: { Date: new Date(skewed).toUTCString(), 'Retry-After': new Date(skewed + 2000).toUTCString() },
        },
        {},
      ),
    );
    await open(server.url, { clock, random: () => 0 }).request(get);
    expect(clock.waits).toEqual([2000]);
  });

  it('do not go beyond the budget: what the server said last is the answer', async () => {
    const clock = openFakeClock();
    const server = await serve({ status: 429, text: 'Retry later', headers: { 'Retry-After': '3600' } });
    const response = await open(server.url, { clock }).request(post);
    expect([response.status, response.attempts, clock.waits]).toEqual([429, 1, []]);
  });

  it('of a storm of 429 end, and everybody gets an answer', async () => {
    const clock = openFakeClock();
    let left = 100;
    const server = await serve(() =>
      left-- > 0 ? { status: 429, headers: { 'Retry-After': '1' } } : { text: 'good' },
    );
    const http = open(server.url, { clock, connections: 8 });
    const responses = await Promise.all(Array.from({ length: 40 }, () => http.request(post)));
    expect(responses.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(server.requests).toHaveLength(140);
  });

  it('slow down before the limit is hit', async () => {
    const clock = openFakeClock();
    const resetAt = clock.now() + 30_000;
    const limit = 40;
    let used = 0;
    const server = await serve(() => {
      if (clock.now() >= resetAt) used = 0;
      used += 1;
      return {
        status: used > limit ? 429 : 200,
        headers: {
          'RateLimit-Limit': String(limit),
          'RateLimit-Remaining': String(Math.max(0, limit - used)),
          'RateLimit-Reset': String((clock.now() >= resetAt ? resetAt + 30_000 : resetAt) / 1000),
        },
      };
    });
    const http = open(server.url, { clock, connections: 4 });
    const responses = await Promise.all(Array.from({ length: 60 }, () => http.request(get)));
    expect(responses.map(({ status, attempts }) => [status, attempts])).toEqual(Array(60).fill([200, 1]));
    expect(clock.waits.length).toBeGreaterThan(5);
  });
});

/** A server that sends a body as long as it is read. The path contains the status. */
async function openEndlessServer() {
  let sent = 0;
  let closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    sent = 0;
    closed = Promise.withResolvers();
    response.on('close', () => closed.resolve());
    response.writeHead(Number(/^\/(\d+)/.exec(request.url ?? '')?.[1]), { 'content-type': 'application/json' });
    const piece = Buffer.alloc(64 * 1024, ' ');
    const write = () => {
      while (!response.destroyed && response.write(piece)) sent += piece.length;
    };
    response.on('drain', write);
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (status: number) => `http://127.0.0.1:${port}/${status}`,
    sent: async () => {
      await closed.promise;
      return sent;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
