import { SluiceError, type SluiceErrorDetails } from '../../ask/sluice-error.ts';

export interface HttpErrorDetails extends SluiceErrorDetails {
  /** Without a token. */
  readonly url: string;
  readonly status?: number | undefined;
  readonly attempts?: number | undefined;
  readonly elapsedMs?: number | undefined;
}

/**
 * A server that could not be asked, or whose answer cannot be used. Codes: `unreachable`, `timed-out`,
 * `response-cut-off`,
 * `bad-response`, `body-too-large`, `partial-response`, `token-echoed`, `not-json`, `bad-address`, `bad-redirect`,
 * `redirected-away`, `too-many-redirects`, `client-closed`;
 * of statuses (see `toStatusError`) `unauthenticated`, `forbidden`, `not-found`, `address-too-long`, `rate-limited`,
 * `server-error`, `refused-by-server`; of lists `bad-page`, `bad-link`, `pages-in-a-circle`, `too-many-pages`,
 * `link-missing`.
 */
export class HttpError extends SluiceError {
  /** The name of the class. */
  override readonly name: string = 'HttpError';
  /** The address that was asked, without secrets. */
  readonly url: string;
  /** Of the response, where there was one. */
  readonly status: number | undefined;
  /** How often it was tried. */
  readonly attempts: number;
  /** From the first try to the last, milliseconds. */
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
 * An operation that the platform refused (`token-refused`, `forbidden`, `not-found`, `conflict`, `precondition-failed`,
 * `address-too-long`, `rate-limited`, `server-overloaded`, `server-error`, `request-refused`), or carried out in part
 * (`partly-failed`).
 */
export class ApiError extends HttpError {
  /** The name of the class. */
  override readonly name = 'ApiError';
  /** What the platform answered, without the secrets of the request; undefined if it is not JSON. */
  readonly body: unknown;
  /** Of a cherry-pick or revert: `empty` or `conflict`. */
  readonly errorCode: string | undefined;
  /** Of `partly-failed`: what failed, a sentence each. */
  readonly failures: readonly string[];

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.body = details.body;
    const { error_code: code } = (details.body ?? {}) as Readonly<Record<string, unknown>>;
    this.errorCode = typeof code === 'string' ? code : undefined;
    this.failures = details.failures ?? [];
  }
}
