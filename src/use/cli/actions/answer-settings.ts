import type { Provenance } from '../../../shape/result/provenance.ts';
import { type FormatName, isBinaryFormat, isChartFormat, readFormatName } from '../../../show/format-name.ts';
import type { AnswerOptions } from '../../answer/answer-question.ts';
import { formatToWrite } from '../../output/format-to-write.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import { usageError } from '../../../ask/sluice-error.ts';

/** People compare side by side; programs get the rows that the wire has. */
export function toAnswerOptions(flags: QueryFlags, formats: readonly FormatName[], signal: AbortSignal): AnswerOptions {
  const forPeople = formats.every((format) => format === 'table' || format === 'markdown' || isChartFormat(format));
  return {
    signal,
    ranges: forPeople ? 'beside' : 'stacked',
    fill: flags.fill,
    fillWith: flags.fillWith === undefined ? undefined : 0,
  };
}

/** The formats that the flags name, or the ending of the file to write; else a table. Throws `InvalidInputError`. */
export function readFormats(
  { format, output, allSaved, explain }: QueryFlags,
  isTerminal: boolean,
): readonly FormatName[] {
  if (format === undefined && output !== undefined && !allSaved && !explain)
    return [formatToWrite(output, undefined, '-f')];
  const formats = (format ?? ['table']).map((name) => unwrap(readFormatName(name, ['--format']), 'The format'));
  if (formats.length > 1 && output === undefined)
    throw usageError('Several formats need an output folder.', 'Add `-o FOLDER`.');
  if (
    allSaved &&
    output === undefined &&
    formats.some((name) => name !== 'table' && name !== 'markdown' && name !== 'chart')
  ) {
    throw usageError(`Several answers as ${formats[0]} need an output folder.`, 'Add `-o FOLDER`.');
  }
  const [only] = formats;
  if (only && output === undefined && isTerminal && isBinaryFormat(only) && !explain) {
    throw usageError(
      `A terminal cannot show ${only}.`,
      `Write it to a file with \`-o answer.${only}\`, or send it through a pipe.`,
    );
  }
  if (only && output !== undefined && formats.length === 1 && !allSaved) formatToWrite(output, only, '-f');
  return formats;
}

export function exitCodeFor({ provenance }: { readonly provenance: Provenance }): ExitCode {
  return provenance.rejected.count > 0 ? exitCodes.partial : exitCodes.done;
}
