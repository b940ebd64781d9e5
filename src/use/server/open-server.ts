import { createHash } from 'node:crypto';
import { ConfigError } from '../../ask/sluice-error.ts';
import type { RejectedLines } from '../../run/backend.ts';
import type { Session } from '../workspace/session.ts';
import { isLoopback } from './check-origin.ts';
import { toTokenCheck } from './check-token.ts';
import { openRequestQueue } from './request-queue.ts';
import { handleRequest, type HandlerParts } from './handle-request.ts';
import { listen, type ListenerLimits, listenerLimits } from './listen.ts';
import { openProjects } from './projects.ts';
import { questionLimits, type QuestionLimits } from './question-limits.ts';
import type { RunningServer, ServedRequest } from './running-server.ts';
import { openSpool } from './spool.ts';

/** Number of remembered requests. */
const mostRequests = 10_000;

/** Returns whether to answer a request with `Continue wait`: true for the first polls of each distinct request. */
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
  /** The session that answers questions. It stays open when the server closes. */
  readonly session: Session;
  /** Address to listen on. Defaults to 127.0.0.1. Addresses that other machines can reach require a token. */
  readonly host?: string | undefined;
  /** Defaults to 0, a free port. */
  readonly port?: number | undefined;
  /** Token that every client must send. None by default. */
  readonly token?: string | undefined;
  /** Allowed origins: `http://localhost:5173`. */
  readonly cors?: readonly string[] | undefined;
  /** Number of polls of each distinct request that get `Continue wait`. */
  readonly continueWait?: number | undefined;
  /** Number of requests to answer in parallel. */
  readonly concurrency?: number | undefined;
  /** Maximum number of queued requests. */
  readonly queue?: number | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly questionLimits?: Partial<QuestionLimits> | undefined;
  /** Called after each request. */
  readonly onRequest?: ((request: ServedRequest) => void) | undefined;
  /** Called with errors that no client caused. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  readonly onRejected?: ((rejected: RejectedLines) => void) | undefined;
}

/** Limits in bytes and milliseconds. */
interface ServerLimits extends ListenerLimits {
  readonly bodyBytes: number;
  /** Timeout for the work on an answer, without the time that the client takes to read it; 0: none. */
  readonly answerMs: number;
  /** Buffer of each answer in memory. The rest is on disk. */
  readonly answerBytesInMemory: number;
  /** Buffer of all answers together on disk. */
  readonly answerBytesOnDisk: number;
  /** How long the work on an answer waits for its client if the disk buffer is full. */
  readonly holdMs: number;
}

const defaultLimits: ServerLimits = {
  ...listenerLimits,
  bodyBytes: 2 ** 20,
  answerMs: 90_000,
  answerBytesInMemory: 2 ** 20,
  answerBytesOnDisk: 2 ** 30,
  holdMs: 5_000,
};

const defaultConcurrency = 4;
const defaultQueue = 256;

/**
 * Serves a session's answers over HTTP, in the platform's format (`/api/v4/projects/:id/product_analytics/request/…`)
 * and in Cube's (`/cubejs-api/v1/…`). Throws `ConfigError` with `token-needed`, `port-in-use` or `address-not-usable`.
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
  const parts: Omit<HandlerParts, 'isStopping'> = {
    session,
    projects: openProjects(session),
    queue: openRequestQueue({
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
    onFault,
    onRejected: options.onRejected ?? (() => undefined),
  };

  return listen({
    host,
    port,
    limits,
    handle: (request, signal, isStopping) => handleRequest({ ...parts, isStopping }, request, signal),
    onRequest,
    onFault,
    hints: {
      inUse: 'Specify another port with --port, or use --port 0 for any free port.',
      notUsable: 'Use `--bind 127.0.0.1 --port 0`, which always works.',
    },
  });
}
