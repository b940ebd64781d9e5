import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { toFailure } from '../http/failure.ts';
import { HttpError } from '../http/http-error.ts';
import type { Redactor } from '../http/redact.ts';
import { type GetHeader, readNamedDelay } from '../http/retry-delay.ts';

/** What messages say of an address. */
export interface ShownAddress {
  /** The address without credentials and query. */
  readonly shown: string;
  readonly redactor: Redactor;
}

/** What happened, as the end of a sentence that begins with the address. */
interface Fault {
  readonly code: SluiceErrorCode;
  readonly what: string;
  readonly hint: string;
  readonly status?: number;
}

/** A failure that a retry may fix. */
export class Interrupted extends Error {
  readonly failure: Fault;
  /** Delay in milliseconds that the server asks for. */
  readonly delay: number | undefined;

  constructor(failure: Fault, delay?: number, cause?: unknown) {
    super(failure.what, { cause });
    this.failure = failure;
    this.delay = delay;
  }
}

export const tryLater = 'Try again later. The download is resumed if the data did not change.';

/** The error to throw for a failed request or response. */
export function interruption(asked: ShownAddress, error: unknown, phase: 'head' | 'body'): Error {
  const failure = toFailure(error, phase);
  if (failure.passing) return new Interrupted({ ...failure, hint: tryLater }, undefined, error);
  return failed(asked, failure, error);
}

/** The error for a status that refuses the data. */
export function refused(asked: ShownAddress, status: number, header: GetHeader, now: number): unknown {
  const fault = (code: SluiceErrorCode, what: string, hint: string) =>
    failed(asked, { code, what: `${what} (${status})`, hint, status });
  if (status === 429 || status >= 500) {
    return new Interrupted(
      {
        code: status === 429 ? 'rate-limited' : 'server-error',
        what: status === 429 ? `received too many requests (${status})` : `failed (${status})`,
        hint: tryLater,
        status,
      },
      readNamedDelay(status, header, now),
    );
  }
  if (status === 401 || status === 403 || status === 407)
    return fault(
      'forbidden',
      'does not allow this',
      'Download the file yourself, and specify it. sluice sends no tokens or cookies.',
    );
  if (status === 404 || status === 410) return fault('not-found', 'does not exist', 'Correct the address.');
  return fault('refused-by-server', 'refused the request', 'Open the address in a browser to see why.');
}

export function failed(
  { shown, redactor }: ShownAddress,
  { code, what, hint, status }: Fault,
  cause?: unknown,
): HttpError {
  return new HttpError(`${shown} ${redactor.redact(what)}.`, {
    code,
    url: shown,
    status,
    hint,
    cause: redactor.redactError(cause),
  });
}
