import path from 'node:path';
import { answerQuestion } from '../../answer-question.ts';
import type { StartingEngine } from '../../starting-engine.ts';
import type { QueryFlags } from '../command-flags.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { openWorkspace } from '../open-workspace.ts';
import { answerAllSaved } from './all-saved.ts';
import { exitCodeFor, readFormats, toAnswerOptions } from './answer-settings.ts';
import { explain } from './explain-question.ts';
import { readQuestion } from './read-question.ts';
import { writeAnswer } from './write-answer.ts';

/** `sluice query`, on an engine that is starting already. */
export async function runQuery(given: Invocation<QueryFlags>, starting: StartingEngine): Promise<ExitCode> {
  await using _started = starting;
  const { args, effects } = given;
  const flags = withoutStdout(given.flags);
  const invocation = { args, flags, effects };
  const formats = readFormats(flags);
  const { session } = await openWorkspace(flags, effects, starting.engine);
  await using _closed = session;
  // The events are looked at while the question is read.
  session.prepare();
  if (flags.allSaved) return await answerAllSaved(session, formats, invocation);
  const question = await readQuestion(args, flags, session, effects);
  if (flags.explain) return await explain(session, question, invocation);
  const result = await answerQuestion(session, question, toAnswerOptions(flags, formats, effects.signal));
  const name = question.text.file === undefined ? 'answer' : path.parse(question.text.file).name;
  await writeAnswer(result, { formats, name }, invocation);
  return exitCodeFor(result);
}

/** `-o -` says what no `-o` says. */
function withoutStdout<Flags extends QueryFlags>({ output, ...flags }: Flags): Omit<Flags, 'output'> & QueryFlags {
  return output === undefined || output === '-' || output === '/dev/stdout' ? flags : { ...flags, output };
}
