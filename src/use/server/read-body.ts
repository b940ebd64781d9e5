import type { IncomingMessage } from 'node:http';
import { AbortedError } from '../../ask/sluice-error.ts';
import { Refusal } from './refusal.ts';

/** Reads a request's body. Refused: one that is too large (413), or no UTF-8 (400). Error: `AbortedError`. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw tooLarge(mostBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    // Whatever else ends a body early, the client has gone.
    throw error instanceof Refusal ? error : new AbortedError(error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Refusal(400, 'The body is not UTF-8.');
  }
}

/** What comes of the body still is thrown away, so that the client hears this; the time for a request bounds it. */
function tooLarge(mostBytes: number): Refusal {
  return new Refusal(413, `The body is larger than ${mostBytes} bytes.`);
}
