import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import type { Chunks } from './byte-source.ts';

export type Packing = 'gzip' | 'zstd';

/** Compresses chunks; the same chunks produce the same bytes. Rejects like the chunks. */
export async function* pack(chunks: Chunks, packing: Packing): AsyncGenerator<Uint8Array> {
  const packer = packing === 'gzip' ? createGzip() : createZstdCompress();
  const packed = pipeline(Readable.from(chunks), packer);
  // A failure of the chunks also reaches the packer, which throws it below.
  packed.catch(() => undefined);
  for await (const chunk of packer) yield chunk as Uint8Array;
  await packed;
}
