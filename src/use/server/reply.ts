import type { ServerResponse } from 'node:http';
import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';

/** The reply to a request. */
export interface Reply {
  readonly status: number;
  /** Defaults to JSON. */
  readonly contentType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Whole text, or pieces that are read as fast as the client accepts them. The buffer of a piece may be reused for the
   * next one.
   */
  readonly body: string | AsyncIterable<string | Uint8Array>;
}

export function jsonReply(body: unknown, status = 200, headers?: Readonly<Record<string, string>>): Reply {
  return { status, headers, body: JSON.stringify(body) };
}

/** Smaller pieces are combined to this many bytes before they are sent. */
const leastPiece = 64 * 1024;

interface SendOptions {
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal;
  /** The connection is closed if the client reads nothing for this time. */
  readonly stallMs: number;
}

/**
 * Sends a reply no faster than the client reads it. The headers are sent with the first piece of the body, so earlier
 * errors can still change the reply. Later errors are thrown, and the caller must cut the connection.
 */
export async function sendReply(response: ServerResponse, reply: Reply, options: SendOptions): Promise<void> {
  const headers = { 'content-type': reply.contentType ?? 'application/json; charset=utf-8', ...reply.headers };
  if (typeof reply.body === 'string') {
    response.writeHead(reply.status, { ...headers, 'content-length': Buffer.byteLength(reply.body) });
    return end(response, reply.body, options);
  }
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  const send = async (piece: Uint8Array) => {
    if (!response.headersSent) response.writeHead(reply.status, headers);
    await write(response, piece, options);
  };
  for await (const piece of reply.body) {
    const given = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (given.length < leastPiece) {
      gathered.push(given === piece ? Buffer.from(given) : given);
      bytes += given.length;
    }
    if (bytes >= leastPiece || (bytes > 0 && given.length >= leastPiece)) {
      await send(Buffer.concat(gathered));
      [gathered, bytes] = [[], 0];
    }
    if (given.length >= leastPiece) await send(given);
  }
  if (!response.headersSent) response.writeHead(reply.status, { ...headers, 'content-length': bytes });
  await end(response, Buffer.concat(gathered), options);
}

/** Resolves when the bytes are written and the buffer can be reused. */
function write(response: ServerResponse, bytes: Uint8Array, options: SendOptions): Promise<void> {
  throwIfAborted(options.signal);
  return untilTaken((taken) => response.write(bytes, taken), options);
}

function end(response: ServerResponse, last: string | Uint8Array, options: SendOptions): Promise<void> {
  throwIfAborted(options.signal);
  return untilTaken((taken) => response.end(last, taken), options);
}

function untilTaken(
  give: (taken: (error?: Error | null) => void) => void,
  { signal, stallMs }: SendOptions,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(new AbortedError(signal.reason));
  const timer = setTimeout(giveUp, stallMs);
  signal.addEventListener('abort', giveUp, { once: true });
  give((error) => {
    if (error) reject(new AbortedError(error));
    else resolve();
  });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  });
}
