import type { Socket } from 'node:net';

export interface RefusedConnections {
  readonly addressLength: number;
  /** So long a client may take to read the answer and to hang up. */
  readonly lingerMs: number;
}

/** Answers what is no request, or one that took too long to come, and closes the connection. */
export function refuseConnection(
  error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  socket: Socket,
  { addressLength, lingerMs }: RefusedConnections,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason] = statusOf(error, addressLength);
  const body = JSON.stringify({ message: `${status} ${reason}`, error: reason });
  // A client that keeps its own side open must not keep the connection. Cut at once, it might not get to read the
  // answer.
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut)).resume();
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function statusOf(
  error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  addressLength: number,
): readonly [number, string] {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Request Timeout'];
  if (error.code !== 'HPE_HEADER_OVERFLOW') return [400, 'Bad Request'];
  const line = error.rawPacket?.indexOf('\r\n') ?? 0;
  return line < 0 || line > addressLength ? [414, 'URI Too Long'] : [431, 'Request Header Fields Too Large'];
}
