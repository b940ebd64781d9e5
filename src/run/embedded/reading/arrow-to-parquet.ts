import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { CompressionType, setCompressionCodec, tableFromIPC, type ExtractionOptions, type Table } from '@uwdata/flechette';
import { BackendError } from '../../../ask/sluice-error.ts';
import { openCsvText, type CsvText } from './arrow-csv.ts';
import { readArrowMessages, type ArrowMessage } from './arrow-messages.ts';
import { fieldWriter, toArrowColumn } from './arrow-values.ts';
import { decodeLz4 } from './decode-lz4.ts';
import type { Engine } from '../engine.ts';
import type { SniffedFile } from './sniff-format.ts';
import { quoteName, quotePaths, quoteText } from '../sql-text.ts';
import { columnNamedTwice, damagedFile } from './unfit-file.ts';
import { PackingDamage } from './unpack.ts';
import { verifyBatch, verifyLists, verifySchema, verifyTypes } from './verify-arrow.ts';

type ArrowFile = Extract<SniffedFile, { readonly format: 'arrow' }>;

/** Small batches are decoded together, so that their dictionaries are decoded once. */
const enoughBytes = 8 << 20;

const extraction: ExtractionOptions = { useBigInt: true, useDecimalInt: true };

/**
 * Writes the rows of an Arrow file or stream as Parquet into the engine's folder, in their order; undefined where it has
 * no columns. A few batches are held at a time: they become CSV, which takes little more than copying their bytes, and DuckDB
 * reads that on all of its threads. Errors: `file-corrupt`, `column-named-twice`.
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
    await engine.rows(`COPY (SELECT ${selectOf(copied.schema, file.path)} FROM ${readerOf(copied, csv)}) TO ${quoteText(target)} (FORMAT parquet, COMPRESSION snappy)`);
    return target;
  } catch (cause) {
    if (cause instanceof BackendError) throw cause;
    if (cause instanceof PackingDamage) throw damagedFile(file.path, cause);
    throw new BackendError(`${file.path} is damaged: it cannot be read as Arrow.`, { code: 'file-corrupt', cause, hint: 'Export it afresh, or leave it out.' });
  } finally {
    await rm(csv, { force: true });
  }
}

function unpackZstd(data: Uint8Array, length: number): Uint8Array {
  const unpacked = zstdDecompressSync(data, { maxOutputLength: Math.max(1, length) });
  if (unpacked.length !== length) throw new RangeError('a buffer of another length than it says');
  return unpacked;
}

function refuse(): never {
  throw new Error('only decodes');
}

interface CopiedRows {
  readonly schema: Table['schema'];
  /** Bytes of the longest row. */
  readonly longest: number;
}

/** undefined: there are no columns. */
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
    const table = tableFromIPC([schema, ...dictionaries, ...batches].map((message) => message.bytes), extraction);
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
      dictionaries = [...dictionaries.filter((each) => dictionary?.adds === true || each.dictionary?.id !== dictionary?.id), message];
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

/** Longer rows need larger buffers. */
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
