import type { FormatName } from '../../../show/format-name.ts';
import { sanitize } from '../../../show/sanitize.ts';
import { answerQuestion } from '../../answer/answer-question.ts';
import { listSavedQueries, type SavedFile } from '../../answer/saved-queries.ts';
import type { Session } from '../../session.ts';
import { showPath } from '../../output/show-path.ts';
import { exitCodes, type ExitCode } from '../exit-code.ts';
import { streamQuestion } from '../../answer/stream-question.ts';
import { toVoice } from '../narrate.ts';
import { waitTeller } from '../tell-wait.ts';
import { reportError } from '../report-error.ts';
import type { QueryFlags } from '../command-flags.ts';
import type { Invocation } from '../invocation.ts';
import { exitCodeFor, toAnswerOptions } from './answer-settings.ts';
import { readFileQuestion, titleOf } from './read-question.ts';
import { writeAnswer } from './write-answer.ts';

/** Answers every saved query of the workspace, each below its title. One that fails is told, and the others go on. */
export async function answerAllSaved(session: Session, formats: readonly FormatName[], invocation: Invocation<QueryFlags>): Promise<ExitCode> {
  const { effects, flags } = invocation;
  const folder = session.settings.queries.value;
  const saved = await listSavedQueries(folder);
  if (saved.length === 0) await toVoice(flags, effects).note(`There are no saved queries in ${showPath(folder, effects.cwd)}. A few to begin with: sluice init`);
  let code: ExitCode = exitCodes.done;
  for (const file of saved) {
    try {
      code = worse(code, await answerOne(file, session, formats, invocation));
    } catch (error) {
      if (effects.signal.aborted) throw error;
      code = worse(code, await reportError(error, effects));
    }
  }
  return code;
}

async function answerOne(file: SavedFile, session: Session, formats: readonly FormatName[], invocation: Invocation<QueryFlags>): Promise<ExitCode> {
  const { effects, flags } = invocation;
  const question = await readFileQuestion(file, effects);
  const options = { ...toAnswerOptions(flags, formats, effects.signal), onWait: waitTeller(toVoice(flags, effects)) };
  await using rows = flags.withProvenance ? undefined : await streamQuestion(session, question, formats, options);
  const answer = rows ?? await answerQuestion(session, question, options);
  if (flags.output === undefined) {
    const title = sanitize(titleOf(question, file));
    await effects.stdout.write(formats[0] === 'markdown' ? `## ${title}\n\n` : `${title}\n\n`);
  }
  const chart = { wish: question.saved.chart, title: flags.output === undefined ? undefined : titleOf(question, file), reports: session.settings.reports.value };
  await writeAnswer(answer, { formats, name: file.name, amongOthers: true, chart }, invocation);
  if (flags.output === undefined) await effects.stdout.write('\n');
  return exitCodeFor(answer);
}

/** What failed counts more than what is only partial. */
function worse(one: ExitCode, other: ExitCode): ExitCode {
  const rank: readonly ExitCode[] = [exitCodes.done, exitCodes.partial, exitCodes.wrongInput, exitCodes.authentication, exitCodes.remote, exitCodes.failed];
  return rank.indexOf(other) > rank.indexOf(one) ? other : one;
}
