import path from 'node:path';
import type { QueryFlags as QueryParts } from '../../../ask/notation/read-flags.ts';
import { type InvalidInputError, inputError } from '../../../ask/sluice-error.ts';
import type { Model } from '../../../plan/model/model.ts';
import type { Explanation } from '../../../run/backend.ts';
import type { FormatName } from '../../../show/format-name.ts';
import { layOut } from '../../../shape/pivot.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { answerQuestion, explainQuestion, streamFor } from '../../answer/answer-question.ts';
import { type BoundQuestion, bindQuestion } from '../../answer/bind-question.ts';
import {
  type Asking,
  type Question,
  askBytes,
  askLine,
  askSaved,
  askText,
  defaultCubeOf,
  namesOf,
  refuseMistypedName,
  toQuestion,
  usualQuestionOf,
} from '../../answer/question.ts';
import { type SavedFile, listNames, listSavedQueries } from '../../answer/saved-queries.ts';
import { withoutStdout } from '../../output/stdout.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { showPath } from '../../process/show-path.ts';
import { putInline } from '../../workspace/inline-definition.ts';
import type { Session } from '../../workspace/session.ts';
import type { StartingEngine } from '../../workspace/starting-engine.ts';
import type { Attempt } from '../../workspace/with-fresh-model.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openWorkspace } from '../command/open-workspace.ts';
import { readInput } from '../command/read-input.ts';
import { waitTeller } from '../command/wait-notices.ts';
import { exitCodeFor, readFormats, toAnswerOptions, writeAnswer, writeUsers } from './write-answer.ts';

/**
 * The question of a command line: a saved query, a file, stdin, a line, flags, or flags on top of one of them. Throws
 * `InvalidInputError` if there is no question, or if a named file cannot be read.
 */
async function readAsking(
  words: readonly string[],
  flags: QueryFlags,
  queries: string,
  effects: Effects,
): Promise<Asking> {
  const parts = toParts(flags);
  const asked = words.length === 0 ? undefined : await readWords(words, queries, effects);
  if (!asked && !parts) throw await nothingAsked(queries);
  return async (model) => {
    const question = await asked?.(model);
    if (question?.ok === false) return question;
    const whole = parts ? await withFlags(question?.value, parts, model) : question;
    return whole?.ok ? { ok: true, value: withSwitches(whole.value, flags) } : (whole as Attempt<Question>);
  };
}

async function readWords(words: readonly string[], queries: string, effects: Effects): Promise<Asking> {
  const line = words.join(' ');
  if (line === '-') return askText(await readInput('-', effects), 'stdin');
  const saved = await listSavedQueries(queries);
  const named = saved.find(({ name }) => name === line);
  if (named) return askFile(named, effects);
  if (words.length === 1 && /\.(ya?ml|json)$/i.test(line)) return askBytes(await readInput(line, effects), line);
  return (model) => {
    const usual = usualQuestionOf(model, line);
    if (usual) return askSaved(usual)(model);
    const error = refuseMistypedName(line, saved, model);
    return error ? { ok: false, error } : askLine(line)(model);
  };
}

async function askFile({ path: file }: SavedFile, effects: Effects): Promise<Asking> {
  return askBytes(await readInput(file, effects), showPath(file, effects.cwd));
}

async function nothingAsked(queries: string): Promise<InvalidInputError> {
  const saved = await listSavedQueries(queries);
  return inputError(
    'no-such-query',
    'Specify a query.',
    `Try \`sluice query 'count by eventType'\`. ${listNames(saved)}`,
  );
}

async function withFlags(asked: Question | undefined, parts: QueryParts, model: Model): Promise<Attempt<Question>> {
  const { readQueryFlags } = await import('../../../ask/notation/read-flags.ts');
  const what = asked ? `${asked.what} with these flags` : 'The question';
  const put = await putInline(asked?.saved.define);
  if (!put.ok) return put;
  const known = put.value ? put.value(model, 'here') : model;
  const read = toQuestion(
    readQueryFlags(parts, {
      over: asked?.saved.query,
      members: namesOf(known).members,
      defaultCube: defaultCubeOf(model),
    }),
    what,
  );
  if (!asked || !read.ok) return read;
  const { saved, warnings, ...flags } = read.value;
  return {
    ok: true,
    value: {
      ...flags,
      saved: { ...asked.saved, ...saved },
      definedIn: asked,
      warnings: [...asked.warnings, ...warnings],
    },
  };
}

function toParts(flags: QueryFlags): QueryParts | undefined {
  const parts: QueryParts = {
    measures: flags.measure,
    dimensions: flags.dimension,
    times: flags.time,
    range: flags.range,
    where: flags.where,
    segments: flags.segment,
    order: flags.order,
    limit: flags.limit,
    offset: flags.offset,
    timezone: flags.timezone,
  };
  return Object.values(parts).some((part) => part !== undefined) ? parts : undefined;
}

function withSwitches(question: Question, { total, ungrouped }: QueryFlags): Question {
  if (!total && !ungrouped) return question;
  const query = { ...question.saved.query, ...(total && { total }), ...(ungrouped && { ungrouped }) };
  return { ...question, saved: { ...question.saved, query } };
}

/** The title of a saved query; defaults to its file name. */
function titleOf(question: Question, file: SavedFile): string {
  return question.saved.title ?? path.parse(file.path).name;
}

/** `sluice query`, with an engine that is already starting. */
export async function runQuery(given: Invocation<QueryFlags>, starting: StartingEngine): Promise<ExitCode> {
  await using _started = starting;
  const { args } = given;
  const flags = withoutStdout(given.flags);
  const formats = readFormats(flags, given.effects.stdout.isTerminal);
  // No engine is starting because the answer is probably cached; then its output may be cached too.
  const reply = starting.engine
    ? undefined
    : (await import('../command/keep-reply.ts')).watchReply({ ...given, flags }, formats);
  const effects = reply?.effects ?? given.effects;
  const invocation = { args, flags, effects };
  const { session } = await openWorkspace(flags, effects, starting);
  await using _closed = session;
  await reply?.over(session);
  // Inspect the events while the question is read.
  if (starting.engine) session.prepare();
  if (flags.allSaved) return await answerAllSaved(session, formats, invocation);
  const asking = await readAsking(args, flags, session.settings.queries.value, effects);
  if (flags.users) {
    const { askUsers } = await import('../../users/list-users.ts');
    return await writeUsers(await askUsers(session, asking, { signal: effects.signal }), formats, invocation);
  }
  const bound = await bindQuestion(session, asking, { signal: effects.signal });
  const { text, saved } = bound.question;
  if (flags.explain) return await explain(session, bound, invocation);
  await using answered = await answerQuestion(session, bound, toOptions(formats, invocation));
  const name = text.file === undefined ? 'answer' : path.parse(text.file).name;
  const chart = { preference: saved.chart, title: saved.title, reports: session.settings.reports.value };
  const table = saved.table && answered.whole && layOut(answered.whole, saved.table);
  await writeAnswer(answered.rows, { formats, name, chart, table }, invocation);
  if (session.settings.cache.value) {
    const { noteAnswered } = await import('../command/answered-before.ts');
    await noteAnswered(given, session.settings.answers.value);
  }
  const code = exitCodeFor(answered.rows);
  if (code === exitCodes.done) await reply?.keep(session, bound, answered.rows.provenance);
  return code;
}

function toOptions(formats: readonly FormatName[], { flags, effects }: Invocation<QueryFlags>) {
  return {
    ...toAnswerOptions(flags, formats, effects.signal),
    onWait: waitTeller(toReporter(flags, effects)),
    stream: streamFor(formats, flags),
  };
}

/** Shows the statement with its parameters, and the engine's plan. */
async function explain(
  session: Session,
  bound: BoundQuestion,
  { flags, effects }: Invocation<QueryFlags>,
): Promise<ExitCode> {
  const explanations = await explainQuestion(session, bound, { signal: effects.signal });
  const text = flags.format?.[0] === 'json' ? writeJson(explanations) : explanations.map(writeExplanation).join('\n');
  if (flags.output === undefined) await effects.stdout.write(text);
  else {
    const { writeFileWhole } = await import('../../../run/file/write-file.ts');
    await writeFileWhole(path.resolve(effects.cwd, flags.output), [text], effects.signal);
  }
  return exitCodes.done;
}

function writeJson(explanations: readonly Explanation[]): string {
  return `${JSON.stringify(explanations, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2)}\n`;
}

function writeExplanation({ statement, parameters, enginePlan, projection }: Explanation): string {
  const values = parameters
    .map((value, index) => `-- $${index + 1} = ${typeof value === 'string' ? JSON.stringify(value) : String(value)}\n`)
    .join('');
  const used = projection
    ? `-- ${projection.name === undefined ? `No projection: ${projection.why}` : `Projection: ${projection.name}`}\n`
    : '';
  return `${statement.trimEnd()}\n${values}${used}${enginePlan === undefined ? '' : `\n${enginePlan.trimEnd()}\n`}`;
}

/** Answers every saved query of the workspace, each below its title. Reports failures and continues. */
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
      const { reportError } = await import('../../process/report-error.ts');
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

/** The more serious exit code: failures rank above partial results. */
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
