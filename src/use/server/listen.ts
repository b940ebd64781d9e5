import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AbortedError, ConfigError } from '../../ask/sluice-error.ts';
import { type Reply, sendReply } from './reply.ts';
import type { RunningServer, ServedRequest } from './running-server.ts';

/** Limits in bytes, characters and milliseconds. */
export interface ListenerLimits {
  readonly addressLength: number;
  readonly headerBytes: number;
  readonly connections: number;
  /** Time for the headers of a request. */
  readonly headersMs: number;
  /** Time for a whole request. */
  readonly requestMs: number;
  /** Connections are closed if the client reads nothing of its answer for this time. */
  readonly stallMs: number;
  readonly idleMs: number;
  /** Time after which a rejected connection is closed. */
  readonly lingerMs: number;
  /** Time for connections without a whole request when the server stops. */
  readonly closeMs: number;
}

export const listenerLimits: ListenerLimits = {
  addressLength: 2 ** 14,
  headerBytes: 2 ** 16,
  connections: 512,
  headersMs: 10_000,
  requestMs: 30_000,
  stallMs: 60_000,
  idleMs: 5_000,
  closeMs: 1_000,
  lingerMs: 1_000,
};

/** The result of handling a request. */
export interface Handled {
  readonly reply: Reply;
  /** The reply if the answer fails before any of it was sent. */
  readonly toFailed: (error: unknown) => Reply;
  /** Called when the reply is sent or given up. */
  readonly close: () => Promise<void>;
}

/** Answers one request. Never rejects. `signal` fires when the client disconnects. */
export type Handle = (request: IncomingMessage, signal: AbortSignal, isStopping: () => boolean) => Promise<Handled>;

export interface ListenOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  readonly limits: ListenerLimits;
  readonly handle: Handle;
  /** Called after each request. */
  readonly onRequest?: ((request: ServedRequest) => void) | undefined;
  /** Called with errors that no client caused. */
  readonly onFault: (error: unknown) => void;
  /** Hints if the port is in use, or the address cannot be used. */
  readonly hints: { readonly inUse: string; readonly notUsable: string };
}

/** Listens for requests until it is closed. Throws `ConfigError` with `port-in-use` or `address-not-usable`. */
export async function listen(options: ListenOptions): Promise<RunningServer> {
  const { host, port, limits, handle, onRequest, onFault } = options;
  const going = new Map<ServerResponse, AbortController>();
  /** Connections, the least recently used first. */
  const connections = new Set<Socket>();
  let stopping = false;
  let drained = (): void => undefined;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = performance.now();
    const leaving = new AbortController();
    going.set(response, leaving);
    // Ignore errors of connections to clients that are gone.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    response.on('close', () => {
      if (!response.writableFinished) leaving.abort();
    });
    response.setHeader('x-request-id', requestId(request));
    const { reply, toFailed, close: closeReply } = await handle(request, leaving.signal, () => stopping);
    try {
      if (stopping) response.setHeader('connection', 'close');
      if (!leaving.signal.aborted)
        await sendReply(response, reply, { signal: leaving.signal, stallMs: limits.stallMs });
    } catch (error) {
      if (!response.headersSent && !leaving.signal.aborted) {
        await sendReply(response, toFailed(error), { signal: leaving.signal, stallMs: limits.stallMs }).catch(() =>
          response.destroy(),
        );
      } else {
        if (!(error instanceof AbortedError)) onFault(error);
        // Cut the connection, so that the client does not take a part for the whole.
        response.destroy();
      }
    } finally {
      await closeReply();
      going.delete(response);
      if (connections.delete(request.socket) && !request.socket.destroyed) connections.add(request.socket);
      onRequest?.({
        method: request.method ?? '',
        path: (request.url ?? '').split('?', 1)[0] ?? '',
        elapsedMs: performance.now() - started,
        status: response.writableFinished ? response.statusCode : 0,
      });
      if (going.size === 0) drained();
    }
  };

  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.max(50, Math.min(1_000, limits.headersMs / 4)),
    },
    (request, response) => void serve(request, response),
  );
  server.on('connection', (socket) => {
    connections.add(socket.once('close', () => connections.delete(socket)));
    if (connections.size <= limits.connections) return;
    // Idle connections are closed first, so that no number of them keeps others out.
    const busy = new Set([...going.keys()].map((response) => response.req.socket));
    ([...connections].find((other) => !busy.has(other)) ?? socket).destroy();
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) =>
    refuseConnection(error, socket, limits),
  );

  const address = await new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(notListening(cause, options)));
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
  server.removeAllListeners('error').on('error', onFault);
  const close = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    server.closeIdleConnections();
    // Do not wait for a client that does not complete its request.
    const cut = setTimeout(() => server.closeAllConnections(), limits.closeMs);
    await promise;
    clearTimeout(cut);
  };

  const drain = async () => {
    stopping = true;
    while (going.size > 0) {
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    }
    await close();
  };
  let draining: Promise<void> | undefined;

  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    drain: () => (draining ??= drain()),
    async [Symbol.asyncDispose]() {
      stopping = true;
      const closed = close();
      for (const leaving of going.values()) leaving.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The client's request ID if it is safe in headers and logs, else a new one. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:/-]{1,200}$/.test(given) ? given : randomUUID();
}

function notListening(cause: NodeJS.ErrnoException, { host, port, hints }: ListenOptions): ConfigError {
  if (cause.code === 'EADDRINUSE')
    return new ConfigError(`Port ${port} is already in use.`, { code: 'port-in-use', hint: hints.inUse, cause });
  return new ConfigError(`Cannot listen on ${host}, port ${port}: ${cause.message}.`, {
    code: 'address-not-usable',
    hint: hints.notUsable,
    cause,
  });
}

interface RefusedConnections {
  readonly addressLength: number;
  /** Time for the client to read the answer and disconnect. */
  readonly lingerMs: number;
}

/** Answers an invalid or timed-out request, and closes the connection. */
function refuseConnection(
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
  // Close the connection even if the client keeps its side open, but only after it had time to read the answer.
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut)).resume();
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
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
