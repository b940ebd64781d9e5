import path from 'node:path';
import type { ReadDefinition } from '../../ask/analysis/read-definitions.ts';
import type { Funnel } from '../../ask/funnel/funnel.ts';
import { openDefinitions } from '../workspace/definition-files.ts';
import { findDefinitions } from '../workspace/find-definitions.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * The funnel files of a workspace, or the given ones (relative to `cwd`), each with its funnel or its issues. Throws
 * `InvalidInputError` if a file cannot be read.
 */
export async function readFunnels(
  { settings, root, cwd }: Workspace,
  files: readonly string[] = [],
): Promise<readonly ReadDefinition<Funnel>[]> {
  const named = files.map((file) => path.resolve(cwd, file));
  return openDefinitions('funnel', named.length > 0 ? named : await findDefinitions('funnel', settings, root), cwd);
}
