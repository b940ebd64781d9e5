import { sanitizeLines } from '../../show/labels/sanitize.ts';
import type { Sink } from '../process/effects.ts';

/** `-` and `/dev/stdout` mean stdout, as no `-o` does. */
export function isStdout(output: string | undefined): output is undefined | '-' | '/dev/stdout' {
  return output === undefined || output === '-' || output === '/dev/stdout';
}

/** Removes an `-o` that means stdout; any other names a file or a folder. */
export function withoutStdout<Flags extends { readonly output?: string | undefined }>(flags: Flags): Flags {
  return isStdout(flags.output) ? { ...flags, output: undefined } : flags;
}

/** A sink that sanitizes text for a terminal. For texts without colours. */
export function harmless(sink: Sink): Sink {
  if (!sink.isTerminal) return sink;
  const { isTerminal, columns, rows } = sink;
  return {
    isTerminal,
    columns,
    rows,
    write: (text) => sink.write(typeof text === 'string' ? sanitizeLines(text) : text),
  };
}
