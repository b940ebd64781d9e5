import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findFiles } from '../../src/run/duckdb/reading/find-files.ts';
import { openFiles, scratchFolder } from './ask-sql.ts';

const folder = scratchFolder();
const makesPipes = spawnSync('mkfifo', ['--version']).status === 0;
const csv = 'utcTime,docPath\n2024-03-06T10:00:00,/a\n';

describe('a file that is no data as it stands', () => {
  it('is told to be no Parquet where only its name says so', async () => {
    for (const contents of [csv, '', '{"utcTime":"2024-03-06"}\n', 'PAR']) {
      await expect(openFiles([folder.write('text.parquet', contents)])).rejects.toMatchObject({
        code: 'not-parquet',
        message: expect.stringMatching(/text\.parquet is not a Parquet file/),
      });
    }
  });

  it('is told by the name of its encoding if that cannot be read, packed or not', async () => {
    const contents: readonly (readonly [name: string, bytes: Uint8Array, encoding: string])[] = [
      ['wide.csv', Buffer.from([0xff, 0xfe, 0, 0, 0x75, 0, 0, 0]), 'UTF-32'],
      ['packed.csv.gz', gzipSync(Buffer.from([0xff, 0xfe, 0, 0, 0x75, 0, 0, 0])), 'UTF-32'],
      ['bare.csv', Buffer.from([0x75, 0, 0, 0, 0x74, 0, 0, 0]), 'UTF-32'],
    ];
    for (const [name, bytes, encoding] of contents) {
      await expect(openFiles([folder.write(name, bytes)])).rejects.toMatchObject({
        code: 'not-utf-8',
        message: expect.stringContaining(`${name} is encoded in ${encoding},`),
        hint: expect.stringContaining(`iconv -f ${encoding}`),
      });
    }
  });

  it('is told with the name of a column that it has twice', async () => {
    const message = (header: string) =>
      openFiles([folder.write('twice.csv', `${header}\n`)]).then(
        () => 'taken',
        (error: Error) => error.message,
      );
    expect(await message('utcTime,docPath,docPath')).toMatch(/twice\.csv has two columns called "docPath"\.$/);
    expect(await message('utcTime,docPath,DocPath')).toMatch(
      /called "docPath" and "DocPath", which differ only in letter case/,
    );
    expect(await message('utcTime,docPath,,')).toBe('taken');
  });

  it.skipIf(!makesPipes)('is told to be a pipe, and how to make it a file (skipped without mkfifo)', async () => {
    const pipe = path.join(folder.path, 'pipe.ndjson');
    spawnSync('mkfifo', [pipe]);
    const purpose = { code: 'events-not-found', what: 'events', hint: '' } as const;
    await expect(findFiles([pipe], folder.path, purpose)).rejects.toMatchObject({
      code: 'not-a-regular-file',
      message: expect.stringContaining(pipe),
      hint: expect.stringContaining('> events.ndjson'),
    });
  });
});
