import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  createReadStream,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AbortedError } from '../../src/ask/sluice-error.ts';
import { writeFileWhole } from '../../src/run/file/write-file.ts';

const isRoot = process.getuid?.() === 0;
const makesPipes = spawnSync('mkfifo', ['--version']).status === 0;

describe('a file that is written', () => {
  let folder: string;
  const at = (...names: readonly string[]) => path.join(folder, ...names);
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('holds all chunks, text and bytes, in their order', async () => {
    await writeFileWhole(at('new'), ['ä', Buffer.from('b'), 'c'.repeat(5_000_000)]);
    expect(readFileSync(at('new'), 'utf8')).toBe(`äb${'c'.repeat(5_000_000)}`);
    expect(readdirSync(folder)).toEqual(['new']);
  });

  it('keeps the mode of the one that it replaces', async () => {
    for (const mode of [0o600, 0o640, 0o755]) {
      writeFileSync(at('old'), 'old');
      chmodSync(at('old'), mode);
      await writeFileWhole(at('old'), ['new']);
      expect(statSync(at('old')).mode & 0o777).toBe(mode);
    }
    expect(readFileSync(at('old'), 'utf8')).toBe('new');
  });

  it('goes where a link points, and the link stays', async () => {
    mkdirSync(at('deep'));
    writeFileSync(at('deep', 'target'), 'old');
    symlinkSync('deep/target', at('link'));
    symlinkSync(at('link'), at('link-to-link'));
    await writeFileWhole(at('link-to-link'), ['new']);
    expect(readFileSync(at('deep', 'target'), 'utf8')).toBe('new');
    expect(readlinkSync(at('link'))).toBe('deep/target');
    expect([readdirSync(folder).sort(), readdirSync(at('deep'))]).toEqual([
      ['deep', 'link', 'link-to-link'],
      ['target'],
    ]);
  });

  it('is made where a link points that leads to nothing yet', async () => {
    mkdirSync(at('deep'));
    mkdirSync(at('links'));
    symlinkSync('links', at('links-too'));
    symlinkSync('../deep/target', at('links', 'link'));
    await writeFileWhole(at('links-too', 'link'), ['new']);
    expect(readFileSync(at('deep', 'target'), 'utf8')).toBe('new');
    expect(lstatSync(at('links', 'link')).isSymbolicLink()).toBe(true);
  });

  it('is refused where a link leads in a circle', async () => {
    symlinkSync('b', at('a'));
    symlinkSync('a', at('b'));
    await expect(writeFileWhole(at('a'), ['x'])).rejects.toMatchObject({ code: 'file-unwritable' });
    expect(readdirSync(folder)).toEqual(['a', 'b']);
  });

  it.skipIf(!makesPipes)(
    'goes into a named pipe as soon as that has a reader, and the pipe stays (skipped without mkfifo)',
    async () => {
      spawnSync('mkfifo', [at('pipe')]);
      const written = 'line\n'.repeat(100_000);
      const writing = writeFileWhole(at('pipe'), [written, 'end']);
      const [read] = await Promise.all([text(createReadStream(at('pipe'))), writing]);
      expect(read === `${written}end`).toBe(true);
      expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
      expect(readdirSync(folder)).toEqual(['pipe']);
    },
  );

  it.skipIf(!makesPipes)(
    'waits for the reader of a pipe no longer when it is interrupted (skipped without mkfifo)',
    async () => {
      spawnSync('mkfifo', [at('pipe')]);
      const controller = new AbortController();
      const writing = writeFileWhole(at('pipe'), ['x'], controller.signal);
      setImmediate(() => controller.abort());
      await expect(writing).rejects.toBeInstanceOf(AbortedError);
    },
  );

  it.skipIf(!makesPipes)(
    'tells of a reader of a pipe that went away as the system does (skipped without mkfifo)',
    async () => {
      spawnSync('mkfifo', [at('pipe')]);
      const reader = createReadStream(at('pipe'));
      reader.once('data', () => reader.destroy());
      const endless = (function* () {
        for (;;) yield 'x'.repeat(1 << 16);
      })();
      await expect(writeFileWhole(at('pipe'), endless)).rejects.toMatchObject({ code: 'EPIPE' });
    },
  );

  it('is refused where a folder stands, or none, with what to do', async () => {
    writeFileSync(at('file'), 'old');
    await expect(writeFileWhole(folder, ['x'])).rejects.toMatchObject({
      code: 'file-is-folder',
      message: expect.stringContaining('is a folder'),
    });
    await expect(writeFileWhole(at('gone', 'x'), ['x'])).rejects.toMatchObject({
      code: 'folder-not-found',
      message: `Cannot write x: the folder ${at('gone')} does not exist.`,
    });
    await expect(writeFileWhole(at('file', 'x'), ['x'])).rejects.toMatchObject({ code: 'folder-not-found' });
    expect([readdirSync(folder), readFileSync(at('file'), 'utf8')]).toEqual([['file'], 'old']);
  });

  it.skipIf(isRoot)(
    'is refused where an older one may not be written (skipped for the superuser, who may)',
    async () => {
      writeFileSync(at('kept'), 'old');
      chmodSync(at('kept'), 0o444);
      await expect(writeFileWhole(at('kept'), ['new'])).rejects.toMatchObject({ code: 'file-unwritable' });
      expect(readFileSync(at('kept'), 'utf8')).toBe('old');
    },
  );

  it('is as it was where the writing fails or stops, and nothing lies beside it', async () => {
    writeFileSync(at('kept'), 'old');
    const controller = new AbortController();
    const failing = function* (fail: () => void) {
      yield 'new';
      fail();
      yield 'more';
    };
    await expect(
      writeFileWhole(
        at('kept'),
        failing(() => {
          throw new RangeError('mine');
        }),
      ),
    ).rejects.toThrow(RangeError);
    await expect(
      writeFileWhole(
        at('kept'),
        failing(() => controller.abort()),
        controller.signal,
      ),
    ).rejects.toBeInstanceOf(AbortedError);
    await expect(
      writeFileWhole(
        at('new'),
        failing(() => {
          throw new RangeError('mine');
        }),
      ),
    ).rejects.toThrow(RangeError);
    expect([readdirSync(folder), readFileSync(at('kept'), 'utf8')]).toEqual([['kept'], 'old']);
  });

  it('gets a place of its own to grow in, whoever else writes it at the same time', async () => {
    const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(100_000));
    await Promise.all(texts.map((one) => writeFileWhole(at('shared'), [one.slice(0, 50_000), one.slice(50_000)])));
    expect(texts).toContain(readFileSync(at('shared'), 'utf8'));
    expect(readdirSync(folder)).toEqual(['shared']);
  });
});
