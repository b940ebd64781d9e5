import type { Dispatcher } from 'undici';
import { AbortedError } from '../../ask/sluice-error.ts';
import { openDeadline } from './deadline.ts';
import { type Failure, type Phase, TimeIsOver, toFailure } from './failure.ts';
import { decodeBody, readBody } from './read-body.ts';
import type { Hop } from './redirect.ts';
import type { GetHeader } from './retry-delay.ts';
import type { BodySieve } from './body-sieve.ts';
import { siftBody, SieveFailed } from './sift-body.ts';

export interface SendLimits {
  readonly timeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly maxBytes: number;
  readonly sieve?: BodySieve | undefined;
}

/** A response as it came, whole and decoded. */
export interface Received {
  readonly kind: 'response';
  readonly status: number;
  readonly header: GetHeader;
  readonly body: Uint8Array;
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
    if (limits.sieve !== undefined && isSuccess) {
      return { kind: 'response', status: response.statusCode, header, body: await siftBody(response.body, header('content-encoding'), limits.maxBytes, limits.sieve) };
    }
    const encoded = await readBody(response.body, limits.maxBytes);
    return { kind: 'response', status: response.statusCode, header, body: await decodeBody(encoded, header('content-encoding'), limits.maxBytes) };
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
