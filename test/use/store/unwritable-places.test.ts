import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SluiceError } from '../../../src/ask/sluice-error.ts';
import { toBackendError } from '../../../src/run/duckdb/engine/to-backend-error.ts';
import { toStoreError } from '../../../src/run/duckdb/store/store-error.ts';
import { folderOf } from '../run-in-folder.ts';

it('forget and prune say whether the store changed if cached answers cannot be removed', async () => {
  const folder = folderOf({ 'a.ndjson': '{"utcTime":"2024-03-01T10:00:00Z","userId":"ann"}\n' });
  await folder.sluice(['ingest', 'a.ndjson']);
  // A folder in place of the file that marks removed answers.
  const cache = path.join(folder.root, '.sluice/cache');
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(path.join(cache, 'generation'), { recursive: true });
  const manifest = () => readFileSync(path.join(folder.root, '.sluice/store/manifest.json'), 'utf8');
  const before = manifest();
  for (const argv of [
    ['store', 'forget', 'ann'],
    ['store', 'prune', '--before', '2024-03-02'],
  ]) {
    const { code, stderr } = await folder.sluice(argv);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/The cached answers in .*cache cannot be removed: .*The store was not changed\./);
  }
  expect(manifest()).toBe(before);
});

it('a quota that the lock of the store meets is told as such', () => {
  const folder = folderOf({});
  const module = new URL('../../../src/run/file/take-lock.ts', import.meta.url).href;
  const script = `const { takeLock } = await import('${module}');
    await takeLock('${path.join(folder.root, 'lock')}', { holder: 'me', what: 'store' }).catch(({ code }) => { process.exitCode = code === 'EFBIG' ? 42 : 1 });`;
  // Standard output is no file, so that the limit does not apply to it.
  expect(() =>
    execFileSync('sh', ['-c', 'ulimit -f 0; exec "$0" --input-type=module -e "$1"', process.execPath, script]),
  ).toThrow(expect.objectContaining({ status: 42 }) as Error);
});

it('a folder that cannot be created is named', () => {
  const error = Object.assign(new Error('EROFS'), { code: 'EROFS', syscall: 'mkdir', path: '/read/only' });
  expect(toStoreError(error, '/read/only/.sluice/store')).toMatchObject({
    code: 'store-unwritable',
    message:
      'The store in /read/only/.sluice/store cannot be written: the folder /read/only cannot be created, because the disk is read-only (EROFS).',
  });
});

it('a folder for temporary files that cannot be used is not taken for the store', () => {
  const error = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'mkdtemp', path: '/none/sluice-X' });
  expect(toStoreError(error, '/work/.sluice/store')).toMatchObject({
    code: 'file-unwritable',
    message: '/none/sluice-X cannot be written: it does not exist (ENOENT).',
  });
});

it('a disk that gets full while the list of sources or the manifest is written is told as such', () => {
  const file = '/work/.sluice/store/sources-2-x.ndjson';
  const cause = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
  const written = new SluiceError(`${file} cannot be written.`, { code: 'file-unwritable', cause, hint: 'Check it.' });
  expect(toStoreError(written, '/work/.sluice/store')).toMatchObject({
    code: 'disk-full',
    message: 'The disk is full, or has no free inodes. The store in /work/.sluice/store was not changed.',
  });
});

it('a folder for temporary files that is full is named, by the store and by the engine', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  const named = expect.stringContaining(`the folder for temporary files (${tmpdir()})`) as string;
  expect(toStoreError(full, '/work/.sluice/store')).toMatchObject({ code: 'disk-full', hint: named });
  expect(await toBackendError(full, { files: [], tables: [], hasEvents: true })).toMatchObject({
    code: 'disk-full',
    hint: named,
  });
});
