import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as arrow from '@uwdata/flechette';
import { openEngine } from '../../../src/run/duckdb/engine/engine.ts';

/** Small intact files by name, from which damaged ones are made. */
export type Seeds = Readonly<Record<string, Uint8Array>>;

export const kinds = ['arrow', 'parquet', 'packed'] as const;
export type Kind = (typeof kinds)[number];

const count = 60;
const range = Array.from({ length: count }, (_, index) => index);
const time = (index: number) => Date.parse('2024-03-01T00:00:00Z') + index * 1000;
const some = <T>(value: (index: number) => T) => range.map((index) => (index % 5 === 3 ? null : value(index)));

export async function seedsOf(kind: Kind): Promise<Seeds> {
  if (kind === 'arrow') return arrowSeeds();
  return kind === 'parquet' ? parquetSeeds() : packedSeeds();
}

function arrowSeeds(): Seeds {
  const flat = arrow.tableFromArrays(
    {
      utcTime: range.map(time),
      userAnonymousId: some((index) => `u${index}`),
      docPath: some((index) => `/${index % 4}`),
      n: some(Number),
    },
    {
      types: {
        utcTime: arrow.timestamp(),
        userAnonymousId: arrow.utf8(),
        docPath: arrow.dictionary(arrow.utf8()),
        n: arrow.int64(),
      },
      maxBatchRows: 25,
    },
  );
  const types = {
    utcTime: arrow.timestamp(arrow.TimeUnit.MICROSECOND),
    list: arrow.list(arrow.int32()),
    large: arrow.largeList(arrow.utf8()),
    struct: arrow.struct({ a: arrow.utf8(), b: arrow.float64() }),
    map: arrow.map(arrow.utf8(), arrow.int32()),
    fixed: arrow.fixedSizeList(arrow.int16(), 2),
    price: arrow.decimal(12, 3),
    flag: arrow.bool(),
    none: arrow.nullType(),
    bytes: arrow.fixedSizeBinary(4),
    day: arrow.dateDay(),
    text: arrow.largeUtf8(),
    half: arrow.float16(),
    runs: arrow.runEndEncoded(arrow.int32(), arrow.utf8()),
  };
  const nested = arrow.tableFromArrays(
    {
      utcTime: range.map(time),
      list: some((index) => [index, 2]),
      large: some((index) => [`x${index}`]),
      struct: some((index) => ({ a: 'x', b: index })),
      map: some((index) => new Map([['k', index]])),
      fixed: some((index) => [index, 1]),
      price: some((index) => index / 4),
      flag: some((index) => index % 2 === 0),
      none: range.map(() => null),
      bytes: some(() => new Uint8Array([1, 2, 3, 4])),
      day: some(time),
      text: some(String),
      half: some((index) => index / 2),
      runs: range.map((index) => String(index >> 3)),
    } as Record<string, unknown[]>,
    { types },
  );
  arrow.setCompressionCodec(arrow.CompressionType.ZSTD, {
    encode: (data) => zstdCompressSync(data),
    decode: (data) => zstdDecompressSync(data),
  });
  const file = (table: arrow.Table, format: 'file' | 'stream', codec?: arrow.CompressionType_) =>
    arrow.tableToIPC(table, { format, ...(codec === undefined ? {} : { codec }) })!;
  return {
    'flat.arrow': file(flat, 'file'),
    'flat.arrows': file(flat, 'stream'),
    'nested.arrow': file(nested, 'file'),
    'nested.arrows': file(nested, 'stream'),
    'flat-zstd.arrow': file(flat, 'file', arrow.CompressionType.ZSTD),
    'nested-zstd.arrows': file(nested, 'stream', arrow.CompressionType.ZSTD),
  };
}

const parquetRows = `SELECT TIMESTAMP '2024-03-01' + to_seconds(i) AS utcTime, 'u' || i AS userAnonymousId, '/' || (i % 4) AS docPath, [i, 2] AS list, {'a': i, 'b': 'x'} AS struct, i::DECIMAL(12, 3) AS price,
  map {'k': i} AS map, CASE WHEN i % 5 > 0 THEN i END AS n, i::DOUBLE AS f, i % 2 = 0 AS flag FROM range(${count}) AS t(i)`;

async function parquetSeeds(): Promise<Seeds> {
  await using engine = await openEngine({ threads: 1 });
  const seeds: Record<string, Uint8Array> = {};
  for (const codec of ['uncompressed', 'snappy', 'zstd', 'gzip', 'lz4_raw', 'brotli']) {
    for (const version of ['V1', 'V2']) {
      const path = join(engine.folder, `${codec}-${version}.parquet`);
      await engine.rows(
        `COPY (${parquetRows}) TO '${path}' (FORMAT parquet, COMPRESSION ${codec}, PARQUET_VERSION ${version})`,
      );
      seeds[`${codec}-${version}.parquet`] = readFileSync(path);
    }
  }
  return seeds;
}

function packedSeeds(): Seeds {
  const ndjson = range
    .map((index) => JSON.stringify({ utcTime: new Date(time(index)), userAnonymousId: `u${index}` }))
    .join('\n');
  const csv = `utcTime,userAnonymousId\n${range.map((index) => `${new Date(time(index)).toISOString()},u${index}\n`).join('')}`;
  return {
    'e.ndjson.zst': zstdCompressSync(ndjson),
    'e.csv.zst': zstdCompressSync(csv),
    'e.ndjson.gz': gzipSync(ndjson),
    'e.csv.gz': gzipSync(csv),
    'e.json.zst': zstdCompressSync(`[${ndjson.replaceAll('\n', ',')}]`),
  };
}
