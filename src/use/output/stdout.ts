import { sanitizeLines } from '../../show/labels/sanitize.ts';
import type { Sink } from '../process/effects.ts';

/** `-` and `/dev/stdout` name stdout, as no `-o` does. */
export function isStdout(output: string | undefined): output is undefined | '-' | '/dev/stdout' {
  return output === undefined || output === '-' || output === '/dev/stdout';
}

/** The flags without an `-o` that names stdout: what is left of it is a file or a folder. */
export function withoutStdout<Flags extends { readonly output?: string | undefined }>(flags: Flags): Flags {
  return isStdout(flags.output) ? { ...flags, output: undefined } : flags;
}

/** The same sink; what it writes to a terminal as text is obeyed by none. For texts without colours. */
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
