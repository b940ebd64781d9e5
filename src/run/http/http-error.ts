import { SluiceError, type SluiceErrorDetails } from '../../ask/sluice-error.ts';

export interface HttpErrorDetails extends SluiceErrorDetails {
  /** Without a token. */
  readonly url: string;
  readonly status?: number | undefined;
  readonly attempts?: number | undefined;
  readonly elapsedMs?: number | undefined;
}

/**
 * A server could not be queried, or its response cannot be used. Codes: `unreachable`, `timed-out`, `response-cut-off`,
 * `bad-response`, `body-too-large`, `partial-response`, `token-echoed`, `not-json`, `bad-address`, `bad-redirect`,
 * `redirected-away`, `too-many-redirects`, `client-closed`; for statuses (see `toStatusError`) `unauthenticated`,
 * `forbidden`, `not-found`, `address-too-long`, `rate-limited`, `server-error`, `refused-by-server`; for lists
 * `bad-page`, `bad-link`, `pages-in-a-circle`, `too-many-pages`, `link-missing`.
 */
export class HttpError extends SluiceError {
  /** The name of the class. */
  override readonly name: string = 'HttpError';
  /** The requested address, without secrets. */
  readonly url: string;
  /** The status of the response, if there was one. */
  readonly status: number | undefined;
  /** Number of tries. */
  readonly attempts: number;
  /** Milliseconds from the first try to the last. */
  readonly elapsedMs: number;

  constructor(message: string, details: HttpErrorDetails) {
    super(message, details);
    this.url = details.url;
    this.status = details.status;
    this.attempts = details.attempts ?? 1;
    this.elapsedMs = details.elapsedMs ?? 0;
  }
}

interface ApiErrorDetails extends HttpErrorDetails {
  readonly body?: unknown;
  readonly failures?: readonly string[];
}

/**
 * The platform refused an operation (`token-refused`, `forbidden`, `not-found`, `conflict`, `precondition-failed`,
 * `address-too-long`, `rate-limited`, `server-overloaded`, `server-error`, `request-refused`), or carried it out only
 * in part (`partly-failed`).
 */
export class ApiError extends HttpError {
  /** The name of the class. */
  override readonly name = 'ApiError';
  /** The platform's response without the secrets of the request; undefined if it is not JSON. */
  readonly body: unknown;
  /** For a cherry-pick or revert: `empty` or `conflict`. */
  readonly errorCode: string | undefined;
  /** For `partly-failed`: one sentence for each failure. */
  readonly failures: readonly string[];

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.body = details.body;
    const { error_code: code } = (details.body ?? {}) as Readonly<Record<string, unknown>>;
    this.errorCode = typeof code === 'string' ? code : undefined;
    this.failures = details.failures ?? [];
  }
}
