import { createHmac } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHooks } from '../../../src/use/server/hooks/open-hooks.ts';
import type { HookListenerOptions, ReceivedHook } from '../../../src/use/server/hooks/hook-options.ts';
import { ask } from './open-served.ts';

const token = 'correct-horse-battery';
const secret = `whsec_${Buffer.from('a key of twenty-four by.').toString('base64')}`;
const start = Date.parse('2026-05-01T12:00:00Z');
const push = { object_kind: 'push', ref: 'refs/heads/main' };

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-hooks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function listener(options: HookListenerOptions = { token }, folder = newFolder()) {
  const told: ReceivedHook[] = [];
  const faults: unknown[] = [];
  const clock = { now: start };
  const server = await openHooks(
    { ...options, onDelivery: (received) => told.push(received) },
    { folder, now: () => clock.now, onFault: (error) => faults.push(error) },
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, url: server.url, folder, told, faults, clock };
}

/** The content of the files by day. */
function kept(folder: string): readonly any[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .toSorted()
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => JSON.parse(line));
}

const withToken = (id: string, more: Record<string, string> = {}) => ({
  'x-gitlab-token': token,
  'idempotency-key': id,
  ...more,
});

/** Signs by the specification of Standard Webhooks, with the key as bytes. */
function signed(id: string, seconds: number, body: string, key = 'a key of twenty-four by.'): Record<string, string> {
  const mac = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${mac}` };
}

describe('a webhook listener', () => {
  it('stores each delivery once in the file of its day, and reports it to the sender and the program', async () => {
    const { url, folder, told, clock } = await listener();
    // Bytes stay unchanged, including spaces and numbers that no double can represent.
    const body = '{"object_kind":"push",  "id": 12345678901234567890,\n"text":"é\\u0000"}';
    const headers = withToken('a-1', {
      'x-gitlab-event': 'Push Hook',
      'x-gitlab-instance': 'https://code.example.org',
      'x-gitlab-event-uuid': 'one-event',
    });
    const first = await ask(url, { body, headers });
    expect([first.status, first.body]).toEqual([201, { id: 'a-1', repeated: false }]);
    const again = await ask(url, { body, headers });
    expect([again.status, again.body]).toEqual([200, { id: 'a-1', repeated: true }]);
    clock.now += 12 * 3_600_000;
    // Hooks triggered by hooks share the event's UUID, but are separate deliveries.
    const other = {
      'x-service-token': token,
      'webhook-id': 'a-2',
      'x-service-event': 'Tag Push Hook',
      'x-gitlab-event-uuid': 'one-event',
    };
    expect((await ask(url, { body: push, headers: other })).status).toBe(201);
    expect(kept(folder)).toEqual([
      {
        id: 'a-1',
        received: '2026-05-01T12:00:00.000Z',
        event: 'Push Hook',
        instance: 'https://code.example.org',
        body,
      },
      {
        id: 'a-2',
        received: '2026-05-02T00:00:00.000Z',
        event: 'Tag Push Hook',
        instance: null,
        body: JSON.stringify(push),
      },
    ]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.ndjson'))).toEqual([
      '2026-05-01.ndjson',
      '2026-05-02.ndjson',
    ]);
    expect(told).toEqual([
      { id: 'a-1', event: 'Push Hook', isRepeated: false },
      { id: 'a-1', event: 'Push Hook', isRepeated: true },
      { id: 'a-2', event: 'Tag Push Hook', isRepeated: false },
    ]);
  });

  it.each<[string, number, RegExp, RequestInit & { body?: string }, string?]>([
    ['no token', 401, /no token/, { headers: { 'idempotency-key': 'x' }, body: '{}' }],
    ['a wrong token', 401, /wrong token/, { headers: { ...withToken('x'), 'x-gitlab-token': 'correct' }, body: '{}' }],
    ['no id', 400, /webhook-id or Idempotency-Key is missing/, { headers: { 'x-gitlab-token': token }, body: '{}' }],
    ['a strange id', 400, /printable ASCII/, { headers: withToken('\u00e9'), body: '{}' }],
    ['no JSON', 400, /^The body is not JSON\.$/, { headers: withToken('x'), body: '{"password": hunter2}' }],
    ['an empty body', 400, /empty/, { headers: withToken('x'), body: ' ' }],
    ['a form', 415, /must be JSON/, { headers: withToken('x', { 'content-type': 'text/plain' }), body: '{}' }],
    ['a packed body', 415, /compressed/, { headers: withToken('x', { 'content-encoding': 'gzip' }), body: '{}' }],
    ['a large body', 413, /larger than 100 bytes/, { headers: withToken('x'), body: JSON.stringify('x'.repeat(100)) }],
    ['another method', 405, /POST/, { method: 'GET', headers: withToken('x') }],
    ['another address', 404, /received at \/hooks/, { headers: withToken('x'), body: '{}' }, '/elsewhere'],
  ])('refuses %s', async (_what, status, message, init, elsewhere) => {
    const { url, folder, told } = await listener({ token, bodyLimit: 100 });
    const heard = await ask(elsewhere === undefined ? url : new URL(elsewhere, url).href, init);
    expect(heard.status).toBe(status);
    expect(heard.body.message).toMatch(message);
    if (status === 405) expect(heard.headers.get('allow')).toBe('POST');
    expect([kept(folder), told]).toEqual([[], []]);
  });

  it('accepts a body of the maximum size, and refuses a longer one that declares no length', async () => {
    const { url, folder } = await listener({ token, bodyLimit: 100 });
    const body = JSON.stringify('x'.repeat(98));
    expect((await ask(url, { body, headers: withToken('x') })).status).toBe(201);
    const stream = new Blob([' '.repeat(60), '"', 'x'.repeat(60), '"']).stream();
    const long = await fetch(url, { method: 'POST', body: stream, duplex: 'half', headers: withToken('y') });
    expect(long.status).toBe(413);
    expect(kept(folder).map(({ id }) => id)).toEqual(['x']);
  });

  it('accepts Standard Webhooks signatures for the exact body near its time', async () => {
    const { url, folder, clock } = await listener({ signingSecret: secret, tolerance: 60 });
    const seconds = start / 1_000;
    const body = ' {"ref": "é"} ';
    const status = async (headers: Record<string, string>, text = body) =>
      (await ask(url, { body: text, headers })).status;
    const right = signed('m-1', seconds, body);
    expect(await status(right)).toBe(201);
    clock.now += 50_000;
    expect(await status(signed('m-1', clock.now / 1_000, body))).toBe(200);
    const wrong = signed('m-2', seconds, body, 'another key');
    const both = {
      ...right,
      'webhook-signature': `v1a,AAAA ${wrong['webhook-signature']} ${right['webhook-signature']}`,
    };
    expect(await status(both)).toBe(200);
    expect(await status(wrong)).toBe(401);
    expect(await status(right, `${body} `)).toBe(401);
    expect(await status({ ...right, 'webhook-id': 'm-3' })).toBe(401);
    expect(await status({ ...right, 'webhook-timestamp': String(seconds + 1) })).toBe(401);
    expect(await status(signed('m-4', seconds + 111, body))).toBe(401);
    expect(await status(signed('m-4', seconds - 11, body))).toBe(401);
    expect(await status({ ...signed('m-4', seconds, body), 'webhook-timestamp': 'soon' })).toBe(401);
    expect(await status({ 'webhook-id': 'm-4', 'x-gitlab-token': 'correct-horse-battery' })).toBe(401);
    expect(kept(folder).map(({ id }) => id)).toEqual(['m-1']);
  });

  it('verifies the test vector of the specification', async () => {
    const { url, clock } = await listener({ signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });
    clock.now = 1_614_265_330_000;
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    expect((await ask(url, { body: '{"test": 2432232314}', headers })).status).toBe(201);
  });

  it('with a token and a signing secret accepts either, and nothing invalid', async () => {
    const { url } = await listener({ token, signingSecret: secret });
    const right = signed('m-1', start / 1_000, '{}');
    const status = async (headers: Record<string, string>) => (await ask(url, { body: '{}', headers })).status;
    expect(await status(right)).toBe(201);
    expect(await status(withToken('m-2'))).toBe(201);
    expect(await status({ ...right, 'x-gitlab-token': token })).toBe(200);
    expect(await status({ ...right, 'x-gitlab-token': 'wrong-token' })).toBe(401);
    expect(await status({ ...right, 'x-gitlab-token': token, 'webhook-signature': 'v1,AAAA' })).toBe(401);
  });

  it.each<[HookListenerOptions, string]>([
    [{}, 'hook-secret-needed'],
    [{ token: 'short' }, 'not-a-token'],
    [{ signingSecret: 'whsec_!' }, 'hook-secret-invalid'],
    [{ signingSecret: 'whsec_c2hvcnQ=' }, 'hook-secret-invalid'],
    [{ token, bodyLimit: 2 ** 40 }, 'not-a-listener'],
    [{ token, port: 70_000 }, 'no-such-port'],
  ])('does not start with %o', async (options, code) => {
    const folder = newFolder();
    await expect(listener(options, folder)).rejects.toMatchObject({ code });
    // Nothing remains that would block the next listener.
    await listener({ token }, folder);
  });

  it('stores a burst of 200 with duplicates, once each', async () => {
    const { url, folder } = await listener();
    const ids = Array.from({ length: 200 }, (_, index) => `b-${index % 150}`);
    const heard = await Promise.all(ids.map((id) => ask(url, { body: { ...push, id }, headers: withToken(id) })));
    expect(heard.filter(({ status }) => status === 201)).toHaveLength(150);
    expect(heard.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(
      kept(folder)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([...new Set(ids)].toSorted());
  });

  it('continues after a partial line of a killed process, and after damage that it reports', async () => {
    const folder = newFolder();
    const file = path.join(folder, '2026-05-01.ndjson');
    const line = (id: string) => `${JSON.stringify({ id, received: '', event: null, instance: null, body: '{}' })}\n`;
    writeFileSync(file, `${line('a')}no delivery\n${line('b')}${line('c').slice(0, 30)}`);
    const { url, faults, server } = await listener({ token }, folder);
    expect(faults).toMatchObject([{ code: 'deliveries-damaged', message: expect.stringContaining('1 line that is') }]);
    const status = async (id: string) => (await ask(url, { body: '{}', headers: withToken(id) })).status;
    expect([await status('a'), await status('b'), await status('c')]).toEqual([200, 200, 201]);
    expect(readFileSync(file, 'utf8').split('\n').slice(0, 3).join('\n')).toBe(
      `${line('a')}no delivery\n${line('b').trim()}`,
    );
    await server.drain();
    // Only the line feed is missing, so the delivery is complete.
    truncateSync(file, readFileSync(file).length - 1);
    const next = await listener({ token }, folder);
    expect((await ask(next.url, { body: '{}', headers: withToken('c') })).status).toBe(200);
    expect(readFileSync(file, 'utf8').endsWith('}\n')).toBe(true);
  });

  it('does not acknowledge what it cannot write, and stores it when it is sent again', async () => {
    const { url, folder, faults } = await listener();
    const send = (id: string) => ask(url, { body: '{}', headers: withToken(id) });
    expect((await send('a')).status).toBe(201);
    const file = path.join(folder, '2026-05-01.ndjson');
    // A folder takes the place of the file.
    rmSync(file);
    mkdirSync(file);
    const refused = await Promise.all([send('b'), send('b'), send('c')]);
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(refused[0]?.headers.get('retry-after')).toBe('5');
    expect(faults).toMatchObject([{ code: 'file-unwritable' }, {}, {}]);
    rmdirSync(file);
    expect([(await send('b')).status, (await send('c')).status, (await send('b')).status]).toEqual([201, 201, 200]);
    expect(kept(folder).map(({ id }) => id)).toEqual(['b', 'c']);
  });

  it('is the only writer of its folder', async () => {
    const { folder } = await listener();
    await expect(listener({ token }, folder)).rejects.toMatchObject({ code: 'listener-taken' });
  });

  it('completes a running delivery when it stops, and accepts no new one', async () => {
    const { server, url, folder } = await listener();
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /hooks HTTP/1.1\r\nHost: x\r\nX-Gitlab-Token: ${token}\r\nIdempotency-Key: slow\r\nContent-Length: 2\r\n\r\n{`,
    );
    await once(socket, 'connect');
    await expect.poll(async () => (await ask(new URL('/readyz', url).href)).status).toBe(200);
    const drained = server.drain();
    socket.write('}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 201/);
    await drained;
    expect(kept(folder).map(({ id }) => id)).toEqual(['slow']);
  });
});
