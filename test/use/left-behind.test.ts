import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderOf, type Folder } from './run-in-folder.ts';

const root = new URL('../..', import.meta.url).pathname;
const built = path.join(root, 'dist', 'sluice.cjs');
const child = new URL('sluice-child.ts', import.meta.url).pathname;
const isLinux = process.platform === 'linux';

const events = Array.from({ length: 2000 }, (_, index) =>
  JSON.stringify({
    utcTime: new Date(Date.UTC(2024, 2, 1) + index * 1000).toISOString(),
    userAnonymousId: `user-${index}`,
    eventType: 'pageview',
    docPath: `/${index}`,
    projectId: '7',
  }),
).join('\n');

interface Started {
  readonly process: ChildProcess;
  readonly folders: () => readonly string[];
  readonly ended: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
}

/** Starts a command that never ends, with temporary files in its own folder, and waits until there are some. */
async function startServer(folder: Folder): Promise<Started> {
  const temporary = path.join(folder.root, 'temporary');
  mkdirSync(temporary, { recursive: true });
  const started = spawn(process.execPath, [child, 'serve', '--port', '0', '--events', 'e.ndjson'], {
    cwd: folder.root,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  const ended = once(started, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const [url] = (await once(started.stdout.setEncoding('utf8'), 'data')) as [string];
  await (
    await fetch(`${url.trim()}/cubejs-api/v1/load?query=${encodeURIComponent('{"measures":["TrackedEvents.count"]}')}`)
  ).text();
  return { process: started, ended, folders: () => readdirSync(temporary) };
}

describe('temporary folders', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('are removed after %s', async (signal) => {
    const server = await startServer(folderOf({ 'e.ndjson': events }));
    expect(server.folders()).toEqual([expect.stringMatching(/^sluice-/)]);
    server.process.kill(signal);
    // It has answered from the current data.
    expect(await server.ended).toEqual([0, null]);
    expect(server.folders()).toEqual([]);
  });

  it('of a killed process are removed by the next one; those of others stay', async () => {
    const folder = folderOf({ 'e.ndjson': events });
    const killed = await startServer(folder);
    killed.process.kill('SIGKILL');
    await killed.ended;
    const [left = ''] = killed.folders();
    expect(left).toMatch(/^sluice-/);
    const alive = await startServer(folder);
    const [own = '', ...more] = alive.folders();
    expect([own === left, more]).toEqual([false, []]);
    const temporary = path.join(folder.root, 'temporary');
    const [, id = '', start = '', where = ''] = /^sluice-(\d+)-(\d+)-(\w+)-/.exec(own) ?? [];
    const gone = 2 ** 22 + 1;
    const kept = ['other', 'sluice-notes', `sluice-${gone}-1-00000000-aaaaaa`];
    const stale = [
      `sluice-${gone}-1-${where}-aaaaaa`,
      ...(isLinux ? [`sluice-${id}-${Number(start) + 1}-${where}-aaaaaa`] : []),
    ];
    for (const name of [...kept, ...stale]) mkdirSync(path.join(temporary, name));
    folder.write(`temporary/${stale[0]}/events.ndjson`, events);
    folder.write('precious/file', 'mine');
    symlinkSync(path.join(folder.root, 'precious'), path.join(temporary, `sluice-${gone}-2-${where}-bbbbbb`));
    const { status } = spawnSync(process.execPath, [child, 'query', 'count', '--events', 'e.ndjson'], {
      cwd: folder.root,
      env: { ...process.env, TMPDIR: temporary },
    });
    expect(status).toBe(0);
    expect(readdirSync(temporary).sort()).toEqual([...kept, own, `sluice-${gone}-2-${where}-bbbbbb`].sort());
    expect(existsSync(path.join(folder.root, 'precious', 'file'))).toBe(true);
  });

  it('are removed after a second signal, too', async () => {
    const server = await startServer(folderOf({ 'e.ndjson': events }));
    server.process.kill('SIGTERM');
    server.process.kill('SIGINT');
    await server.ended;
    expect(server.folders()).toEqual([]);
  });
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s exits a command with %i, and leaves nothing behind', async (signal, code) => {
    // A server that never answers.
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const folder = folderOf({
      'sluice.yaml': `platform: {url: 'http://127.0.0.1:${(server.address() as AddressInfo).port}', project: 7}\n`,
    });
    const temporary = path.join(folder.root, 'temporary');
    mkdirSync(temporary);
    const asking = spawn(process.execPath, [child, 'query', 'count'], {
      cwd: folder.root,
      env: { ...process.env, TMPDIR: temporary, SLUICE_TOKEN: 'a-token-of-some-length' },
    });
    const ended = once(asking, 'exit');
    await once(server, 'request');
    asking.kill(signal);
    expect(await ended).toEqual([code, null]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

/** The modes of everything below a folder. */
function modesBelow(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
    (name) => [name, (statSync(path.join(folder, name)).mode & 0o777).toString(8)] as const,
  );
}

describe('files with events', () => {
  it('are only accessible to the owner: store, rejected lines and locks, but not files of -o', async () => {
    const folder = folderOf({ 'e.ndjson': `${events}\nnot a line\n` });
    const before = process.umask(0o022);
    try {
      expect((await folder.sluice(['ingest', 'e.ndjson'])).code).toBe(5);
      const store = path.join(folder.root, '.sluice');
      const open = modesBelow(store).filter(
        ([name, mode]) => mode !== (statSync(path.join(store, name)).isDirectory() ? '700' : '600'),
      );
      expect(open).toEqual([]);
      const files = modesBelow(store).map(([name]) => path.basename(name));
      expect(files).toEqual(
        expect.arrayContaining(['lock', 'manifest.json', 'segments', expect.stringMatching(/^e\.ndjson\..*\.ndjson$/)]),
      );
      expect(statSync(store).mode & 0o777).toBe(0o700);
      expect((await folder.sluice(['query', 'count', '--store', '.sluice/store', '-o', 'answer.csv'])).code).toBe(0);
      expect(statSync(path.join(folder.root, 'answer.csv')).mode & 0o777).toBe(0o644);
    } finally {
      process.umask(before);
    }
  });
});

describe.skipIf(!existsSync(built))('compiled scripts', () => {
  function open() {
    const folder = folderOf({});
    const env = { ...process.env, TMPDIR: folder.root, XDG_CACHE_HOME: path.join(folder.root, 'cache') };
    delete (env as Record<string, unknown>)['NODE_COMPILE_CACHE'];
    const cache = path.join(folder.root, 'cache', 'sluice', 'compiled');
    const run = (...args: string[]) => spawnSync(process.execPath, [built, ...args], { cwd: folder.root, env });
    return { folder, cache, run };
  }

  it('are in a folder of the user that nobody else can access', () => {
    const { folder, cache, run } = open();
    expect(run('model').status).toBe(0);
    expect(readdirSync(folder.root)).not.toContain('node-compile-cache');
    expect(readdirSync(cache)).toEqual([expect.stringMatching(/^model-v[\d.]+-\w+-[0-9a-f]+$/)]);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(cache, readdirSync(cache)[0]!)).mode & 0o777).toBe(0o600);
  });

  it('are cached only for commands, and rebuilt only if a script is missing', () => {
    const { cache, run } = open();
    expect(run('modle').status).toBe(2);
    expect(readdirSync(cache)).toEqual([]);
    const written = () => readFileSync(path.join(cache, readdirSync(cache)[0]!)).toString('latin1');
    run('schema', 'query');
    const first = written();
    run('schema', 'query');
    expect(written()).toBe(first);
    run('schema', 'retention');
    const more = written();
    run('schema', 'query');
    expect(written()).toBe(more);
    expect(readdirSync(cache)).toHaveLength(1);
  });

  it('are removed after months, once others are written', () => {
    const { cache, run } = open();
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    for (const [name, days] of [
      ['model-v18.0.0-x64-old', 91],
      ['query-v18.0.0-x64-new', 89],
    ] as const) {
      writeFileSync(path.join(cache, name), 'x');
      const time = Date.now() / 1000 - days * 86_400;
      utimesSync(path.join(cache, name), time, time);
    }
    expect(run('--help').status).toBe(0);
    expect(run('model').status).toBe(0);
    expect(
      readdirSync(cache)
        .map((name) => name.replace(/-[^-]+$/, ''))
        .toSorted(),
    ).toEqual([expect.stringMatching(/^flags-v/), expect.stringMatching(/^model-v2/), 'query-v18.0.0-x64']);
  });

  it('are rebuilt if they are damaged, cut or of other scripts', () => {
    const { cache, run } = open();
    const right = run('schema', 'query').stdout.toString();
    const file = path.join(cache, readdirSync(cache)[0]!);
    const whole = readFileSync(file);
    const head = whole.indexOf('\n') + 1;
    const body = whole.indexOf('\n', head) + 1;
    const flipped = (at: number) =>
      Buffer.concat([whole.subarray(0, at), Buffer.from([whole[at]! ^ 1]), whole.subarray(at + 1)]);
    const damaged = [
      Buffer.alloc(0),
      Buffer.from('\n\n'),
      whole.subarray(0, body),
      whole.subarray(0, -1),
      ...[0, head + 3, body - 3, body + 1, body + 40, body + 1000, whole.length - 1].map(flipped),
    ];
    for (const bytes of damaged) {
      writeFileSync(file, bytes);
      const { status, stdout, stderr } = run('schema', 'query');
      expect([status, stdout.toString(), stderr.toString()]).toEqual([0, right, '']);
      expect(readFileSync(file).equals(bytes)).toBe(false);
      const again = readFileSync(file);
      run('schema', 'query');
      expect(readFileSync(file).equals(again)).toBe(true);
    }
    // Complete, but as another build would write it.
    const rest = whole.subarray(head);
    writeFileSync(file, Buffer.concat([Buffer.from(`${crc32(rest, crc32('another'))}\n`), rest]));
    expect(run('schema', 'query').stdout.toString()).toBe(right);
    expect(readFileSync(file).subarray(0, head).equals(whole.subarray(0, head))).toBe(false);
    expect(readFileSync(file).length).toBeGreaterThan(body);
  });
});
