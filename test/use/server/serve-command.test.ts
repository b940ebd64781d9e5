import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { fewEvents, openFolder } from '../run-in-folder.ts';
import { ask } from './open-served.ts';

const count = { body: { query: { measures: ['TrackedEvents.count'] } } };
const folder = openFolder({
  'events.ndjson': fewEvents,
  'sluice.yaml': 'events: events.ndjson\nplatform: {url: https://code.example.org, project: 42}\n',
  'token.txt': 'a-token-in-a-file\n',
  'short.txt': 'a b\n',
  'main.mjs': `import { start } from ${JSON.stringify(new URL('../../../src/use/cli/main.ts', import.meta.url).href)};\nawait start();\n`,
});
afterAll(() => folder.remove());

describe('sluice serve', () => {
  /** Runs the command in this process until it is stopped. */
  const serve = async (...flags: string[]) => {
    const stop = new AbortController();
    let heard = '';
    const done = folder.sluice(['serve', '--port', '0', ...flags], {
      signal: stop.signal,
      onStdout: (text) => {
        heard += text;
      },
    });
    onTestFinished(async () => {
      stop.abort();
      await done;
    });
    while (!heard.endsWith('\n'))
      await Promise.race([
        new Promise((resolve) => setTimeout(resolve, 5)),
        done.then(({ stderr }) => Promise.reject(new Error(stderr))),
      ]);
    return { url: heard.trim(), stop: () => stop.abort(), done };
  };

  it('prints its address, answers, and stops with 0', async () => {
    const { url, stop, done } = await serve('--verbose');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await ask(`${url}/api/v4/projects/42/product_analytics/request/load`, count)).body.results[0].data).toEqual(
      [{ 'TrackedEvents.count': '5' }],
    );
    await ask(`${url}/cubejs-api/v1/%1b[31m?token=secret`);
    stop();
    const { code, stdout, stderr } = await done;
    expect([code, stdout]).toEqual([0, `${url}\n`]);
    expect(stderr).toMatch(
      /The platform's API is at .*\n(.*\n)*POST \/api\/v4\/projects\/42\/product_analytics\/request\/load 200 \d+ ms\nGET \/cubejs-api\/v1\/%1b\[31m 404 \d+ ms\nStopping/,
    );
    expect(stderr).not.toContain('secret');
    await expect(ask(`${url}/readyz`)).rejects.toThrow();
  });

  it('limits time and memory as configured', async () => {
    const { url } = await serve('--time-limit', '60', '--memory-limit', '512MB');
    expect((await ask(`${url}/cubejs-api/v1/load`, count)).body.data).toEqual([{ 'TrackedEvents.count': '5' }]);
  });

  it('reads the token from a file or the environment, and never shows it', async () => {
    const { url, stop, done } = await serve('--token-file', 'token.txt');
    expect((await ask(`${url}/cubejs-api/v1/meta`)).status).toBe(403);
    expect((await ask(`${url}/cubejs-api/v1/meta`, { headers: { authorization: 'a-token-in-a-file' } })).status).toBe(
      200,
    );
    stop();
    const { stdout, stderr } = await done;
    expect(stdout + stderr).not.toContain('a-token-in-a-file');
  });

  it('receives webhooks with the server or alone, and shows neither their secret nor their body', async () => {
    const send = (url: string, token: string) =>
      ask(url, {
        body: { password: 'in-the-body' },
        headers: { 'x-gitlab-token': token, 'idempotency-key': 'one', 'x-gitlab-event': 'Push Hook' },
      });
    const beside = await serve('--hooks', '0', '--hooks-token-file', 'token.txt', '--verbose');
    const [url, hooks] = beside.url.split('\n') as [string, string];
    expect(hooks).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/hooks$/);
    expect((await ask(`${url}/cubejs-api/v1/load`, count)).status).toBe(200);
    expect((await send(hooks, 'a-token-in-a-file')).status).toBe(201);
    expect((await send(hooks, 'a-wrong-one')).status).toBe(401);
    beside.stop();
    const heard = await beside.done;
    expect(heard.code).toBe(0);
    expect(heard.stderr).toMatch(/Webhook "one", "Push Hook"\n(.*\n)*POST of a webhook refused: 401\n/);
    const command = `node -p "'a-token-' + 'by-command'"`;
    const alone = await serve('--hooks-only', '--hooks', '127.0.0.1:0', '--hooks-token-command', command);
    expect((await send(alone.url, 'a-token-by-command')).body).toEqual({ id: 'one', repeated: true });
    alone.stop();
    const { stdout, stderr } = await alone.done;
    for (const text of [heard.stdout, heard.stderr, stdout, stderr])
      expect(text).not.toMatch(/a-token-|a-wrong-one|in-the-body/);
  });

  it.each([
    ['--hooks-token-file nope.txt', /cannot be read/],
    ['--hooks-token-command false', /failed with exit code 1.*\n.*--hooks-token-command/],
  ])('refuses %s', async (flags, message) => {
    const { code, stderr } = await folder.sluice(['serve', '--port', '0', '--hooks', '0', ...flags.split(' ')]);
    expect(code).toBe(3);
    expect(stderr).toMatch(message);
  });

  it.each([
    ['--hooks', /requires the secret token.*\n.*--hooks-token-file/],
    ['--hooks-body-limit 1MB', /requires the secret token/],
    ['--hooks here --hooks-token-file token.txt', /must be a port or an address and a port/],
    ['--hooks 70000 --hooks-token-file token.txt', /70000 is not a port/],
    ['--hooks 0 --hooks-token-file token.txt --hooks-token-command x', /cannot be used together/],
    ['--hooks 0 --hooks-secret-file token.txt', /signing secret of webhooks is not valid/],
    ['--hooks 0 --hooks-token-file token.txt --hooks-body-limit 1000000MB', /from 1 byte to 100 MB/],
    ['--hooks 0 --hooks-token-file token.txt --hooks-tolerance 100000', /at most one day/],
    ['--port 70000', /70000 is not a port/],
    ['--port x', /whole number/],
    ['--bind 0.0.0.0', /token is required to listen.*\n.*SLUICE_SERVE_TOKEN/],
    ['--token-file nope.txt', /cannot be read/],
    ['--token-file short.txt', /does not contain a valid token/],
    ['--cors *', /must be an origin/],
    ['--cors http://localhost:5173/', /must be an origin/],
    ['--concurrency 0', /must be at least 1/],
    ['--time-limit 100000', /at most one day/],
    ['--memory-limit much', /Use a size/],
    ['--backend platform', /uses the embedded engine/],
    ['--bind 192.0.2.1 --token-file token.txt', /Cannot listen on/],
  ])('refuses %s', async (flags, message) => {
    const { code, stderr } = await folder.sluice(['serve', '--port', '0', ...flags.split(' ')]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('sluice serve as a process', () => {
  const start = async (...flags: string[]) => {
    const child: ChildProcess = spawn(
      process.execPath,
      ['--no-warnings', `${folder.root}/main.mjs`, 'serve', '--port', '0', ...flags],
      { cwd: folder.root, stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] } },
    );
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let said = '';
    child.stderr!.on('data', (data: Buffer) => {
      said += data.toString();
    });
    const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
    const [line] = (await Promise.race([
      once(child.stdout!, 'data'),
      exit.then(() => Promise.reject(new Error(said))),
    ])) as [Buffer];
    return { child, url: line.toString().trim(), exit };
  };
  /** A request whose headers have arrived and whose body has not, so that it runs for as long as the test needs. */
  const begin = async (url: string) => {
    const request = httpRequest(`${url}/cubejs-api/v1/load`, {
      method: 'POST',
      headers: { expect: '100-continue', 'content-type': 'application/json' },
    });
    const answer = new Promise<{ readonly status: number | undefined; readonly body: unknown }>((resolve, reject) => {
      request.on('error', reject);
      request.on('response', (response) => {
        json(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      });
    });
    answer.catch(() => undefined);
    await once(request, 'continue');
    return { answer, finish: () => request.end(JSON.stringify(count.body)) };
  };
  const stopping = async (url: string) => {
    while ((await ask(`${url}/readyz`)).status !== 503);
  };

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'completes running requests on %s, accepts no new ones, and exits with 0',
    async (signal) => {
      const { child, url, exit } = await start();
      const { answer, finish } = await begin(url);
      child.kill(signal);
      await stopping(url);
      expect((await ask(`${url}/cubejs-api/v1/load`, count)).status).toBe(503);
      finish();
      expect(await answer).toMatchObject({ status: 200, body: { data: [{ 'TrackedEvents.count': '5' }] } });
      expect(await exit).toEqual([0, null]);
    },
  );

  it('does not wait for a client that stalls its request', async () => {
    const { child, url, exit } = await start();
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /ready');
    await once(socket, 'data');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    socket.destroy();
  });

  it('exits at once on the second signal', async () => {
    const { child, url, exit } = await start();
    await begin(url);
    child.kill('SIGTERM');
    await stopping(url);
    child.kill('SIGTERM');
    expect(await exit).toEqual([130, null]);
  });
});
