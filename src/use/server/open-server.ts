import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AbortedError, ConfigError } from '../../ask/sluice-error.ts';
import type { RejectedLines } from '../../run/backend.ts';
import type { Session } from '../workspace/session.ts';
import { isLoopback } from './check-origin.ts';
import { toTokenCheck } from './check-token.ts';
import { openRequestQueue } from './request-queue.ts';
import { handleRequest, type HandlerParts } from './handle-request.ts';
import { openProjects } from './projects.ts';
import { questionLimits, type QuestionLimits } from './question-limits.ts';
import { refuseConnection } from './refuse-connection.ts';
import { sendReply } from './reply.ts';
import { openSpool } from './spool.ts';

/** So many different requests are remembered. */
const mostRequests = 10_000;

/**
 * Tells for each request whether it is still to be answered with `Continue wait`: the first polls of each different
 * one.
 */
function openContinueWait(polls: number): (request: unknown) => boolean {
  const seen = new Map<string, number>();
  return (request) => {
    if (polls === 0) return false;
    const key = createHash('sha256').update(JSON.stringify(request)).digest('base64');
    const before = seen.get(key) ?? 0;
    if (before >= polls) return false;
    if (seen.size >= mostRequests)
      for (const oldest of seen.keys()) {
        seen.delete(oldest);
        break;
      }
    seen.set(key, before + 1);
    return true;
  };
}

export interface ServerOptions {
  /** Answers the questions. It stays open when the server is closed. */
  readonly session: Session;
  /** The address to listen on; 127.0.0.1 where not set. Any but this machine's own needs a token. */
  readonly host?: string | undefined;
  /** 0, or not set: one that is free. */
  readonly port?: number | undefined;
  /** What every client must bring; none where not set. */
  readonly token?: string | undefined;
  /** Origins whose pages may ask: `http://localhost:5173`. */
  readonly cors?: readonly string[] | undefined;
  /** So many first polls of each different request are answered with `Continue wait`. */
  readonly continueWait?: number | undefined;
  /** So many requests are worked on at once. */
  readonly concurrency?: number | undefined;
  /** So many more may wait for their turn. */
  readonly queue?: number | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly questionLimits?: Partial<QuestionLimits> | undefined;
  /** Told of each request when it is over. */
  readonly onRequest?: ((request: ServedRequest) => void) | undefined;
  /** Told of what went wrong that no client is to blame for. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  readonly onRejected?: ((rejected: RejectedLines) => void) | undefined;
}

/** Bytes, characters and milliseconds. */
interface ServerLimits {
  readonly bodyBytes: number;
  readonly addressLength: number;
  readonly headerBytes: number;
  readonly connections: number;
  /** Until the head of a request is there. */
  readonly headersMs: number;
  /** Until all of a request is there. */
  readonly requestMs: number;
  /** A client that takes nothing of its answer for so long is let go. */
  readonly stallMs: number;
  readonly idleMs: number;
  /** For the work on an answer, without the time that its client takes to read it; 0: as long as it takes. */
  readonly answerMs: number;
  /** Of each answer that waits for its client; the rest of it waits on the disk. */
  readonly answerBytesInMemory: number;
  /** Of all answers together. */
  readonly answerBytesOnDisk: number;
  /** The work on an answer waits so long for its client once the disk's share is used up. */
  readonly holdMs: number;
  /** A client that was refused may keep its connection for so long. */
  readonly lingerMs: number;
  /** Of connections without a whole request, when the server stops. */
  readonly closeMs: number;
}

const defaultLimits: ServerLimits = {
  bodyBytes: 2 ** 20,
  addressLength: 2 ** 14,
  headerBytes: 2 ** 16,
  connections: 512,
  headersMs: 10_000,
  requestMs: 30_000,
  stallMs: 60_000,
  idleMs: 5_000,
  closeMs: 1_000,
  answerMs: 90_000,
  answerBytesInMemory: 2 ** 20,
  answerBytesOnDisk: 2 ** 30,
  holdMs: 5_000,
  lingerMs: 1_000,
};

const defaultConcurrency = 4;
const defaultQueue = 256;

/** A request that is over. `path` is as the client sent it, without its parameters. */
export interface ServedRequest {
  /** `GET`, `POST`, … */
  readonly method: string;
  /** As the client sent it, without its parameters. */
  readonly path: string;
  /** 0: the client was gone before it was answered. */
  readonly status: number;
  /** Milliseconds from the request to the end of its answer. */
  readonly elapsedMs: number;
}

export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:4000`, without a slash at its end. */
  readonly url: string;
  /** Takes no new requests, and resolves when those that are there have been answered. */
  drain(): Promise<void>;
  /** Cuts what is going on. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a session's answers over HTTP, in the platform's shape (`/api/v4/projects/:id/product_analytics/request/…`)
 * and in Cube's (`/cubejs-api/v1/…`). Errors: `ConfigError` with the codes `token-needed`, `port-in-use`,
 * `address-not-usable`.
 */
export async function openServer(options: ServerOptions): Promise<RunningServer> {
  const { session, host = '127.0.0.1', port = 0, token, onRequest, onFault = () => undefined } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const isLocal = isLoopback(host);
  if (!isLocal && token === undefined) {
    throw new ConfigError(`A token is required to listen on ${host}, because other machines can reach it.`, {
      code: 'token-needed',
      hint: 'Set a token in SLUICE_SERVE_TOKEN, or in a file with --token-file.',
    });
  }
  const going = new Map<ServerResponse, AbortController>();
  /** The one whose last answer is the longest ago comes first. */
  const connections = new Set<Socket>();
  let stopping = false;
  let drained = (): void => undefined;

  const parts: HandlerParts = {
    session,
    projects: openProjects(session),
    gate: openRequestQueue({
      concurrency: options.concurrency ?? defaultConcurrency,
      queue: options.queue ?? defaultQueue,
    }),
    checkToken: token === undefined ? undefined : toTokenCheck(token),
    mustWait: openContinueWait(options.continueWait ?? 0),
    origins: options.cors ?? [],
    isLocal,
    mostBodyBytes: limits.bodyBytes,
    mostAddressLength: limits.addressLength,
    answerMs: limits.answerMs,
    questionLimits: { ...questionLimits, ...options.questionLimits },
    spool: openSpool({
      memoryBytes: limits.answerBytesInMemory,
      diskBytes: limits.answerBytesOnDisk,
      holdMs: limits.holdMs,
    }),
    isStopping: () => stopping,
    onFault,
    onRejected: options.onRejected ?? (() => undefined),
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = performance.now();
    const leaving = new AbortController();
    going.set(response, leaving);
    // What goes wrong on the way to a client that is gone concerns nobody.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    response.on('close', () => {
      if (!response.writableFinished) leaving.abort();
    });
    response.setHeader('x-request-id', requestId(request));
    const { reply, toFailed, close: closeReply } = await handleRequest(parts, request, leaving.signal);
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
        // Cut short: a client must not take a part for the whole.
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
    // Connections that nothing is asked on give way: no number of them keeps others out.
    const busy = new Set([...going.keys()].map((response) => response.req.socket));
    ([...connections].find((other) => !busy.has(other)) ?? socket).destroy();
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) =>
    refuseConnection(error, socket, limits),
  );

  const address = await new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(notListening(cause, host, port)));
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
  server.removeAllListeners('error').on('error', onFault);
  const close = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    server.closeIdleConnections();
    // A client that has begun a request and does not go on with it is not waited for.
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

/** The client's own, where it is one that may stand in a header and a log. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:/-]{1,200}$/.test(given) ? given : randomUUID();
}

function notListening(cause: NodeJS.ErrnoException, host: string, port: number): ConfigError {
  if (cause.code === 'EADDRINUSE')
    return new ConfigError(`Port ${port} is already in use.`, {
      code: 'port-in-use',
      hint: 'Specify another port with --port, or use --port 0 for any free port.',
      cause,
    });
  return new ConfigError(`Cannot listen on ${host}, port ${port}: ${cause.message}.`, {
    code: 'address-not-usable',
    hint: 'Use `--bind 127.0.0.1 --port 0`, which always works.',
    cause,
  });
}
