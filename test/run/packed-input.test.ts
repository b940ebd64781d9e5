import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/ask/sluice-error.ts';
import { answer } from '../../src/run/duckdb/session/answer.ts';
import { openEmbedded } from '../../src/run/duckdb/answer/open-embedded.ts';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { openEventFiles } from '../../src/run/duckdb/reading/event-files.ts';
import type { Packing } from '../../src/run/file/pack.ts';
import { PackingDamage, unpack } from '../../src/run/file/unpack.ts';
import { numberColumn, openFiles, scratchFolder, textColumn } from './ask-sql.ts';
import { readAll } from './sources/read-all.ts';
import { scratchStore } from './store/scratch-store.ts';
import { runs } from '../runs.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: 2 });
afterAll(() => engine[Symbol.asyncDispose]());

const ids = Array.from(
  { length: 600 },
  (_, index) => `u${(((index + 1) * 2654435761) % 2 ** 32).toString(36)}-${index}`,
);
const time = '2024-03-01T00:00:00.000';
const formats: Readonly<Record<string, string>> = {
  csv: `userAnonymousId,utcTime\n${ids.map((id) => `${id},${time}\n`).join('')}`,
  tsv: `utcTime\tuserAnonymousId\n${ids.map((id) => `${time}\t"${id}"\n`).join('')}`,
  ndjson: ids.map((id) => `{"utcTime":"${time}","userAnonymousId":"${id}"}\n`).join(''),
  json: `[${ids.map((id) => `{"utcTime":"${time}","userAnonymousId":"${id}"}`).join(',\n')}]`,
};
const packings = {
  gz: (bytes: Uint8Array) => gzipSync(bytes),
  zst: (bytes: Uint8Array) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
} as const;
const packingNames = { gz: 'gzip', zst: 'zstd' } as const;
const extensions = Object.keys(packings) as (keyof typeof packings)[];

/** The text in this many members or frames. */
function pack(text: string, extension: keyof typeof packings, members: number): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const size = Math.ceil(bytes.length / members);
  return Array.from({ length: members }, (_, index) =>
    packings[extension](bytes.subarray(index * size, (index + 1) * size)),
  );
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function unpackAll(bytes: Buffer, packing: Packing, size = 1 << 16) {
  const pieces: Buffer[] = [];
  let damage: unknown;
  try {
    for await (const piece of unpack(inPieces(bytes, size), packing)) pieces.push(piece);
  } catch (error) {
    damage = error;
  }
  return { text: Buffer.concat(pieces).toString(), damage };
}

describe('unpacking', () => {
  const text = formats['csv']!;
  const packed = fc.record({
    extension: fc.constantFrom(...extensions),
    members: fc.integer({ min: 1, max: 5 }),
    size: fc.integer({ min: 1, max: 20_000 }),
  });

  it('gives all members and frames, however the bytes come in', async () => {
    await fc.assert(
      fc.asyncProperty(packed, async ({ extension, members, size }) => {
        expect(await unpackAll(Buffer.concat(pack(text, extension, members)), packingNames[extension], size)).toEqual({
          text,
          damage: undefined,
        });
      }),
      { numRuns: runs(150) },
    );
  });

  it('reports every cut but one between two members, after what came before it', async () => {
    await fc.assert(
      fc.asyncProperty(
        packed,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async ({ extension, members, size }, part) => {
          const parts = pack(text, extension, members);
          const whole = Buffer.concat(parts);
          const length = Math.floor(part * (whole.length - 1));
          const ends = parts.map((_, index) => Buffer.concat(parts.slice(0, index + 1)).length);
          const cut = await unpackAll(whole.subarray(0, length), packingNames[extension], size);
          expect(text.startsWith(cut.text)).toBe(true);
          if (ends.includes(length)) expect(cut.damage).toBeUndefined();
          else
            expect(cut.damage).toMatchObject({
              name: 'PackingDamage',
              message: expect.stringMatching(/ends too early/),
            });
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('reports every changed bit of a checksum or length', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...extensions), fc.integer({ min: 0, max: 63 }), async (extension, bit) => {
        const [whole] = pack(text, extension, 1);
        const bytes = extension === 'gz' ? 8 : 4;
        whole![whole!.length - 1 - ((bit >> 3) % bytes)]! ^= 1 << (bit & 7);
        expect((await unpackAll(whole!, packingNames[extension])).damage).toBeInstanceOf(PackingDamage);
      }),
      { numRuns: runs(100) },
    );
  });

  it('takes zeros after gzip as padding, and reports everything else that follows', async () => {
    for (const extension of extensions) {
      const whole = Buffer.concat(pack(text, extension, 2));
      for (const [name, more] of Object.entries({
        zeros: Buffer.alloc(70_000),
        text: Buffer.from('not packed'),
        both: Buffer.from('\0\0x'),
        one: Buffer.from('\x1f'),
      })) {
        for (const size of [whole.length, 1000]) {
          const { text: unpacked, damage } = await unpackAll(
            Buffer.concat([whole, more]),
            packingNames[extension],
            size,
          );
          expect(unpacked, name).toBe(text);
          expect(damage === undefined, name).toBe(extension === 'gz' && name === 'zeros');
        }
      }
    }
  });

  it('reads names, comments and further fields in gzip headers, and skippable zstd frames', async () => {
    const [plain] = pack(text, 'gz', 1);
    const header = Buffer.concat([
      Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3, 2, 0, 1, 2]),
      Buffer.from('a name\0a comment\0'),
      Buffer.from([0, 0]),
    ]);
    const [frame] = pack(text, 'zst', 1);
    const skipped = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    for (const size of [1, 100_000]) {
      expect(await unpackAll(Buffer.concat([header, plain!.subarray(10)]), 'gzip', size)).toEqual({
        text,
        damage: undefined,
      });
      expect(await unpackAll(Buffer.concat([skipped, frame!, skipped, frame!]), 'zstd', size)).toEqual({
        text: text + text,
        damage: undefined,
      });
    }
    const path = folder.write(
      'skipped.ndjson.zst',
      Buffer.concat([skipped, ...pack(formats['ndjson']!, 'zst', 2), skipped]),
    );
    expect((await readAll(engine, path)).rows).toHaveLength(ids.length);
  });
});

/** The answer of a question over one file: the IDs read, and the number of rejected lines. */
async function ask(path: string): Promise<{ readonly read: readonly string[]; readonly rejected: number }> {
  const view = `events_${engine.nextNumber()}`;
  const events = await openEventFiles(engine, [path], 'anonymous', view);
  const statement = {
    text: `SELECT user_anonymous_id FROM ${view} AS events`,
    parameters: [],
    columns: [textColumn],
    counters: 0,
    zone: 'UTC',
  };
  const running = await answer(
    { engine, events, circumstances: { files: [path], tables: [], hasEvents: true } },
    { statement, uncounted: [], total: undefined, ranged: false, timed: false, reach: 'all' },
  );
  const read: string[] = [];
  for await (const {
    columns: [values],
  } of running.batches)
    read.push(...Array.from(values as Iterable<unknown>, String));
  return { read, rejected: running.facts().rejected.count };
}

async function readEvents(path: string): Promise<{ readonly read: readonly string[]; readonly rejected: number }> {
  const { rows, rejected } = await readAll(engine, path);
  return { read: rows.map((row) => row['user_anonymous_id']!), rejected: rejected.length };
}

async function readTable(path: string): Promise<{ readonly read: readonly string[]; readonly rejected: number }> {
  await using backend = await openEmbedded({ tables: { orders: path }, workingDirectory: folder.path, threads: 2 });
  expect(backend.name).toBe('embedded');
  return { read: [], rejected: 0 };
}

const known = new Set(ids);
const whole = Object.entries(formats).flatMap(([format, text]) =>
  extensions.flatMap((extension) => [1, 3].map((members) => ({ format, text, extension, members }))),
);

for (const { format, text, extension, members } of whole) {
  const parts = pack(text, extension, members);
  const bytes = Buffer.concat(parts);
  const ends = parts.map((_, index) => Buffer.concat(parts.slice(0, index + 1)).length);
  const name = `${members}.${format}.${extension}`;
  const damaged = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .integer({ min: 0, max: bytes.length - 1 })
        .filter((length) => !ends.includes(length))
        .map((length) => bytes.subarray(0, length)),
    },
    // The data is complete, and only the end of the packing is missing.
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 12 }).map((length) => bytes.subarray(0, -length)) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 0, max: 31 })
        .map((bit) =>
          bytes.map((byte, index) => (index === bytes.length - 1 - (bit >> 3) ? byte ^ (1 << (bit & 7)) : byte)),
        ),
    },
    { weight: 1, arbitrary: fc.constant(Buffer.concat([bytes, Buffer.from('something else')])) },
  );

  describe(`a file ${name}`, () => {
    it('is read to its end where it is whole', async () => {
      const path = folder.write(`whole-${name}`, bytes);
      for (const { read, rejected } of [await ask(path), await readEvents(path)]) {
        expect({ rejected, read: [...read].sort() }).toEqual({ rejected: 0, read: [...ids].sort() });
      }
    });

    it('is never taken for whole where it is cut or changed, nor is a half id read', async () => {
      await fc.assert(
        fc.asyncProperty(damaged, fc.constantFrom(ask, readEvents), async (contents, reading) => {
          const path = folder.write(`damaged-${name}`, contents);
          const found = await reading(path).catch((error: unknown) => error);
          if (found instanceof Error)
            expect(found).toMatchObject({ code: 'file-corrupt', message: expect.stringContaining(path) });
          else {
            const { read, rejected } = found as Awaited<ReturnType<typeof ask>>;
            expect(rejected).toBeGreaterThan(0);
            expect(read.length).toBeLessThanOrEqual(ids.length);
            if (members === 1) expect(read.filter((id) => !known.has(id))).toEqual([]);
          }
        }),
        { numRuns: runs(8) },
      );
    });

    it('is refused as a table where it is cut or changed', async () => {
      await fc.assert(
        fc.asyncProperty(damaged, async (contents) => {
          const path = folder.write(`table-${name}`, contents);
          await expect(readTable(path)).rejects.toMatchObject({
            code: 'file-corrupt',
            message: expect.stringContaining(path),
          });
        }),
        { numRuns: runs(4) },
      );
      await readTable(folder.write(`whole-table-${name}`, bytes));
    });
  });
}

describe('a store', () => {
  const store = scratchStore();
  const empty = scratchStore();

  it('rejects the end of a file that is cut, and refuses one without a whole first line', async () => {
    for (const [format, text] of Object.entries(formats)) {
      for (const extension of extensions) {
        const [bytes] = pack(text, extension, 1);
        const paths = [bytes!.length - 1, bytes!.length >> 1, 12, 0].map((cut) =>
          store.write(`cut-${cut}.${format}.${extension}`, bytes!.subarray(0, cut)),
        );
        const { files } = await store.ingest(paths);
        expect(files).toHaveLength(paths.length);
        for (const entry of files)
          if (entry.outcome === 'refused') expect(entry.error).toMatchObject({ code: 'file-corrupt' });
          else expect(entry).toMatchObject({ rejected: 1 });
      }
    }
    const read = await store.ask('SELECT DISTINCT user_anonymous_id FROM events');
    expect(read.filter(([id]) => !known.has(String(id)))).toEqual([]);
  });

  it('takes files in that are padded with zeros', async () => {
    const path = empty.write('padded.csv.gz', Buffer.concat([...pack(formats['csv']!, 'gz', 1), Buffer.alloc(512)]));
    expect(await empty.ingest([path])).toMatchObject({ added: ids.length, rejected: 0 });
  });

  it('knows the events of a whole file of which only the checksum was cut off before', async () => {
    const path = store.write('whole.csv.gz', pack(formats['csv']!, 'gz', 1)[0]!);
    const count = async () => (await store.ask('SELECT count(*) FROM events'))[0]![0];
    const before = await count();
    expect(await store.ingest([path])).toMatchObject({ rejected: 0 });
    expect(await count()).toBe(before);
  });
});

describe('damaged packing', () => {
  it('is told by file, line and what is wrong', async () => {
    const [bytes] = pack(formats['csv']!, 'gz', 1);
    const cases: readonly (readonly [name: string, contents: Uint8Array, reason: RegExp])[] = [
      ['cut.csv.gz', bytes!.subarray(0, bytes!.length - 1), /gzip data is damaged \(it ends too early\)/],
      [
        'followed.csv.gz',
        Buffer.concat([bytes!, Buffer.from('not gzip')]),
        /gzip data is damaged \(other bytes follow it\)/,
      ],
      [
        'summed.csv.gz',
        bytes!.map((byte, index) => (index === bytes!.length - 8 ? byte ^ 1 : byte)),
        /gzip data is damaged \(its checksum does not match\)/,
      ],
    ];
    for (const [name, contents, reason] of cases) {
      const file = folder.write(name, contents);
      await using session = await openFiles([file]);
      expect(await session.ask('SELECT count(*) FROM events', { columns: [numberColumn], reach: 'all' })).toEqual([
        [ids.length],
      ]);
      expect(session.facts().rejected).toEqual({
        count: 1,
        examples: [{ file, line: ids.length + 2, reason: expect.stringMatching(reason) }],
      });
    }
  });

  it('is found once, beside files that are whole', async () => {
    const [bytes] = pack(formats['ndjson']!, 'zst', 1);
    const files = [
      folder.write('a.ndjson.zst', bytes!),
      folder.write('b.ndjson.zst', bytes!.subarray(0, -2)),
      folder.write('c.ndjson', formats['ndjson']!),
    ];
    await using session = await openFiles(files);
    for (let time = 0; time < 2; time++) {
      expect(await session.ask('SELECT count(*) FROM events', { reach: 'some' })).toEqual([[3 * ids.length]]);
      expect(session.facts().rejected).toMatchObject({ count: 1, examples: [{ file: files[1] }] });
    }
  });

  it('names the file of a table, and the line', async () => {
    const file = folder.write(
      'orders.csv.gz',
      pack(`a,b\n${'1,2\n'.repeat(1000)}`, 'gz', 2)
        .at(0)!
        .subarray(0, -9),
    );
    const error = await openEmbedded({ tables: { orders: file }, workingDirectory: folder.path }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(SluiceError);
    expect((error as Error).message).toMatch(
      /orders\.csv\.gz cannot be read after line \d+: the gzip data is damaged \(it ends too early\)\.$/,
    );
  });
});
