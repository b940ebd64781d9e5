import { AbortedError, ConfigError, InvalidInputError, SluiceError } from '../../ask/sluice-error.ts';
import { showText } from '../../ask/text.ts';
import { toSystemError } from '../../run/file/system-error.ts';
import type { Effects } from './effects.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';

/** Tells what went wrong, and gives the exit code for it. A stack trace only shows with `SLUICE_DEBUG=1`. */
export async function reportError(thrown: unknown, effects: Effects): Promise<ExitCode> {
  // The reader of a pipe, such as `head`, has seen enough.
  if (isBrokenPipe(thrown)) return exitCodes.done;
  const error = toSystemError(thrown) ?? thrown;
  const debug = (effects.env['SLUICE_DEBUG'] ?? '') !== '';
  await effects.stderr.write(`${describe(error)}\n${debug ? `${traceOf(error)}\n` : ''}`);
  return exitCodeOf(error);
}

function describe(error: unknown): string {
  if (error instanceof AbortedError) return 'sluice: interrupted';
  if (error instanceof SluiceError) {
    const hint = error.hint === undefined ? '' : `\n  hint: ${showText(error.hint)}`;
    return `sluice: ${showLines(error.message)}${hint}`;
  }
  const message = error instanceof Error ? error.message : String(error);
  return `sluice: this should not happen and is a bug in sluice: ${showText(message)}\n`
    + '  hint: Please report it, with what you typed and what SLUICE_DEBUG=1 makes it print.';
}

/** Line breaks stay: an error's own message draws issues. Nothing else in it is obeyed by a terminal. */
function showLines(text: string): string {
  return text.split('\n').map(showText).join('\n');
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof AbortedError) return exitCodes.interrupted;
  if (error instanceof InvalidInputError || error instanceof ConfigError) return exitCodes.wrongInput;
  if (!(error instanceof SluiceError)) return exitCodes.failed;
  if (authentication.has(error.code)) return exitCodes.authentication;
  if (remote.has(error.code)) return exitCodes.remote;
  if (damaged.has(error.code)) return exitCodes.partial;
  return wrongInput.has(error.code) ? exitCodes.wrongInput : exitCodes.failed;
}

/** The class of a fault in a set-up: what failed otherwise is for its owner to mend, too. */
export function classOf(error: unknown): ExitCode {
  const code = error === undefined ? exitCodes.wrongInput : exitCodeOf(error);
  return code === exitCodes.failed ? exitCodes.wrongInput : code;
}

/** A file of data is cut off or changed. */
const damaged = new Set(['file-corrupt', 'table-damaged', 'data-unreadable']);

/** What is to be read or written is not there, or is not what it was said to be. */
const wrongInput = new Set([
  'events-not-found', 'events-without-time', 'table-files-not-found', 'table-not-found', 'table-name-taken', 'unknown-format',
  'not-parquet', 'not-utf-8', 'not-a-regular-file', 'column-named-twice', 'folder-not-found', 'file-is-folder', 'not-a-folder',
  'store-not-found', 'store-damaged', 'store-too-new', 'store-unreadable', 'store-unwritable', 'window-manifest-unreadable', 'window-damaged', 'window-contradicted',
  'query-refused', 'query-too-long', 'limit-too-high', 'week-start-unknown-there', 'endpoint-not-found', 'project-not-found', 'not-onboarded',
  'not-found', 'address-too-long', 'bad-address', 'unknown-funnel', 'no-such-query', 'broken-query',
  'no-export', 'export-of-something-else', 'export-apart', 'export-damaged', 'export-record-unreadable', 'export-lock-damaged', 'export-unwritable', 'file-in-the-way', 'value-unfit',
]);

/** The token is missing, or is not good enough. */
const authentication = new Set([
  'token-missing', 'token-refused', 'token-unreadable', 'token-empty', 'token-malformed', 'scope-too-narrow', 'role-too-low', 'access-restricted', 'captcha-wanted',
  'forbidden', 'unauthenticated',
]);

/** A server could not answer, or not so that it can be used. */
const remote = new Set([
  'rate-limited', 'service-unreachable', 'server-overloaded', 'server-error', 'refused-by-server', 'answer-cut-off', 'answer-empty', 'answer-takes-too-long', 'too-slow',
  'answer-unreadable', 'not-json', 'unreachable', 'timed-out', 'response-cut-off', 'bad-response', 'body-too-large', 'partial-response', 'token-echoed', 'bad-redirect', 'redirected-away', 'too-many-redirects',
  'bad-page', 'bad-link', 'pages-in-a-circle', 'too-many-pages', 'link-missing', 'rows-unreadable', 'rows-outside', 'count-unreadable',
]);

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPIPE';
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = showLines(error.stack ?? error.message);
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${traceOf(error.cause)}`;
}
