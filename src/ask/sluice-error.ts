import { type ErrorKind, errorCodes, isRetryable, type SluiceErrorCode } from './error-codes.ts';
import { errorIssue, type Issue, type IssuePath } from './outcome.ts';

export interface SluiceErrorDetails {
  readonly code: SluiceErrorCode;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** The base class of all errors that operations throw. A bare `Error` is a bug in sluice (see `invariant`). */
export class SluiceError extends Error {
  /** The name of the class. */
  override readonly name: string = 'SluiceError';
  /** Stable, in kebab-case, for programs: `events-not-found`. */
  readonly code: SluiceErrorCode;
  /** What must change before the same call can succeed. It decides the exit code of a command. */
  readonly kind: ErrorKind;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** What to do, in one sentence. */
  readonly hint: string | undefined;

  constructor(message: string, details: SluiceErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.kind = errorCodes[details.code];
    this.retryable = isRetryable(details.code);
    this.hint = details.hint;
  }
}

/** A query, file or flag is not valid. `issues` lists all errors. */
export class InvalidInputError extends SluiceError {
  /** The name of the class. */
  override readonly name = 'InvalidInputError';
  /** All issues, with their places in the text. */
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[], details: Partial<SluiceErrorDetails> = {}) {
    super(message, { code: 'invalid-input', ...details });
    this.issues = issues;
  }
}

/** An error with one issue that has its message and hint. `path` is its place, such as a flag. */
export function inputError(code: string, message: string, hint?: string, path?: IssuePath): InvalidInputError {
  return new InvalidInputError(message, [errorIssue(code, message, { path, hint })], { hint });
}

/** An error about flags or arguments that cannot be combined. */
export function usageError(message: string, hint?: string): InvalidInputError {
  return inputError('usage', message, hint);
}

/** The configuration is not valid. The message names the origin of the setting. */
export class ConfigError extends SluiceError {
  /** The name of the class. */
  override readonly name = 'ConfigError';
}

/** The backend failed: the data is missing or unreadable, or the engine returned an error. */
export class BackendError extends SluiceError {
  /** The name of the class. */
  override readonly name = 'BackendError';
}

/** The caller's `AbortSignal` fired. `cause` is the signal's reason: a `TimeoutError` of `AbortSignal.timeout`. */
export class AbortedError extends SluiceError {
  /** The name of the class. */
  override readonly name = 'AbortedError';

  constructor(cause?: unknown) {
    super('The operation was aborted.', { code: 'aborted', cause });
  }
}

/** Throws `AbortedError` if the signal has fired. The signal's own `throwIfAborted` throws no `SluiceError`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AbortedError(signal.reason);
}

/** An error of work that the signal may have ended: `AbortedError` if it did. */
export function toAborted(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted && !(error instanceof AbortedError) ? new AbortedError(signal.reason) : error;
}
