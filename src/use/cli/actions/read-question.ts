import path from 'node:path';
import { type QueryFlags as QueryParts, readQueryFlags } from '../../../ask/notation/read-flags.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';
import { toCatalog } from '../../../plan/model/catalog.ts';
import type { Model } from '../../../plan/model/model.ts';
import {
  askBytes,
  type Asking,
  askLine,
  askText,
  defaultCubeOf,
  type Question,
  toQuestion,
} from '../../answer/question.ts';
import { listSavedQueries, type SavedFile } from '../../answer/saved-queries.ts';
import type { Effects } from '../../process/effects.ts';
import { showPath } from '../../process/show-path.ts';
import type { Attempt } from '../../workspace/with-fresh-model.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import { readInput } from '../command/read-input.ts';

/**
 * What a command line asks: a saved query of the folder `queries`, a file, stdin, a line, flags, or flags over one of
 * them. Throws `InvalidInputError` if it asks nothing, or names a file that cannot be read.
 */
export async function readAsking(
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
    const whole = parts ? withFlags(question?.value, parts, model) : question;
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
    const error = refuseMistypedName(line, saved, model);
    return error ? { ok: false, error } : askLine(line)(model);
  };
}

export async function askFile({ path: file }: SavedFile, effects: Effects): Promise<Asking> {
  return askBytes(await readInput(file, effects), showPath(file, effects.cwd));
}

/** One word that is no member is a mistyped name of a saved query, if anything. */
function refuseMistypedName(word: string, saved: readonly SavedFile[], model: Model): InvalidInputError | undefined {
  if (!/^[\w-]+$/.test(word) || toCatalog(model).find(`${defaultCubeOf(model)}.${word}`)) return undefined;
  const meant = didYouMean(
    word,
    saved.map(({ name }) => name),
  );
  if (meant === undefined && !word.includes('-')) return undefined;
  return unknown(`There is no saved query ${quote(word)}.`, meant ?? listNames(saved));
}

async function nothingAsked(queries: string): Promise<InvalidInputError> {
  const saved = await listSavedQueries(queries);
  return unknown('Specify a query.', `Try \`sluice query 'count by eventType'\`. ${listNames(saved)}`);
}

function listNames(saved: readonly SavedFile[]): string {
  if (saved.length === 0) return '`sluice init` creates some saved queries.';
  return `Saved queries: ${saved.map(({ name }) => name).join(', ')}.`;
}

function unknown(message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue('no-such-query', message, { hint })], { hint });
}

function withFlags(asked: Question | undefined, parts: QueryParts, model: Model): Attempt<Question> {
  const what = asked ? `${asked.what} with these flags` : 'The question';
  const read = toQuestion(
    readQueryFlags(parts, {
      over: asked?.saved.query,
      members: toCatalog(model),
      defaultCube: defaultCubeOf(model),
    }),
    what,
  );
  if (!asked || !read.ok) return read;
  const { saved, warnings, ...flags } = read.value;
  return {
    ok: true,
    value: { ...flags, saved: { ...asked.saved, ...saved }, warnings: [...asked.warnings, ...warnings] },
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

/** What a saved query is called where no title is set. */
export function titleOf(question: Question, file: SavedFile): string {
  return question.saved.title ?? path.parse(file.path).name;
}
