import { basename } from 'node:path';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import { BackendError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { Chunks } from '../file/chunks.ts';
import { writeFileWhole } from '../file/write-file.ts';
import { checkSample } from './check-sample.ts';
import type { SampleOptions } from './sample-events.ts';
import type { Vocabulary } from './vocabulary.ts';
import { writeLines, type LineFormat } from './write-lines.ts';
import { writeSampleParquet } from './write-sample-parquet.ts';

export interface SampleFileOptions extends SampleOptions {
  /** The documentation's where not set. */
  readonly vocabulary?: Vocabulary | undefined;
  /** Told now and then, how many events there are so far. */
  readonly onProgress?: ((events: number) => void) | undefined;
}

/**
 * Writes sample events as NDJSON (`.ndjson`), a JSON array (`.json`) or CSV (`.csv`), each also packed (`.gz`, `.zst`),
 * or Parquet, by the file's name. The file appears whole or not at all. Errors: `invalid-input`, `unknown-format`,
 * `engine-unavailable`, and those of `writeFileWhole`.
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
  const [, ending, packing] = /\.(ndjson|jsonl|json|csv)(\.gz|\.zst)?$/i.exec(file)?.map((part) => part?.toLowerCase()) ?? [];
  if (ending === undefined) {
    throw new BackendError(`${basename(file)} does not say in which format to write.`, {
      code: 'unknown-format', hint: 'Let it end in .parquet, .arrow, .ndjson, .json or .csv; of the last three also in .ndjson.gz or .ndjson.zst and the like.',
    });
  }
  const lines = writeLines(options, ending === 'jsonl' ? 'ndjson' : ending as LineFormat, vocabulary, whileRunning);
  if (packing === undefined) return lines;
  return packed(lines, packing === '.gz' ? createGzip() : createZstdCompress());
}

async function* packed(lines: Iterable<Buffer>, packing: Duplex): AsyncGenerator<Buffer> {
  const feeding = pipeline(Readable.from(lines), packing);
  // Its failure is met where the packed bytes are read.
  feeding.catch(() => undefined);
  yield* packing as AsyncIterable<Buffer>;
}
