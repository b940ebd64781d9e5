import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Folder, folderOf } from '../run-in-folder.ts';

const child = new URL('../sluice-child.ts', import.meta.url).pathname;
const day = 86_400_000;

type Handler = (request: IncomingMessage, response: ServerResponse, running: () => ChildProcess | undefined) => void;

/** A server that may kill the command while it answers, and the command as a separate process. */
async function world(handler: Handler) {
  let running: ChildProcess | undefined;
  const server = createServer((request, response) => handler(request, response, () => running));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        running?.kill('SIGKILL');
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const folder = folderOf();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = (...argv: readonly string[]) =>
    new Promise<{ readonly code: number | null; readonly said: string }>((resolve) => {
      const started = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', child, ...argv, '--host', url],
        {
          cwd: folder.root,
          env: { ...process.env, SLUICE_TOKEN: 'glpat-killed-secret', HOME: folder.root },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      running = started;
      let said = '';
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', (text: Buffer) => (said += text.toString()));
      started.on('close', (code) => resolve({ code, said }));
    });
  return { folder, run };
}

function storedIds({ root }: Folder): readonly string[] {
  const base = path.join(root, '.sluice', 'platform', 'commits');
  return readdirSync(base)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(path.join(base, name), 'utf8').trimEnd().split('\n'))
    .map((line) => (JSON.parse(line) as { id: string }).id);
}

describe('after a kill and a restart', () => {
  it('a sync loses nothing and duplicates nothing', async () => {
    const start = Date.now();
    const commits = Array.from({ length: 60 }, (_, index) => ({
      id: `c${index}`,
      committed_date: new Date(start - (index + 0.5) * 5 * day).toISOString(),
    }));
    const kills = new Set([4, 11]);
    let count = 0;
    const { folder, run } = await world((request, response, running) => {
      const query = new URL(request.url!, 'http://h').searchParams;
      count += 1;
      if (kills.has(count)) return void running()?.kill('SIGKILL');
      const [since, until] = ['since', 'until'].map((name) => Date.parse(query.get(name)!));
      const found = commits.filter(({ committed_date: at }) => Date.parse(at) >= since! && Date.parse(at) <= until!);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(found));
    });
    for (const _ of kills) expect((await run('sync', 'Commits', '--project', 'acme/shop')).code).toBeNull();
    const stored = storedIds(folder);
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.length).toBeLessThan(60);
    expect(await run('sync', 'Commits', '--project', 'acme/shop')).toMatchObject({ code: 0 });
    expect([...storedIds(folder)].sort()).toEqual(commits.map(({ id }) => id).sort());
  });

  it('a download resumes where it stopped', async () => {
    const archive = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 13 + (index >> 9)) % 256));
    const ranges: (string | undefined)[] = [];
    const { folder, run } = await world((request, response, running) => {
      const { range } = request.headers;
      ranges.push(range);
      const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
      response.setHeader('etag', '"a"').setHeader('content-length', archive.length - from);
      if (from > 0) response.setHeader('content-range', `bytes ${from}-${archive.length - 1}/${archive.length}`);
      response.statusCode = from > 0 ? 206 : 200;
      if (from > 0) return void response.end(archive.subarray(from));
      response.write(archive.subarray(0, 200_000));
      const look = setInterval(() => {
        const part = readdirSync(folder.root, { recursive: true, encoding: 'utf8' }).find((name) =>
          name.endsWith('body'),
        );
        if (part === undefined || readFileSync(path.join(folder.root, part)).length < 200_000) return;
        clearInterval(look);
        running()?.kill('SIGKILL');
      }, 10);
      response.on('close', () => clearInterval(look));
    });
    const load = ['api', 'exports', 'download', '--id', '7', '-o', 'shop.tar.gz'];
    expect((await run(...load)).code).toBeNull();
    expect(readdirSync(folder.root)).not.toContain('shop.tar.gz');
    expect(await run(...load)).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(folder.root, 'shop.tar.gz')).equals(archive)).toBe(true);
    expect(ranges).toEqual([undefined, 'bytes=200000-']);
    expect(readdirSync(folder.root).filter((name) => name.startsWith('.shop'))).toEqual([]);
  });

  it('an upload is sent completely once', async () => {
    const archive = Buffer.alloc(8_000_000, 'archive');
    const whole: number[] = [];
    let requests = 0;
    const { folder, run } = await world((request, response, running) => {
      requests += 1;
      const isFirst = requests === 1;
      let bytes = 0;
      request.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (isFirst && bytes > 1_000_000) running()?.kill('SIGKILL');
      });
      request.on('error', () => undefined);
      request.on('end', () => {
        whole.push(Number(request.headers['content-length']) - bytes);
        response.statusCode = 201;
        response.setHeader('content-type', 'application/json').end('{"id": 1, "import_status": "scheduled"}');
      });
    });
    folder.write('a.tar.gz', archive);
    const send = ['api', 'imports', 'create', '--file', 'a.tar.gz', '--path', 'shop', '--yes'];
    expect((await run(...send)).code).toBeNull();
    expect(whole).toEqual([]);
    expect(await run(...send)).toMatchObject({ code: 0 });
    expect([whole, requests]).toEqual([[0], 2]);
  });
});
