import type { Funnel } from '../../../ask/funnel/funnel.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { toFunnelProgram } from './to-funnel-program.ts';

/** What the engine cannot follow of a funnel that is otherwise sound. Issues have paths into its file. */
export function checkFunnelProgram(funnel: Funnel): readonly Issue[] {
  try {
    toFunnelProgram(funnel);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return [errorIssue(error.code, error.message, { path: ['sluice', 'order'], hint: error.hint })];
  }
}
