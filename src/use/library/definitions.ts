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
import { listSavedQueries, type SavedFile } from '../answer/saved-queries.ts';
import { showPath } from '../process/show-path.ts';
import { checkPath, checkText, checkWord, wrongArgument } from '../../ask/document/check-argument.ts';
import type { DefinitionOf } from '../workspace/definition-files.ts';
import { unwrap } from '../workspace/refuse.ts';
import { checkAnalysis } from './ask.ts';
import type { Opened } from './open-library.ts';

/** The saved queries of the workspace. Functions throw `InvalidInputError`. */
export interface Saved {
  /** Names and files (absolute paths). */
  list(): Promise<readonly SavedFile[]>;
  /**
   * A saved query as a builder, to be changed and asked: `(await s.saved.load('top-pages')).range('yesterday')`. Its
   * title, fill and chart stay. Throws `InvalidInputError`: `no-such-query`, or with every issue of the file.
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
        const { readQueryBytes } = await import('../answer/read-query-file.ts');
        const read = readQueryBytes(await readDefinition(found.path, file), file);
        return queryFrom(unwrap(read, `The query in ${file}`, read));
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

/** A definition of the workspace, with its `file`. */
export type Listed<Name extends AnalysisName> = DefinitionOf<Name> & { readonly file: string };

/** What is wrong with a file, if anything. */
export interface CheckedFile {
  /** For people: relative to the workspace if it lies there. */
  readonly file: string;
  /** The name of the definition's cube. */
  readonly name: string;
  /** False if an issue is an error. Warnings leave it true. */
  readonly ok: boolean;
  /** All errors and warnings, with their places in the file. */
  readonly issues: readonly Issue[];
}

/** The files of an analysis in the workspace. */
export interface Definitions<Name extends AnalysisName> {
  /** Throws `InvalidInputError`, with every issue, if a file has errors. */
  list(): Promise<readonly Listed<Name>[]>;
  /** Every problem of every file, or of the given ones (relative to the workspace). Throws if one cannot be read. */
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

/** The model that questions are read against. */
export interface ModelView extends Model {
  /**
   * TypeScript source of an interface for `query<Model>()`. `name`: that of the interface, `Model` by default. Throws
   * `InvalidInputError` for a name that cannot be one.
   */
  toTypeScript(options?: { readonly name?: string | undefined }): Promise<string>;
  /** What the platform and Cube call `meta`, as JSON or YAML text. Throws `InvalidInputError` for another format. */
  toText(format: 'json' | 'yaml'): Promise<string>;
  /**
   * The properties that some events have, as names of dimensions: `TrackedEvents.props.plan`. Throws what reading the
   * events throws.
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
