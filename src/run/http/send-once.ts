import type { Dispatcher } from 'undici';
import { AbortedError } from '../../ask/sluice-error.ts';
import { openDeadline } from './deadline.ts';
import { holdsSecret, SecretEchoed, type WatchBody } from './body-watch.ts';
import { type Failure, PartialResponse, type Phase, TimeIsOver, toFailure } from './failure.ts';
import { BodyTooLarge, decodeBody, readBody } from './read-body.ts';
import type { Hop } from './redirect.ts';
import type { GetHeader } from './retry-delay.ts';
import type { BodySieve } from './body-sieve.ts';
import { siftBody, SieveFailed } from './sift-body.ts';

export interface SendLimits {
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

/** Sends one request once, and reads the response to its end. Rejects with `AbortedError`, and as its sieve does; afterwards nothing is left that waits or listens. */
export async function sendOnce(
  dispatcher: Dispatcher, { method, url, body }: Hop, headers: Readonly<Record<string, string>>, limits: SendLimits, caller: AbortSignal,
): Promise<Received | Failed> {
  using deadline = openDeadline(caller);
  const { signal } = deadline;
  let phase: Phase = 'head';
  try {
    deadline.within(limits.timeoutMs, new TimeIsOver('did not answer in time'));
    const response = await dispatcher.request({ origin: url.origin, path: url.pathname + url.search, method: method as Dispatcher.HttpMethod, headers, body: body ?? null, signal });
    phase = 'body';
    deadline.within(limits.bodyTimeoutMs, new TimeIsOver('took too long over its answer'));
    const header = toGetHeader(response.headers);
    const isSuccess = response.statusCode >= 200 && response.statusCode < 300;
    const { statusCode: status } = response;
    const encoding = header('content-encoding');
    if (status === 206) {
      response.body.on('error', () => undefined).destroy();
      throw new PartialResponse('it answered with 206');
    }
    if (limits.sieve !== undefined && isSuccess) {
      return { kind: 'response', status, header, body: await siftBody(response.body, { ...limits, encoding, sieve: limits.sieve }) };
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
    if (reason instanceof AbortedError) throw reason;
    if (reason instanceof SieveFailed) throw reason.cause;
    return { kind: 'failure', failure: toFailure(reason, phase), cause: reason === error || !(reason instanceof Error) ? reason : new TimeIsOver(reason.message, { cause: error }) };
  }
}

function toGetHeader(headers: Readonly<Record<string, string | string[] | undefined>>): GetHeader {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]));
  return (name) => values.get(name);
}
