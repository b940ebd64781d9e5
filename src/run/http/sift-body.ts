import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { BodyTooLarge, decodeBody, readBody } from './read-body.ts';

/** Takes what is large out of a body while it arrives, so that the whole is never kept. */
export interface BodySieve {
  /** A body begins. What came of another one before is void: the request is sent anew. */
  begin(): Promise<void>;
  /** The next piece, decoded. It is not kept. */
  take(piece: Uint8Array): Promise<void> | void;
  /** The body is whole. What is left of it stands for it from here on. */
  end(): Promise<Uint8Array>;
}

/** The sieve itself failed, for the reason that is the cause: the server has no part in it. */
export class SieveFailed extends Error {
  override readonly name = 'SieveFailed';
}

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
};

/** What a sieve leaves of a body. Rejects as `readBody` and `decodeBody`, and with `SieveFailed`; the stream is closed then. */
export async function siftBody(body: Readable, encoding: string | undefined, maxBytes: number, sieve: BodySieve): Promise<Uint8Array> {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  await own(() => sieve.begin()).catch((error: unknown) => {
    body.on('error', () => undefined).destroy();
    throw error;
  });
  if (name === 'identity' || name === '') await give(body, maxBytes, sieve);
  else if (Object.hasOwn(decoders, name)) await giveDecoded(body, decoders[name]!(), maxBytes, sieve);
  // Rare enough to be kept as a whole.
  else await give([await decodeBody(await readBody(body, maxBytes), encoding, maxBytes)], maxBytes, sieve);
  return own(() => sieve.end());
}

async function give(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, maxBytes: number, sieve: BodySieve): Promise<void> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new BodyTooLarge(`more than ${maxBytes} bytes`);
    try {
      const taking = sieve.take(piece);
      if (taking !== undefined) await taking;
    } catch (cause) {
      throw new SieveFailed('a sieve failed', { cause });
    }
  }
}

async function giveDecoded(body: Readable, decoder: Duplex, maxBytes: number, sieve: BodySieve): Promise<void> {
  await pipeline(body, decoder, (decoded: AsyncIterable<Uint8Array>) => give(decoded, maxBytes, sieve));
}

async function own<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new SieveFailed('a sieve failed', { cause });
  }
}
