import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { toSystemError } from '../../src/run/file/system-error.ts';

const caught = (work: () => Promise<unknown>): Promise<unknown> =>
  work().then(
    () => undefined,
    (error: unknown) => error,
  );

describe('what the system refuses', () => {
  it('names the file and the cause', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-system-'));
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const refusals = [
      toSystemError(await caught(() => readFile(path.join(folder, 'none')))),
      toSystemError(await caught(() => readFile(folder))),
      toSystemError(await caught(() => mkdir(path.join(file, 'below')))),
      toSystemError(
        await caught(async () => {
          await using full = await open('/dev/full', 'w');
          await full.write('x');
        }),
      ),
    ];
    rmSync(folder, { recursive: true });
    expect(refusals.map((error) => [error?.code, error?.message])).toEqual([
      ['file-unreadable', `${folder}/none cannot be read: it does not exist (ENOENT).`],
      ['file-unreadable', 'An input cannot be read: it is a folder (EISDIR).'],
      ['file-unwritable', `${file}/below cannot be written: a part of its path is not a folder (ENOTDIR).`],
      ['file-unwritable', 'A file cannot be written: the disk is full, or has no free inodes (ENOSPC).'],
    ]);
  });

  it.each(['EIO', 'ESTALE', 'EDQUOT', 'EROFS', 'EACCES'])('has words for %s', (code) => {
    const error = Object.assign(new Error(code), { code, syscall: 'write', path: '/data/report.html' });
    expect(toSystemError(error)?.message).toMatch(
      new RegExp(`^/data/report\\.html cannot be written: [a-z -]+ \\(${code}\\)\\.$`),
    );
  });

  it('is nothing else: a bug stays a bug', () => {
    for (const other of [
      new Error('x'),
      new TypeError('x'),
      Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }),
      'ENOSPC',
      undefined,
    ])
      expect(toSystemError(other)).toBeUndefined();
  });
});
