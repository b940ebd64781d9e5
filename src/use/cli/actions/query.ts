import { withoutStdout } from '../../output/stdout.ts';
import path from 'node:path';
import type { Explanation } from '../../../run/backend.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import type { FormatName } from '../../../show/format-name.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { answerQuestion, explainQuestion } from '../../answer/answer-question.ts';
import { bindQuestion, type BoundQuestion } from '../../answer/bind-question.ts';
import { listSavedQueries, type SavedFile } from '../../answer/saved-queries.ts';
import { streamFor } from '../../answer/stream-for.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { reportError } from '../../process/report-error.ts';
import { showPath } from '../../process/show-path.ts';
import type { Session } from '../../workspace/session.ts';
import type { StartingEngine } from '../../workspace/starting-engine.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/narrate.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { waitTeller } from '../command/tell-wait.ts';
import { exitCodeFor, readFormats, toAnswerOptions } from './answer-settings.ts';
import { askFile, readAsking, titleOf } from './read-question.ts';
import { writeAnswer } from './write-answer.ts';

/** `sluice query`, on an engine that is starting already. */
export async function runQuery(given: Invocation<QueryFlags>, starting: StartingEngine): Promise<ExitCode> {
  await using _started = starting;
  const { args, effects } = given;
  const flags = withoutStdout(given.flags);
  const invocation = { args, flags, effects };
  const formats = readFormats(flags, effects.stdout.isTerminal);
  const { session } = await openWorkspace(flags, effects, starting);
  await using _closed = session;
  // The events are looked at while the question is read.
  session.prepare();
  if (flags.allSaved) return await answerAllSaved(session, formats, invocation);
  const asking = await readAsking(args, flags, session.settings.queries.value, effects);
  const bound = await bindQuestion(session, asking, { signal: effects.signal });
  const { text, saved } = bound.question;
  if (flags.explain) return await explain(session, bound, invocation);
  await using answered = await answerQuestion(session, bound, toOptions(formats, invocation));
  const name = text.file === undefined ? 'answer' : path.parse(text.file).name;
  const chart = { preference: saved.chart, title: saved.title, reports: session.settings.reports.value };
  await writeAnswer(answered.rows, { formats, name, chart }, invocation);
  return exitCodeFor(answered.rows);
}

function toOptions(formats: readonly FormatName[], { flags, effects }: Invocation<QueryFlags>) {
  return {
    ...toAnswerOptions(flags, formats, effects.signal),
    onWait: waitTeller(toReporter(flags, effects)),
    stream: streamFor(formats, flags),
  };
}

/** Shows what would run: the statement with its parameters, and the engine's own plan. */
async function explain(
  session: Session,
  bound: BoundQuestion,
  { flags, effects }: Invocation<QueryFlags>,
): Promise<ExitCode> {
  const explanations = await explainQuestion(session, bound, { signal: effects.signal });
  const text = flags.format?.[0] === 'json' ? writeJson(explanations) : explanations.map(writeExplanation).join('\n');
  if (flags.output === undefined) await effects.stdout.write(text);
  else await writeFileWhole(path.resolve(effects.cwd, flags.output), [text], effects.signal);
  return exitCodes.done;
}

function writeJson(explanations: readonly Explanation[]): string {
  return `${JSON.stringify(explanations, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2)}\n`;
}

function writeExplanation({ statement, parameters, enginePlan }: Explanation): string {
  const values = parameters
    .map((value, index) => `-- $${index + 1} = ${typeof value === 'string' ? JSON.stringify(value) : String(value)}\n`)
    .join('');
  return `${statement.trimEnd()}\n${values}${enginePlan === undefined ? '' : `\n${enginePlan.trimEnd()}\n`}`;
}

/** Answers every saved query of the workspace, each below its title. One that fails is told, and the others go on. */
async function answerAllSaved(
  session: Session,
  formats: readonly FormatName[],
  invocation: Invocation<QueryFlags>,
): Promise<ExitCode> {
  const { effects, flags } = invocation;
  const folder = session.settings.queries.value;
  const saved = await listSavedQueries(folder);
  if (saved.length === 0)
    await toReporter(flags, effects).note(
      `There are no saved queries in ${showPath(folder, effects.cwd)}. To create some, run: sluice init`,
    );
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

async function answerOne(
  file: SavedFile,
  session: Session,
  formats: readonly FormatName[],
  invocation: Invocation<QueryFlags>,
): Promise<ExitCode> {
  const { effects, flags } = invocation;
  const bound = await bindQuestion(session, await askFile(file, effects), { signal: effects.signal });
  await using answered = await answerQuestion(session, bound, toOptions(formats, invocation));
  const { question } = bound;
  if (flags.output === undefined) {
    const title = sanitize(titleOf(question, file));
    await effects.stdout.write(formats[0] === 'markdown' ? `## ${title}\n\n` : `${title}\n\n`);
  }
  const chart = {
    preference: question.saved.chart,
    title: flags.output === undefined ? undefined : titleOf(question, file),
    reports: session.settings.reports.value,
  };
  await writeAnswer(answered.rows, { formats, name: file.name, amongOthers: true, chart }, invocation);
  if (flags.output === undefined) await effects.stdout.write('\n');
  return exitCodeFor(answered.rows);
}

/** What failed counts more than what is only partial. */
function worse(one: ExitCode, other: ExitCode): ExitCode {
  const rank: readonly ExitCode[] = [
    exitCodes.done,
    exitCodes.partial,
    exitCodes.wrongInput,
    exitCodes.authentication,
    exitCodes.remote,
    exitCodes.failed,
  ];
  return rank.indexOf(other) > rank.indexOf(one) ? other : one;
}
