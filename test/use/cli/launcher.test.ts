import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeKept, encodeKept, type KeptText } from '../../../src/run/kept/kept-text.ts';
import { lookAt } from '../../../src/run/looks.ts';
import type { Reply } from '../../../src/use/cli/command/reply.ts';
import { fewEvents } from '../run-in-folder.ts';

const root = new URL('../../..', import.meta.url).pathname;
const dist = path.join(root, 'dist');
const manifest = JSON.parse(JSON.stringify(await import('../../../package.json', { with: { type: 'json' } }))) as {
  default: { version: string };
};
const { version } = manifest.default;

/** A Node on this machine that is older than sluice requires, outside of the project. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((file) => {
  if (!existsSync(file)) return false;
  const [major = 99] = spawnSync(file, ['-p', 'process.versions.node']).stdout.toString().split('.').map(Number);
  return major < 22;
});

function run(
  node: string,
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly input?: string } = {},
): SpawnSyncReturns<string> {
  return spawnSync(node, [file, ...args], { encoding: 'utf8', ...options });
}

describe('the built command', () => {
  let folder: string;
  const sluice = path.join(dist, 'sluice.cjs');

  beforeAll(() => {
    if (!existsSync(sluice)) throw new Error('There is no dist/: `npm run build` goes before this test.');
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
    writeFileSync(path.join(folder, 'events.ndjson'), fewEvents);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.runIf(process.platform !== 'win32')('says that the current folder does not exist any more', () => {
    for (const command of ['query count', 'doctor']) {
      const gone = mkdtempSync(path.join(folder, 'gone-'));
      const script = `rmdir "${gone}" && exec "${process.execPath}" "${sluice}" ${command}`;
      const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: gone, encoding: 'utf8' });
      expect([status, stderr]).toEqual([
        2,
        'sluice: The current folder does not exist any more.\n  hint: Change to another folder.\n',
      ]);
    }
  });

  it('answers, ends with the exit code of what happened, and leaves nothing behind', () => {
    const good = run(process.execPath, sluice, ['query', 'count', '-f', 'json', '--events', 'events.ndjson'], {
      cwd: folder,
    });
    expect([good.status, good.stderr, good.stdout]).toEqual([0, '', '[{"TrackedEvents.count":5}]\n']);
    const bad = run(process.execPath, sluice, ['query', 'cuont', '--events', 'events.ndjson'], { cwd: folder });
    expect([bad.status, bad.stdout]).toEqual([2, '']);
  });

  it('reads a question from stdin', () => {
    const { stdout } = run(process.execPath, sluice, ['query', '-', '-f', 'csv', '--events', 'events.ndjson'], {
      cwd: folder,
      input: 'measures: [TrackedEvents.count]\n',
    });
    expect(stdout).toBe('TrackedEvents.count\n5\n');
  });

  it('ends quietly when its reader has seen enough', () => {
    const many = path.join(folder, 'many.ndjson');
    writeFileSync(
      many,
      Array.from(
        { length: 20_000 },
        (_, n) => `{"utcTime":"2024-03-06T10:00:00","docPath":"/${n}/${'x'.repeat(50)}"}\n`,
      ).join(''),
    );
    const piped = spawnSync(
      'bash',
      [
        '-c',
        `set -o pipefail; "${process.execPath}" "${sluice}" query 'count by docPath limit 20000' -f csv --events "${many}" | head -1`,
      ],
      { encoding: 'utf8' },
    );
    expect(piped.stdout).toBe('TrackedEvents.docPath,TrackedEvents.count\n');
    expect([piped.status, piped.stderr]).toEqual([0, '']);
  });

  it('tells that a file has no room for the answer, and leaves no cut one where -o names it', () => {
    const many = path.join(folder, 'room.ndjson');
    writeFileSync(
      many,
      Array.from(
        { length: 2_000 },
        (_, n) => `{"utcTime":"2024-03-06T10:00:00","docPath":"/${n}/${'x'.repeat(50)}"}\n`,
      ).join(''),
    );
    const question = path.join(folder, 'room.json');
    writeFileSync(question, '{"measures": ["TrackedEvents.count"], "dimensions": ["TrackedEvents.docPath"]}');
    const limited = (rest: string) =>
      spawnSync('bash', ['-c', `ulimit -f 8; "${process.execPath}" "${sluice}" ${rest}`], {
        cwd: folder,
        encoding: 'utf8',
      });
    const toStdout = limited('query room.json -f csv --events room.ndjson > cut.csv');
    expect([toStdout.status, toStdout.stderr]).toEqual([
      1,
      expect.stringMatching(/^sluice: the output cannot be written: .*EFBIG\)\n$/),
    ]);
    const toFile = limited('query room.json -o whole.csv --events room.ndjson');
    expect([toFile.status, toFile.stderr]).toEqual([
      1,
      expect.stringMatching(/^sluice: .*whole\.csv cannot be written: .*EFBIG/),
    ]);
    expect(readdirSync(folder).filter((name) => name.includes('whole'))).toEqual([]);
    writeFileSync(path.join(folder, 'full'), 'x'.repeat(8192));
    const help = limited('--help >> full');
    expect([help.status, help.stderr]).toEqual([1, expect.stringMatching(/^sluice: the output cannot be written: /)]);
  });

  it('ends with 130 when it is interrupted while it waits', async () => {
    const child = spawn(process.execPath, [sluice, 'query', '-', '--events', 'events.ndjson'], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, SLUICE_EVENT: 'warned of, and so a sign that the command is at work' },
    });
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    child.stderr.once('data', () => child.kill('SIGINT'));
    expect(await ended).toBe(130);
  });

  it.skipIf(oldNode === undefined)(
    'runs itself on the pinned runtime where Node is too old (skipped where no old Node is installed)',
    () => {
      const found = run(oldNode ?? '', sluice, ['query', 'count', '-f', 'json', '--events', 'events.ndjson'], {
        cwd: folder,
      });
      expect([found.status, found.stdout]).toEqual([0, '[{"TrackedEvents.count":5}]\n']);
      expect(run(oldNode ?? '', sluice, ['qurey']).status).toBe(2);
      expect(run(oldNode ?? '', sluice, ['--version']).stdout).toBe(`${version}\n`);
      expect(run(oldNode ?? '', sluice, ['doctor', '--events', 'events.ndjson'], { cwd: folder }).stdout).toMatch(
        /on Node 2[2-9]/,
      );
    },
  );

  it.skipIf(oldNode === undefined)(
    'ends with its launcher, even where that is killed (skipped where no old Node is installed)',
    async () => {
      const launcher = spawn(oldNode ?? '', [sluice, 'query', '-', '--events', 'events.ndjson'], {
        cwd: folder,
        stdio: ['pipe', 'pipe', 'pipe'],
        env: { ...process.env, SLUICE_EVENT: 'warned of, and so a sign that the command is at work' },
      });
      // Both processes hold the other end of its stderr; it closes when the last one ends.
      const closed = new Promise<void>((resolve) => launcher.stderr.on('close', resolve));
      launcher.stderr.once('data', () => launcher.kill('SIGKILL'));
      await closed;
      expect(launcher.signalCode).toBe('SIGKILL');
      launcher.stdin.destroy();
    },
  );

  it.skipIf(oldNode === undefined)('says in one line what it needs where there is no other runtime', () => {
    const alone = path.join(folder, 'alone', 'dist');
    cpSync(dist, alone, { recursive: true });
    writeFileSync(path.join(folder, 'alone', 'package.json'), '{"type": "module"}');
    const { status, stdout, stderr } = run(oldNode ?? '', path.join(alone, 'sluice.cjs'), ['query', 'count']);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^sluice needs Node 22\.19 or newer, and this is Node \d+\.\d+\.\d+: .*\n$/);
  });
});

/** Records every path that a process accesses with Node's functions. */
const tracer = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const seen = new Set();
  for (const module of [fs.promises, fs])
    for (const [name, work] of Object.entries(module))
      if (/^(open|read|stat|lstat|access|exists)/.test(name) && typeof work === 'function')
        module[name] = (...args) => {
          if (typeof args[0] === 'string') seen.add(args[0]);
          return work.apply(module, args);
        };
  syncBuiltinESMExports();
  process.on('exit', () => fs.writeFileSync(process.env.TRACE, JSON.stringify([...seen])));`;

describe('a command that is repeated', () => {
  const sluice = path.join(dist, 'sluice.cjs');
  const told = 'what was written before\n';
  let folder: string;
  let cache: string;
  let trace: string;

  beforeAll(() => {
    const above = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
    folder = path.join(above, 'work');
    cache = path.join(folder, '.sluice', 'cache');
    trace = path.join(above, 'trace.json');
    mkdirSync(path.join(folder, 'queries'), { recursive: true });
    mkdirSync(path.join(folder, 'events'));
    writeFileSync(path.join(above, 'tracer.mjs'), tracer);
    writeFileSync(path.join(folder, 'sluice.yaml'), "events: 'events/*.ndjson'\n");
    writeFileSync(path.join(folder, 'queries', 'all.yaml'), 'query: {measures: [TrackedEvents.count]}\n');
    writeFileSync(path.join(folder, 'events', 'a.ndjson'), fewEvents);
    // Replies over recently changed files are not cached.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
    for (let round = 0; round < 3; round += 1) {
      const { status, stdout, stderr } = ask();
      expect([status, stdout, stderr]).toEqual([0, '[{"TrackedEvents.count":5}]\n', '']);
    }
  });
  afterAll(() => rmSync(path.dirname(folder), { recursive: true, force: true }));

  function ask(more: readonly string[] = [], env: Readonly<Record<string, string>> = {}): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, [sluice, 'query', 'all', '-f', 'json', ...more], {
      encoding: 'utf8',
      cwd: folder,
      env: {
        ...process.env,
        NODE_OPTIONS: `--import ${path.join(path.dirname(folder), 'tracer.mjs')}`,
        TRACE: trace,
        ...env,
      },
    });
  }

  /**
   * Replaces every cached reply by an impossible output, with current marks of its dependencies. Returns the
   * dependencies.
   */
  function mark(): readonly string[] {
    const places: string[] = [];
    for (const name of readdirSync(cache)) {
      const file = path.join(cache, name);
      const text = readFileSync(file, 'utf8');
      const [key = ''] = (name.endsWith('.answer') ? JSON.parse(text.slice(text.indexOf('\n'))) : []) as string[];
      if (!key.startsWith('["reply"')) continue;
      const kept = decodeKept(text, key) as KeptText;
      const { looks } = JSON.parse(kept.text) as Reply;
      const reply: Reply = {
        looks: looks.map(([place]) => [place, lookAt(place).mark]),
        written: [['stdout', told]],
      };
      writeFileSync(file, encodeKept(key, { ...kept, text: JSON.stringify(reply) }));
      places.push(...looks.map(([place]) => place));
    }
    return places;
  }

  it('is answered where nothing can be kept, and leaves nothing half written', () => {
    const kept = () => readdirSync(cache).filter((name) => !name.endsWith('.asked'));
    const before = kept();
    const asked = `"${process.execPath}" "${sluice}" query 'count by docPath' -f json`;
    const [full, roomy] = [`ulimit -f 0; ${asked}`, asked].map((command) => {
      const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8', cwd: folder });
      expect([status, stderr]).toEqual([0, '']);
      return { stdout, added: kept().length - before.length };
    });
    expect(full?.stdout).toContain('"TrackedEvents.count":');
    expect([full?.added, roomy?.added]).toEqual([0, 1]);
    expect(roomy?.stdout).toBe(full?.stdout);
  });

  it('is run where its answer changes with every minute', () => {
    const replies = () =>
      readdirSync(cache).filter((name) => readFileSync(path.join(cache, name), 'utf8').includes('reply'));
    const before = replies();
    for (let round = 0; round < 3; round += 1)
      expect(ask(['-t', 'utcTime:minute', '--range', 'last 2 hours']).status).toBe(0);
    expect(replies()).toEqual(before);
    for (let round = 0; round < 3; round += 1) expect(ask(['--range', 'last 7 days']).status).toBe(0);
    expect(replies().length).toBe(before.length + 1);
  });

  it('writes the same again without being run, and is run once anything that it looks at has changed', () => {
    const seen = JSON.parse(readFileSync(trace, 'utf8')) as readonly string[];
    const places = mark();
    const ours = seen.filter((place) => place.startsWith(folder) && !place.startsWith(cache));
    expect(ours.length).toBeGreaterThan(6);
    // Parent folders contain folders of other tests.
    const isNoted = (place: string) => places.some((noted) => noted === place || noted.startsWith(`${place}/`));
    expect(ours.filter((place) => !isNoted(place))).toEqual([]);
    expect(ask().stdout).toBe(told);
    const computed = '[{"TrackedEvents.count":5}]\n';
    expect(ask([], { SLUICE_TIMEZONE: 'Europe/Berlin' }).stdout).toBe(computed);
    expect(ask(['--no-cache']).stdout).toBe(computed);
    expect(ask([], { TZ: 'Asia/Tokyo' }).stdout).toBe(computed);
    const inFolder = (...names: string[]) => path.join(folder, ...names);
    const changes: readonly (readonly [() => void, string])[] = [
      [
        () => appendFileSync(inFolder('events', 'a.ndjson'), fewEvents.split('\n')[0] + '\n'),
        computed.replace('5', '6'),
      ],
      [() => writeFileSync(inFolder('events', 'b.ndjson'), fewEvents), computed.replace('5', '11')],
      [() => rmSync(inFolder('events', 'b.ndjson')), computed.replace('5', '6')],
      [
        () => writeFileSync(inFolder('queries', 'all.yaml'), 'query: {measures: [TrackedEvents.uniqueUsersCount]}\n'),
        '[{"TrackedEvents.uniqueUsersCount":2}]\n',
      ],
      [() => writeFileSync(inFolder('sluice.yaml'), "events: 'events/b*'\n"), ''],
    ];
    for (const [change, expected] of changes) {
      expect(ask().stdout).toBe(told);
      change();
      expect(ask().stdout).toBe(expected);
      mark();
    }
  });

  it('is run where the reply could be read by others, is damaged or is of another version', () => {
    mark();
    const replies = readdirSync(cache)
      .map((name) => path.join(cache, name))
      .filter((file) => readFileSync(file, 'utf8').includes(told.trim()));
    const changes: readonly ((file: string) => void)[] = [
      (file) => chmodSync(file, 0o644),
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('before', 'after!')),
      (file) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -3)),
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"format":2', '"format":1')),
    ];
    for (const change of changes) {
      const texts = replies.map((file) => readFileSync(file));
      expect(ask().stdout).toBe(told);
      replies.forEach(change);
      expect(ask().stdout).not.toContain('what was');
      replies.forEach((file, index) => {
        writeFileSync(file, texts[index] ?? '');
        chmodSync(file, 0o600);
      });
    }
  });
});

describe('the built library', () => {
  it.skipIf(oldNode === undefined)(
    'rejects with one clear sentence on a Node that is too old (skipped where no old Node is installed)',
    () => {
      const program = `import(${JSON.stringify(path.join(dist, 'index.js'))}).then((sluice) => sluice.open()).catch((error) => console.log(JSON.stringify([error.name, error.code, error.message])))`;
      const { stdout, stderr } = spawnSync(oldNode ?? '', ['-e', program], { encoding: 'utf8' });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual([
        'ConfigError',
        'node-too-old',
        expect.stringMatching(/^sluice needs Node 22\.19 or newer, and this is Node \d+\.\d+\.\d+\.$/),
      ]);
    },
  );

  it('loads neither engine, drawing, YAML nor the command line for the query builder', () => {
    const program = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const { query } = await import(${JSON.stringify(path.join(dist, 'index.js'))});
      console.log(JSON.stringify({ query: query().measures('TrackedEvents.count').toQuery(), loaded }));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { query, loaded } = JSON.parse(stdout) as { query: unknown; loaded: readonly string[] };
    expect(query).toEqual({ measures: ['TrackedEvents.count'] });
    expect(loaded.length).toBeGreaterThan(0);
    // sluice's own code is bundled: it must not contain any of these, under whatever name.
    let length = 0;
    for (const url of loaded) {
      expect(url).not.toMatch(/duckdb|vega|\/ink|react|zod|yaml|arquero/i);
      if (!url.startsWith('file:')) continue;
      const text = readFileSync(new URL(url), 'utf8');
      length += text.length;
      expect(text, url).not.toMatch(/duckdb_|createElement|reconciler|ZodType|parseDocument|dense_rank|addHelpText/);
    }
    expect(length).toBeLessThan(200_000);
  });
});
