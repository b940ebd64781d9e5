import { AbortedError, SluiceError } from '../../ask/sluice-error.ts';
import { showText } from '../../ask/text.ts';
import { toSystemError } from '../../run/file/system-error.ts';
import type { Effects } from './effects.ts';
import { type ExitCode, exitCodeOfKind, exitCodes } from './exit-code.ts';

/** Prints an error, and returns its exit code. Shows a stack trace only with `SLUICE_DEBUG=1`. */
export async function reportError(thrown: unknown, effects: Effects): Promise<ExitCode> {
  // The reader of a pipe, such as `head`, has closed it.
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

/** Sanitizes a text but keeps its line breaks, because errors draw issues. */
function showLines(text: string): string {
  return text.split('\n').map(showText).join('\n');
}

/** What happened, without the hint. */
export function messageOf(thrown: unknown): string {
  const error = toSystemError(thrown) ?? thrown;
  return error instanceof Error ? error.message : String(error);
}

export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof SluiceError ? exitCodeOfKind[error.kind] : exitCodes.failed;
}

/** The exit code of a configuration fault. Unclassified failures also count as wrong input. */
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
