import type { DefinitionFile, ReadDefinition } from '../../ask/analysis/read-definitions.ts';
import { attachSpans } from '../../ask/document/located.ts';
import { bad, errorIssue, type Issue, warningIssue } from '../../ask/outcome.ts';
import { isCohortName, shortNameOf } from '../../ask/query/member-name.ts';
import { isPropertyName } from '../../ask/query/property-name.ts';
import { InvalidInputError, SluiceError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import { analyses } from '../../plan/analysis/analyses.ts';
import { bindDefinition } from '../../plan/bind/bind-analysis.ts';
import type { Model } from '../../plan/model/model.ts';
import type { FieldSource } from '../../plan/mapping/mapping.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { workspaceAnalysis } from './analyses.ts';

/** The type of an analysis's definitions: for funnels, `Funnel`. */
export type DefinitionOf<Name extends AnalysisName> = Parameters<(typeof analyses)[Name]['toCube']>[0];

/**
 * Reads all files of an analysis (absolute paths) together. Also checks members in filters and what the engine can
 * compute. `taken` are names of cubes besides the built-in ones, `columns` those that the mapping names. Throws
 * `InvalidInputError` if a file cannot be read.
 */
export async function openDefinitions<Name extends AnalysisName>(
  analysis: Name,
  files: readonly string[],
  cwd: string,
  {
    taken = [],
    columns = new Set(),
  }: { readonly taken?: readonly string[]; readonly columns?: ReadonlySet<string> } = {},
): Promise<readonly ReadDefinition<DefinitionOf<Name>>[]> {
  const sources = await Promise.all(
    files.map(
      async (file): Promise<DefinitionFile> => ({
        file: showPath(file, cwd),
        bytes: await readWhole(file, cwd, analysis),
      }),
    ),
  );
  const [reader, { builtInModel }] = await Promise.all([
    analyses[analysis].loadReader(),
    import('../../plan/model/built-in-model.ts'),
  ]);
  const read: readonly ReadDefinition<DefinitionOf<Name>>[] = reader.read(sources, [
    ...builtInModel.cubes.map((cube) => cube.name),
    ...taken,
  ]);
  return Promise.all(
    read.map(async (one) => {
      if (!one.ok) return one;
      const definition = one.value;
      // Any valid time context works, because only the syntax of time ranges is checked.
      const bound = bindDefinition(
        { analysis: analyses[analysis], definition, events: builtInModel },
        { now: Date.UTC(2024, 0), zone: 'UTC' },
      );
      const issues = bound.issues.flatMap((issue) => toIssueOfFile(issue, columns, builtInModel));
      return withIssues(one, [...issues, ...(await workspaceAnalysis(analysis).check(definition as never))]);
    }),
  );
}

/**
 * Columns of events and cohorts are only known once events and all files are read. A name like a dimension's is a typo.
 */
function toIssueOfFile(issue: Issue, columns: ReadonlySet<string>, { cubes }: Model): readonly Issue[] {
  const { name = '', hint, code, path } = issue;
  if (isCohortName(name)) return [];
  if (!isPropertyName(name)) return [issue];
  const column = shortNameOf(name).replace(/^props\./, '');
  if (columns.has(column)) return [];
  const message = `${quote(column)} is no dimension, and is read as a column of the events.`;
  const [, near = ''] = /^Did you mean "([^"]+)"/.exec(hint ?? '') ?? [];
  const isMeasure = cubes.some(({ name: cube, measures }) => measures.some((each) => `${cube}.${each.name}` === near));
  return near !== '' && !isMeasure ? [warningIssue(code, message, { path, hint })] : [];
}

/** The columns that the configured mappings name. */
export function mappedColumns({ columns, sources }: Pick<Settings, 'columns' | 'sources'>): ReadonlySet<string> {
  const fields = [columns.value, ...sources.value.map(({ mapping }) => mapping.columns)].flatMap(
    Object.values<FieldSource>,
  );
  return new Set(
    fields.flat().flatMap((source) => (typeof source === 'string' ? source : 'column' in source ? source.column : [])),
  );
}

/** Adds issues to a definition, which becomes invalid if one is an error. Issues have paths into the file. */
export function withIssues<Definition>(
  one: ReadDefinition<Definition> & { readonly ok: true },
  further: readonly Issue[],
): ReadDefinition<Definition> {
  if (further.length === 0) return one;
  const { source, file, slug, locate } = one;
  const issues = [...one.issues, ...attachSpans(further, locate)];
  return issues.some(({ severity }) => severity === 'error')
    ? { ...bad(issues), source, file, slug, locate }
    : { ...one, issues };
}

async function readWhole(file: string, cwd: string, analysis: AnalysisName): Promise<Uint8Array> {
  try {
    return await readDefinition(file, showPath(file, cwd));
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const shown = showPath(file, cwd);
    const message =
      code === 'ENOENT' ? `The file ${shown} does not exist.` : `${shown} cannot be read (${code ?? 'unknown'}).`;
    throw new InvalidInputError(message, [errorIssue('file-unreadable', message)], {
      hint:
        analysis === 'funnel'
          ? 'Correct the path, or list the files: sluice funnel list'
          : "Check the file's permissions.",
    });
  }
}
