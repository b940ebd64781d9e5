import type { ServerResponse } from 'node:http';
import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { Reply } from './reply.ts';

/** Pieces are gathered to so many bytes before they are sent. */
const leastPiece = 256 * 1024;

export interface SendOptions {
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
  /** A client that takes nothing for so long is let go. */
  readonly stallMs: number;
}

/**
 * Sends a reply, no faster than the client takes it. The head is sent with the first piece of the body: what goes wrong
 * before it can still be told. What goes wrong later is thrown, and the connection must be cut.
 */
export async function sendReply(response: ServerResponse, reply: Reply, options: SendOptions): Promise<void> {
  const headers = { 'content-type': reply.contentType ?? 'application/json; charset=utf-8', ...reply.headers };
  if (typeof reply.body === 'string') {
    response.writeHead(reply.status, { ...headers, 'content-length': Buffer.byteLength(reply.body) });
    return end(response, reply.body, options);
  }
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of reply.body) {
    pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
    bytes += pieces.at(-1)?.length ?? 0;
    if (bytes < leastPiece) continue;
    if (!response.headersSent) response.writeHead(reply.status, headers);
    await write(response, Buffer.concat(pieces.splice(0)), options);
    bytes = 0;
  }
  if (!response.headersSent) response.writeHead(reply.status, { ...headers, 'content-length': bytes });
  await end(response, Buffer.concat(pieces), options);
}

async function write(response: ServerResponse, bytes: Uint8Array, options: SendOptions): Promise<void> {
  throwIfAborted(options.signal);
  if (response.write(bytes)) return;
  await untilTaken(response, 'drain', options);
}

async function end(response: ServerResponse, last: string | Uint8Array, options: SendOptions): Promise<void> {
  throwIfAborted(options.signal);
  const taken = untilTaken(response, 'finish', options);
  response.end(last);
  await taken;
}

function untilTaken(response: ServerResponse, event: 'drain' | 'finish', { signal, stallMs }: SendOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(new AbortedError(signal.reason));
  const timer = setTimeout(giveUp, stallMs);
  response.once(event, resolve);
  signal.addEventListener('abort', giveUp, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    response.off(event, resolve);
    signal.removeEventListener('abort', giveUp);
  });
}
