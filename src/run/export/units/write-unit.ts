import { rm } from 'node:fs/promises';
import { AbortedError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { invariant } from '../../../ask/invariant.ts';
import { quote } from '../../../ask/quote.ts';
import type { Engine } from '../../embedded/engine.ts';
import { interruptible } from '../../embedded/run-statement.ts';
import { quoteName, quoteText } from '../../embedded/sql-text.ts';
import type { Chunks } from '../../file/chunks.ts';
import { syncFile } from '../../file/sync.ts';
import { hashFile } from '../../store/file-identity.ts';
import { toCsvRows } from './csv-rows.ts';
import { expandRows } from './expand-rows.ts';
import { ExportError } from '../export-error.ts';
import { noHasher } from './hasher.ts';
import { toJsonArray } from './json-array.ts';
import { mendRows } from './mend-rows.ts';
import { readRows, typedValue, unfitMark, type RowColumn } from './row-columns.ts';
import { openSpoolFile, type WrittenFile } from './spool-file.ts';
import type { UnitForm } from './unit-form.ts';

/** Rows that lie in a file, a JSON object a line, and what is to become of them. */
export interface UnitOrder {
  /** Only for Parquet. */
  readonly engine: Engine | undefined;
  readonly columns: readonly RowColumn[];
  readonly form: UnitForm;
  /** In the order of the rows; each file ends with a line feed or is empty. */
  readonly spools: readonly string[];
  /** Written over. Files beside it, by its name and more, may come and go. */
  readonly target: string;
  readonly signal?: AbortSignal | undefined;
}

/** The rows are written as they lie there: the spool file may itself become the data file. */
export function isSpoolForm({ format, packing, expand }: UnitForm): boolean {
  return format === 'ndjson' && packing === undefined && !expand;
}

/**
 * Writes rows in the form of their export, to the disk; the same rows make the same bytes. Errors: `value-unfit`,
 * `count-unreadable`, `AbortedError`, and those of the engine and the system.
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
    const lines = form.expand ? [await putAside('expanded', eachOf(spools, (spool) => expandRows(spool, countKey)))] : spools;
    if (form.format === 'parquet') return await copyRows(order, lines, putAside);
    return await writeChunks(target, await packed(textOf(lines, order), form), signal, true);
  } finally {
    for (const file of beside) await rm(file, { force: true });
  }
}

function textOf(lines: readonly string[], { columns, form }: UnitOrder): Chunks {
  if (form.format === 'csv') return toCsvRows(lines, columns.map(({ key }) => key), form.safeCells);
  return form.format === 'json' ? toJsonArray(lines) : readAll(lines);
}

async function packed(chunks: Chunks, { packing }: UnitForm): Promise<Chunks> {
  return packing === undefined ? chunks : (await import('../../file/pack.ts')).pack(chunks, packing);
}

/** `lasts`: hashed, and to the disk. */
async function writeChunks(file: string, chunks: Chunks, signal: AbortSignal | undefined, lasts: boolean): Promise<WrittenFile> {
  await using spool = await openSpoolFile(file, lasts ? undefined : noHasher);
  for await (const chunk of chunks) {
    throwIfAborted(signal);
    await spool.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }
  return await spool.finish(lasts);
}

/** By the engine, which gives each column its type. */
async function copyRows(order: UnitOrder, lines: readonly string[], putAside: (name: string, chunks: Chunks) => Promise<string>): Promise<WrittenFile> {
  const { engine, columns, target, signal } = order;
  const selected = columns.map((column) => `${typedValue(column)} AS ${quoteName(column.key)}`).join(', ');
  const options = 'FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, USE_TMP_FILE false';
  invariant(engine !== undefined, 'Parquet is written by the engine');
  const copy = (from: readonly string[]) => engine.work((connection) => interruptible(connection, signal, () =>
    connection.run(`COPY (SELECT ${selected} FROM ${readRows(from, columns)}) TO ${quoteText(target)} (${options})`)));
  try {
    await copy(lines);
  } catch (error) {
    if (signal?.aborted) throw new AbortedError(error);
    if (!isMalformed(error)) throw toUnfit(error, order);
    await copy([await putAside('mended', eachOf(lines, mendRows))]).catch((second: unknown) => {
      throw signal?.aborted ? new AbortedError(second) : toUnfit(second, order);
    });
  }
  await syncFile(target);
  return await hashFile(target, signal);
}

function isMalformed(error: unknown): boolean {
  return error instanceof Error && /Malformed JSON|surrogate|UTF-?8|unicode/i.test(error.message) && !error.message.includes(unfitMark);
}

function toUnfit(error: unknown, { form }: UnitOrder): unknown {
  const told = error instanceof Error ? error.message.indexOf(unfitMark) : -1;
  if (told === -1) return error;
  const [key = '', ...value] = (error as Error).message.slice(told + unfitMark.length).split(': ');
  return new ExportError(`${quote(value.join(': '))} of ${key} cannot be written as ${form.format} without a change.`, {
    code: 'value-unfit', cause: error, hint: 'Export as ndjson or csv: these keep every value as the source wrote it.',
  });
}

async function* eachOf(files: readonly string[], read: (file: string) => AsyncIterable<string>): AsyncGenerator<string> {
  for (const file of files) yield* read(file);
}

async function* readAll(files: readonly string[]): AsyncGenerator<Uint8Array> {
  const { createReadStream } = await import('node:fs');
  for (const file of files) yield* createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
}
