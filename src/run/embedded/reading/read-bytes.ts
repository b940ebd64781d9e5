import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';

export type Compression = 'none' | 'gzip' | 'zstd';

/** The contents of a file, unpacked, in pieces. Rejects where the file cannot be read or its packing is damaged. */
export async function* readBytes(path: string, compression: Compression, options: { readonly end?: number; readonly signal?: AbortSignal } = {}): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: 1 << 20, ...options });
  if (compression === 'none') {
    yield* file as AsyncIterable<Buffer>;
    return;
  }
  // Loaded only for packed files: it takes as long as opening the engine.
  const { createGunzip, createZstdDecompress } = await import('node:zlib');
  const unpacked: Duplex = compression === 'gzip' ? createGunzip({ chunkSize: 1 << 18 }) : createZstdDecompress({ chunkSize: 1 << 18 });
  file.on('error', (error) => unpacked.destroy(error));
  try {
    yield* file.pipe(unpacked) as AsyncIterable<Buffer>;
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

export async function compressFast(): Promise<Duplex> {
  const { constants, createZstdCompress } = await import('node:zlib');
  return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
