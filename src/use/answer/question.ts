import { toDefinitionSlug } from '../../ask/analysis/definition-slug.ts';
import { analysisOfLine, readAnalysisLine } from '../../ask/analysis-line/read-analysis-line.ts';
import { decodeUtf8 } from '../../ask/document/decode-utf8.ts';
import type { Locate, Located } from '../../ask/document/located.ts';
import { looksLikeNotation, readNotation } from '../../ask/notation/read-notation.ts';
import type { Issue } from '../../ask/outcome.ts';
import { defaultCube } from '../../ask/query/member-name.ts';
import { allProperties, columnProperty } from '../../ask/query/property-name.ts';
import type { Query } from '../../ask/query/query.ts';
import { type InvalidInputError, inputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { SavedQuery } from '../../ask/query/saved-query.ts';
import { toUsualQuestion } from '../../plan/analysis/computed-cubes.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { Cube, Model } from '../../plan/model/model.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { showPath } from '../process/show-path.ts';
import { type DrawnText, refuse } from '../workspace/refuse.ts';
import type { Attempt } from '../workspace/with-fresh-model.ts';
import { listNames, listSavedQueries, type SavedFile } from './saved-queries.ts';

/** A query that was read, with the details that error messages need. */
export interface Question {
  readonly saved: SavedQuery;
  /** Its name in messages: `The query in queries/top-pages.yaml`. */
  readonly what: string;
  /** The text that it was read from, if any. */
  readonly text: DrawnText;
  /** Positions of parts of the query in the text. */
  readonly locate: Locate;
  /** The text of its own definition and the positions in it, if that is another text. */
  readonly definedIn?: Pick<Question, 'text' | 'locate'> | undefined;
  readonly warnings: readonly Issue[];
}

/**
 * A question before its names are resolved. It is read against a model, and again if the model was outdated. Rejects
 * only for errors that are not about names, such as an unreadable file.
 */
export type Asking = (model: Model) => Attempt<Question> | Promise<Attempt<Question>>;

/** Asks a query built by a program. */
export function askQuery(query: Query): Asking {
  return askSaved({ query });
}

/** Asks a saved query with its title, fill and chart. */
export function askSaved(saved: SavedQuery): Asking {
  return () => ({ ok: true, value: questionOf(saved) });
}

/** A question without a source text. */
export function questionOf(saved: SavedQuery): Question {
  return { saved, what: 'The query', text: {}, locate: () => undefined, warnings: [] };
}

/** Asks a question or analysis in one line; `what` is its name in messages. Short names are resolved in the model. */
export function askLine(line: string, what = 'The question'): Asking {
  return async (model) => {
    const options = namesOf(model);
    const analysis = analysisOfLine(line, options.members);
    if (!analysis) return toQuestion(readNotation(line, options), what);
    const { askAnalysisLine } = await import('./analysis-line.ts');
    const read = await askAnalysisLine(readAnalysisLine(line, analysis), model);
    return read.ok ? { ok: true, value: { ...read.value, what, text: { source: line }, warnings: [] } } : read;
  };
}

/** Asks the content of a query file; `file` is its name in messages. */
export function askBytes(bytes: Uint8Array, file: string): Asking {
  return async (model) => {
    // Loads lazily, because YAML and the schema take a while.
    const { readQueryBytes } = await import('./read-query-file.ts');
    const what = `The query in ${file}`;
    const read = readQueryBytes(bytes, file, namesOf(model));
    if (!read.ok) return toSavedQuestion(read, what);
    const { query, ...about } = read.value;
    if (typeof query !== 'string')
      return toSavedQuestion({ ...read, value: { ...about, query }, file, locate: read.locateInQuery }, what);
    const asked = await askLine(query, what)(model);
    return asked.ok ? { ok: true, value: { ...asked.value, saved: { ...asked.value.saved, ...about } } } : asked;
  };
}

/**
 * How the short names of a question are resolved. An issue asks to search the events for columns that it may name, see
 * `withFreshModel`.
 */
export function namesOf(model: Model) {
  const mayHave = (column: string): boolean => {
    const property = columnProperty(column);
    const { searched } = model;
    return property !== undefined && searched?.some((name) => name === property || name === allProperties) === false;
  };
  return { members: { ...toCatalog(model), mayHave }, defaultCube: defaultCubeOf(model) };
}

/** Asks the content of a query file, or a question in one line. */
export function askText(bytes: Uint8Array, file: string): Asking {
  const { source } = decodeUtf8(bytes, { file });
  return looksLikeNotation(source) ? askLine(source.trim()) : askBytes(bytes, file);
}

/**
 * The question about everything that a definition of the workspace computes, by the definition's name or file name.
 * Undefined if there is no such definition.
 */
export function usualQuestionOf({ cubes }: Model, name: string): SavedQuery | undefined {
  const slug = toDefinitionSlug(name);
  const cube = cubes.find((each) => each.source.kind === 'computed' && (each.name === name || each.name === slug));
  return cube && toUsualQuestion(cube);
}

/** Asks a saved query by its name, else a definition by its name, else a question in one line. */
export function askNameOrLine(text: string, queries: string, cwd: string): Asking {
  return async (model) => {
    const all = await listSavedQueries(queries);
    const saved = all.find(({ name }) => name === text);
    const usual = saved ? undefined : usualQuestionOf(model, text);
    if (usual) return askSaved(usual)(model);
    if (!saved) {
      const asked = await askLine(text)(model);
      const error = asked.ok ? undefined : refuseMistypedName(text, all, model);
      return error ? { ok: false, error } : asked;
    }
    const shown = showPath(saved.path, cwd);
    return askBytes(await readDefinition(saved.path, shown), shown)(model);
  };
}

/** A single word that is not a member is probably a mistyped name of a saved query. */
export function refuseMistypedName(
  word: string,
  saved: readonly SavedFile[],
  model: Model,
): InvalidInputError | undefined {
  if (!/^[\w-]+$/.test(word) || toCatalog(model).find(`${defaultCubeOf(model)}.${word}`)) return undefined;
  const meant = didYouMean(
    word,
    saved.map(({ name }) => name),
  );
  if (meant === undefined && !word.includes('-')) return undefined;
  return inputError('no-such-query', `There is no saved query ${quote(word)}.`, meant ?? listNames(saved));
}

/** A question from a query that was read from a line or flags. */
export function toQuestion(read: Located<Query>, what: string): Attempt<Question> {
  return toSavedQuestion(read.ok ? { ...read, value: { query: read.value } } : read, what);
}

function toSavedQuestion(read: Located<SavedQuery>, what: string): Attempt<Question> {
  const { source, file, locate, issues } = read;
  const text = { source, file };
  return read.ok
    ? { ok: true, value: { saved: read.value, what, text, locate, warnings: issues } }
    : { ok: false, error: refuse(issues, what, text) };
}

/** Whether a built-in cube only accompanies the workspace's own model, which does not define events. */
function isBeside({ source }: Cube, { cubes, events }: Model): boolean {
  return source.kind === 'events' && !events && cubes[0]?.source.kind !== 'events';
}

/** The cube in which short names are resolved first. */
export function defaultCubeOf(model: Model): string {
  return (
    (
      model.cubes.find((cube) => cube.name === defaultCube && !isBeside(cube, model)) ??
      model.cubes.find((cube) => cube.public) ??
      model.cubes[0]
    )?.name ?? defaultCube
  );
}
