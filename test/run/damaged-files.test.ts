import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { zstdCompressSync } from 'node:zlib';
import * as arrow from '@uwdata/flechette';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/run/duckdb/answer/open-embedded.ts';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { readArrowMessages } from '../../src/run/duckdb/reading/arrow/arrow-messages.ts';
import { openFiles, scratchFolder } from './ask-sql.ts';
import { type Kind, kinds, seedsOf } from './mutants/seeds.ts';
import { runs } from '../runs.ts';
import { readAll } from './sources/read-all.ts';

const folder = scratchFolder();
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: 2 });
});
afterAll(() => engine[Symbol.asyncDispose]());

/** The result of reading a mutant as part of a store, by a question and as a table: `read`, or an error code. */
interface Outcome {
  readonly number: number;
  readonly path: string;
  readonly outcomes?: readonly string[];
  /** Memory of the process, in KB. */
  readonly peak?: number;
}

/** Reads mutants in a separate process, which may abort or hang. */
async function readMutants(
  kind: Kind,
  first: number,
  most: number,
): Promise<{ readonly code: number | null; readonly last: Outcome | undefined; readonly all: readonly Outcome[] }> {
  const target = mkdtempSync(join(tmpdir(), 'sluice-mutants-'));
  const child = spawn(
    process.execPath,
    [
      '--max-old-space-size=512',
      join(import.meta.dirname, 'mutants/read-mutants.ts'),
      kind,
      String(first),
      String(most),
      target,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let hanging = setTimeout(() => {}, 0);
  const said: Outcome[] = [];
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(JSON.parse(line) as Outcome);
    clearTimeout(hanging);
    hanging = setTimeout(() => child.kill('SIGKILL'), 60_000);
  }
  clearTimeout(hanging);
  const code = await ended;
  rmSync(target, { recursive: true, force: true });
  return { code, last: said.at(-1), all: said.filter(({ outcomes }) => outcomes !== undefined) };
}

/** Valid error codes for a damaged file: the file is named, and the exit code is 2 or 5. */
const codes = new Set([
  'read',
  'file-corrupt',
  'data-unreadable',
  'events-without-time',
  'file-without-events',
  'not-parquet',
  'not-utf-8',
  'column-named-twice',
  'table-damaged',
]);
const count = { arrow: runs(80), parquet: runs(60), packed: runs(40) } as const;

describe('damaged files', () => {
  for (const kind of kinds) {
    it(`of the kind ${kind} are read or told of, and neither abort, hang nor take all memory`, async () => {
      const first = 912_222_000;
      const { code, last, all } = await readMutants(kind, first, count[kind]);
      expect({ code, last }).toEqual({
        code: 0,
        last: expect.objectContaining({ number: first + count[kind] - 1, outcomes: expect.anything() }),
      });
      expect(all.filter(({ outcomes }) => outcomes!.some((outcome) => !codes.has(outcome)))).toEqual([]);
      expect(Math.max(...all.map(({ peak }) => peak!))).toBeLessThan(1 << 20);
    }, 300_000);
  }

  it('are made of files that are whole', async () => {
    for (const kind of kinds) {
      for (const [name, bytes] of Object.entries(await seedsOf(kind))) {
        const { rows, rejected } = await readAll(engine, folder.write(name, bytes));
        expect([name, rows.length, rejected.length]).toEqual([name, 60, 0]);
      }
    }
  });
});

describe('a damaged Arrow file', () => {
  const time = '2024-03-01T00:00:00.000';
  const table = arrow.tableFromArrays(
    { utcTime: Array.from({ length: 50 }, () => time), n: Array.from({ length: 50 }, (_, index) => index) },
    { types: { utcTime: arrow.utf8(), n: arrow.int32() }, maxBatchRows: 10 },
  );
  const file = Buffer.from(arrow.tableToIPC(table, { format: 'file' })!);
  const stream = Buffer.from(arrow.tableToIPC(table, { format: 'stream' })!);
  const read = (name: string, bytes: Uint8Array) => readAll(engine, folder.write(name, bytes));

  it('is found wherever a file of it is cut, and within a message where a stream is', async () => {
    // A stream may end where any of its messages ends.
    const ends = new Set<number>();
    let end = 0;
    for await (const { bytes } of readArrowMessages(folder.write('whole.arrows', stream), 'none'))
      ends.add((end += bytes.length));
    expect(ends.size).toBe(6);
    for (let length = 12; length < file.length; length += 37)
      await expect(read('cut.arrow', file.subarray(0, length)), `cut at ${length}`).rejects.toMatchObject({
        code: 'file-corrupt',
      });
    for (let length = 12; length < stream.length - 8; length += 41) {
      const reading = read('cut.arrows', stream.subarray(0, length));
      if (ends.has(length)) await reading;
      else await expect(reading, `cut at ${length}`).rejects.toMatchObject({ code: 'file-corrupt' });
    }
  });

  it('is found where its packing is cut behind the last message', async () => {
    for (const bytes of [file, stream]) {
      const packed = zstdCompressSync(bytes);
      await expect(read('cut.arrow.zst', packed.subarray(0, -1))).rejects.toMatchObject({
        code: 'file-corrupt',
        message: expect.stringMatching(/zstd data is damaged \(it ends too early\)/),
      });
      await expect(read('whole.arrow.zst', packed)).resolves.toMatchObject({ rejected: [] });
    }
  });

  it('is a stream that another follows, which would be passed over', async () => {
    await expect(read('two.arrows', Buffer.concat([stream, stream]))).rejects.toMatchObject({
      code: 'file-corrupt',
      cause: { message: 'other data follows the end of the stream' },
    });
    await expect(read('padded.arrows', Buffer.concat([stream, Buffer.alloc(64)]))).resolves.toMatchObject({
      rejected: [],
    });
  });
});

describe('a damaged Parquet file', () => {
  it('is one with a column that no statement can name', async () => {
    const seed = Buffer.from((await seedsOf('parquet'))['uncompressed-V1.parquet']!);
    for (let at = seed.indexOf('price'); at >= 0; at = seed.indexOf('price', at + 1)) seed[at] = 0;
    const path = folder.write('nul.parquet', seed);
    await expect(readAll(engine, path)).rejects.toMatchObject({
      code: 'file-corrupt',
      message: expect.stringContaining(path),
    });
  });

  it.each(['a{2000}', '\\y', '\\p{Foo}', '(?P<a'])('is not one whose text is compared with %s', async (pattern) => {
    const whole = folder.write('whole.parquet', Buffer.from((await seedsOf('parquet'))['snappy-V1.parquet']!));
    await using session = await openFiles([whole]);
    const asked = session.ask(`SELECT count(*) FROM events WHERE regexp_matches(event_type, '${pattern}')`);
    await expect(asked).rejects.toMatchObject({
      code: 'sql-refused',
      message: expect.stringMatching(/^A regular expression is not valid: /),
    });
  });

  it('is named among others, which DuckDB does not always do', async () => {
    const seed = Buffer.from((await seedsOf('parquet'))['snappy-V1.parquet']!);
    const damaged = Buffer.from(seed);
    // Damages the header of the first page.
    damaged.fill(0xff, 4, 12);
    const files = [
      folder.write('good.parquet', seed),
      folder.write('bad.parquet', damaged),
      folder.write('good-too.parquet', seed),
    ];
    await using session = await openFiles(files);
    await expect(
      session.ask('SELECT count(*), count(DISTINCT utc_time) FROM events', { reach: 'all' }),
    ).rejects.toMatchObject({ code: 'file-corrupt', message: expect.stringContaining('bad.parquet is damaged') });
    const backend = openEmbedded({
      tables: {
        t: [files[0]!, folder.write('footless.parquet', damaged.fill(0xff, damaged.length - 200, damaged.length - 8))],
      },
      workingDirectory: folder.path,
    });
    await expect(backend).rejects.toMatchObject({
      code: 'file-corrupt',
      message: expect.stringContaining('footless.parquet is damaged'),
    });
  });
});
