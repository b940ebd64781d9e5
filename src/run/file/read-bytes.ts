import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import type { Packing } from './pack.ts';
import { PackingDamage, unpack } from './unpack.ts';

export type Compression = 'none' | Packing;

/**
 * The unpacked contents of a file in pieces, with text converted to UTF-8. Rejects if the file cannot be read, and with
 * `PackingDamage`.
 */
export async function* readBytes(
  path: string,
  compression: Compression,
  { encoding, ...options }: ReadOptions = {},
): AsyncGenerator<Buffer> {
  const file = readFile(path, options);
  const contents = compression === 'none' ? file : unpack(file, compression, 8 * (await roomFor(path)));
  if (encoding === undefined) return yield* contents;
  const { transcode } = await import('./transcode.ts');
  yield* transcode(contents, encoding);
}

const mostAtOnce = 1 << 20;

/** The buffer size for a file. Large buffers for thousands of small files would waste memory. */
export async function roomFor(path: string): Promise<number> {
  return roomForSize((await stat(path)).size);
}

/** As `roomFor`, for a known size in bytes. */
export function roomForSize(size: number): number {
  return Math.min(mostAtOnce, Math.max(size, 1 << 12) + 1);
}

interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** The encoding of the text (see `readEncoding`); defaults to UTF-8. */
  readonly encoding?: string | undefined;
}

async function* readFile(path: string, { signal }: ReadOptions): AsyncGenerator<Buffer> {
  const highWaterMark = await roomFor(path);
  yield* createReadStream(path, { highWaterMark, ...(signal ? { signal } : {}) }) as AsyncIterable<Buffer>;
}

/** Checks a file's packing for truncation, wrong checksums and trailing data, which DuckDB mostly ignores. */
export async function findDamage(
  path: string,
  compression: Compression,
  options: ReadOptions,
): Promise<PackingDamage | undefined> {
  if (compression === 'none') return undefined;
  try {
    for await (const _piece of readBytes(path, compression, options));
  } catch (error) {
    if (error instanceof PackingDamage) return error;
    throw error;
  }
  return undefined;
}

export async function compressFast(): Promise<Duplex> {
  const { constants, createZstdCompress } = await import('node:zlib');
  return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
