import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { parseExactly } from '../../../ask/document/parse-exactly.ts';
import { invariant } from '../../../ask/invariant.ts';
import { quoteCell, toSafestCell } from '../../../ask/safe-cell.ts';
import { AbortedError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import type { Engine } from '../../duckdb/engine/engine.ts';
import { hashFile } from '../../duckdb/engine/file-identity.ts';
import { interruptible } from '../../duckdb/engine/run-statement.ts';
import { quoteName, quoteText } from '../../duckdb/engine/sql-text.ts';
import type { Chunks } from '../../file/byte-source.ts';
import { readLineBytes } from '../../file/line-bytes.ts';
import { syncFile } from '../../file/write-file.ts';
import { ExportError } from '../rows/export-error.ts';
import { readRows, type RowColumn, typedValue, unfitMark } from '../rows/export-query.ts';
import { noHasher } from './hasher.ts';
import { expandRows, mendRows, openSpoolFile, type WrittenFile } from './spool-file.ts';
import type { UnitForm } from './unit-form.ts';

const bytes = {
  newline: 0x0a,
  quote: 0x22,
  comma: 0x2c,
  backslash: 0x5c,
  closing: 0x7d,
  delete: 0x7f,
  semicolon: 0x3b,
} as const;

/** Lead bytes of U+0080 to U+00BF, and of full-width characters. */
const leads = { control: 0xc2, wide: 0xef } as const;

/** First bytes of possible formulas: = + - @ and their full-width forms. */
const formulaStarts = new Set([0x3d, 0x2b, 0x2d, 0x40, leads.wide]);

const plainValue = /^(?:true|false|-?\d[\d.eE+-]*)$/;

/**
 * Converts files of JSON rows, one per line, to CSV (RFC 4180, but with line feeds) with a header. Null becomes an
 * empty field, and empty text becomes `""`. Other values are written as in the rows. Invalid UTF-8 becomes U+FFFD.
 */
async function* toCsvRows(
  files: readonly string[],
  keys: readonly string[],
  safeCells: boolean,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${keys.map(quoteCell).join(',')}\n`);
  const convert = openConverter(keys, safeCells);
  for (const file of files) {
    for await (const block of readLineBytes(file))
      yield convert(isUtf8(block) ? block : Buffer.from(block.toString('utf8')));
  }
}

/**
 * Copies values out of rows byte by byte, which is several times as fast as parsing and creates no garbage. A row is
 * parsed if its keys are not in the expected order, or if anything comes between them.
 */
function openConverter(keys: readonly string[], safeCells: boolean): (block: Buffer) => Buffer {
  const labels = keys.map((key, index) => Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`));
  const encode = safeCells ? (text: string) => quoteCell(toSafestCell(text)) : quoteCell;
  return (block) => {
    // Labels and quotation marks take more space than commas, so only parsed rows can grow.
    let out = Buffer.allocUnsafe(block.length + 1);
    let to = 0;
    const put = (text: string, left: number) => {
      const length = Buffer.byteLength(text);
      if (to + length + left + 1 > out.length) out = Buffer.concat([out.subarray(0, to)], to + length + left + 1);
      to += out.write(text, to);
    };
    for (let start = 0; start < block.length; ) {
      const found = block.indexOf(bytes.newline, start);
      const end = found === -1 ? block.length : found;
      const before = to;
      let at = start;
      for (let index = 0; index < labels.length && at !== -1; index += 1) at = cell(index, at, end);
      if (at !== end - 1 || block[at] !== bytes.closing) {
        to = before;
        put(parsedCells(block.toString('utf8', start, end), keys, encode), block.length - start);
      }
      out[to] = bytes.newline;
      to += 1;
      start = end + 1;
    }
    return out.subarray(0, to);

    /** Writes the value after a label. Returns the position of the next label, or -1 if the row has another form. */
    function cell(index: number, from: number, end: number): number {
      const label = labels[index] as Buffer;
      for (let byte = 0; byte < label.length; byte += 1) if (block[from + byte] !== label[byte]) return -1;
      if (index > 0) out[to++] = bytes.comma;
      const start = from + label.length;
      const first = block[start];
      if (first === bytes.quote) return text(start + 1, end);
      let at = start;
      while (at < end && block[at] !== bytes.comma && block[at] !== bytes.closing) at += 1;
      const value = block.toString('latin1', start, at);
      if (value === 'null') return at;
      if (!plainValue.test(value)) return -1;
      to += out.write(value, to);
      return at;
    }

    function text(start: number, end: number): number {
      let isPlain = !safeCells || !formulaStarts.has(block[start] as number);
      let hasComma = false;
      let at = start;
      for (; at < end; at += 1) {
        const byte = block[at] as number;
        if (byte === bytes.quote) break;
        if (byte === bytes.backslash) {
          isPlain = false;
          at += 1;
        } else if (byte === bytes.comma) hasComma = true;
        else if (safeCells && (byte === bytes.delete || byte === bytes.semicolon || byte === leads.control))
          isPlain = false;
      }
      if (at >= end) return -1;
      if (!isPlain) put(encode(JSON.parse(`"${block.toString('utf8', start, at)}"`) as string), block.length - at);
      else {
        const isQuoted = hasComma || at === start;
        if (isQuoted) out[to++] = bytes.quote;
        to += block.copy(out, to, start, at);
        if (isQuoted) out[to++] = bytes.quote;
      }
      return at + 1;
    }
  };
}

function parsedCells(line: string, keys: readonly string[], encode: (text: string) => string): string {
  const row = parseExactly(line) as Readonly<Record<string, unknown>>;
  return keys
    .map((key) => {
      const value = row[key] ?? null;
      if (value === null) return '';
      return encode(typeof value === 'string' ? value : JSON.stringify(value));
    })
    .join(',');
}

/** Rows in files, one JSON object per line, and the form to write them in. */
interface UnitOrder {
  /** Only for Parquet. */
  readonly engine: Engine | undefined;
  readonly columns: readonly RowColumn[];
  readonly form: UnitForm;
  /** In row order. Each file ends with a line feed or is empty. */
  readonly spools: readonly string[];
  /** Overwritten. Temporary files whose names begin with its name may appear beside it. */
  readonly target: string;
  readonly signal?: AbortSignal | undefined;
}

/** True if rows are written unchanged, so that the spool file itself can become the data file. */
export function isSpoolForm({ format, packing, expand }: UnitForm): boolean {
  return format === 'ndjson' && packing === undefined && !expand;
}

/**
 * Writes rows in the form of their export and syncs them to disk. The same rows produce the same bytes. Errors:
 * `value-unfit`, `count-unreadable`, `AbortedError`, and those of the engine and the system.
 */
export async function writeUnit(order: UnitOrder): Promise<WrittenFile> {
  const { form, spools, target, signal } = order;
  const beside: string[] = [];
  const putAside = async (name: string, chunks: Chunks) => {
    const file = `${target}.${name}`;
    beside.push(file);
    await writeChunks(file, chunks, signal, false);
    return file;
  };
  try {
    const countKey = order.columns.find(({ type }) => type === 'count')?.key ?? '';
    const lines = form.expand
      ? [
          await putAside(
            'expanded',
            eachOf(spools, (spool) => expandRows(spool, countKey)),
          ),
        ]
      : spools;
    if (form.format === 'parquet') return await copyRows(order, lines, putAside);
    return await writeChunks(target, await packed(textOf(lines, order), form), signal, true);
  } finally {
    for (const file of beside) await rm(file, { force: true });
  }
}

function textOf(lines: readonly string[], { columns, form }: UnitOrder): Chunks {
  if (form.format === 'csv')
    return toCsvRows(
      lines,
      columns.map(({ key }) => key),
      form.safeCells,
    );
  return form.format === 'json' ? toJsonArray(lines) : readAll(lines);
}

async function packed(chunks: Chunks, { packing }: UnitForm): Promise<Chunks> {
  return packing === undefined ? chunks : (await import('../../file/pack.ts')).pack(chunks, packing);
}

/** `lasts`: hash the file and sync it to disk. */
async function writeChunks(
  file: string,
  chunks: Chunks,
  signal: AbortSignal | undefined,
  lasts: boolean,
): Promise<WrittenFile> {
  await using spool = await openSpoolFile(file, lasts ? undefined : noHasher);
  for await (const chunk of chunks) {
    throwIfAborted(signal);
    await spool.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }
  return await spool.finish(lasts);
}

/** Written by the engine, which gives each column its type. */
async function copyRows(
  order: UnitOrder,
  lines: readonly string[],
  putAside: (name: string, chunks: Chunks) => Promise<string>,
): Promise<WrittenFile> {
  const { engine, columns, target, signal } = order;
  const selected = columns.map((column) => `${typedValue(column)} AS ${quoteName(column.key)}`).join(', ');
  const options = 'FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, USE_TMP_FILE false';
  invariant(engine !== undefined, 'Parquet is written by the engine');
  const copy = (from: readonly string[]) =>
    engine.work((connection) =>
      interruptible(connection, signal, () =>
        connection.run(
          `COPY (SELECT ${selected} FROM ${readRows(from, columns)}) TO ${quoteText(target)} (${options})`,
        ),
      ),
    );
  try {
    await copy(lines);
  } catch (error) {
    if (signal?.aborted) throw new AbortedError(signal.reason);
    if (!isMalformed(error)) throw toUnfit(error, order);
    await copy([await putAside('mended', eachOf(lines, mendRows))]).catch((second: unknown) => {
      throw signal?.aborted ? new AbortedError(signal.reason) : toUnfit(second, order);
    });
  }
  await syncFile(target);
  return await hashFile(target, signal);
}

/**
 * Throws `value-unfit` if a number of the rows fits no column of their form. Rows that are written later are checked as
 * they come, so that nothing is fetched in vain.
 */
export async function demandFit({ engine, columns, form, spools, signal }: Omit<UnitOrder, 'target'>): Promise<void> {
  const numbers = columns.filter(({ type }) => type === 'number');
  if (form.format !== 'parquet' || numbers.length === 0) return;
  invariant(engine !== undefined, 'Parquet is written by the engine');
  const checked = numbers.map((column) => `count(${typedValue(column)})`).join(', ');
  await engine
    .work((connection) =>
      interruptible(connection, signal, () => connection.run(`SELECT ${checked} FROM ${readRows(spools, numbers)}`)),
    )
    .catch((error: unknown) => {
      if (signal?.aborted) throw new AbortedError(signal.reason);
      const told = toUnfit(error, { form });
      // Writing mends malformed rows, and tells of everything else.
      if (told !== error) throw told;
    });
}

function isMalformed(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Malformed JSON|surrogate|UTF-?8|unicode/i.test(error.message) &&
    !error.message.includes(unfitMark)
  );
}

function toUnfit(error: unknown, { form }: Pick<UnitOrder, 'form'>): unknown {
  const told = error instanceof Error ? error.message.indexOf(unfitMark) : -1;
  if (told === -1) return error;
  const [key = '', ...value] = (error as Error).message.slice(told + unfitMark.length).split(': ');
  return new ExportError(`${quote(value.join(': '))} of ${key} cannot be written as ${form.format} without a change.`, {
    code: 'value-unfit',
    cause: error,
    hint: 'Export as ndjson or csv, which keep every value unchanged, to another place.',
  });
}

async function* eachOf(
  files: readonly string[],
  read: (file: string) => AsyncIterable<string>,
): AsyncGenerator<string> {
  for (const file of files) yield* read(file);
}

async function* readAll(files: readonly string[]): AsyncGenerator<Uint8Array> {
  const { createReadStream } = await import('node:fs');
  for (const file of files) yield* createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
}

const newline = 10;
const between = Buffer.from(',\n');

/** Converts files of rows, one per line, to one JSON array with one row per line. */
async function* toJsonArray(files: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[');
  // Hold back the line feed at the end of a piece until more rows follow.
  let pending = false;
  for (const file of files) {
    for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      const parts: Uint8Array[] = pending ? [between] : [];
      pending = piece.at(-1) === newline;
      const last = pending ? piece.length - 1 : piece.length;
      let start = 0;
      for (let end = piece.indexOf(newline); end !== -1 && end < last; end = piece.indexOf(newline, start)) {
        parts.push(piece.subarray(start, end), between);
        start = end + 1;
      }
      parts.push(piece.subarray(start, last));
      yield Buffer.concat(parts);
    }
  }
  yield Buffer.from(']\n');
}
