import { Writable, type Duplex, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import type { BodySieve } from './body-sieve.ts';
import type { BodyWatch, WatchBody } from './body-watch.ts';
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

export interface SiftOptions {
  readonly encoding: string | undefined;
  readonly maxBytes: number;
  readonly sieve: BodySieve;
  readonly watch?: WatchBody | undefined;
}

/**
 * What a sieve leaves of a body. The sieve gets no byte of a secret. Rejects as `readBody` and `decodeBody`, and with
 * `SieveFailed` and `SecretEchoed`; the stream is closed then.
 */
export async function siftBody(body: Readable, { encoding, maxBytes, sieve, watch }: SiftOptions): Promise<Uint8Array> {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  const isPlain = name === 'identity' || name === '';
  await own(() => sieve.begin()).catch((error: unknown) => {
    body.on('error', () => undefined).destroy();
    throw error;
  });
  const watching = watch?.() ?? unwatched;
  if (isPlain || Object.hasOwn(decoders, name)) {
    await pipeline([body, ...(isPlain ? [] : [decoders[name]!()]), toWritable(sieve, maxBytes, watching)]);
  } else {
    // Rare enough to be kept as a whole.
    const decoded = await decodeBody(await readBody(body, maxBytes), encoding, maxBytes);
    for (const piece of [...watching.take(decoded), ...watching.end()]) await own(async () => sieve.take(piece));
  }
  return own(() => sieve.end());
}

const unwatched: BodyWatch = { take: (piece) => [piece], end: () => [] };

/** Piece by piece as they come: to iterate would put together what has come meanwhile, and so copy it all. */
function toWritable(sieve: BodySieve, maxBytes: number, watch: BodyWatch): Writable {
  let bytes = 0;
  const give = (look: () => readonly Uint8Array[], done: (error?: Error) => void) => {
    let pieces: readonly Uint8Array[];
    try {
      pieces = look();
    } catch (error) {
      return done(error as Error);
    }
    const fail = (cause: unknown) => done(new SieveFailed('a sieve failed', { cause }));
    try {
      const taking = giveAll(sieve, pieces);
      if (taking === undefined) done();
      else taking.then(() => done(), fail);
    } catch (cause) {
      fail(cause);
    }
  };
  return new Writable({
    highWaterMark: 1 << 18,
    write(piece: Uint8Array, _encoding, done) {
      bytes += piece.length;
      if (bytes > maxBytes) return done(new BodyTooLarge(maxBytes));
      give(() => watch.take(piece), done);
    },
    final(done) {
      give(() => watch.end(), done);
    },
  });
}

/** At once where the sieve takes them at once. */
function giveAll(sieve: BodySieve, pieces: readonly Uint8Array[]): Promise<void> | undefined {
  for (const [index, piece] of pieces.entries()) {
    const taking = sieve.take(piece);
    if (taking !== undefined) return taking.then(() => giveAll(sieve, pieces.slice(index + 1)));
  }
  return undefined;
}

async function own<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new SieveFailed('a sieve failed', { cause });
  }
}
