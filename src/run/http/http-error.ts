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
  override readonly name = 'HttpError';
  readonly url: string;
  /** Of the response, where there was one. */
  readonly status: number | undefined;
  /** How often it was tried, and how long that took. */
  readonly attempts: number;
  readonly elapsedMs: number;

  constructor(message: string, details: HttpErrorDetails) {
    super(message, details);
    this.url = details.url;
    this.status = details.status;
    this.attempts = details.attempts ?? 1;
    this.elapsedMs = details.elapsedMs ?? 0;
  }
}
