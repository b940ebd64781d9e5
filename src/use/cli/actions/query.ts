import path from 'node:path';
import type { Explanation } from '../../../run/backend.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import type { FormatName } from '../../../show/format-name.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { answerQuestion, explainQuestion } from '../../answer/answer-question.ts';
import type { Question } from '../../answer/question.ts';
import { listSavedQueries, type SavedFile } from '../../answer/saved-queries.ts';
import { streamQuestion } from '../../answer/stream-question.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { reportError } from '../../process/report-error.ts';
import { showPath } from '../../process/show-path.ts';
import type { Session } from '../../workspace/session.ts';
import type { StartingEngine } from '../../workspace/starting-engine.ts';
import { withFreshModel } from '../../workspace/with-fresh-model.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toVoice } from '../command/narrate.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { waitTeller } from '../command/tell-wait.ts';
import { exitCodeFor, readFormats, toAnswerOptions } from './answer-settings.ts';
import { readFileQuestion, readQuestion, titleOf } from './read-question.ts';
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

/** Shows what would run: the statement with its parameters, and the engine's own plan. */
async function explain(session: Session, question: Question, { flags, effects }: Invocation<QueryFlags>): Promise<ExitCode> {
  const explanations = await explainQuestion(session, question, { signal: effects.signal });
  const text = flags.format?.[0] === 'json' ? writeJson(explanations) : explanations.map(writeExplanation).join('\n');
  if (flags.output === undefined) await effects.stdout.write(text);
  else await writeFileWhole(path.resolve(effects.cwd, flags.output), [text], effects.signal);
  return exitCodes.done;
}

function writeJson(explanations: readonly Explanation[]): string {
  return `${JSON.stringify(explanations, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2)}\n`;
}

function writeExplanation({ statement, parameters, enginePlan }: Explanation): string {
  const values = parameters.map((value, index) => `-- $${index + 1} = ${typeof value === 'string' ? JSON.stringify(value) : String(value)}\n`).join('');
  return `${statement.trimEnd()}\n${values}${enginePlan === undefined ? '' : `\n${enginePlan.trimEnd()}\n`}`;
}

/** Answers every saved query of the workspace, each below its title. One that fails is told, and the others go on. */
async function answerAllSaved(session: Session, formats: readonly FormatName[], invocation: Invocation<QueryFlags>): Promise<ExitCode> {
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
