import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRecord } from '../../../../ask/document/json-record.ts';
import { type Compression, readBytes } from '../../../file/read-bytes.ts';
import { jsonType } from '../../engine/column-text.ts';
import type { Engine } from '../../engine/engine.ts';
import { jsonCompression, quoteName, quotePaths, quoteText } from '../../engine/sql-text.ts';
import { isTakenElsewhere } from '../../mapping/apply-mapping.ts';
import { isCanonicalKey, isKeptName, isSizeKey, timeSpellings } from '../../../events/column-names.ts';
import type { SourceColumn } from '../columns/event-columns.ts';
import type { EventSource } from '../source/event-source.ts';
import { type KnownColumns, objectSizeOf } from '../source/events-relation.ts';
import { filePlace, hidesFilePlace, unusedName } from '../layouts/file-place.ts';
import { furtherKey } from '../source/further-fields.ts';
import { isEntityKey } from '../../../events/snowplow-entities.ts';
import { splitArray } from '../text/split-array.ts';
import { splitObjects } from '../text/split-objects.ts';
import type { Splitter, TakeRecord } from '../text/split-records.ts';

type JsonSource = Extract<EventSource, { readonly kind: 'json' }>;

/** Bytes to read of a file's head, and of each sampled place after it. */
const headBytes = 1 << 20;
const placeBytes = 1 << 16;
const places = 15;

/** A sample of the file's records: those of its head and, unless it is packed, of places throughout the file. */
export async function sampleRecords(
  source: JsonSource,
  path: string,
  head: number = headBytes,
  parse: (json: string) => unknown = JSON.parse,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const records: Readonly<Record<string, unknown>>[] = [];
  const taken = (text: string) => {
    const record = readRecord(text, parse);
    if (record) records.push(record);
  };
  await sample(source, path, head, taken);
  return records;
}

/** Splits the first bytes of a file, about `head` of them, and returns how many. Rejects if the file is damaged. */
export async function splitHead(
  { compression, encoding }: { readonly compression: Compression; readonly encoding?: string | undefined },
  path: string,
  splitter: Splitter,
  head: number,
): Promise<number> {
  let read = 0;
  for await (const piece of readBytes(path, compression, { encoding })) {
    splitter.push(piece);
    read += piece.length;
    if (read >= head) return read;
  }
  splitter.end();
  return read;
}

/** `head`: number of bytes to read. With the full head size, later places are sampled too. */
async function sample(source: JsonSource, path: string, head: number, taken: (text: string) => void): Promise<void> {
  const take: TakeRecord = ({ bytes }) => taken(bytes?.toString('utf8') ?? '');
  const splitter = source.format === 'array' ? splitArray(take) : splitObjects(take);
  let read = 0;
  try {
    read = await splitHead(source, path, splitter, head);
  } catch {
    // The statement will report the damage.
  }
  const isUtf8 = source.encoding === undefined;
  const isPlainLines = isUtf8 && source.compression === 'none' && source.format === 'newline_delimited';
  if (isPlainLines && head === headBytes && read >= headBytes) await takePlaces(path, take);
}

async function takePlaces(path: string, take: TakeRecord): Promise<void> {
  await using file = await open(path);
  const { size } = await file.stat();
  for (let place = 1; place <= places; place++) {
    const at = Math.max(headBytes, Math.floor((size * place) / places) - placeBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(placeBytes), 0, placeBytes, at);
    const start = buffer.indexOf(0x0a);
    if (start >= 0) splitObjects(take).push(buffer.subarray(start + 1, bytesRead));
  }
}

/** All keys of a file, or more than `most` of them; undefined if DuckDB cannot read it to the end. */
export async function allKeysOf(
  engine: Engine,
  source: JsonSource,
  path: string,
  most: number,
): Promise<ReadonlySet<string> | undefined> {
  const reader = `read_json_objects(${quotePaths([path])}, format = '${source.format}',
    compression = '${jsonCompression(source.compression)}', maximum_object_size = ${objectSizeOf(source)})`;
  try {
    const rows = await engine.rows(`SELECT DISTINCT unnest(json_keys(json)) AS key FROM ${reader} LIMIT ${most + 1}`);
    return new Set(rows.map(([key]) => String(key)));
  } catch {
    return undefined;
  }
}

/** Maximum number of keys that become columns. A file with more keys has them folded into one. */
export const mostKeys = 500;

/** Whether the key can be a column name and is not reserved for copies of files. */
export function isPlainKey(key: string): boolean {
  return key !== '' && !key.includes('\0') && key.isWellFormed() && !key.startsWith('sluice ');
}

const isKnown = (key: string) => isCanonicalKey(key) || key === furtherKey;

/**
 * A JSON reader for exactly these keys, which rejects records with any other key. This loses nothing and reads the file
 * once. DuckDB only rejects unknown keys if it detects the keys itself. It detects them in a small generated file,
 * which is read before the real one and whose rows are excluded.
 */
export async function shapedReader(
  engine: Engine,
  source: Extract<EventSource, { readonly kind: 'json' | 'cleaned' }>,
  paths: readonly string[],
  keys: readonly string[],
  ownKeys: readonly string[] = [],
): Promise<KnownColumns> {
  const format = source.kind === 'json' ? source.format : 'newline_delimited';
  // If there are no keys at all, the time is the missing column.
  const all = [...keys, ...ownKeys, ...(keys.length + ownKeys.length === 0 ? [timeSpellings[0]!] : [])];
  const shape = join(engine.folder, `keys-${engine.nextNumber()}.json`);
  await writeFile(
    shape,
    await pack(
      rowsOfShape(all, format, (key) => isText(key, source)),
      source.compression,
    ),
  );
  const own = unusedName(all);
  // The sample is exactly two rows. Keys with only texts become text columns; keys with a text and an object become
  // JSON columns.
  const reader = `read_json(${quotePaths([shape, ...paths])}, format = '${format}', records = true,
    auto_detect = true, sample_size = 2, maximum_sample_files = 1, maximum_depth = 2,
    field_appearance_threshold = 0, map_inference_threshold = -1, convert_strings_to_integers = false, union_by_name = false, filename = ${quoteText(own)},
    maximum_object_size = ${objectSizeOf(source)}, compression = '${jsonCompression(source.compression)}', hive_partitioning = false)`;
  const described = await engine.rows(`DESCRIBE SELECT * FROM ${reader}`);
  const columns = keys.map((name, index): SourceColumn => {
    const reference = String(described[index]![0]);
    const type = isText(name, source) ? 'VARCHAR' : jsonType;
    return isKnown(name) ? { name, reference, type } : { name, reference, type, foreign: true };
  });
  const fileColumn = hidesFilePlace(all) ? undefined : `${own} place`;
  const place = fileColumn === undefined ? '' : `, ${filePlace} - 1 AS ${quoteName(fileColumn)}`;
  return {
    columns,
    fileColumn,
    reader: `(SELECT *${place} FROM ${reader} WHERE ${quoteName(own)} <> ${quoteText(shape)})`,
  };
}

/** Keys that fields consume are read as text; keys that may be kept as properties are read as JSON. */
function isText(key: string, { mapped }: EventSource): boolean {
  if (mapped?.consumed.includes(key)) return true;
  return (
    isKnown(key) &&
    !isEntityKey(key) &&
    !isKeptName(key) &&
    !isSizeKey(key) &&
    !(mapped && isTakenElsewhere(mapped, key))
  );
}

/** Built by hand: JavaScript objects put numeric keys first. */
function rowsOfShape(keys: readonly string[], format: string, isTextual: (key: string) => boolean): string {
  const row = (of: readonly string[], value: string) =>
    `{${of.map((key) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
  const rows = [
    row(keys, '"-"'),
    row(
      keys.filter((key) => !isTextual(key)),
      '{}',
    ),
  ];
  return format === 'array' ? `[${rows.join(',')}]` : `${rows.join('\n')}\n`;
}

async function pack(text: string, compression: Compression): Promise<string | Buffer> {
  if (compression === 'none') return text;
  const { gzipSync, zstdCompressSync } = await import('node:zlib');
  return compression === 'gzip' ? gzipSync(text) : zstdCompressSync(text);
}
