import path from 'node:path';
import type { ReadDefinition } from '../../ask/analysis/read-definitions.ts';
import type { AnalysisName } from '../../plan/analysis/analyses.ts';
import { type DefinitionOf, openDefinitions } from '../workspace/definition-files.ts';
import { findDefinitions } from '../workspace/find-definitions.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * The files of an analysis in a workspace, or the given ones (relative to `cwd`), each with its definition or its
 * issues. Throws `InvalidInputError` if a file cannot be read.
 */
export async function readAnalysisFiles<Name extends AnalysisName>(
  analysis: Name,
  { settings, root, cwd }: Workspace,
  files: readonly string[] = [],
): Promise<readonly ReadDefinition<DefinitionOf<Name>>[]> {
  const named = files.map((file) => path.resolve(cwd, file));
  return openDefinitions(analysis, named.length > 0 ? named : await findDefinitions(analysis, settings, root), cwd);
}
