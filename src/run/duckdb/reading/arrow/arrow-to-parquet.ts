import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import {
  type Batch,
  CompressionType,
  type DataType,
  type ExtractionOptions,
  setCompressionCodec,
  type Table,
  tableFromIPC,
  Type,
} from '@uwdata/flechette';
import { BackendError } from '../../../../ask/sluice-error.ts';
import { writeUnscaled } from '../../../../plan/to-unscaled.ts';
import { sourceName } from '../../../file/source-copy.ts';
import { PackingDamage } from '../../../file/unpack.ts';
import type { Engine } from '../../engine/engine.ts';
import { quoteName, quotePaths, quoteText } from '../../engine/sql-text.ts';
import { type ArrowMessage, readArrowMessages } from './arrow-messages.ts';
import { decodeLz4 } from './decode-lz4.ts';
import type { SniffedFile } from '../formats/sniff-format.ts';
import { columnNamedTwice, damagedFile } from '../formats/unfit-file.ts';
import { verifyBatch, verifyLists, verifySchema, verifyTypes } from './verify-arrow.ts';

type ArrowFile = Extract<SniffedFile, { readonly format: 'arrow' }>;

/** Decode small batches together, so that their dictionaries are decoded only once. */
const enoughBytes = 8 << 20;

const extraction: ExtractionOptions = { useBigInt: true, useDecimalInt: true };

/**
 * Writes the rows of an Arrow file or stream, in order, as Parquet into the engine's folder; undefined if it has no
 * columns. It holds a few batches at a time and writes them as CSV, which is little more than copying bytes. DuckDB
 * then reads the CSV on all threads. Errors: `file-corrupt`, `column-named-twice`.
 */
export async function arrowToParquet(engine: Engine, file: ArrowFile): Promise<string | undefined> {
  setCompressionCodec(CompressionType.ZSTD, { encode: refuse, decode: unpackZstd });
  setCompressionCodec(CompressionType.LZ4_FRAME, { encode: refuse, decode: (data, length) => decodeLz4(data, length) });
  const name = `arrow-${engine.nextNumber()}`;
  const csv = join(engine.folder, `${name}.csv`);
  const target = join(engine.folder, `${name}.parquet`);
  try {
    const copied = await copyRows(file, csv);
    if (!copied) return undefined;
    await engine.rows(
      `COPY (SELECT ${selectOf(copied.schema, file.path)} FROM ${readerOf(copied, csv)}) TO ${quoteText(target)} (FORMAT parquet, COMPRESSION snappy)`,
    );
    return target;
  } catch (cause) {
    if (cause instanceof BackendError) throw cause;
    if (cause instanceof PackingDamage) throw damagedFile(file.path, cause);
    throw new BackendError(`${sourceName(file.path)} is damaged: it cannot be read as Arrow.`, {
      code: 'file-corrupt',
      cause,
      hint: 'Export it again, or leave it out.',
    });
  } finally {
    await rm(csv, { force: true });
  }
}

function unpackZstd(data: Uint8Array, length: number): Uint8Array {
  const unpacked = zstdDecompressSync(data, { maxOutputLength: Math.max(1, length) });
  if (unpacked.length !== length) throw new RangeError('a buffer with the wrong length');
  return unpacked;
}

function refuse(): never {
  throw new Error('only decodes');
}

interface CopiedRows {
  readonly schema: Table['schema'];
  /** Size of the longest row in bytes. */
  readonly longest: number;
}

/** Undefined if there are no columns. */
async function copyRows(file: ArrowFile, csv: string): Promise<CopiedRows | undefined> {
  await using target = await open(csv, 'w');
  const text = openCsvText();
  let schema: ArrowMessage | undefined;
  let fields: Table['schema'] | undefined;
  let dictionaries: readonly ArrowMessage[] = [];
  let batches: ArrowMessage[] = [];
  let bytes = 0;
  const flush = async () => {
    if (!schema || batches.length === 0) return;
    const table = tableFromIPC(
      [schema, ...dictionaries, ...batches].map((message) => message.bytes),
      extraction,
    );
    batches = [];
    bytes = 0;
    await writeRows(table, text, target);
  };
  for await (const message of readArrowMessages(file.path, file.compression)) {
    if (message.kind === 'schema' && !schema) {
      schema = message;
      verifySchema(message.flat, message.flatBytes);
      fields = tableFromIPC([message.bytes], extraction).schema;
      if (fields.fields.length === 0) return undefined;
      verifyTypes(fields.fields);
    } else if (message.kind === 'dictionary') {
      verifyBatch(message, fields?.fields ?? []);
      await flush();
      const { dictionary } = message;
      dictionaries = [
        ...dictionaries.filter((each) => dictionary?.adds === true || each.dictionary?.id !== dictionary?.id),
        message,
      ];
    } else if (message.kind === 'batch') {
      verifyBatch(message, fields?.fields ?? []);
      batches.push(message);
      bytes += message.bytes.length;
      if (bytes >= enoughBytes) await flush();
    }
  }
  await flush();
  return fields && { schema: fields, longest: text.longest };
}

async function writeRows(table: Table, text: CsvText, target: FileHandle): Promise<void> {
  const columns = table.schema.fields.map(({ type }) => toArrowColumn(type));
  for (const { data } of table.children) data.forEach((batch) => verifyLists(batch));
  for (const [part, { length }] of (table.children[0]?.data ?? []).entries()) {
    const writers = columns.map((column, index) => fieldWriter(table.children[index]!.data[part]!, column));
    for (let row = 0; row < length; row++) {
      text.writeRow(row, writers);
      if (text.length >= enoughBytes) await target.writeFile(text.take());
    }
  }
  await target.writeFile(text.take());
}

/** Longer rows require larger buffers. */
const usualLine = 1 << 20;

function readerOf({ schema, longest }: CopiedRows, csv: string): string {
  const types = schema.fields.map(({ type }, index) => `c${index}: ${quoteText(toArrowColumn(type).csvType)}`);
  const size = longest > usualLine ? `, max_line_size = ${2 * longest}, buffer_size = ${4 * longest}` : '';
  return `read_csv(${quotePaths([csv])}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, new_line = '\\n',
    columns = {${types.join(', ')}}${size}, hive_partitioning = false)`;
}

function selectOf(schema: Table['schema'], path: string): string {
  const seen = new Map<string, string>();
  const columns = schema.fields.map(({ name, type }, index) => {
    const plain = name === '' || name.includes('\0') ? `column ${index + 1}` : name;
    const before = seen.get(plain.toLowerCase());
    if (before !== undefined) throw columnNamedTwice(path, before, plain);
    seen.set(plain.toLowerCase(), plain);
    return `${toArrowColumn(type).read(`c${index}`)} AS ${quoteName(plain)}`;
  });
  return columns.join(', ');
}

const quote = 0x22;
const comma = 0x2c;
const lineFeed = 0x0a;

/** Growing CSV text, written row by row. */
interface CsvText {
  writeRow(row: number, writers: readonly FieldWriter[]): void;
  readonly length: number;
  /** The longest row so far, in bytes. */
  readonly longest: number;
  /** The text written since the last call. */
  take(): Buffer;
}

function openCsvText(): CsvText {
  let buffer = Buffer.allocUnsafe(1 << 20);
  let end = 0;
  let longest = 0;
  const reserve = (bytes: number) => {
    if (end + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + bytes));
    buffer.copy(larger, 0, 0, end);
    buffer = larger;
  };
  const target: FieldTarget = {
    writeBytes(bytes, start, stop) {
      if (!(start >= 0 && start <= stop && stop <= bytes.length)) throw new Error('a text outside its buffer');
      reserve(2 * (stop - start) + 2);
      buffer[end++] = quote;
      for (let index = start; index < stop; index++) {
        const byte = bytes[index]!;
        if (byte === quote) buffer[end++] = quote;
        buffer[end++] = byte;
      }
      buffer[end++] = quote;
    },
    writeText(text) {
      const escaped = text.includes('"') ? text.replaceAll('"', '""') : text;
      reserve(3 * escaped.length + 2);
      buffer[end++] = quote;
      end += buffer.write(escaped, end);
      buffer[end++] = quote;
    },
  };
  return {
    writeRow(row, writers) {
      const start = end;
      for (let index = 0; index < writers.length; index++) {
        reserve(1);
        if (index > 0) buffer[end++] = comma;
        writers[index]!(row, target);
      }
      reserve(1);
      buffer[end++] = lineFeed;
      longest = Math.max(longest, end - start);
    },
    get length() {
      return end;
    },
    get longest() {
      return longest;
    },
    take() {
      const taken = Buffer.from(buffer.subarray(0, end));
      end = 0;
      return taken;
    },
  };
}

/** How the values of an Arrow column are written as CSV fields and read back. */
interface ArrowColumn {
  /** The type of the CSV field. */
  readonly csvType: string;
  /** SQL that converts the field, given its reference, to the column's type. */
  readonly read: (reference: string) => string;
  /** The field's text for a non-null value from flechette, with big integers and unscaled decimals. */
  readonly write: (value: unknown) => string;
  /** The column stores its text as bytes, so they are copied. */
  readonly bytes: boolean;
}

const asItStands = (reference: string) => reference;
const text: ArrowColumn = { csvType: 'VARCHAR', read: asItStands, write: String, bytes: false };
const json: ArrowColumn = { ...text, read: (reference) => `CAST(${reference} AS JSON)`, write: jsonOf };
const binary: ArrowColumn = { ...text, write: (value) => Buffer.from(value as Uint8Array).toString('utf8') };
const signed = { 8: 'TINYINT', 16: 'SMALLINT', 32: 'INTEGER', 64: 'BIGINT' } as const;
const dayLength = 86_400_000;

/** Nested values become JSON. Types without a counterpart become text. Times are naive UTC with microseconds. */
function toArrowColumn(type: DataType): ArrowColumn {
  switch (type.typeId) {
    case Type.Int:
      return { ...text, csvType: `${type.signed ? '' : 'U'}${signed[type.bitWidth]}` };
    case Type.Float:
      return { ...text, csvType: 'DOUBLE' };
    case Type.Bool:
      return { ...text, csvType: 'BOOLEAN' };
    case Type.Utf8:
    case Type.LargeUtf8:
      return { ...text, bytes: true };
    case Type.Timestamp:
      return {
        ...text,
        csvType: 'BIGINT',
        write: (value) => String(Math.round((value as number) * 1000)),
        read: (reference) => `make_timestamp(${reference})`,
      };
    case Type.Date:
      return {
        ...text,
        csvType: 'INTEGER',
        write: (value) => String(Math.floor((value as number) / dayLength)),
        read: (reference) => `DATE '1970-01-01' + ${reference}`,
      };
    case Type.Decimal: {
      const fits = type.precision <= 38 && type.scale >= 0 && type.scale <= type.precision;
      return {
        ...text,
        csvType: fits ? `DECIMAL(${type.precision}, ${type.scale})` : 'VARCHAR',
        write: (value) => writeUnscaled(BigInt(value as bigint | number), type.scale),
      };
    }
    case Type.Dictionary:
      return toArrowColumn(type.dictionary);
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
    case Type.FixedSizeBinary:
      return binary;
    case Type.List:
    case Type.LargeList:
    case Type.ListView:
    case Type.LargeListView:
    case Type.FixedSizeList:
    case Type.Struct:
    case Type.Map:
    case Type.Union:
      return json;
    default:
      return text;
  }
}

/** From the proposal "JSON.parse source text access"; missing in TypeScript's library. */
interface JsonWithRaw {
  rawJSON(text: string): unknown;
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return (JSON as unknown as JsonWithRaw).rawJSON(String(inner));
    if (inner instanceof Map) return Object.fromEntries(inner);
    return ArrayBuffer.isView(inner) ? Array.from(inner as unknown as ArrayLike<unknown>) : inner;
  });
}

/** Writes one value of a batch as a field. */
type FieldWriter = (row: number, target: FieldTarget) => void;

/** CSV fields: a missing value is empty; every other value is quoted. */
interface FieldTarget {
  /** UTF-8 bytes from `start` up to `end`. */
  writeBytes(bytes: Uint8Array, start: number, end: number): void;
  writeText(text: string): void;
}

/** The additional members of flechette's dictionary batches. */
interface Coded {
  readonly dictionary: { readonly data: readonly Batch<unknown>[] };
  key(row: number): number;
}

function fieldWriter(batch: Batch<unknown>, column: ArrowColumn): FieldWriter {
  const isThere = batch.nullCount > 0 && batch.validity ? (row: number) => batch.isValid(row) : () => true;
  if (column.bytes && batch.type.typeId === Type.Dictionary) {
    const { dictionary, key } = batch as unknown as Coded;
    // Copy the bytes of dictionary entries too: decoding would drop a byte order mark.
    const entries = dictionary.data.flatMap((part) => {
      const write = fieldWriter(part, column);
      return Array.from({ length: part.length }, (_, row) => (target: FieldTarget) => write(row, target));
    });
    return (row, target) => {
      if (isThere(row)) entries[key.call(batch, row)]!(target);
    };
  }
  if (column.bytes) {
    const offsets = batch.offsets as Int32Array | BigInt64Array;
    const values = batch.values as Uint8Array;
    return (row, target) => {
      if (isThere(row)) target.writeBytes(values, Number(offsets[row]), Number(offsets[row + 1]));
    };
  }
  return (row, target) => {
    const value = batch.at(row);
    if (value !== null && value !== undefined) target.writeText(column.write(value));
  };
}
