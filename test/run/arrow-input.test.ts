import { gzipSync, zstdCompressSync } from 'node:zlib';
import * as arrow from '@uwdata/flechette';
import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { decodeLz4 } from '../../src/run/duckdb/reading/arrow/decode-lz4.ts';
import { findFiles } from '../../src/run/duckdb/reading/find-files.ts';
import { openFiles, scratchFolder, textColumn } from './ask-sql.ts';
import { readAll } from './sources/read-all.ts';

const folder = scratchFolder();
const engine = await openEngine({ threads: { upTo: 2 } });
afterAll(() => engine[Symbol.asyncDispose]());

const time = '2024-03-01T00:00:00.000';
const write = (name: string, table: arrow.Table, form: 'file' | 'stream' = 'stream') =>
  folder.write(name, arrow.tableToIPC(table, { format: form })!);
const rowOf = (utcTime: string, further?: unknown) => ({
  utc_time: utcTime,
  ...(further === undefined ? {} : { further: JSON.stringify(further) }),
});

const events = Array.from({ length: 5000 }, (_, index) => ({
  utcTime: time,
  userAnonymousId: `u${index % 7}`,
  docPath: index % 3 === 0 ? null : `/ä ${index}`,
  n: index,
}));
const table = arrow.tableFromArrays(
  {
    utcTime: events.map((event) => event.utcTime),
    userAnonymousId: events.map((event) => event.userAnonymousId),
    docPath: events.map((event) => event.docPath),
    n: events.map((event) => event.n),
  },
  {
    types: {
      utcTime: arrow.utf8(),
      userAnonymousId: arrow.dictionary(arrow.utf8()),
      docPath: arrow.utf8(),
      n: arrow.int32(),
    },
    maxBatchRows: 700,
  },
);

describe('Arrow', () => {
  const file = arrow.tableToIPC(table, { format: 'file' })!;
  const stream = arrow.tableToIPC(table, { format: 'stream' })!;
  const forms: Readonly<Record<string, Uint8Array>> = {
    'a.arrow': file,
    'a.arrows': stream,
    'a.feather': file,
    'a.arrow.gz': gzipSync(file),
    'a.arrows.zst': zstdCompressSync(stream),
    'called-otherwise.bin': stream,
    'without-an-end.arrows': stream.subarray(0, stream.length - 8),
  };
  for (const [name, bytes] of Object.entries(forms)) {
    it(`gives the same rows as NDJSON from ${name}, read or asked`, async () => {
      const { rows, reading } = await readAll(engine, folder.write(name, bytes));
      expect(reading.format).toBe('Arrow');
      expect(rows).toEqual(
        (await readAll(engine, folder.write('same.ndjson', events.map((event) => JSON.stringify(event)).join('\n'))))
          .rows,
      );
      await using session = await openFiles([folder.write(name, bytes)]);
      expect(
        await session.ask('SELECT count(*), count(DISTINCT user_key), count(doc_path) FROM events', { reach: 'all' }),
      ).toEqual([[5000, 7, 3333]]);
    });
  }

  it('is found in folders', async () => {
    const files = ['b/1.arrow', 'b/2.arrows', 'b/3.feather', 'b/4.arrows.gz'].map((name) => folder.write(name, stream));
    expect(await findFiles(['b'], folder.path, { code: 'events-not-found', what: 'events', hint: '' })).toEqual(files);
  });

  it('of no rows has no events, and of no columns neither', async () => {
    const empty = arrow.tableFromArrays({ utcTime: [] as string[] }, { types: { utcTime: arrow.utf8() } });
    expect((await readAll(engine, write('empty.arrow', empty, 'file'))).rows).toEqual([]);
    expect((await readAll(engine, write('nothing.arrows', arrow.tableFromArrays({})))).rows).toEqual([]);
  });

  it('keeps every usual type', async () => {
    const types = {
      utcTime: arrow.timestamp(arrow.TimeUnit.MICROSECOND),
      large: arrow.largeUtf8(),
      i8: arrow.int8(),
      u64: arrow.uint64(),
      i64: arrow.int64(),
      f: arrow.float64(),
      f32: arrow.float32(),
      b: arrow.bool(),
      at: arrow.timestamp(arrow.TimeUnit.MILLISECOND, 'Europe/Vienna'),
      day: arrow.dateDay(),
      price: arrow.decimal(12, 3),
      none: arrow.nullType(),
      list: arrow.list(arrow.int64()),
      nested: arrow.struct({ a: arrow.utf8(), b: arrow.list(arrow.float64()) }),
      coded: arrow.dictionary(arrow.utf8()),
      bytes: arrow.binary(),
    };
    const values = {
      utcTime: [Date.parse(`${time}Z`) + 0.25, null],
      large: ['ö', null],
      i8: [-7, null],
      u64: [18446744073709551615n, null],
      i64: [-9007199254740993n, null],
      f: [0.1, null],
      f32: [0.5, null],
      b: [false, null],
      at: [Date.parse(`${time}Z`), null],
      day: [Date.parse('2024-02-29'), null],
      price: [1.5, null],
      none: [null, null],
      list: [[1n, 2n], null],
      nested: [{ a: 'x', b: [1.5, 2] }, null],
      coded: ['k', null],
      bytes: [new TextEncoder().encode('text'), null],
    };
    const { rows, rejected } = await readAll(
      engine,
      write('types.arrows', arrow.tableFromArrays(values as Record<string, unknown[]>, { types })),
    );
    expect(rejected).toMatchObject([{ line: 2, reason: 'no time' }]);
    expect(rows).toEqual([
      {
        utc_time: '2024-03-01 00:00:00.00025',
        further:
          '{"at":"2024-03-01 00:00:00","b":false,"bytes":"text","coded":"k","day":"2024-02-29","f":0.1,"f32":0.5,"i64":-9007199254740993,"i8":-7,"large":"ö","list":[1,2],"nested":{"a":"x","b":[1.5,2]},"price":1.500,"u64":18446744073709551615}',
      },
    ]);
  });

  it('takes texts to the letter, and tells an empty one from none', async () => {
    const hostile = [
      '',
      null,
      '"',
      '""',
      'a"b',
      ',',
      '\n',
      '\r',
      '\r\n',
      'a\nb,"c',
      '\\',
      "'",
      '\0',
      'a\0b',
      ' ',
      '\u{1F600}',
      '#',
      'NULL',
      'a\uFEFF',
      'x'.repeat(3_000_000),
      `"${'\n"'.repeat(1000)}`,
    ];
    for (const type of [arrow.utf8(), arrow.largeUtf8(), arrow.dictionary(arrow.utf8())]) {
      const titles = arrow.tableFromArrays(
        { pageTitle: hostile, utcTime: hostile.map(() => time) },
        { types: { pageTitle: type, utcTime: arrow.utf8() } },
      );
      const { rows, rejected } = await readAll(engine, write('hostile.arrows', titles));
      expect(rejected).toEqual([]);
      expect(rows.map(({ page_title: title }) => title ?? null).sort()).toEqual([...hostile].sort());
    }
  });

  it('of one column keeps the rows in which that is missing', async () => {
    const times = arrow.tableFromArrays(
      { utcTime: [null, time, null, time, null] },
      { types: { utcTime: arrow.utf8() } },
    );
    const { rows, rejected } = await readAll(engine, write('lonely.arrows', times));
    expect([rows.length, rejected.map(({ line }) => line)]).toEqual([2, [1, 3, 5]]);
  });

  it('reads nested fields where a column takes JSON', async () => {
    const props = arrow.tableFromArrays(
      { utcTime: [time], customEventProps: [{ plan: 'pro', seats: 2 }] },
      {
        types: { utcTime: arrow.utf8(), customEventProps: arrow.struct({ plan: arrow.utf8(), seats: arrow.int32() }) },
      },
    );
    expect((await readAll(engine, write('props.arrows', props))).rows).toEqual([
      { utc_time: '2024-03-01 00:00:00', custom_event_props: '{"plan":"pro","seats":2}' },
    ]);
  });

  it('follows dictionaries that change from batch to batch', async () => {
    const of = (values: readonly string[]) =>
      arrow.tableToIPC(
        arrow.tableFromArrays(
          { utcTime: values.map(() => time), docPath: [...values] },
          { types: { utcTime: arrow.utf8(), docPath: arrow.dictionary(arrow.utf8(), arrow.int32(), false, 1) } },
        ),
        { format: 'stream' },
      )!;
    const [one, other] = [of(['/a', '/b']), of(['/c', '/d'])];
    // The second stream without its schema, after the first without its end: its dictionary replaces the first one's.
    const schemaLength = 8 + new DataView(other.buffer, other.byteOffset).getInt32(4, true);
    const { rows } = await readAll(
      engine,
      folder.write('changing.arrows', Buffer.concat([one.subarray(0, one.length - 8), other.subarray(schemaLength)])),
    );
    expect(rows.map(({ doc_path: path }) => path)).toEqual(['/a', '/b', '/c', '/d']);
  });

  it('tells of the file where it is damaged', async () => {
    for (const [name, bytes] of [
      ['cut.arrows', stream.subarray(0, stream.length / 2)],
      ['cut.arrow', file.subarray(0, file.length / 3)],
      ['cut.arrow.gz', gzipSync(file).subarray(0, 2000)],
      ['junk.arrow', Buffer.from('ARROW1\0\0 and so on, and so on')],
    ] as const) {
      await expect(readAll(engine, folder.write(name, bytes)), name).rejects.toMatchObject({
        code: 'file-corrupt',
        message: expect.stringContaining(name),
      });
    }
    await expect(
      openFiles([
        folder.write('timeless.arrows', arrow.tableToIPC(arrow.tableFromArrays({ a: [1] }), { format: 'stream' })!),
      ]),
    ).rejects.toMatchObject({ code: 'events-without-time', message: expect.stringContaining('timeless.arrows') });
  });

  it('tells of rows that are no events by the file and their number', async () => {
    const gaps = arrow.tableFromArrays(
      { utcTime: [time, null, 'never'], docPath: ['/a', '/b', '/c'] },
      { types: { utcTime: arrow.utf8(), docPath: arrow.utf8() } },
    );
    const path = write('gaps.arrows', gaps);
    await using session = await openFiles([path]);
    expect(
      await session.ask('SELECT max(doc_path), count(*)::VARCHAR FROM events', { columns: [textColumn, textColumn] }),
    ).toEqual([['/a', '1']]);
    expect(session.facts().rejected).toEqual({
      count: 2,
      examples: [
        { file: path, line: 2, reason: 'no time' },
        { file: path, line: 3, reason: 'a time that cannot be read: never' },
      ],
    });
    expect((await readAll(engine, path)).rejected.map(({ file: of, line }) => [of, line])).toEqual([
      [path, 2],
      [path, 3],
    ]);
    expect((await readAll(engine, write('plain.arrows', arrow.tableFromArrays({ utcTime: [time] })))).rows).toEqual([
      rowOf('2024-03-01 00:00:00'),
    ]);
  });
});

describe('LZ4', () => {
  // `lz4 -1` of "abcabcabcabcabc…" (60 letters), and of text without repetition, written by hand from the format's
  // description.
  const frame = (flags: number, ...blocks: readonly (readonly number[])[]) => {
    const bytes = [0x04, 0x22, 0x4d, 0x18, flags, 0x40, 0x00];
    for (const block of blocks) bytes.push(block.length & 255, block.length >> 8, 0, 0, ...block);
    return Uint8Array.from([...bytes, 0, 0, 0, 0]);
  };
  it('copies literals and what came before, also into itself', () => {
    const repeated = frame(0x60, [0x3f, 97, 98, 99, 3, 0, 57 - 4 - 15]);
    expect(Buffer.from(decodeLz4(repeated, 60)).toString()).toBe('abc'.repeat(20));
    expect(Buffer.from(decodeLz4(frame(0x60, [0x50, ...Buffer.from('hello')], [0x10, 33]), 6)).toString()).toBe(
      'hello!',
    );
  });
  it('refuses what is damaged', () => {
    for (const block of [
      [0xff],
      [0x3f, 97, 98, 99, 9, 0, 0],
      [0x3f, 97, 98, 99, 3, 0, 255, 255],
      [0x3f, 97, 98, 99, 3],
    ])
      expect(() => decodeLz4(frame(0x60, block), 60)).toThrow();
    expect(() => decodeLz4(frame(0x60, [0x10, 97]), 2)).toThrow(/length/);
    expect(() => decodeLz4(Uint8Array.from([1, 2, 3, 4, 5]), 2)).toThrow(/not an LZ4/);
  });
});
