import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { takeLock } from '../../src/run/file/take-lock.ts';

/** Whether this machine lets tests mount file systems that only they see. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));
let number = 0;
const fresh = () => path.join(folder, `${(number += 1)}`);

const take = (file: string, holder = 'process 1 (a)') => takeLock(file, { holder, what: 'store' });

/** Takes the lock and keeps it until it is killed. */
async function takeInChild(file: string) {
  const module = new URL('../../src/run/file/take-lock.ts', import.meta.url).href;
  const script = `const { takeLock } = await import(${JSON.stringify(module)}); globalThis.kept = await takeLock(${JSON.stringify(file)}, { holder: 'process 2 (b)', what: 'store' }); console.log(globalThis.kept.kind); setInterval(() => {}, 1000);`;
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    kind: said.toString().trim(),
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('a lock', () => {
  it('has one holder at a time, whom the others are told', async () => {
    const file = fresh();
    const first = await take(file);
    expect(await take(file, 'process 3 (c)')).toEqual({ kind: 'taken', holder: 'process 1 (a)' });
    expect(await take(file)).toEqual({ kind: 'taken', holder: 'this process' });
    if (first.kind === 'held') first[Symbol.dispose]();
    const second = await take(file, 'process 3 (c)');
    expect(second.kind).toBe('held');
    expect(await take(file)).toEqual({ kind: 'taken', holder: 'process 3 (c)' });
    if (second.kind === 'held') second[Symbol.dispose]();
  });

  it('goes with the process that held it, and leaves nothing to clean up', async () => {
    const file = fresh();
    const child = await takeInChild(file);
    expect(child.kind).toBe('held');
    expect(await take(file)).toEqual({ kind: 'taken', holder: 'process 2 (b)' });
    await child.kill();
    const lock = await take(file);
    expect(lock.kind).toBe('held');
    if (lock.kind === 'held') lock[Symbol.dispose]();
    expect(readdirSync(folder).filter((name) => name.startsWith(path.basename(file)))).toEqual([path.basename(file)]);
  });

  it('is given to one of many who come at once', async () => {
    const file = fresh();
    const children = await Promise.all(Array.from({ length: 4 }, () => takeInChild(file)));
    expect(children.map(({ kind }) => kind).toSorted()).toEqual(['held', 'taken', 'taken', 'taken']);
    await Promise.all(children.map(({ kill }) => kill()));
  });

  it('that is no lock is told as damaged, and stays as it is', async () => {
    const file = fresh();
    writeFileSync(
      file,
      'something else, which is long enough to be a header of a database of a hundred bytes and more: it is none'.repeat(
        2,
      ),
    );
    await expect(take(file)).rejects.toMatchObject({
      code: 'store-lock-damaged',
      hint: expect.stringContaining('Remove that file') as string,
    });
  });

  it('in a folder that is not there is told by the system', async () => {
    await expect(take(path.join(folder, 'none', 'lock'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.runIf(canMount).each([
    ['size=4k', 'the disk is full, or has no free inodes (ENOSPC)'],
    ['nr_inodes=1', 'the disk is full, or has no free inodes (ENOSPC)'],
    ['ro', 'the disk is read-only (EROFS)'],
  ])('is told as a file that cannot be written if its disk is mounted with %s', (options, reason) => {
    const disk = path.join(folder, 'disk');
    mkdirSync(disk, { recursive: true });
    const file = path.join(disk, 'lock');
    const here = (name: string) => new URL(`../../src/run/file/${name}.ts`, import.meta.url).href;
    const script = `
      const { takeLock } = await import(${JSON.stringify(here('take-lock'))});
      const { toSystemError } = await import(${JSON.stringify(here('system-error'))});
      const error = await takeLock(${JSON.stringify(file)}, { holder: 'a', what: 'report' }).catch((each) => each);
      console.log(JSON.stringify(toSystemError(error) ?? {}, ['code']), toSystemError(error)?.message ?? error);`;
    const said = execFileSync(
      'unshare',
      [
        '-rm',
        'sh',
        '-c',
        'mount -t tmpfs -o "$1" none "$2"; echo fill 2>/dev/null >"$2/fill"; shift 2; exec "$@"',
        'sh',
        options,
        disk,
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        '--input-type=module',
        '-e',
        script,
      ],
      { encoding: 'utf8' },
    );
    expect(said.trim()).toBe(`{"code":"file-unwritable"} ${file} cannot be written: ${reason}.`);
  });

  it('whose file has been moved away is no lock any more', async () => {
    const file = fresh();
    const first = await take(file);
    renameSync(file, `${file}.away`);
    expect((await take(file, 'process 3 (c)')).kind).toBe('held');
    if (first.kind === 'held') first[Symbol.dispose]();
  });
});
