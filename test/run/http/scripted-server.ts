import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A real server on loopback that answers by a script, and records its requests. */
export interface ScriptedServer extends AsyncDisposable {
  /** `http://127.0.0.1:port`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** All requests so far, in order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Connections that are open now, and all so far. */
  readonly openConnections: number;
  readonly connections: number;
  /** Replaces the script. */
  answer(script: Script): void;
}

export interface SeenRequest {
  readonly method: string;
  /** As sent, with the query. */
  readonly target: string;
  /** Without the query, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON; undefined if there is none. */
  readonly json: unknown;
  /** Index of its connection, from 0. */
  readonly connection: number;
}

/** `index` counts the requests, from 0. */
export type Script = (request: SeenRequest, index: number) => Reply | Promise<Reply>;

export interface Reply {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** One of the three, or none for an empty body. */
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly trick?: Trick;
}

export type Trick =
  /** The connection is reset before any response. */
  | { readonly kind: 'reset' }
  /** The connection ends before any response. */
  | { readonly kind: 'hang-up' }
  /** No response is ever sent. */
  | { readonly kind: 'silence' }
  /** The body and the connection end after this many bytes; `reset` ends them with a reset. */
  | { readonly kind: 'cut-off'; readonly after: number; readonly reset?: boolean }
  /** The response is complete, but its body has only this many bytes. */
  | { readonly kind: 'half'; readonly after: number }
  /** One byte of the body at a time. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** The head and the first bytes of the body, then nothing. */
  | { readonly kind: 'stall'; readonly after: number }
  /** The connection is closed after the response, although the response does not announce it. */
  | { readonly kind: 'close-after' }
  /** Exactly these bytes, then the end. */
  | { readonly kind: 'raw'; readonly text: string };

/** One reply after the other; the last one repeats. */
export function inTurn(...replies: readonly Reply[]): Script {
  return (_, index) => replies[Math.min(index, replies.length - 1)]!;
}

/** Scripts by path: `GET /api/v4/user`, or a path alone for every method. Other paths get 404, as on the platform. */
export function byPath(scripts: Readonly<Record<string, Reply | Script>>): Script {
  return (request, index) => {
    const found = scripts[`${request.method} ${request.path}`] ?? scripts[request.path];
    if (found === undefined) return { status: 404, json: { error: '404 Not Found' } };
    return typeof found === 'function' ? found(request, index) : found;
  };
}

export async function openScriptedServer(
  script: Script = () => ({}),
  options: { readonly tls?: { readonly key: string; readonly cert: string } } = {},
): Promise<ScriptedServer> {
  let answering = script;
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const numbers = new WeakMap<object, number>();
  let connections = 0;
  const closed = new AbortController();

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const seen = await readRequest(request, numbers.get(request.socket) ?? -1);
    const index = requests.push(seen) - 1;
    await giveReply(await answering(seen, index), response, closed.signal);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch(() => response.destroy());
  };
  const server = options.tls === undefined ? createServer(onRequest) : createTlsServer(options.tls, onRequest);
  server.keepAliveTimeout = 60_000;
  server.on(options.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    numbers.set(socket, connections);
    connections += 1;
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    get openConnections() {
      return sockets.size;
    },
    get connections() {
      return connections;
    },
    answer: (next) => {
      answering = next;
    },
    [Symbol.asyncDispose]: async () => {
      closed.abort();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function readRequest(request: IncomingMessage, connection: number): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const target = request.url ?? '';
  const [path = '', query = ''] = target.split('?', 2);
  return {
    method: request.method ?? '',
    target,
    path,
    query: new URLSearchParams(query),
    body,
    connection,
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    json: asJson(body),
  };
}

function asJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

async function giveReply(reply: Reply, response: ServerResponse, closed: AbortSignal): Promise<void> {
  const { trick } = reply;
  const socket = response.socket!;
  if (trick?.kind === 'silence') return;
  if (trick?.kind === 'reset') return void socket.resetAndDestroy();
  if (trick?.kind === 'hang-up') return void socket.destroy();
  if (trick?.kind === 'raw') return void socket.end(trick.text);

  const body = trick?.kind === 'half' ? bodyOf(reply).subarray(0, trick.after) : bodyOf(reply);
  response.sendDate = false;
  response.statusCode = reply.status ?? 200;
  if (reply.json !== undefined) response.setHeader('Content-Type', 'application/json');
  if (reply.text !== undefined) response.setHeader('Content-Type', 'text/plain');
  for (const [name, value] of Object.entries(reply.headers ?? {}))
    if (value !== undefined) response.setHeader(name, value);
  if (body.length > 0 && !response.hasHeader('Transfer-Encoding')) response.setHeader('Content-Length', body.length);

  if (trick?.kind === 'cut-off' || trick?.kind === 'stall') {
    if (trick.after === 0) response.flushHeaders();
    else await new Promise((resolve) => response.write(body.subarray(0, trick.after), resolve));
    if (trick.kind === 'stall') return;
    return void (trick.reset === true ? socket.resetAndDestroy() : socket.destroySoon());
  }
  if (trick?.kind === 'drip') {
    for (const byte of body) {
      if (response.destroyed || closed.aborted) return;
      response.write(Uint8Array.of(byte));
      await pause(trick.everyMs, undefined, { signal: closed }).catch(() => undefined);
    }
  }
  response.end(trick?.kind === 'drip' ? undefined : body);
  if (trick?.kind === 'close-after') response.on('finish', () => socket.end());
}

function bodyOf({ json, text, bytes }: Reply): Uint8Array {
  if (bytes !== undefined) return bytes;
  return Buffer.from(text ?? (json === undefined ? '' : JSON.stringify(json)));
}
