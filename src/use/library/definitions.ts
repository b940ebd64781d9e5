import { describeValue } from '../../ask/document/describe-value.ts';
import { drawIssues } from '../../ask/document/draw-issue.ts';
import type { Issue } from '../../ask/outcome.ts';
import { type QueryBuilder, queryFrom } from '../../ask/query/builder.ts';
import { InvalidInputError, inputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { allProperties, isPropertyName } from '../../ask/query/property-name.ts';
import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import type { Model } from '../../plan/model/model.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { askBytes } from '../answer/question.ts';
import { listSavedQueries, type SavedFile } from '../answer/saved-queries.ts';
import { showPath } from '../process/show-path.ts';
import { checkPath, checkText, checkWord, wrongArgument } from '../../ask/document/check-argument.ts';
import type { DefinitionOf } from '../workspace/definition-files.ts';
import { valueOrThrow, withFreshModel } from '../workspace/with-fresh-model.ts';
import { checkAnalysis } from './ask.ts';
import type { Opened } from './open-library.ts';

/** The saved queries of the workspace. Functions throw `InvalidInputError`. */
export interface Saved {
  /** Lists all saved queries with their names and absolute paths. */
  list(): Promise<readonly SavedFile[]>;
  /**
   * Loads a saved query as a builder, which can be changed and asked:
   * `(await s.saved.load('top-pages')).range('yesterday')`. The builder keeps its title, fill and chart. Throws
   * `InvalidInputError`: `no-such-query`, or every issue of the file.
   */
  load(name: string): Promise<QueryBuilder>;
}

export function savedOf(opened: Opened): Saved {
  const list = () => listSavedQueries(opened.session.settings.queries.value);
  return {
    list: () => opened.run(list),
    load: (name) =>
      opened.run(async () => {
        checkText('load', 'The name of a saved query', name);
        const files = await list();
        const found = files.find((file) => file.name === name);
        if (!found) throw noQuery(name, files);
        const file = showPath(found.path, opened.pathOf('.'));
        const asking = askBytes(await readDefinition(found.path, file), file);
        const { session } = opened;
        return queryFrom(valueOrThrow(await withFreshModel(session, () => asking(session.model))).saved);
      }),
  };
}

function noQuery(name: string, files: readonly SavedFile[]): InvalidInputError {
  const names = files.map((file) => file.name);
  const message = `There is no saved query ${quote(name)}.`;
  const hint =
    didYouMean(name, names) ??
    (names.length === 0
      ? 'Save one with `writeSavedQuery`, in the folder `queries`.'
      : `Use one of ${names.join(', ')}.`);
  return inputError('no-such-query', message, hint);
}

/** A definition of the workspace and its `file`. */
export type Listed<Name extends AnalysisName> = DefinitionOf<Name> & { readonly file: string };

/** The result of checking a definition file. */
export interface CheckedFile {
  /** The path for display, relative to the workspace if the file lies inside it. */
  readonly file: string;
  /** The name of the definition's cube. */
  readonly name: string;
  /** False if at least one issue is an error. Warnings do not count. */
  readonly ok: boolean;
  /** All errors and warnings, with their positions in the file. */
  readonly issues: readonly Issue[];
}

/** The definition files of one analysis in the workspace. */
export interface Definitions<Name extends AnalysisName> {
  /** Lists all definitions. Throws `InvalidInputError` with every issue if a file has errors. */
  list(): Promise<readonly Listed<Name>[]>;
  /**
   * Checks all files, or the given ones (relative to the workspace). Throws `InvalidInputError` if a file cannot be
   * read.
   */
  check(files?: readonly string[]): Promise<readonly CheckedFile[]>;
}

export function definitionsOf<Name extends AnalysisName>(opened: Opened, analysis: Name): Definitions<Name> {
  checkAnalysis('definitions', analysis);
  const read = async (files?: readonly string[]) =>
    (await import('../analysis/analysis-files.ts')).readAnalysisFiles(analysis, opened.workspace(), files);
  return {
    list: () =>
      opened.run(async () =>
        (await read()).map((one) => {
          if (one.ok) return { file: one.file, ...one.value };
          throw new InvalidInputError(
            `The ${analysis} in ${one.file} has errors.\n${drawIssues(one.issues, one)}`,
            one.issues,
          );
        }),
      ),
    check: (files) =>
      opened.run(async () => {
        checkFiles(files);
        return (await read(files)).map(({ file, slug, ok, issues }) => ({ file, name: slug, ok, issues }));
      }),
  };
}

function checkFiles(files: unknown): void {
  if (files === undefined) return;
  if (!Array.isArray(files)) throw wrongArgument('check', `The files must be a list, not ${describeValue(files)}.`);
  for (const file of files) checkPath('check', 'A file', file);
}

/** The model that questions are checked against. */
export interface ModelView extends Model {
  /**
   * Generates the TypeScript source of an interface for `query<Model>()`. `name` is the name of the interface (default:
   * `Model`). Throws `InvalidInputError` if it is not a valid name.
   */
  toTypeScript(options?: { readonly name?: string | undefined }): Promise<string>;
  /**
   * Returns the `meta` response of the platform and Cube as JSON or YAML text. Throws `InvalidInputError` for other
   * formats.
   */
  toText(format: 'json' | 'yaml'): Promise<string>;
  /**
   * Lists the event properties as names of dimensions: `TrackedEvents.props.plan`. Throws the errors of reading events.
   */
  properties(): Promise<readonly string[]>;
}

export function modelOf(opened: Opened): ModelView {
  const { model } = opened.session;
  return {
    ...model,
    toTypeScript: (options) =>
      opened.call('toTypeScript', options, async () =>
        (await import('../../plan/model/write-model-types.ts')).writeModelTypes(opened.session.model, options),
      ),
    toText: (format) =>
      opened.run(async () => {
        checkWord('toText', 'The format', format, ['json', 'yaml']);
        return (await import('../model/write-model.ts')).writeModel(opened.session.model, format);
      }),
    properties: () =>
      opened.run(async (signal) => {
        await opened.session.refreshModel(signal, [allProperties]);
        return opened.session.model.cubes
          .filter(({ source }) => source.kind === 'events')
          .flatMap((cube) =>
            cube.dimensions.filter(({ name }) => isPropertyName(name)).map(({ name }) => `${cube.name}.${name}`),
          );
      }),
  };
}
