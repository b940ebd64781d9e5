import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBVector } from '@duckdb/node-api';
import { BackendError, throwIfAborted } from '../../ask/sluice-error.ts';
import { openEngine } from '../duckdb/engine/engine.ts';
import { quoteName, quoteText } from '../duckdb/engine/sql-text.ts';
import type { Chunks } from '../file/byte-source.ts';
import { writeFileWhole } from '../file/write-file.ts';
import { checkSample } from './check-sample.ts';
import { summandsOf, userWord, uuidLength, writeUuid } from './identifiers.ts';
import { arrivalColumn, type ColumnGroup, columnsFor, ownColumns, type SampleColumns } from './sample-columns.ts';
import { saltOf, type SampleBatch, sampleEvents, type SampleOptions } from './sample-events.ts';
import { isCustom } from './site-texts.ts';
import type { Vocabulary } from './vocabulary.ts';
import { type LineFormat, writeLines } from './write-lines.ts';

/**
 * A SELECT of sample events in a vocabulary, generated while it runs: DuckDB requests the numbers of the event table
 * and joins the texts of their codes. Run it once, on one thread, which keeps the order.
 */
async function sampleRelation(
  connection: DuckDBConnection,
  options: SampleOptions,
  vocabulary: Vocabulary,
  whileRunning: (events: number) => void,
): Promise<string> {
  const columns = columnsFor(options, vocabulary);
  for (const group of columns.groups) await connection.run(`CREATE TEMP TABLE ${tableOf(group)} AS ${rowsOf(group)}`);
  await registerNumbers(connection, options, whileRunning);
  return relationText(columns);
}

function relationText({ vocabulary, groups, name }: SampleColumns): string {
  const { time, visitor, user, session, id, props } = ownColumns;
  const page = `page.${quoteName('doc_path')}`;
  const own = [
    ['make_timestamp(CAST(1000 * numbers.time AS BIGINT))', name(time)],
    ...(vocabulary === 'snowplow' ? [['make_timestamp(CAST(1000 * numbers.arrival AS BIGINT))', arrivalColumn]] : []),
    [identifier(1, 'numbers.visitor'), name(visitor)],
    [`'user-' || printf('%08x', user_word)`, name(user)],
    [identifier(2, 'numbers.session'), name(session)],
    [identifier(0), name(id)],
  ];
  const grouped = groups.flatMap((group) =>
    group.columns.map((column) => [`${group.code}.${quoteName(column)}`, name(column)]),
  );
  const last = [`'{"seconds":' || numbers.seconds || ',"where":' || to_json(${page}) || '}'`, name(props)];
  return `SELECT ${[...own, ...grouped, last].map(([expression, column]) => `${expression} AS ${quoteName(column!)}`).join(',\n')}
    FROM sample_numbers() AS numbers ${groups.map((group) => `LEFT JOIN ${tableOf(group)} AS ${group.code} ON ${group.code}.code = numbers.${group.code}`).join('\n')}`;
}

/** Extracts one of several identifiers that are passed as one text, which is faster than passing three. */
function identifier(place: number, unless?: string): string {
  const text = `substring(numbers.identifiers, ${place * uuidLength + 1}, ${uuidLength})`;
  return unless === undefined ? text : `CASE WHEN ${unless} <> 0 THEN ${text} END`;
}

function tableOf({ code }: ColumnGroup): string {
  return quoteName(`sample_${code}`);
}

function rowsOf({ columns, texts }: ColumnGroup): string {
  const rows = texts.map(
    (values, code) => `(${[code, ...columns.map((column) => literal(values[column]))].join(', ')})`,
  );
  return `SELECT CAST(code AS UINTEGER) AS code, ${columns.map(quoteName).join(', ')} FROM (VALUES ${rows.join(',\n')}) AS rows(code, ${columns.map(quoteName).join(', ')})`;
}

function literal(value: string | number | undefined): string {
  return value === undefined
    ? 'NULL'
    : typeof value === 'number'
      ? `CAST(${value} AS INTEGER)`
      : quoteText(value).replaceAll('\0', "' || chr(0) || '");
}

const codeNames = ['visitor', 'session', 'page', 'title', 'referer', 'agent', 'extra'] as const;

/** More rows than any sample has, so that DuckDB scans the numbers last and the tables first. */
const seemingly = 1e12;

async function registerNumbers(
  connection: DuckDBConnection,
  options: SampleOptions,
  whileRunning: (events: number) => void,
): Promise<void> {
  const { DuckDBTableFunction, DOUBLE, UINTEGER, VARCHAR } = await import('@duckdb/node-api');
  const fill = chunkFiller(options);
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: 'sample_numbers',
      bindFunction(bind) {
        for (const time of ['time', 'arrival']) bind.addResultColumn(time, DOUBLE);
        bind.addResultColumn('identifiers', VARCHAR);
        for (const name of [...codeNames, 'user_word', 'seconds']) bind.addResultColumn(name, UINTEGER);
        bind.setCardinality(seemingly, false);
      },
      initFunction: (init) => init.setMaxThreads(1),
      mainFunction(info, chunk) {
        try {
          whileRunning(fill(chunk));
        } catch (error) {
          info.setError(String(error));
        }
      },
    }),
  );
}

/** Maximum number of rows of a DuckDB chunk. */
const chunkRows = 2048;

/** Fills chunks in order. Returns the total number of rows so far. */
function chunkFiller(options: SampleOptions): (chunk: DuckDBDataChunk) => number {
  const salt = saltOf(options);
  const summands = (['event', 'visitor', 'session'] as const).map((kind) => summandsOf(salt, kind));
  const bytes = Buffer.alloc(summands.length * uuidLength);
  const batches = sampleEvents(options);
  let batch: SampleBatch | undefined;
  let next = 0;
  let done = 0;

  const identifiers = ({ number, visitor, session }: SampleBatch['table'], rows: Uint32Array, vector: DuckDBVector) => {
    const [events, visitors, sessions] = summands;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      writeUuid(
        session[row]!,
        sessions!,
        bytes,
        writeUuid(visitor[row]!, visitors!, bytes, writeUuid(number[row]!, events!, bytes, 0)),
      );
      vector.setItem(at, bytes.toString('latin1'));
    }
    vector.flush();
  };

  return (chunk) => {
    while (batch === undefined || next === batch.rows.length) {
      const step = batches.next();
      if (step.done) {
        chunk.rowCount = 0;
        return done;
      }
      batch = step.value;
      next = 0;
    }
    const { table } = batch;
    const rows = batch.rows.subarray(next, next + chunkRows);
    next += rows.length;
    done += rows.length;
    chunk.rowCount = rows.length;
    setNumbers(chunk.getColumnVector(0), table.time, rows);
    setNumbers(chunk.getColumnVector(1), table.arrival, rows);
    identifiers(table, rows, chunk.getColumnVector(2));
    for (const [index, name] of codeNames.entries()) setNumbers(chunk.getColumnVector(3 + index), table[name], rows);
    const [users, seconds] = [chunk.getColumnVector(3 + codeNames.length), chunk.getColumnVector(4 + codeNames.length)];
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      users.setItem(at, table.user[row] === 0 ? null : userWord(salt, table.user[row]!));
      seconds.setItem(at, isCustom(table.page[row]!) ? table.seconds[row]! : null);
    }
    users.flush();
    seconds.flush();
    return done;
  };
}

function setNumbers(vector: DuckDBVector, numbers: Float64Array | Uint32Array, rows: Uint32Array): void {
  for (let at = 0; at < rows.length; at++) vector.setItem(at, numbers[rows[at]!]!);
  vector.flush();
}

export interface SampleFileOptions extends SampleOptions {
  /** Defaults to the documentation's. */
  readonly vocabulary?: Vocabulary | undefined;
  /** Called from time to time with the number of events so far. */
  readonly onProgress?: ((events: number) => void) | undefined;
}

/**
 * Writes sample events as NDJSON (`.ndjson`), a JSON array (`.json`) or CSV (`.csv`), each optionally compressed
 * (`.gz`, `.zst`), or as Parquet. The file's extension selects the format. The file appears complete or not at all.
 * Errors: `invalid-input`, `unknown-format`, `engine-unavailable`, and those of `writeFileWhole`.
 */
export async function writeSample(options: SampleFileOptions, file: string, signal?: AbortSignal): Promise<void> {
  checkSample(options);
  await writeFileWhole(file, chunksFor(file, options, signal), signal);
}

function chunksFor(file: string, options: SampleFileOptions, signal: AbortSignal | undefined): Chunks {
  const { vocabulary = 'documentation', onProgress } = options;
  const whileRunning = (events: number) => {
    throwIfAborted(signal);
    onProgress?.(events);
  };
  if (/\.parquet$/i.test(file)) return writeSampleParquet(options, vocabulary, whileRunning);
  const [, ending, packing] =
    /\.(ndjson|jsonl|json|csv)(\.gz|\.zst)?$/i.exec(file)?.map((part) => part?.toLowerCase()) ?? [];
  if (ending === undefined) {
    throw new BackendError(`${basename(file)} has no ending of a known format.`, {
      code: 'unknown-format',
      hint: 'Use the ending .parquet, .arrow, .ndjson, .json or .csv; the last three also with .gz or .zst.',
    });
  }
  const lines = writeLines(options, ending === 'jsonl' ? 'ndjson' : (ending as LineFormat), vocabulary, whileRunning);
  if (packing === undefined) return lines;
  return packed(lines, packing === '.gz' ? createGzip() : createZstdCompress());
}

async function* packed(lines: Iterable<Buffer>, packing: Duplex): AsyncGenerator<Buffer> {
  const feeding = pipeline(Readable.from(lines), packing);
  // Its failure is thrown where the packed bytes are read.
  feeding.catch(() => undefined);
  yield* packing as AsyncIterable<Buffer>;
}

/**
 * Sample events as Parquet. `whileRunning` is called from time to time with the number of events, and stops the work by
 * throwing. Uses one thread, because the order of rows, and thus the bytes, must not depend on the machine.
 */
async function* writeSampleParquet(
  options: SampleOptions,
  vocabulary: Vocabulary,
  whileRunning: (events: number) => void,
): AsyncGenerator<Buffer> {
  await using engine = await openEngine({ threads: 1 });
  const made = join(engine.folder, 'sample.parquet');
  await engine.work(async (connection) => {
    const events = await sampleRelation(connection, options, vocabulary, whileRunning);
    await connection.run(
      `COPY (${events}) TO ${quoteText(made)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)`,
    );
  });
  yield* createReadStream(made, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
}
