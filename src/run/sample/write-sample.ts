import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { AbortedError, BackendError } from '../../ask/sluice-error.ts';
import { openEngine } from '../embedded/engine.ts';
import { quoteName, quotePaths, quoteText } from '../embedded/sql-text.ts';
import { sampleEvents, type SampleOptions } from './sample-events.ts';
import { longestEvent, sampleFields, writeEvent } from './write-event.ts';

/**
 * Writes sample events as NDJSON (`.ndjson`, also `.gz` or `.zst`) or Parquet, by the file's name. The file appears
 * whole or not at all. Errors: `unknown-format`, `file-unwritable`, `AbortedError`.
 */
export async function writeSample(options: SampleOptions, file: string, signal?: AbortSignal): Promise<void> {
  const write = writerOf(file);
  const unfinished = join(dirname(file), `.${basename(file)}.part`);
  try {
    await mkdir(dirname(file), { recursive: true });
    await write(options, unfinished, signal);
    await rename(unfinished, file);
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => {});
    if (signal?.aborted) throw new AbortedError(cause);
    throw new BackendError(`${file} cannot be written.`, { code: 'file-unwritable', cause, hint: 'Look whether the folder may be written to and has room.' });
  }
}

type Writer = (options: SampleOptions, target: string, signal: AbortSignal | undefined) => Promise<void>;

function writerOf(file: string): Writer {
  if (/\.parquet$/i.test(file)) return writeParquet;
  const packing = /\.(?:ndjson|jsonl)(\.gz|\.zst)?$/i.exec(file);
  if (!packing) {
    throw new BackendError(`${basename(file)} does not say in which format to write.`, {
      code: 'unknown-format', hint: 'Let it end in .ndjson, .ndjson.gz, .ndjson.zst or .parquet.',
    });
  }
  const suffix = packing[1]?.toLowerCase();
  return (options, target, signal) => writeNdjson(options, target, suffix === '.gz' ? createGzip() : suffix === '.zst' ? createZstdCompress() : undefined, signal);
}

async function writeNdjson(options: SampleOptions, target: string, packing: Duplex | undefined, signal: AbortSignal | undefined): Promise<void> {
  const lines = Readable.from(linesOf(options));
  const file = createWriteStream(target);
  const until = signal ? { signal } : {};
  await (packing ? pipeline(lines, packing, file, until) : pipeline(lines, file, until));
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
async function writeParquet(options: SampleOptions, target: string, signal: AbortSignal | undefined): Promise<void> {
  await using engine = await openEngine({ threads: 1 });
  const lines = join(engine.folder, 'sample.ndjson.zst');
  await writeNdjson(options, lines, createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }), signal);
  const columns = sampleFields.map((field) => `${quoteName(`TrackedEvents.${field}`)}: '${columnTypes[field] ?? 'VARCHAR'}'`);
  await engine.rows(`COPY (SELECT * FROM read_json(${quotePaths([lines])}, format = 'newline_delimited', records = true, columns = {${columns.join(', ')}}, compression = 'zstd'))
    TO ${quoteText(target)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)`);
}

const columnTypes: Readonly<Record<string, string>> = { utcTime: 'TIMESTAMP', localTzOffset: 'INTEGER' };
