import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { BackendError } from '../../ask/sluice-error.ts';
import { openEngine } from '../embedded/engine.ts';
import { quoteName, quotePaths, quoteText } from '../embedded/sql-text.ts';
import type { Chunks } from '../file/chunks.ts';
import { writeFileWhole } from '../file/write-file.ts';
import { sampleEvents, type SampleOptions } from './sample-events.ts';
import { longestEvent, sampleFields, writeEvent } from './write-event.ts';

/**
 * Writes sample events as NDJSON (`.ndjson`, also `.gz` or `.zst`) or Parquet, by the file's name. The file appears
 * whole or not at all. Errors: `unknown-format`, `engine-unavailable`, and those of `writeFileWhole`.
 */
export async function writeSample(options: SampleOptions, file: string, signal?: AbortSignal): Promise<void> {
  await writeFileWhole(file, chunksFor(file, options, signal), signal);
}

function chunksFor(file: string, options: SampleOptions, signal: AbortSignal | undefined): Chunks {
  if (/\.parquet$/i.test(file)) return parquetOf(options, signal);
  const packing = /\.(?:ndjson|jsonl)(\.gz|\.zst)?$/i.exec(file);
  if (!packing) {
    throw new BackendError(`${basename(file)} does not say in which format to write.`, {
      code: 'unknown-format', hint: 'Let it end in .ndjson, .ndjson.gz, .ndjson.zst or .parquet.',
    });
  }
  const suffix = packing[1]?.toLowerCase();
  if (suffix === undefined) return linesOf(options);
  return packed(options, suffix === '.gz' ? createGzip() : createZstdCompress());
}

async function* packed(options: SampleOptions, packing: Duplex): AsyncGenerator<Buffer> {
  const feeding = pipeline(Readable.from(linesOf(options)), packing);
  // Its failure is met where the packed bytes are read.
  feeding.catch(() => undefined);
  yield* packing as AsyncIterable<Buffer>;
}

const pieceSize = 1 << 20;

function* linesOf(options: SampleOptions): Generator<Buffer> {
  let piece = Buffer.allocUnsafe(pieceSize);
  let length = 0;
  for (const events of sampleEvents(options)) {
    for (const event of events) {
      if (length + longestEvent > pieceSize) {
        yield piece.subarray(0, length);
        piece = Buffer.allocUnsafe(pieceSize);
        length = 0;
      }
      length = writeEvent(event, piece, length);
    }
  }
  yield piece.subarray(0, length);
}

/** One thread: the order of rows, and so the bytes, must not depend on the machine. */
async function* parquetOf(options: SampleOptions, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  await using engine = await openEngine({ threads: 1 });
  const lines = join(engine.folder, 'sample.ndjson.zst');
  await writeFileWhole(lines, packed(options, createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } })), signal);
  const columns = sampleFields.map((field) => `${quoteName(`TrackedEvents.${field}`)}: '${columnTypes[field] ?? 'VARCHAR'}'`);
  const made = join(engine.folder, 'sample.parquet');
  await engine.rows(`COPY (SELECT * FROM read_json(${quotePaths([lines])}, format = 'newline_delimited', records = true, columns = {${columns.join(', ')}}, compression = 'zstd'))
    TO ${quoteText(made)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)`);
  yield* createReadStream(made, { highWaterMark: pieceSize }) as AsyncIterable<Buffer>;
}

const columnTypes: Readonly<Record<string, string>> = { utcTime: 'TIMESTAMP', localTzOffset: 'INTEGER' };
