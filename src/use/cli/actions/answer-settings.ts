import path from 'node:path';
import { quote } from '../../../ask/quote.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import type { Result } from '../../../shape/result.ts';
import { formatNames, readFormatName, toFileExtension, type FormatName } from '../../../show/format-name.ts';
import type { AnswerOptions } from '../../answer-question.ts';
import { valueOf } from '../../refuse.ts';
import type { QueryFlags } from '../command-flags.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';

/** People compare side by side; programs get the rows that the wire has. */
export function toAnswerOptions(flags: QueryFlags, formats: readonly FormatName[], signal: AbortSignal): AnswerOptions {
  const forPeople = formats.every((format) => format === 'table' || format === 'markdown');
  return { signal, ranges: forPeople ? 'beside' : 'stacked', fill: flags.fill, fillWith: flags.fillWith === undefined ? undefined : 0 };
}

/** The formats that the flags name, or the ending of the file to write; else a table. Throws `InvalidInputError`. */
export function readFormats({ format, output, allSaved, explain }: QueryFlags): readonly FormatName[] {
  if (format === undefined && output !== undefined && !allSaved && !explain) return [formatOfFile(output)];
  const formats = (format ?? ['table']).map((name) => valueOf(readFormatName(name, ['--format']), 'The format'));
  if (formats.length > 1 && output === undefined) throw usage('Several formats need a folder to go to.', 'Add `-o FOLDER`.');
  if (allSaved && output === undefined && formats.some((name) => name !== 'table' && name !== 'markdown')) {
    throw usage(`Several answers as ${formats[0]} need a folder to go to.`, 'Add `-o FOLDER`.');
  }
  return formats;
}

function formatOfFile(file: string): FormatName {
  const ending = path.extname(file).toLowerCase();
  const format = formatNames.find((name) => toFileExtension(name) === ending) ?? (ending === '.jsonl' ? 'ndjson' : undefined);
  if (format) return format;
  throw usage(`${quote(path.basename(file))} does not say in which format to write.`, `Let it end in ${formatNames.map(toFileExtension).join(', ')}, or name the format with -f: ${formatNames.join(', ')}.`);
}

export function exitCodeFor(result: Result): ExitCode {
  return result.provenance.rejected.count > 0 ? exitCodes.partial : exitCodes.done;
}

function usage(message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue('usage', message, { hint })], { hint });
}
