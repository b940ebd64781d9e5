import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AbortedError } from '../../../src/ask/sluice-error.ts';
import { type JsonChunk, nothingRejected } from '../../../src/run/backend.ts';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { openWithSession } from '../open-session.ts';
import type { ServedRequest } from '../../../src/use/server/running-server.ts';
import { openServer, type ServerOptions } from '../../../src/use/server/open-server.ts';
import type { Session } from '../../../src/use/workspace/session.ts';
import { fewEvents, openFolder } from '../run-in-folder.ts';
import { ask, servedOnce } from './open-served.ts';

const count = { measures: ['TrackedEvents.count'] };
const cube = '/cubejs-api/v1/load';
const fine = expect.objectContaining({ status: 200 });

describe('a server', () => {
  const served = servedOnce({ 'events.ndjson': fewEvents });

  /** A server whose answers wait until they are released. */
  const openHeld = async (options: Partial<ServerOptions> = {}) => {
    const held: { readonly letGo: () => void; readonly signal: AbortSignal | undefined }[] = [];
    const over: ServedRequest[] = [];
    const faults: unknown[] = [];
    let most = 0;
    let now = 0;
    const session: Session = {
      ...served().session,
      async run(plan, asked) {
        // Answer the list of projects at once.
        if (plan.dimensions.length > 0) return served().session.run(plan, asked);
        most = Math.max(most, (now += 1));
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        asked?.signal?.addEventListener('abort', () => reject(new AbortedError()));
        held.push({ letGo: resolve, signal: asked?.signal });
        await promise.finally(() => (now -= 1));
        return served().session.run(plan, asked);
      },
    };
    const server = await openServer({
      session,
      onRequest: (request) => over.push(request),
      onFault: (error) => faults.push(error),
      ...options,
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    return {
      server,
      held,
      over,
      faults,
      most: () => most,
      ask: () => ask(server.url + cube, { body: { query: count } }),
    };
  };

  it('runs a limited number at once, queues a limited number, and refuses the others', async () => {
    const { server, held, most, over } = await openHeld({ concurrency: 2, queue: 3 });
    const paths = Array.from({ length: 10 }, (_, index) =>
      index % 2 === 0 ? cube : '/api/v4/projects/1/product_analytics/request/load',
    );
    const asked = paths.map((path) => ask(server.url + path, { body: { query: count } }));
    await until(() => over.length === 5 && held.length === 2);
    for (let answered = 0; answered < 5; answered += 1) {
      await until(() => held.length > answered);
      held[answered]!.letGo();
    }
    const heard = await Promise.all(asked);
    expect(heard.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
    for (const [index, { status, headers, body }] of heard.entries()) {
      if (status === 429)
        expect([headers.get('retry-after'), body]).toEqual([
          '1',
          index % 2 === 0 ? { error: expect.any(String) } : { message: expect.any(String) },
        ]);
    }
    expect(most()).toBe(2);
  });

  it('stops work for a client that hangs up, running or queued, and gives its place to the next', async () => {
    const { server, held, over, faults, ask: one } = await openHeld({ concurrency: 1 });
    const leaving = new AbortController();
    const left = [0, 1].map(() =>
      fetch(server.url + cube, {
        method: 'POST',
        body: JSON.stringify({ query: count }),
        signal: leaving.signal,
      }).catch((error: Error) => error.name),
    );
    await until(() => held.length === 1);
    const staying = one();
    leaving.abort();
    expect(await Promise.all(left)).toEqual(['AbortError', 'AbortError']);
    await until(() => {
      held.slice(1).forEach(({ letGo }) => letGo());
      return over.some(({ status }) => status === 200);
    });
    expect(await staying).toEqual(fine);
    expect(held[0]!.signal?.aborted).toBe(true);
    // The second one may have left before it was noticed.
    expect(
      over
        .map(({ status }) => status)
        .sort()
        .slice(-2),
    ).toEqual([0, 200]);
    expect(faults).toEqual([]);
  });

  it('completes running answers before it stops, and accepts nothing new', async () => {
    const { server, held, ask: one } = await openHeld();
    const going = one();
    await until(() => held.length === 1);
    let stopped = false;
    const stopping = server.drain().then(() => {
      stopped = true;
    });
    const late = await one();
    expect([late.status, late.headers.get('connection'), late.body]).toEqual([
      503,
      'close',
      { error: 'The server is stopping.' },
    ]);
    expect(await ask(`${server.url}/readyz`)).toMatchObject({ status: 503, body: { health: 'DOWN' } });
    expect(stopped).toBe(false);
    held[0]!.letGo();
    expect(await going).toEqual(fine);
    await stopping;
    await expect(one()).rejects.toThrow();
  });

  /** A session with rows made up by the test. */
  const withRows = (chunks: () => AsyncGenerator<JsonChunk>): Session => ({
    ...served().session,
    runJson: async () => ({ chunks: chunks(), facts: () => ({ uncounted: [], rejected: nothingRejected }) }),
  });
  const chunk = (): JsonChunk => ({ rowCount: 1, bytes: Buffer.from(`{"x":"${'x'.repeat(10_000)}"}`) });
  const byPath = { query: { ...count, dimensions: ['TrackedEvents.docPath'] } };

  it('cuts off an answer that fails midway, so that no part looks complete', async () => {
    const faults: unknown[] = [];
    const server = await openServer({
      onFault: (error) => faults.push(error),
      session: withRows(async function* rows() {
        for (let index = 0; index < 100; index += 1) yield chunk();
        throw new Error('halfway');
      }),
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    await expect(ask(server.url + cube, { body: byPath })).rejects.toThrow('terminated');
    expect(faults).toEqual([expect.objectContaining({ message: 'halfway' })]);
  });

  it('produces only as much as its client reads, and drops a client that reads nothing', async () => {
    let made = 0;
    let ended = false;
    const over: ServedRequest[] = [];
    const server = await openServer({
      limits: { stallMs: 200, answerBytesOnDisk: 2 ** 22 },
      onRequest: (request) => over.push(request),
      session: withRows(async function* rows() {
        try {
          for (; ; made += 1) yield chunk();
        } finally {
          ended = true;
        }
      }),
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    const body = JSON.stringify(byPath);
    socket.write(`POST ${cube} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await until(() => over.length === 1);
    socket.destroy();
    expect([over[0]!.status, ended]).toEqual([0, true]);
    // The two sockets buffer a few megabytes at most.
    expect(made * 10_000).toBeLessThan(64 * 2 ** 20);
  });

  it('answers 64 clients at once, each with all of its rows', async () => {
    const folder = openFolder();
    const file = `${folder.root}/events.parquet`;
    await writeSample({ seed: 1, events: 3_000, days: 30, to: '2024-03-01' }, file);
    const sluice = await openWithSession({ workspace: folder.root, env: {}, events: file });
    const server = await openServer({ session: sluice.session });
    onTestFinished(async () => {
      await server[Symbol.asyncDispose]();
      await sluice[Symbol.asyncDispose]();
      folder.remove();
    });
    const query = {
      dimensions: [
        'TrackedEvents.utcTime',
        'TrackedEvents.userAnonymousId',
        'TrackedEvents.docPath',
        'TrackedEvents.eventId',
      ],
      measures: ['TrackedEvents.count'],
      limit: 1_000,
    };
    const before = process.memoryUsage().rss;
    let most = 0;
    const lengths = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const { status, body } = await ask(server.url + cube, { body: { query: { ...query, offset: index * 10 } } });
        most = Math.max(most, process.memoryUsage().rss);
        return [
          status,
          body.data.length,
          new Set(body.data.map((row: Record<string, string>) => row['TrackedEvents.eventId'])).size,
        ];
      }),
    );
    expect(lengths).toEqual(lengths.map(() => [200, 1_000, 1_000]));
    // All answers together are 64 times 0.3 MB on both sides of the wire, in one process.
    expect(most - before).toBeLessThan(2 ** 29);
  });

  it('refuses requests that are too large or too long', async () => {
    const { server } = served();
    const bracketed = '['.repeat(10_000_000);
    expect((await ask(server.url + cube, { body: bracketed })).status).toBe(413);
    expect(
      (await ask(`${server.url}/api/v4/projects/1/product_analytics/request/load`, { body: bracketed })).body,
    ).toEqual({ message: expect.stringContaining('larger') });
    for (const length of [17_000, 40_000, 100_000])
      expect((await ask(`${server.url}${cube}?query=${'x'.repeat(length)}`)).status, String(length)).toBe(414);
    expect((await ask(`${server.url}/api/v4/user`, { headers: { 'x-long': 'x'.repeat(70_000) } })).status).toBe(431);
    expect(await ask(server.url + cube, { body: { query: count } })).toEqual(fine);
  });

  it('survives hostile bodies, and reports them as client errors', async () => {
    const { server } = served();
    const deep = (open: string, close: string, depth: number) =>
      `{"query":${open.repeat(depth)}1${close.repeat(depth)}}`;
    const bodies = [
      '',
      'null',
      '[]',
      '5',
      '"x"',
      '{',
      '\u0000',
      '{"query":1e999}',
      '{"query":{"measures":["TrackedEvents.count"],"limit":1e308}}',
      '{"query":{"measures":["TrackedEvents.count"],"offset":99999999999999999999}}',
      '{"query":{"__proto__":{"measures":["TrackedEvents.count"]}}}',
      '{"__proto__":{"query":{"measures":["TrackedEvents.count"]}}}',
      '{"query":{"constructor":{"prototype":{"x":1}}}}',
      '{"query":{"measures":["__proto__.constructor"]}}',
      '{"query":{"measures":["TrackedEvents.__proto__"]}}',
      deep('[', ']', 200_000),
      deep('{"a":', '}', 100_000),
      deep('{"or":[', ']}', 60_000),
      `{"query":{"filters":[${'{"or":['.repeat(50_000)}${']}'.repeat(50_000)}]}}`,
      '{"query":{"measures":["TrackedEvents.count"],"timezone":"../../etc/passwd"}}',
      '{"query":{"measures":["TrackedEvents.count"],"dimensions":["\\u001b[31m.x"]}}',
    ];
    for (const face of [cube, '/api/v4/projects/1/product_analytics/request/load']) {
      for (const body of bodies) {
        const heard = await ask(server.url + face, { method: 'POST', body });
        expect([400, 422], `${face} ${body.slice(0, 80)} ${heard.text.slice(0, 200)}`).toContain(heard.status);
      }
      const latin = await fetch(server.url + face, { method: 'POST', body: new Uint8Array([0x7b, 0xff, 0x7d]) });
      expect(latin.status).toBe(400);
      const form = (text: string) =>
        ask(server.url + face, { body: text, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
      expect((await form(`query${'[a]'.repeat(100)}=1`)).status).toBe(400);
      expect((await form('query[__proto__][x]=1&query[constructor][prototype][y]=1')).status).toBe(400);
      expect((await form(Array.from({ length: 3_000 }, (_, index) => `a${index}=1`).join('&'))).status).toBe(400);
      expect(
        (await ask(server.url + face, { body: '<x/>', headers: { 'content-type': 'application/xml' } })).status,
      ).toBe(415);
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('x');
    expect(await ask(server.url + cube, { body: { query: count } })).toEqual(fine);
  });

  it.each([
    ['no request', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'two lengths',
      'POST /cubejs-api/v1/load HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc',
      /^HTTP\/1\.1 400 /,
    ],
    [
      'length and chunks',
      'POST /cubejs-api/v1/load HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    ['a head that does not end', 'GET /readyz HTTP/1.1\r\nHost: localhost\r\n', /^HTTP\/1\.1 408 /],
    [
      'a body that does not come',
      'POST /cubejs-api/v1/load HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{',
      /^HTTP\/1\.1 408 |^$/,
    ],
    [
      'an address with a host',
      'GET http://evil.example/readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 404 /,
    ],
    ['a star', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 204 /],
  ])('is not blocked by %s', async (_, sent, answer) => {
    const server = await openServer({
      session: served().session,
      limits: { headersMs: 150, requestMs: 300, idleMs: 200 },
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let heard = '';
    socket.on('data', (data) => {
      heard += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.write(sent);
    await once(socket, 'close');
    expect(heard).toMatch(answer);
  });
});

/** Waits until a condition that other work brings about. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
