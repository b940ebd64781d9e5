import path from 'node:path';
import { decodeUtf8 } from '../../../ask/document/decode-utf8.ts';
import { type QueryFlags as QueryParts, readQueryFlags } from '../../../ask/notation/read-flags.ts';
import { looksLikeNotation } from '../../../ask/notation/read-notation.ts';
import { errorIssue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';
import { toCatalog } from '../../../plan/model/catalog.ts';
import { defaultCubeOf, type Question, questionInLine, questionInText } from '../../answer/question.ts';
import { listSavedQueries, type SavedFile } from '../../answer/saved-queries.ts';
import type { Effects } from '../../process/effects.ts';
import { showPath } from '../../process/show-path.ts';
import { valueOf } from '../../workspace/refuse.ts';
import type { Session } from '../../workspace/session.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import { readInput } from '../command/read-input.ts';

/** The question that a command line asks: a saved query, a file, stdin, a line, flags, or flags over one of them. */
export async function readQuestion(words: readonly string[], flags: QueryFlags, session: Session, effects: Effects): Promise<Question> {
  const parts = toParts(flags);
  const asked = words.length === 0 ? undefined : await readWords(words, session, effects);
  if (!asked && !parts) throw await nothingAsked(session);
  const question = parts ? withFlags(asked, parts, session) : asked;
  return withSwitches(question as Question, flags);
}

async function readWords(words: readonly string[], session: Session, effects: Effects): Promise<Question> {
  const line = words.join(' ');
  if (line === '-') return readStdin(session, effects);
  const saved = await listSavedQueries(session.settings.queries.value);
  const named = saved.find(({ name }) => name === line);
  if (named) return readFileQuestion(named, effects);
  if (words.length === 1 && /\.(ya?ml|json)$/i.test(line)) return readFrom(line, line, effects);
  refuseMistypedName(line, saved, session);
  return questionInLine(line, session.model);
}

/** A query file, or a question in one line, as it could stand on the command line. */
async function readStdin(session: Session, effects: Effects): Promise<Question> {
  const bytes = await readInput('-', effects);
  const { source } = decodeUtf8(bytes, { file: 'stdin' });
  if (looksLikeNotation(source)) return questionInLine(source.trim(), session.model);
  const { readQueryFile } = await import('../../answer/read-query-file.ts');
  return readQueryFile(bytes, 'stdin');
}

export async function readFileQuestion({ path: file }: SavedFile, effects: Effects): Promise<Question> {
  return readFrom(file, showPath(file, effects.cwd), effects);
}

async function readFrom(file: string, shown: string, effects: Effects): Promise<Question> {
  // YAML and the schema take a while to load: only for those who have a file.
  const { readQueryFile } = await import('../../answer/read-query-file.ts');
  return readQueryFile(await readInput(file, effects), shown);
}

/** One word that is no member is a mistyped name of a saved query, if anything. */
function refuseMistypedName(word: string, saved: readonly SavedFile[], session: Session): void {
  if (!/^[\w-]+$/.test(word) || toCatalog(session.model).find(`${defaultCubeOf(session.model)}.${word}`)) return;
  const meant = didYouMean(word, saved.map(({ name }) => name));
  if (meant === undefined && !word.includes('-')) return;
  throw unknown(`There is no saved query ${quote(word)}.`, meant ?? listNames(saved));
}

async function nothingAsked(session: Session): Promise<InvalidInputError> {
  const saved = await listSavedQueries(session.settings.queries.value);
  return unknown('Nothing is asked.', `Try \`sluice query 'count by eventType'\`. ${listNames(saved)}`);
}

function listNames(saved: readonly SavedFile[]): string {
  if (saved.length === 0) return '`sluice init` saves a few to begin with.';
  return `Saved queries: ${saved.map(({ name }) => name).join(', ')}.`;
}

function unknown(message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue('no-such-query', message, { hint })], { hint });
}

function withFlags(asked: Question | undefined, parts: QueryParts, session: Session): Question {
  const { model } = session;
  const read = readQueryFlags(parts, { over: asked?.saved.query, members: toCatalog(model), defaultCube: defaultCubeOf(model) });
  if (!asked) return questionInText(read, 'The question');
  const what = `${asked.what} with these flags`;
  return { ...asked, saved: { ...asked.saved, query: valueOf(read, what, read) }, what, text: { source: read.source }, locate: read.locate, warnings: [...asked.warnings, ...read.issues] };
}

function toParts(flags: QueryFlags): QueryParts | undefined {
  const parts: QueryParts = {
    measures: flags.measure, dimensions: flags.dimension, times: flags.time, range: flags.range, where: flags.where,
    segments: flags.segment, order: flags.order, limit: flags.limit, offset: flags.offset, timezone: flags.timezone,
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
