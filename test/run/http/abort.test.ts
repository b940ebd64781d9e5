import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AbortedError } from '../../../src/ask/sluice-error.ts';
import { systemClock } from '../../../src/use/process/system-clock.ts';
import { openFakeClock } from './fake-clock.ts';
import { get, openTestHttp } from './open-test-http.ts';
import { openScriptedServer, type Reply, type ScriptedServer } from './scripted-server.ts';

/** Waits for an asynchronous effect, such as the other end of a closed connection. */
async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 3_000 && !holds(); round += 1) await pause(10);
  expect(holds()).toBe(true);
}

function watchProcess(): readonly unknown[] {
  const seen: unknown[] = [];
  const note = (what: unknown) => void seen.push(what);
  for (const name of ['unhandledRejection', 'uncaughtException', 'warning']) process.on(name, note);
  onTestFinished(() => {
    for (const name of ['unhandledRejection', 'uncaughtException', 'warning']) process.off(name, note);
  });
  return seen;
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('an abort', () => {
  it.each<[string, Reply]>([
    ['before the head', { trick: { kind: 'silence' } }],
    ['in the middle of the body', { text: 'a long text', trick: { kind: 'stall', after: 3 } }],
    ['in a wait', { status: 503, headers: { 'Retry-After': '30' } }],
  ])('%s ends the request, and leaves no listener, timer or connection', async (_, reply) => {
    await using server = await openScriptedServer(() => reply);
    const clock = openFakeClock('by-hand');
    const before = timers();
    const http = openTestHttp(server.url, { clock });
    const stop = new AbortController();
    const asking = http.request({ ...get, signal: stop.signal });
    await until(() => server.requests.length === 1 && (reply.status === undefined || clock.waiting === 1));
    stop.abort(new Error('enough'));
    await expect(asking).rejects.toMatchObject({ name: 'AbortedError', cause: { message: 'enough' } });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(clock.waiting).toBe(0);
    await http[Symbol.asyncDispose]();
    await until(() => server.openConnections === 0 && timers() <= before);
  });

  it('before the start sends nothing', async () => {
    await using server = await openScriptedServer();
    await using http = openTestHttp(server.url);
    await expect(http.request({ ...get, signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortedError);
    expect(server.requests).toEqual([]);
  });

  it('keeps the connection for others where nothing was sent', async () => {
    await using server = await openScriptedServer(async () => {
      await pause(20);
      return {};
    });
    await using http = openTestHttp(server.url, { connections: 1 });
    const stop = new AbortController();
    const first = http.request(get);
    const second = http.request({ ...get, path: '/never', signal: stop.signal });
    const third = http.request(get);
    stop.abort();
    await expect(second).rejects.toBeInstanceOf(AbortedError);
    expect([(await first).status, (await third).status]).toEqual([200, 200]);
    expect([server.connections, server.requests.length]).toEqual([1, 2]);
  });

  it.each([
    ['10,000', 16],
    ['2,000', 500],
  ])('of %s requests at once over %i connections leaves nothing behind', async (count, connections) => {
    const half = Number(count.replace(',', '')) / 2;
    const seen = watchProcess();
    await using server: ScriptedServer = await openScriptedServer(() => ({ trick: { kind: 'silence' } }));
    const before = timers();
    const http = openTestHttp(server.url, { connections });
    const shared = new AbortController();
    const own = Array.from({ length: half }, () => new AbortController());
    const asking = [...own, ...Array.from({ length: half }, () => shared)].map(({ signal }) =>
      http.request({ ...get, signal }).then(
        () => 'answer',
        (error: unknown) => (error as Error).name,
      ),
    );
    await until(() => server.requests.length === connections);
    for (const each of [...own, shared]) each.abort();
    expect(new Set(await Promise.all(asking))).toEqual(new Set(['AbortedError']));
    expect([...own, shared].flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([]);
    await until(() => server.openConnections === 0 && timers() <= before);

    server.answer(() => ({ text: 'good' }));
    expect(await (await http.request(get)).text()).toBe('good');
    await http[Symbol.asyncDispose]();
    await until(() => server.openConnections === 0);
    expect(seen).toEqual([]);
  });

  it('comes with the closing of the client, after which it refuses', async () => {
    await using server = await openScriptedServer(() => ({ trick: { kind: 'silence' } }));
    const http = openTestHttp(server.url);
    const asking = http.request(get);
    const ended = expect(asking).rejects.toBeInstanceOf(AbortedError);
    await until(() => server.requests.length === 1);
    await http[Symbol.asyncDispose]();
    await ended;
    await expect(http.request(get)).rejects.toMatchObject({ code: 'client-closed' });
    await http[Symbol.asyncDispose]();
    await until(() => server.openConnections === 0);
  });
});

describe('the clock of the machine', () => {
  it('sleeps, and wakes by a signal without leaving anything', async () => {
    const before = timers();
    await systemClock.sleep(1);
    const stop = new AbortController();
    const sleeping = systemClock.sleep(2 ** 40, stop.signal);
    stop.abort(new Error('enough'));
    await expect(sleeping).rejects.toBeInstanceOf(AbortedError);
    await expect(systemClock.sleep(5, stop.signal)).rejects.toBeInstanceOf(AbortedError);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(timers()).toBe(before);
  });
});
