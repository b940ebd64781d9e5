import type { Clock } from '../http/clock.ts';
import type { HttpClient, HttpRequest } from '../http/http-client.ts';
import type { BackendName } from '../backend.ts';
import type { SluiceError } from '../../ask/sluice-error.ts';
import type { ServerWords } from './server-words.ts';

/** A response that is not an answer. */
export interface Refusal {
  readonly status: number;
  readonly words: ServerWords;
  /** Without a token. */
  readonly url: string;
  /** True if it comes from another origin, to which the request was redirected without the token. */
  readonly strayed?: boolean | undefined;
  /** Milliseconds until the request may be sent again; undefined if the server names no time. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Settings of requests to every service. A query must stay at the configured server, because its filters may name
 * people.
 */
export function remoteAnswer(
  endpoint: 'load' | 'dry-run' | 'meta',
): Pick<HttpRequest, 'staysHome' | 'isData' | 'maxBytes'> {
  return { staysHome: true, ...(endpoint === 'load' ? { isData: true } : { maxBytes: mostSaidBytes }) };
}

/** Models with thousands of members take a few megabytes. */
const mostSaidBytes = 32 * 1024 * 1024;

/** The parts that differ between the platform and a Cube deployment. */
export interface LoadService {
  readonly name: Extract<BackendName, 'platform' | 'cube'>;
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Maximum time to wait while the server answers `Continue wait`; unlimited by default. */
  readonly waitBudgetMs?: number | undefined;
  /** Creates the request of an endpoint. It repeats no work on the server, so it may be sent again. */
  readonly toRequest: (
    endpoint: 'load' | 'dry-run' | 'meta',
    body: unknown,
    signal: AbortSignal | undefined,
  ) => Promise<HttpRequest>;
  /** Creates the error for a response that is not an answer, with a hint. */
  readonly toError: (refusal: Refusal) => SluiceError;
}
