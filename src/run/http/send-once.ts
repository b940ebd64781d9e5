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

/** The sieve failed, for the reason in `cause`. The server is not at fault. */
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
 * Passes a body through a sieve and returns the rest. The sieve receives no byte of a secret. Rejects like `readBody`
 * and `decodeBody`, and with `SieveFailed` and `SecretEchoed`; the stream is closed then.
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
    // Rare enough to buffer the whole body.
    const decoded = await decodeBody(await readBody(body, maxBytes), encoding, maxBytes);
    for (const piece of [...watching.take(decoded), ...watching.end()]) await own(async () => sieve.take(piece));
  }
  return own(() => sieve.end());
}

const unwatched: BodyWatch = { take: (piece) => [piece], end: () => [] };

/**
 * Passes pieces on one by one. Iterating the stream would join the pieces that arrived meanwhile, and so copy all
 * bytes.
 */
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

/** Synchronous as long as the sieve is. */
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
  /** True if a success that contains a secret must fail. */
  readonly isData: boolean;
  readonly watch?: WatchBody | undefined;
}

/** Maximum size of an error response, which is only shown to users. */
const mostRefusalBytes = 1024 * 1024;

/** A complete, decoded response. */
export interface Received {
  readonly kind: 'response';
  readonly status: number;
  readonly header: GetHeader;
  readonly body: Uint8Array;
  /** True if it was searched and contains no secret. */
  readonly isClean?: boolean | undefined;
}

export interface Failed {
  readonly kind: 'failure';
  readonly failure: Failure;
  readonly cause: unknown;
}

/**
 * Sends a request once and reads the whole response. Rejects with `AbortedError`, and like its sieve. Removes all
 * timers and listeners.
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
      // The status alone is enough.
      const isRefusal = error instanceof BodyTooLarge && !isSuccess;
      if (isRefusal) return { kind: 'response', status, header, body: new Uint8Array() };
      throw error;
    }
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    // The signal's error, or that of a file that is sent.
    if (reason instanceof SluiceError) throw reason;
    if (reason instanceof SieveFailed) throw reason.cause;
    return {
      kind: 'failure',
      failure: toFailure(reason, phase),
      cause: reason === error || !(reason instanceof Error) ? reason : new TimeIsOver(reason.message, { cause: error }),
    };
  }
}

/** Limits only the time without progress, because a large body may take long. */
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
