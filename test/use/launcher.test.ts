import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fewEvents } from './run-in-folder.ts';

const root = new URL('../..', import.meta.url).pathname;
const dist = path.join(root, 'dist');
const manifest = JSON.parse(JSON.stringify(await import('../../package.json', { with: { type: 'json' } }))) as {
  default: { version: string };
};
const { version } = manifest.default;

/** A Node of this machine that is older than sluice needs, outside of the project. */
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
  const sluice = path.join(dist, 'sluice.js');

  beforeAll(() => {
    if (!existsSync(sluice)) throw new Error('There is no dist/: `npm run build` goes before this test.');
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
    writeFileSync(path.join(folder, 'events.ndjson'), fewEvents);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
      // Both processes hold the other end of its stderr: it closes with the last one.
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
    const { status, stdout, stderr } = run(oldNode ?? '', path.join(alone, 'sluice.js'), ['query', 'count']);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^sluice needs Node 22\.19 or newer, and this is Node \d+\.\d+\.\d+: .*\n$/);
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
    // Ours are bundled: what is loaded must hold none of these, under whatever name.
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
