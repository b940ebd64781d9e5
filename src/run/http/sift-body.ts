import { Writable, type Duplex, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import type { BodySieve } from './body-sieve.ts';
import { BodyTooLarge, decodeBody, readBody } from './read-body.ts';

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
  const isPlain = name === 'identity' || name === '';
  await own(() => sieve.begin()).catch((error: unknown) => {
    body.on('error', () => undefined).destroy();
    throw error;
  });
  if (isPlain || Object.hasOwn(decoders, name)) await pipeline([body, ...(isPlain ? [] : [decoders[name]!()]), toWritable(sieve, maxBytes)]);
  else {
    // Rare enough to be kept as a whole.
    const decoded = await decodeBody(await readBody(body, maxBytes), encoding, maxBytes);
    await own(async () => sieve.take(decoded));
  }
  return own(() => sieve.end());
}

/** Piece by piece as they come: to iterate would put together what has come meanwhile, and so copy it all. */
function toWritable(sieve: BodySieve, maxBytes: number): Writable {
  let bytes = 0;
  return new Writable({
    highWaterMark: 1 << 18,
    write(piece: Uint8Array, _encoding, done) {
      bytes += piece.length;
      if (bytes > maxBytes) return done(new BodyTooLarge(`more than ${maxBytes} bytes`));
      const fail = (cause: unknown) => done(new SieveFailed('a sieve failed', { cause }));
      try {
        const taking = sieve.take(piece);
        if (taking === undefined) done();
        else taking.then(() => done(), fail);
      } catch (cause) {
        fail(cause);
      }
    },
  });
}

async function own<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new SieveFailed('a sieve failed', { cause });
  }
}
