import type { Funnel } from '../../../ask/funnel/funnel.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { InvalidInputError } from '../../../ask/sluice-error.ts';
import { toFunnelProgram } from './to-funnel-program.ts';

/** Problems of a valid funnel that the engine cannot follow. Issue paths point into its file. */
export function checkFunnelProgram(funnel: Funnel): readonly Issue[] {
  try {
    toFunnelProgram(funnel);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return [errorIssue(error.code, error.message, { path: ['sluice', 'order'], hint: error.hint })];
  }
}
