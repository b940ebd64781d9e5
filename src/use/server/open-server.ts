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

/** Bytes and milliseconds. */
interface ServerLimits extends ListenerLimits {
  readonly bodyBytes: number;
  /** For the work on an answer, without the time that its client takes to read it; 0: as long as it takes. */
  readonly answerMs: number;
  /** Of each answer that waits for its client; the rest of it waits on the disk. */
  readonly answerBytesInMemory: number;
  /** Of all answers together. */
  readonly answerBytesOnDisk: number;
  /** The work on an answer waits so long for its client once the disk's share is used up. */
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
