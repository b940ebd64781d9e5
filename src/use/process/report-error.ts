import { AbortedError, SluiceError } from '../../ask/sluice-error.ts';
import { showText } from '../../ask/text.ts';
import { toSystemError } from '../../run/file/system-error.ts';
import type { Effects } from './effects.ts';
import { type ExitCode, exitCodeOfKind, exitCodes } from './exit-code.ts';

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
  return (
    `sluice: internal error (a bug in sluice): ${showText(message)}\n` +
    '  hint: Please report it with the command that you ran and its output with SLUICE_DEBUG=1.'
  );
}

/** Line breaks stay: an error's own message draws issues. Nothing else in it is obeyed by a terminal. */
function showLines(text: string): string {
  return text.split('\n').map(showText).join('\n');
}

export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof SluiceError ? exitCodeOfKind[error.kind] : exitCodes.failed;
}

/** The class of a fault in a set-up: what failed otherwise is for its owner to mend, too. */
export function classOf(error: unknown): ExitCode {
  const code = error === undefined ? exitCodes.wrongInput : exitCodeOf(error);
  return code === exitCodes.failed ? exitCodes.wrongInput : code;
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPIPE';
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = showLines(error.stack ?? error.message);
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${traceOf(error.cause)}`;
}
