import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import { createGunzip, createZstdCompress, createZstdDecompress, constants } from 'node:zlib';

export type Compression = 'none' | 'gzip' | 'zstd';

/** The contents of a file, unpacked, in pieces. Rejects where the file cannot be read or its packing is damaged. */
export async function* readBytes(path: string, compression: Compression, options: { readonly end?: number } = {}): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: 1 << 20, ...options });
  if (compression === 'none') {
    yield* file as AsyncIterable<Buffer>;
    return;
  }
  const unpacked: Duplex = compression === 'gzip' ? createGunzip({ chunkSize: 1 << 18 }) : createZstdDecompress({ chunkSize: 1 << 18 });
  file.on('error', (error) => unpacked.destroy(error));
  try {
    yield* file.pipe(unpacked) as AsyncIterable<Buffer>;
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

export function compressFast(): Duplex {
  return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
