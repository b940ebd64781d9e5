import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import type { Packing } from './pack.ts';
import { PackingDamage, unpack } from './unpack.ts';

export type Compression = 'none' | Packing;

/** The contents of a file, unpacked, in pieces. Rejects where the file cannot be read, and with `PackingDamage`. */
export async function* readBytes(
  path: string, compression: Compression, options: ReadOptions = {},
): AsyncGenerator<Buffer> {
  const file = readFile(path, options);
  yield* compression === 'none' ? file : unpack(file, compression);
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
}

async function* readFile(path: string, options: ReadOptions): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: 1 << 20, ...options }) as AsyncIterable<Buffer>;
}

/** What is wrong with a file's packing, which DuckDB mostly passes over: a cut, a checksum, what follows. */
export async function findDamage(
  path: string, compression: Compression, options: ReadOptions,
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
