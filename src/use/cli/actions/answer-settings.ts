import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import type { Result } from '../../../shape/result.ts';
import { readFormatName, type FormatName } from '../../../show/format-name.ts';
import type { AnswerOptions } from '../../answer-question.ts';
import { valueOf } from '../../refuse.ts';
import type { QueryFlags } from '../command-flags.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';

/** People compare side by side; programs get the rows that the wire has. */
export function toAnswerOptions(flags: QueryFlags, formats: readonly FormatName[], signal: AbortSignal): AnswerOptions {
  const forPeople = formats.every((format) => format === 'table' || format === 'markdown');
  return { signal, ranges: forPeople ? 'beside' : 'stacked', fill: flags.fill, fillWith: flags.fillWith === undefined ? undefined : 0 };
}

/** The formats that the flags name; a table where they name none. Throws `InvalidInputError`. */
export function readFormats({ format, output, allSaved }: QueryFlags): readonly FormatName[] {
  const formats = (format ?? ['table']).map((name) => valueOf(readFormatName(name, ['--format']), 'The format'));
  if (formats.length > 1 && output === undefined) throw usage('Several formats need a folder to go to.', 'Add -o FOLDER.');
  if (allSaved && output === undefined && formats.some((name) => name !== 'table' && name !== 'markdown')) {
    throw usage(`Several answers as ${formats[0]} need a folder to go to.`, 'Add -o FOLDER.');
  }
  return formats;
}

export function exitCodeFor(result: Result): ExitCode {
  return result.provenance.rejected.count > 0 ? exitCodes.partial : exitCodes.done;
}

function usage(message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue('usage', message, { hint })], { hint });
}
