import path from 'node:path';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { readFormatName, type FormatName } from '../../../show/format-name.ts';
import type { Result } from '../../../shape/result.ts';
import { answerQuestion, type AnswerOptions } from '../../answer-question.ts';
import { valueOf } from '../../refuse.ts';
import type { QueryFlags } from '../commands/query.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import type { GlobalFlags } from '../global-flags.ts';
import { openWorkspace } from '../open-workspace.ts';
import type { Invocation } from '../program.ts';
import { explain } from './explain-question.ts';
import { answerAllSaved } from './all-saved.ts';
import { readQuestion } from './read-question.ts';
import { writeAnswer } from './write-answer.ts';

export type QueryInvocation = Invocation<QueryFlags>;

/** `sluice query`. */
export async function runQuery(invocation: QueryInvocation): Promise<ExitCode> {
  const { args, flags, effects } = invocation;
  const formats = readFormats(flags);
  const { session } = await openWorkspace(flags, effects);
  await using _closed = session;
  if (flags.allSaved) return answerAllSaved(session, formats, invocation);
  // The engine starts while the question is read.
  session.prepare();
  const question = await readQuestion(args, flags, session, effects);
  if (flags.explain) return explain(session, question, invocation);
  const result = await answerQuestion(session, question, toAnswerOptions(flags, formats, effects.signal));
  const name = question.text.file === undefined ? 'answer' : path.parse(question.text.file).name;
  await writeAnswer(result, { formats, name }, invocation);
  return exitCodeFor(result);
}

/** People compare side by side; programs get the rows that the wire has. */
export function toAnswerOptions(flags: QueryFlags & GlobalFlags, formats: readonly FormatName[], signal: AbortSignal): AnswerOptions {
  const forPeople = formats.every((format) => format === 'table' || format === 'markdown');
  return { signal, ranges: forPeople ? 'beside' : 'stacked', fill: flags.fill, fillWith: flags.fillWith === undefined ? undefined : 0 };
}

export function exitCodeFor(result: Result): ExitCode {
  return result.provenance.rejected.count > 0 ? exitCodes.partial : exitCodes.done;
}

function readFormats({ format, output, allSaved }: QueryFlags): readonly FormatName[] {
  const formats = (format ?? ['table']).map((name) => valueOf(readFormatName(name, ['--format']), 'The format'));
  if (formats.length > 1 && output === undefined) throw usage('Several formats need a folder to go to.', 'Add -o FOLDER.');
  if (allSaved && output === undefined && formats.some((name) => name !== 'table' && name !== 'markdown')) {
    throw usage(`Several answers as ${formats[0]} need a folder to go to.`, 'Add -o FOLDER.');
  }
  return formats;
}

function usage(message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue('usage', message, { hint })], { hint });
}
