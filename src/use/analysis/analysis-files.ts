import path from 'node:path';
import type { ReadDefinition } from '../../ask/analysis/read-definitions.ts';
import type { Cohort } from '../../ask/cohort/cohort.ts';
import type { AnalysisName } from '../../plan/analysis/analysis-names.ts';
import { analyses } from '../../plan/analysis/analyses.ts';
import { checkReferences, knownDefinitions } from '../../plan/analysis/cohort/cohort-references.ts';
import { type DefinitionOf, mappedColumns, openDefinitions, withIssues } from '../workspace/definition-files.ts';
import { findDefinitions } from '../workspace/analyses.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * Reads the files of an analysis in the workspace, or the given ones (relative to `cwd`), each with its definition or
 * its issues. References of cohorts to other cohorts and funnels are checked against the workspace. Throws
 * `InvalidInputError` if a file cannot be read.
 */
export async function readAnalysisFiles<Name extends AnalysisName>(
  analysis: Name,
  { settings, root, cwd }: Workspace,
  files: readonly string[] = [],
): Promise<readonly ReadDefinition<DefinitionOf<Name>>[]> {
  const found = await findDefinitions(analysis, settings, root);
  const named = files.length > 0 ? files.map((file) => path.resolve(cwd, file)) : found;
  const definitions = await openDefinitions(analysis, named, cwd, { columns: mappedColumns(settings) });
  if (analysis !== 'cohort') return definitions;
  const others = await openDefinitions('cohort', [...new Set([...named, ...found])], cwd);
  const funnels = await openDefinitions('funnel', await findDefinitions('funnel', settings, root), cwd);
  const { builtInModel: events } = await import('../../plan/model/built-in-model.ts');
  const place = { computed: 'here', events } as const;
  const known = knownDefinitions({
    cubes: [
      ...others.flatMap((one) => (one.ok ? [analyses.cohort.toCube(one.value, place)] : [])),
      ...funnels.flatMap((one) => (one.ok ? [analyses.funnel.toCube(one.value, place)] : [])),
    ],
  });
  return definitions.map((one) => (one.ok ? withIssues(one, checkReferences(one.value as Cohort, known)) : one));
}
