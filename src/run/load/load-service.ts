import type { Clock } from '../http/clock.ts';
import type { HttpClient, HttpRequest } from '../http/http-client.ts';
import type { BackendName } from '../backend.ts';
import type { SluiceError } from '../../ask/sluice-error.ts';
import type { ServerWords } from './server-words.ts';

/** A response that is no answer. */
export interface Refusal {
  readonly status: number;
  readonly words: ServerWords;
  /** Without a token. */
  readonly url: string;
  /** It comes from another origin, to which the request was redirected, and which gets no token. */
  readonly strayed?: boolean | undefined;
  /** When it may be asked again, as the server has it: milliseconds from now; undefined where it names no time. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * What holds for the requests of every service: a query goes to the configured server alone, for its filters may name
 * people.
 */
export function remoteAnswer(
  endpoint: 'load' | 'dry-run' | 'meta',
): Pick<HttpRequest, 'staysHome' | 'isData' | 'maxBytes'> {
  return { staysHome: true, ...(endpoint === 'load' ? { isData: true } : { maxBytes: mostSaidBytes }) };
}

/** Models of thousands of members take a few megabytes. */
const mostSaidBytes = 32 * 1024 * 1024;

/** What the platform and a Cube deployment do each in their own way, so that the rest can be shared. */
export interface LoadService {
  readonly name: Extract<BackendName, 'platform' | 'cube'>;
  readonly http: HttpClient;
  readonly clock: Clock;
  /**
   * How long an answer may be waited for while the server says `Continue wait`; as long as the caller wants where not
   * set.
   */
  readonly waitBudgetMs?: number | undefined;
  /** The request of an endpoint. It repeats no work on the server, so it may be sent again. */
  readonly toRequest: (
    endpoint: 'load' | 'dry-run' | 'meta',
    body: unknown,
    signal: AbortSignal | undefined,
  ) => Promise<HttpRequest>;
  /** The error for a response that is no answer: what happened, and what to do about it. */
  readonly toError: (refusal: Refusal) => SluiceError;
}
