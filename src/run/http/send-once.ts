import { type Duplex, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import type { Dispatcher } from 'undici';
import { SluiceError } from '../../ask/sluice-error.ts';
import type { BodySieve } from './body-sieve.ts';
import { type BodyWatch, holdsSecret, SecretEchoed, type WatchBody } from './body-watch.ts';
import { type Deadline, openDeadline } from './clock.ts';
import { type Failure, PartialResponse, type Phase, TimeIsOver, toFailure } from './failure.ts';
import { BodyTooLarge, decodeBody, readBody } from './read-body.ts';
import type { StreamedBody } from './http-client.ts';
import type { Hop } from './redirect.ts';
import type { GetHeader } from './retry-delay.ts';

/** The sieve itself failed, for the reason that is the cause: the server has no part in it. */
class SieveFailed extends Error {
  override readonly name = 'SieveFailed';
}

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
};

interface SiftOptions {
  readonly encoding: string | undefined;
  readonly maxBytes: number;
  readonly sieve: BodySieve;
  readonly watch?: WatchBody | undefined;
}

/**
 * What a sieve leaves of a body. The sieve gets no byte of a secret. Rejects as `readBody` and `decodeBody`, and with
 * `SieveFailed` and `SecretEchoed`; the stream is closed then.
 */
async function siftBody(body: Readable, { encoding, maxBytes, sieve, watch }: SiftOptions): Promise<Uint8Array> {
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

interface SendLimits {
  readonly timeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly maxBytes: number;
  readonly sieve?: BodySieve | undefined;
  /** A success that holds a secret is a failure. */
  readonly isData: boolean;
  readonly watch?: WatchBody | undefined;
}

/** What a server says of a failure is read by people. */
const mostRefusalBytes = 1024 * 1024;

/** A response as it came, whole and decoded. */
export interface Received {
  readonly kind: 'response';
  readonly status: number;
  readonly header: GetHeader;
  readonly body: Uint8Array;
  /** It has been looked through, and holds no secret. */
  readonly isClean?: boolean | undefined;
}

export interface Failed {
  readonly kind: 'failure';
  readonly failure: Failure;
  readonly cause: unknown;
}

/**
 * Sends one request once, and reads the response to its end. Rejects with `AbortedError`, and as its sieve does;
 * afterwards nothing is left that waits or listens.
 */
export async function sendOnce(
  dispatcher: Dispatcher,
  { method, url, body }: Hop,
  headers: Readonly<Record<string, string>>,
  limits: SendLimits,
  caller: AbortSignal,
): Promise<Received | Failed> {
  using deadline = openDeadline(caller);
  const { signal } = deadline;
  let phase: Phase = 'head';
  try {
    deadline.within(limits.timeoutMs, new TimeIsOver('did not answer in time'));
    const response = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers,
      body: typeof body === 'object' ? Readable.from(paced(body, deadline, limits.timeoutMs)) : (body ?? null),
      signal,
    });
    phase = 'body';
    deadline.within(limits.bodyTimeoutMs, new TimeIsOver('took too long to answer'));
    const header = toGetHeader(response.headers);
    const isSuccess = response.statusCode >= 200 && response.statusCode < 300;
    const { statusCode: status } = response;
    const encoding = header('content-encoding');
    if (status === 206) {
      response.body.on('error', () => undefined).destroy();
      throw new PartialResponse('it answered with 206');
    }
    if (limits.sieve !== undefined && isSuccess) {
      return {
        kind: 'response',
        status,
        header,
        body: await siftBody(response.body, { ...limits, encoding, sieve: limits.sieve }),
      };
    }
    const maxBytes = isSuccess ? limits.maxBytes : Math.min(limits.maxBytes, mostRefusalBytes);
    try {
      const body = await decodeBody(await readBody(response.body, maxBytes), encoding, maxBytes);
      const isClean = isSuccess && limits.isData;
      if (isClean && limits.watch && holdsSecret(body, limits.watch)) throw new SecretEchoed('the data hold a secret');
      return { kind: 'response', status, header, body, isClean };
    } catch (error) {
      // The status alone says what matters.
      const isRefusal = error instanceof BodyTooLarge && !isSuccess;
      if (isRefusal) return { kind: 'response', status, header, body: new Uint8Array() };
      throw error;
    }
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    // That of the signal, or of a file that is sent.
    if (reason instanceof SluiceError) throw reason;
    if (reason instanceof SieveFailed) throw reason.cause;
    return {
      kind: 'failure',
      failure: toFailure(reason, phase),
      cause: reason === error || !(reason instanceof Error) ? reason : new TimeIsOver(reason.message, { cause: error }),
    };
  }
}

/** However long a body takes: only a server that takes none of it for a while is too slow. */
async function* paced(body: StreamedBody, deadline: Deadline, timeoutMs: number): AsyncIterable<Uint8Array> {
  for await (const piece of body.open()) {
    deadline.within(timeoutMs, new TimeIsOver('did not take the upload in time'));
    yield piece;
  }
  deadline.within(timeoutMs, new TimeIsOver('did not answer in time'));
}

export function toGetHeader(headers: Readonly<Record<string, string | string[] | undefined>>): GetHeader {
  const values = new Map(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
  return (name) => values.get(name);
}
