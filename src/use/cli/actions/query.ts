import path from 'node:path';
import { answerQuestion } from '../../answer/answer-question.ts';
import { withFreshModel } from '../../remote/with-fresh-model.ts';
import { streamQuestion } from '../../answer/stream-question.ts';
import type { StartingEngine } from '../../starting-engine.ts';
import type { QueryFlags } from '../command-flags.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { toVoice } from '../narrate.ts';
import { openWorkspace } from '../open-workspace.ts';
import { waitTeller } from '../tell-wait.ts';
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
  const formats = readFormats(flags, effects.stdout.isTerminal);
  const { session } = await openWorkspace(flags, effects, starting.engine);
  await using _closed = session;
  // The events are looked at while the question is read.
  session.prepare();
  if (flags.allSaved) return await answerAllSaved(session, formats, invocation);
  // Stdin is read once only.
  const read = () => readQuestion(args, flags, session, effects);
  const question = await (args[0] === '-' ? read() : withFreshModel(session, read, effects.signal));
  if (flags.explain) return await explain(session, question, invocation);
  const options = { ...toAnswerOptions(flags, formats, effects.signal), onWait: waitTeller(toVoice(flags, effects)) };
  await using rows = flags.withProvenance ? undefined : await streamQuestion(session, question, formats, options);
  const answer = rows ?? await answerQuestion(session, question, options);
  const name = question.text.file === undefined ? 'answer' : path.parse(question.text.file).name;
  const chart = { wish: question.saved.chart, title: question.saved.title, reports: session.settings.reports.value };
  await writeAnswer(answer, { formats, name, chart }, invocation);
  return exitCodeFor(answer);
}

/** `-o -` says what no `-o` says. */
function withoutStdout<Flags extends QueryFlags>({ output, ...flags }: Flags): Omit<Flags, 'output'> & QueryFlags {
  return output === undefined || output === '-' || output === '/dev/stdout' ? flags : { ...flags, output };
}
