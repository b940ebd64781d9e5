import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSample } from '../../src/run/sample/write-sample.ts';
import { exitCodes } from '../../src/use/process/exit-code.ts';
import { openFolder } from '../use/run-in-folder.ts';
import { noClickHouse, onClickHouse, openClickHouseServer, type TestServer } from './open-clickhouse.ts';

const built = path.resolve(import.meta.dirname, '../../dist/sluice.cjs');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(noClickHouse)(onClickHouse('the command that loads events into ClickHouse'), () => {
  const folder = openFolder();
  let server: TestServer | undefined;
  let door: Server | undefined;
  /**
   * Called for each statement that sends events, when it starts and when all of it is sent. Returns true if the command
   * is dead.
   */
  let onSent: (at: 'begun' | 'whole') => boolean = () => false;

  /** Called when the server has started a slow statement. */
  let onSlow: () => void = () => undefined;

  /** A proxy between the command and the server. */
  function pass(given: IncomingMessage, answer: ServerResponse): void {
    const { hostname, port } = new URL(server!.url);
    const sends = decodeURIComponent(given.url ?? '').includes('INSERT');
    const onward = request(
      { hostname, port, method: given.method, path: given.url, headers: given.headers },
      (reply) => {
        answer.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    given.on('error', () => onward.destroy());
    if (!sends) {
      given.on('data', (part: Buffer) => {
        // Its first rows are computed, and more follow.
        if (part.includes('sleepEachRow') && !part.includes('DESCRIBE')) setTimeout(() => onSlow(), 700);
      });
      return void given.pipe(onward);
    }
    given.once('data', (first: Buffer) => {
      if (!onSent('begun')) return;
      onward.write(first.subarray(0, 100), () => onward.destroy());
      given.unpipe(onward);
    });
    given.once('end', () => onSent('whole'));
    given.pipe(onward);
  }

  beforeAll(async () => {
    server = await openClickHouseServer();
    door = createServer(pass).listen(0, '127.0.0.1');
    await new Promise((resolve) => door!.once('listening', resolve));
    await writeSample({ seed: 5, events: 3000, days: 5, to: '2024-02-29' }, `${folder.root}/raw.parquet`);
  });
  afterAll(async () => {
    door?.closeAllConnections();
    door?.close();
    await server?.[Symbol.asyncDispose]();
    folder.remove();
  });

  function configure(database: string, more: object = {}): void {
    const url = `http://127.0.0.1:${(door!.address() as AddressInfo).port}`;
    const clickhouse = { url, user: server!.user, database };
    folder.write('sluice.yaml', JSON.stringify({ store: `store_${database}`, cache: false, clickhouse, ...more }));
  }

  function run(
    argv: readonly string[],
    {
      password = server!.password,
      killedAt = undefined as 'begun' | 'whole' | undefined,
      whileSlow = (_: ChildProcess): void => undefined,
    } = {},
  ) {
    const child = spawn(process.execPath, [built, ...argv], {
      cwd: folder.root,
      env: { ...process.env, SLUICE_CLICKHOUSE_PASSWORD: password, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onSlow = () => whileSlow(child);
    onSent = (at) => {
      return at === killedAt && child.kill('SIGKILL');
    };
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    return new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  }

  async function rowOf<T>(query: string): Promise<T> {
    await using client = createClient({ url: server!.url, username: server!.user, password: server!.password });
    return ((await (await client.query({ query, format: 'JSONEachRow' })).json()) as T[])[0]!;
  }

  const inTable = (database: string) =>
    rowOf<{ readonly events: number; readonly different: number }>(
      `SELECT toUInt32(count()) AS events, toUInt32(uniqExact(event_id)) AS different FROM ${database}.events`,
    );

  const count = async (...flags: readonly string[]) =>
    JSON.parse((await run(['query', 'count', '-f', 'json', '--quiet', ...flags])).stdout) as unknown;

  it('loads an export folder, resumes after a kill, and removes what the store forgets', async () => {
    configure('moved');
    expect(
      (await run(['export', '-o', 'exported', '--events', 'raw.parquet', '--range', '2024-02-24,2024-02-29'])).stderr,
    ).toContain('3,000 events');
    const printed = await run(['clickhouse', 'init']);
    expect([printed.code, printed.stdout]).toEqual([0, expect.stringMatching(/CREATE TABLE IF NOT EXISTS `moved`/)]);
    expect(printed.stderr).toContain('Nothing was changed');
    expect((await run(['clickhouse', 'init', '--apply'])).code).toBe(0);
    // Killed while events are sent, and once more while the server inserts them.
    for (const killedAt of ['begun', 'whole'] as const) {
      const killed = await run(['ingest', 'exported', '--to', 'clickhouse'], { killedAt });
      expect([killedAt, killed.code]).toEqual([killedAt, null]);
    }
    const again = await run(['ingest', 'exported', '--to', 'clickhouse']);
    expect(again.code).toBe(0);
    expect(await inTable('moved')).toEqual({ events: 3000, different: 3000 });
    expect(again.stderr).toMatch(/Loaded 0 events; 3,000 events were there already/);
    const top = await run(['query', 'count by userAnonymousId top 2', '-f', 'ndjson', '--quiet']);
    const users = top.stdout.split('\n').flatMap((line) => /userAnonymousId":"([^"]+)"/.exec(line)?.[1] ?? []);
    const [user = ''] = users;
    for (const change of [
      ['forget', user],
      ['prune', '--before', '2024-02-27'],
    ]) {
      expect((await run(['store', ...change])).code).toBe(0);
      expect((await run(['clickhouse', 'load'])).stderr).toMatch(/Deleted [\d,]+ events?/);
      expect(await count('--backend', 'clickhouse')).toEqual(await count('--backend', 'embedded'));
    }
    expect((await inTable('moved')).events).toBeLessThan(3000);
  }, 120_000);

  it('exits with the code of the error', async () => {
    configure('wrong');
    const ask = ['query', 'count', '--backend', 'clickhouse'];
    expect((await run(ask, { password: 'no' })).code).toBe(exitCodes.authentication);
    const none = await run(ask);
    expect([none.code, none.stderr]).toEqual([exitCodes.wrongInput, expect.stringContaining('init --apply')]);
    folder.write('sluice.yaml', "clickhouse: {url: 'http://127.0.0.1:9', database: wrong}\n");
    expect((await run(ask)).code).toBe(exitCodes.remote);
  });

  /** A model whose query takes some seconds, and a report that runs it after another. */
  async function openSlow(database: string, seconds: number): Promise<void> {
    configure(database, { model: 'slow.yml', backend: 'clickhouse' });
    folder.write(
      'slow.yml',
      `cubes:
  - name: slow
    sql: SELECT number, sleepEachRow(0.1) AS waited FROM numbers(${seconds * 10}) SETTINGS max_block_size = 1
    measures:
      - {name: waited, type: sum, sql: "{CUBE}.waited"}
`,
    );
    const cell = (measure: string) => `\`\`\`query\nquery: {measures: [${measure}]}\n\`\`\`\n`;
    folder.write('reports/slow.md', `---\ntitle: Slow\n---\n\n${cell('TrackedEvents.count')}\n${cell('slow.waited')}`);
    expect((await run(['ingest', 'raw.parquet'])).code).toBe(0);
    expect((await run(['clickhouse', 'init', '--apply'])).code).toBe(0);
    expect((await run(['clickhouse', 'load'])).code).toBe(0);
  }

  it('reports that the server died during a query and a report, and answers once it is back', async () => {
    if (!server!.own) return;
    await openSlow('dying', 3);
    let died: Promise<void> = Promise.resolve();
    const whileSlow = () => void (died = server!.kill());
    const asked = await run(['query', 'slow.waited', '-f', 'csv'], { whileSlow });
    expect([asked.code, asked.stdout]).toEqual([exitCodes.remote, '']);
    expect(asked.stderr).toMatch(/cannot be reached/);
    await died;
    await server!.restart();
    const whole = await run(['report', 'run', 'slow', '-o', 'slow.html']);
    expect(whole.code).toBe(0);
    const before = readFileSync(`${folder.root}/slow.html`, 'utf8');
    const cut = await run(['report', 'run', 'slow', '-o', 'slow.html'], { whileSlow });
    await died;
    expect(cut.code).not.toBe(0);
    expect(cut.stderr).toMatch(/cannot be reached/);
    await server!.restart();
    expect(readFileSync(`${folder.root}/slow.html`, 'utf8')).toBe(before);
    expect((await run(['query', 'TrackedEvents.count', '-f', 'csv'])).stdout).toContain('3000');
    expect((await run(['report', 'run', 'slow', '-o', 'slow.html'])).code).toBe(0);
  }, 180_000);

  it('stops the statement on the server if the command is interrupted', async () => {
    await openSlow('interrupted', 10);
    const running = async () =>
      (
        await rowOf<{ readonly running: number }>(
          "SELECT toUInt32(count()) AS running FROM system.processes WHERE NOT is_cancelled AND query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'",
        )
      ).running;
    let before: Promise<number> = Promise.resolve(0);
    const started = performance.now();
    const ended = await run(['query', 'slow.waited'], {
      whileSlow: (child) => {
        before = running();
        void before.then(() => child.kill('SIGINT'));
      },
    });
    expect(await before).toBe(1);
    expect(ended.code).toBe(130);
    expect(ended.stdout).toBe('');
    await expect.poll(running, { timeout: 3000 }).toBe(0);
    expect(performance.now() - started).toBeLessThan(9000);
  }, 120_000);
});
