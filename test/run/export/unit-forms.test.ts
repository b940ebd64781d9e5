import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toSafestCell } from '../../../src/ask/safe-cell.ts';
import { type Engine, openEngine } from '../../../src/run/duckdb/engine/engine.ts';
import type { UnitForm } from '../../../src/run/export/files/unit-form.ts';
import { writeUnit } from '../../../src/run/export/files/write-unit.ts';
import { columns, parseCsv, type Row, rows, toLines } from './unit-rows.ts';
import { runs } from '../../runs.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: { upTo: 2 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

const plain: UnitForm = { format: 'ndjson', packing: undefined, expand: false, safeCells: false };
const unpack = { gzip: gunzipSync, zstd: zstdDecompressSync } as const;
const expanded = (of: readonly Row[]): readonly Row[] =>
  of.flatMap((row) =>
    Array.from({ length: Number(row['TrackedEvents.count']) }, () => ({ ...row, 'TrackedEvents.count': '1' })),
  );

/** Writes one or several spool files, and returns the unpacked bytes. */
async function written(spools: readonly (string | Uint8Array)[], change: Partial<UnitForm>): Promise<Buffer> {
  const form = { ...plain, ...change };
  const paths = spools.map((content, index) => {
    const path = join(engine.folder, `spool-${index}[1]*.ndjson`);
    writeFileSync(path, content);
    return path;
  });
  const target = join(engine.folder, "it's.part");
  const { bytes, sha256 } = await writeUnit({ engine, columns, form, spools: paths, target });
  const content = readFileSync(target);
  expect([bytes, sha256]).toEqual([content.length, createHash('sha256').update(content).digest('hex')]);
  return form.packing ? unpack[form.packing](content) : content;
}

const packing = fc.constantFrom(undefined, 'gzip', 'zstd') as fc.Arbitrary<UnitForm['packing']>;
const cut = <T>(of: readonly T[], at: number) => [of.slice(0, at), of.slice(at)] as const;

describe('rows are written as', () => {
  it('NDJSON and JSON, as they came', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(30), packing, fc.boolean(), async (some, at, packed, expand) => {
        const spools = cut(some, at).map(toLines);
        const expected = expand ? expanded(some) : some;
        expect(String(await written(spools, { packing: packed, expand }))).toBe(toLines(expected));
        const array = String(await written(spools, { format: 'json', packing: packed, expand }));
        expect(array).toBe(`[${expected.map((row) => JSON.stringify(row)).join(',\n')}]\n`);
      }),
      { numRuns: runs(30) },
    );
  }, 60_000);

  it('CSV, which a reader that goes by the RFC takes for the same', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.nat(30),
        packing,
        fc.boolean(),
        fc.boolean(),
        async (some, at, packed, expand, safeCells) => {
          const csv = String(
            await written(cut(some, at).map(toLines), { format: 'csv', packing: packed, expand, safeCells }),
          );
          const cells = (expand ? expanded(some) : some).map((row) =>
            columns.map(({ key }) => {
              const value = row[key] ?? null;
              return safeCells && value !== null ? toSafestCell(value) : value;
            }),
          );
          expect(parseCsv(csv)).toEqual([columns.map(({ key }) => key), ...cells]);
        },
      ),
      { numRuns: runs(50) },
    );
  }, 60_000);

  it('Parquet with types, and every value is what it was', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(30), fc.boolean(), async (some, at, expand) => {
        await written(cut(some, at).map(toLines), { format: 'parquet', expand });
        const file = join(engine.folder, "it''s.part");
        const described = await engine.rows(`DESCRIBE SELECT * FROM read_parquet('${file}')`);
        expect(described.map(([name, type]) => [name, type])).toEqual(
          columns.map(({ key }, index) => [key, ['TIMESTAMP', 'VARCHAR', 'VARCHAR', 'DOUBLE', 'BIGINT'][index]]),
        );
        const read = await engine.rows(
          `SELECT strftime("TrackedEvents.utcTime", '%Y-%m-%dT%H:%M:%S.%g'), hex("TrackedEvents.userAnonymousId"), hex("TrackedEvents.pageTitle"), "TrackedEvents.localTzOffset", "TrackedEvents.count" FROM read_parquet('${file}')`,
        );
        const expected = (expand ? expanded(some) : some).map((row) =>
          columns.map(({ key, type }) => {
            const value = row[key] ?? null;
            if (value === null) return null;
            if (type === 'text') return Buffer.from(value).toString('hex').toUpperCase();
            return type === 'number' ? Number(value) : type === 'count' ? BigInt(value) : value;
          }),
        );
        expect(read).toEqual(expected);
      }),
      { numRuns: runs(30) },
    );
  }, 60_000);
});

describe('the same rows', () => {
  it.each<Partial<UnitForm>>([
    { packing: 'gzip' },
    { packing: 'zstd' },
    { format: 'csv' },
    { format: 'csv', packing: 'gzip' },
    { format: 'parquet' },
    { format: 'json', packing: 'zstd' },
  ])('make the same bytes as $format $packing', async (change) => {
    const lines = toLines(
      Array.from({ length: 130_000 }, (_, index) => ({
        'TrackedEvents.utcTime': '2026-09-01T00:00:00.000',
        'TrackedEvents.userAnonymousId': `u${(index * 7919) % 100_003}`,
        'TrackedEvents.pageTitle': null,
        'TrackedEvents.localTzOffset': '0',
        'TrackedEvents.count': '1',
      })),
    );
    const target = join(engine.folder, 'same.part');
    const spool = join(engine.folder, 'same.ndjson');
    writeFileSync(spool, lines);
    const once = async () => {
      const { sha256 } = await writeUnit({ engine, columns, form: { ...plain, ...change }, spools: [spool], target });
      return sha256;
    };
    const first = await once();
    expect(await once()).toBe(first);
    // The position of the time in gzip.
    if (change.packing === 'gzip') expect(readFileSync(target).readUInt32LE(4)).toBe(0);
  });
});

describe('a window without rows', () => {
  it.each<[Partial<UnitForm>, string]>([
    [{}, ''],
    [{ packing: 'gzip' }, ''],
    [{ format: 'json' }, '[]\n'],
    [{ format: 'csv' }, `${columns.map(({ key }) => key).join(',')}\n`],
  ])('still is a file: %j', async (change, text) => {
    expect(String(await written([''], change))).toBe(text);
    expect(String(await written([], { ...change, expand: true }))).toBe(text);
  });

  it('is Parquet with all columns', async () => {
    await written([''], { format: 'parquet' });
    const described = await engine.rows(`DESCRIBE SELECT * FROM read_parquet('${join(engine.folder, "it''s.part")}')`);
    expect(described).toHaveLength(columns.length);
  });
});

describe('what a source should not send', () => {
  const row = (title: string) =>
    `{"TrackedEvents.utcTime":"2026-09-01T00:00:00.000","TrackedEvents.pageTitle":${title},"TrackedEvents.count":"1"}\n`;

  it('is kept by NDJSON to the byte, and by CSV without the halves of characters', async () => {
    const lines = Buffer.concat([
      Buffer.from(row(String.raw`"a\ud800b\\ud800\ud83c\udf88"`)),
      Buffer.from(row('"x"').replace('x', '\u0001')),
      Buffer.from(row('"y"')),
    ]);
    const wild = Buffer.from(lines);
    wild[wild.lastIndexOf(0x79)] = 0xff;
    wild[wild.indexOf(1)] = 0x7a;
    expect(await written([wild], {})).toEqual(wild);
    const csv = String(await written([wild], { format: 'csv' }));
    const mended = ['a\ufffdb\\ud800🎈', 'z', '\ufffd'];
    expect(
      parseCsv(csv)
        .slice(1)
        .map((cells) => cells[2]),
    ).toEqual(mended);
    await written([wild], { format: 'parquet' });
    expect(
      (
        await engine.rows(`SELECT "TrackedEvents.pageTitle" FROM read_parquet('${join(engine.folder, "it''s.part")}')`)
      ).flat(),
    ).toEqual(mended);
  });

  it('is made safe where it is asked for, one by one', async () => {
    const texts = [
      '=1+1',
      '+1',
      '-5',
      '-5+cmd',
      '@x',
      '＝cmd',
      '＋1',
      '－1',
      '＠x',
      '…x',
      '\tx',
      '\u0085',
      'a\u009bm',
      'a\u007fb',
      '\u001b[31m',
      'é',
      '',
      'a,b',
      '=a,"b"',
      'x;=1+1',
      'a; -b',
      'a;b',
      'x\n=1',
      ';+1;@2',
      '\r=1',
      '-',
      '+.5',
      "'",
    ];
    const laidOut = texts.map((text) => ({
      'TrackedEvents.utcTime': null,
      'TrackedEvents.userAnonymousId': null,
      'TrackedEvents.pageTitle': text,
      'TrackedEvents.localTzOffset': null,
      'TrackedEvents.count': '1',
    }));
    const csv = String(await written([toLines(laidOut)], { format: 'csv', safeCells: true }));
    const cells = parseCsv(csv)
      .slice(1)
      .map((row) => row[2]);
    expect(cells).toEqual(texts.map(toSafestCell));
    expect(cells).toEqual(expect.arrayContaining(["x;'=1+1", "a; '-b", 'a;b', "x\n'=1", ";'+1;'@2"]));
  });

  it.each([
    ['"TrackedEvents.utcTime":"yesterday"', 'TrackedEvents.utcTime'],
    ['"TrackedEvents.utcTime":"2026-09-01T00:00:00.123456789"', 'TrackedEvents.utcTime'],
    ['"TrackedEvents.localTzOffset":"12345678901234567891"', 'TrackedEvents.localTzOffset'],
    ['"TrackedEvents.localTzOffset":"far"', 'TrackedEvents.localTzOffset'],
    ['"TrackedEvents.count":"many"', 'TrackedEvents.count'],
  ])('is no value of a typed column, and is told: %s', async (member, key) => {
    const told = { code: 'value-unfit', message: expect.stringContaining(key) as string };
    await expect(written([`{${member}}\n`], { format: 'parquet' })).rejects.toMatchObject(told);
    expect(parseCsv(String(await written([`{${member}}\n`], { format: 'csv' })))).toHaveLength(2);
  });

  it.each([
    ['{"TrackedEvents.count":"1","TrackedEvents.pageTitle":"a\\\\\\"b"}', ['a\\"b', null, '1']],
    [
      '{ "TrackedEvents.pageTitle" : "a" , "TrackedEvents.localTzOffset" : 12345678901234567890.10, "TrackedEvents.count":1 }',
      ['a', '12345678901234567890.10', '1'],
    ],
    [
      '{"TrackedEvents.utcTime":null,"TrackedEvents.userAnonymousId":null,"TrackedEvents.pageTitle":{"x":[1.50,"y"]},"TrackedEvents.localTzOffset":-0.5e3,"TrackedEvents.count":"1"}',
      ['{"x":[1.50,"y"]}', '-0.5e3', '1'],
    ],
    [
      '{"TrackedEvents.utcTime":null,"TrackedEvents.userAnonymousId":null,"TrackedEvents.pageTitle":true,"TrackedEvents.localTzOffset":12345678901234567890.10,"TrackedEvents.count":1,"more":2}',
      ['true', '12345678901234567890.10', '1'],
    ],
  ])('is CSV by its keys and to the last digit, however it is laid out: %s', async (line, expected) => {
    const [, cells] = parseCsv(String(await written([`${line}\n`], { format: 'csv' })));
    expect(cells?.slice(2)).toEqual(expected);
  });

  it('cannot be repeated where its count is none', async () => {
    await expect(written(['{"TrackedEvents.count":"1.5"}\n'], { expand: true })).rejects.toMatchObject({
      code: 'count-unreadable',
    });
  });

  it('does not pass for a count', async () => {
    const line = '{"TrackedEvents.pageTitle":{"TrackedEvents.count":"7"},"TrackedEvents.count":"2"}\n';
    expect(String(await written([line], { expand: true }))).toBe(line.replace('"2"', '"1"').repeat(2));
    expect(
      String(await written(['{"TrackedEvents.count":2,"TrackedEvents.pageTitle":null}\n'], { expand: true })),
    ).toBe('{"TrackedEvents.count":"1","TrackedEvents.pageTitle":null}\n'.repeat(2));
  });
});
