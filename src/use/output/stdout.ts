import { usageError } from '../../ask/sluice-error.ts';
import { type FormatName, isBinaryFormat, type ReportFormat } from '../../show/format-name.ts';
import { sanitizeLines } from '../../show/labels/sanitize.ts';
import type { Sink } from '../process/effects.ts';

/** `-` and `/dev/stdout` mean stdout, as no `-o` does. */
export function isStdout(output: string | undefined): output is undefined | '-' | '/dev/stdout' {
  return output === undefined || output === '-' || output === '/dev/stdout';
}

/** Throws `InvalidInputError` for a format of bytes on a terminal. `base`: the name of a file to propose. */
export function refuseBytes(
  format: FormatName | ReportFormat,
  base: string,
  { isTerminal }: Pick<Sink, 'isTerminal'>,
): void {
  if (isTerminal && isBinaryFormat(format))
    throw usageError(
      `A terminal cannot show ${format}.`,
      `Write it to a file with \`-o ${base}.${format}\`, or send it through a pipe.`,
    );
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
