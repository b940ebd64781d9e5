import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AbortedError } from '../../../src/ask/sluice-error.ts';
import { type JsonChunk, nothingRejected } from '../../../src/run/backend.ts';
import { writeSample } from '../../../src/run/sample/write-sample.ts';
import { openWithSession } from '../open-session.ts';
import { toTokenCheck } from '../../../src/use/server/check-token.ts';
import { openServer, type ServerOptions } from '../../../src/use/server/open-server.ts';
import { checkQuestion, questionLimits } from '../../../src/use/server/question-limits.ts';
import type { Session } from '../../../src/use/workspace/session.ts';
import { fewEvents, openFolder } from '../run-in-folder.ts';
import { ask, servedOnce } from './open-served.ts';

const count = { measures: ['TrackedEvents.count'] };
const cube = '/cubejs-api/v1/load';
const platform = '/api/v4/projects/1/product_analytics/request/load';
const path = (operator: string, values: readonly unknown[]) => ({ member: 'TrackedEvents.docPath', operator, values });
const many = <T>(length: number, of: (index: number) => T) => Array.from({ length }, (_, index) => of(index));
const { queries, entries, filters, values, textLength } = questionLimits;

describe('a query', () => {
  const served = servedOnce({ 'events.ndjson': fewEvents });
  const perDay = { ...count, timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' }] };
  const compared = (ranges: number) => ({
    ...count,
    timeDimensions: [
      { dimension: 'TrackedEvents.utcTime', compareDateRange: many(ranges, () => ['2024-03-05', '2024-03-06']) },
    ],
  });

  it.each([
    [
      'values',
      {
        ...count,
        filters: [
          path(
            'equals',
            many(values, (index) => `/${index}`),
          ),
        ],
      },
      { ...count, filters: [path('equals', many(values, String)), path('notEquals', ['x'])] },
    ],
    [
      'search values',
      {
        ...count,
        filters: [
          path(
            'contains',
            many(200, (index) => `${index}x`),
          ),
        ],
      },
      { ...count, filters: [path('contains', many(filters + 1, String))] },
    ],
    [
      'filters',
      { ...count, filters: [{ or: many(200, (index) => path('equals', [`/${index}`])) }] },
      { ...count, filters: [{ or: [{ and: many(filters - 1, () => path('equals', ['x'])) }] }] },
    ],
    ['ranges', compared(5), compared(queries + 1)],
    [
      'entries',
      { ...count, order: many(entries, () => ['TrackedEvents.count', 'asc']) },
      { ...count, order: many(entries + 1, () => ['TrackedEvents.count', 'asc']) },
    ],
    [
      'keys',
      { ...count, order: { 'TrackedEvents.count': 'asc' } },
      { ...count, order: Object.fromEntries(many(entries + 1, (index) => [`A.b${index}`, 'asc'])) },
    ],
    [
      'characters',
      { ...count, filters: [path('contains', ['é'.repeat(textLength)])] },
      { ...count, filters: [path('contains', ['é'.repeat(textLength + 1)])] },
    ],
    [
      'letters of a name',
      { measures: ['TrackedEvents.count'] },
      { measures: [`TrackedEvents.${'x'.repeat(textLength)}`] },
    ],
  ])('may have the maximum of %s, and is refused above it', async (_, most, more) => {
    const { ask: put } = served();
    expect((await put(`${cube}?queryType=multi`, { body: { query: most } })).status).toBe(200);
    for (const query of [more, JSON.stringify(more)]) {
      expect(await put(cube, { body: { query } })).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/(more|longer) than \d+/) },
      });
      expect(await put(platform, { body: { query } })).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/(more|longer) than \d+/) },
      });
    }
  });

  it('may come in a list of limited length', async () => {
    const list = async (length: number) =>
      (await served().ask(cube, { body: { queryType: 'multi', query: many(length, () => perDay) } })).status;
    expect([await list(3), await list(queries + 1)]).toEqual([200, 400]);
  });

  it('is read or refused in linear time, whatever a name or a number looks like', async () => {
    const letters = many(9_900, (index) => String.fromCharCode(97 + ((index * 7919) % 26))).join('');
    const bodies = [
      { measures: [`TrackedEvents.${letters}`] },
      { measures: [letters] },
      { ...count, dimensions: many(entries, (index) => `TrackedEvents.nope${index}`) },
      { ...count, filters: [{ member: 'TrackedEvents.count', operator: 'gt', values: [`${'9'.repeat(9_900)}x`] }] },
      { ...count, timezone: `${'a/'.repeat(4_900)}` },
      { ...count, timeDimensions: [{ dimension: 'TrackedEvents.utcTime', dateRange: `from ${'1 '.repeat(4_900)}` }] },
      { ...count, filters: many(filters, (index) => ({ x: index })) },
    ];
    for (const query of bodies) expect((await served().ask(cube, { body: { query } })).status).toBe(400);
  });

  it('is refused if it nests too deeply', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = { or: [deep] };
    expect(() => checkQuestion(deep, questionLimits)).not.toThrow();
  });
});

describe('work on an answer', () => {
  const served = servedOnce({ 'events.ndjson': fewEvents });
  const open40 = (url: string, body: string) =>
    many(40, () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      socket.pause().write(`POST ${cube} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      return socket;
    });
  const serve = async (options: ServerOptions) => {
    const server = await openServer(options);
    onTestFinished(() => server[Symbol.asyncDispose]());
    return server;
  };
  const byPath = JSON.stringify({ query: { ...count, dimensions: ['TrackedEvents.docPath'] } });

  it('does not wait for clients that do not read: 40 of them block nobody', async () => {
    const piece = Buffer.from(`{"x":"${'x'.repeat(100_000)}"}`);
    async function* chunks(): AsyncGenerator<JsonChunk> {
      for (let index = 0; index < 100; index += 1) yield { rowCount: 1, bytes: piece };
    }
    const session: Session = {
      ...served().session,
      runJson: async () => ({ chunks: chunks(), facts: () => ({ uncounted: [], rejected: nothingRejected }) }),
    };
    const server = await serve({ session, limits: { stallMs: 600_000 } });
    const [first] = open40(server.url, byPath) as [Socket, ...Socket[]];
    expect((await ask(server.url + cube, { body: { query: count } })).body.data).toEqual([
      { 'TrackedEvents.count': '5' },
    ]);
    // Each of them gets its whole answer when it resumes reading.
    let heard = '';
    first
      .on('data', (data) => {
        heard += data.toString('latin1');
      })
      .resume();
    await until(() => heard.includes('"total":null}'));
    expect(heard.split('{"x":"').length - 1).toBe(100);
  });

  it('ends at its time limit with 504, and frees its place', async () => {
    const aborted: boolean[] = [];
    const session: Session = {
      ...served().session,
      async run(plan, asked) {
        if (plan.query.limit !== 7) return served().session.run(plan, asked);
        await new Promise<void>((_, reject) => {
          const end = () => reject(new AbortedError());
          // On a busy machine, the time is over before the answer begins.
          if (asked?.signal?.aborted) end();
          asked?.signal?.addEventListener('abort', end);
        }).finally(() => aborted.push(asked?.signal?.aborted ?? false));
        throw new Error('unreachable');
      },
    };
    const faults: unknown[] = [];
    const server = await serve({
      session,
      concurrency: 1,
      limits: { answerMs: 50 },
      onFault: (error) => faults.push(error),
    });
    const late = { body: { query: { ...count, limit: 7 } } };
    expect(await ask(server.url + cube, late)).toMatchObject({
      status: 504,
      body: { error: expect.stringContaining('0.05 seconds') },
    });
    expect(await ask(server.url + platform, late)).toMatchObject({
      status: 504,
      body: { message: expect.stringContaining('0.05 seconds') },
    });
    expect([aborted[0], faults]).toEqual([true, []]);
    // Nothing holds the only place.
    expect((await ask(`${server.url}/cubejs-api/v1/meta`)).status).toBe(200);
  });

  it('stops in the engine when its client hangs up or its time is over', async () => {
    const folder = openFolder();
    const file = `${folder.root}/events.parquet`;
    await writeSample({ seed: 1, events: 20_000, days: 30, to: '2024-03-01' }, file);
    const sluice = await openWithSession({ workspace: folder.root, env: {}, events: file });
    let runs = 0;
    const session: Session = {
      ...sluice.session,
      run: (...asked) => {
        runs += 1;
        return sluice.session.run(...asked);
      },
      runJson: (...asked) => {
        runs += 1;
        return sluice.session.runJson(...asked);
      },
    };
    const server = await serve({ session, concurrency: 1 });
    onTestFinished(async () => {
      await sluice[Symbol.asyncDispose]();
      folder.remove();
    });
    const slow = { ...count, timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'day' }] };
    const leaving = new AbortController();
    const left = ask(server.url + cube, {
      body: { queryType: 'multi', query: many(queries, () => slow) },
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await until(() => runs > 1);
    const next = ask(server.url + cube, { body: { query: count } });
    leaving.abort();
    expect([await left, (await next).status]).toEqual(['AbortError', 200]);
    expect(runs).toBeLessThan(queries / 2);
    const hurried = await serve({ session, limits: { answerMs: 1 } });
    expect((await ask(hurried.url + cube, { body: { query: slow } })).status).toBe(504);
    expect((await ask(hurried.url + cube, { body: { query: slow, queryType: 'multi' } })).status).toBe(504);
  });
});

describe('a connection', () => {
  const served = servedOnce({ 'events.ndjson': fewEvents });

  it('is closed after a refusal even if its client keeps it open, so that others get a place', async () => {
    const server = await openServer({
      session: served().session,
      limits: { headersMs: 100, lingerMs: 50, connections: 20 },
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const sockets = many(20, () => {
      const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true }).on(
        'error',
        () => undefined,
      );
      onTestFinished(() => void socket.destroy());
      socket.resume().write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n');
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'end')));
    let status = 0;
    while (status === 0)
      status = await ask(`${server.url}/readyz`).then(
        (heard) => heard.status,
        () => 0,
      );
    expect(status).toBe(200);
  });

  it('gives way to another if it is idle, but not while it is answered', async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let begun = 0;
    const session: Session = {
      ...served().session,
      async run(plan, asked) {
        begun += 1;
        await held;
        return served().session.run(plan, asked);
      },
    };
    const server = await openServer({ session, limits: { connections: 10, headersMs: 30_000 } });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const answered = many(4, () => ask(server.url + cube, { body: { query: count } }));
    await until(() => begun === 4);
    many(40, (index) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      return socket.resume().write(index % 2 === 0 ? 'GET /readyz HTTP/1.1\r\nHost: localhost\r\n' : '');
    });
    let status = 0;
    while (status === 0)
      status = await ask(`${server.url}/readyz`).then(
        (heard) => heard.status,
        () => 0,
      );
    letGo();
    expect([status, ...(await Promise.all(answered)).map((heard) => heard.status)]).toEqual([200, 200, 200, 200, 200]);
  });

  it('from a page of another site is refused, unless its origin is allowed', async () => {
    const origin = 'http://localhost:5173';
    const server = await openServer({ session: served().session, cors: [origin] });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const get = async (headers: Record<string, string>) =>
      (await ask(`${server.url}/cubejs-api/v1/meta`, { headers })).status;
    expect(await get({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await get({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).toBe(403);
    expect(await get({ 'sec-fetch-site': 'cross-site', origin })).toBe(200);
    for (const site of ['none', 'same-origin', 'same-site']) expect(await get({ 'sec-fetch-site': site })).toBe(200);
  });
});

describe('a wrong token', () => {
  const served = servedOnce({ 'events.ndjson': fewEvents });

  it('is accepted a few times per address, then once a second', async () => {
    let now = 0;
    const check = toTokenCheck('correct-horse', () => now);
    const from = (address: string) => (given: string) => {
      try {
        return check(given, address);
      } catch (error) {
        return (error as { readonly status: number }).status;
      }
    };
    const here = from('192.0.2.1');
    expect(many(20, () => here('wrong'))).toEqual(many(20, () => false));
    expect([here('wrong'), here('correct-horse')]).toEqual([429, 429]);
    expect(from('192.0.2.2')('correct-horse')).toBe(true);
    now += 1_000;
    expect([here('correct-horse'), here('wrong'), here('wrong'), here('correct-horse')]).toEqual([
      true,
      false,
      429,
      429,
    ]);
    now += 3_600_000;
    expect(many(21, () => here('wrong')).filter((answer) => answer === 429)).toHaveLength(1);
  });

  it.each([
    ['2001:db8::1', '2001:db8:0:0:9:9:9:9', true],
    ['2001:db8:1::1', '2001:db8:1:0:5::', true],
    ['2001:db8:1::1', '2001:db8:2::1', false],
    ['::1', '1::', false],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ])('from %s counts for %s, too: %s', (one, other, same) => {
    const check = toTokenCheck('correct-horse', () => 0);
    many(20, () => check('wrong', one));
    const tried = () => check('wrong', other);
    if (same) expect(tried).toThrow('Too many wrong tokens');
    else expect(tried()).toBe(false);
  });

  it('is remembered for a limited number of addresses', () => {
    const check = toTokenCheck('correct-horse', () => 0);
    many(20, () => check('wrong', 'first'));
    many(10_000, (index) => check('wrong', `address ${index}`));
    expect(check('correct-horse', 'first')).toBe(true);
  });

  it('is refused with 429 in the form of each API; requests without a token do not count', async () => {
    const server = await openServer({ session: served().session, token: 'correct-horse' });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const get = (address: string, headers: Record<string, string> = {}) => ask(server.url + address, { headers });
    for (let index = 0; index < 30; index += 1) expect((await get('/cubejs-api/v1/meta')).status).toBe(403);
    expect((await get('/cubejs-api/v1/meta', { authorization: 'correct-horse' })).status).toBe(200);
    const answers = await Promise.all(many(40, () => get('/cubejs-api/v1/meta', { authorization: 'wrong-horse' })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403, 429]));
    const busy = answers.find(({ status }) => status === 429)!;
    expect([busy.headers.get('retry-after'), busy.body]).toEqual([
      '1',
      { error: expect.stringContaining('wrong tokens') },
    ]);
  });
});

/** Waits until a condition that other work brings about. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
