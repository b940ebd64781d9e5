import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import type { Chunks } from './byte-source.ts';

export type Packing = 'gzip' | 'zstd';

/** The chunks, packed: the same chunks make the same bytes. Rejects as they do. */
export async function* pack(chunks: Chunks, packing: Packing): AsyncGenerator<Uint8Array> {
  const packer = packing === 'gzip' ? createGzip() : createZstdCompress();
  const packed = pipeline(Readable.from(chunks), packer);
  // A failure of the chunks comes out of the packer, too.
  packed.catch(() => undefined);
  for await (const chunk of packer) yield chunk as Uint8Array;
  await packed;
}
