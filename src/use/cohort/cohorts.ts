import { toDefinitionSlug } from '../../ask/analysis/definition-slug.ts';
import type { Cohort } from '../../ask/cohort/cohort.ts';
import { InvalidInputError, inputError } from '../../ask/sluice-error.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { isCohortCube } from '../../plan/analysis/cohort/cohort-members.ts';
import type { Model } from '../../plan/model/model.ts';
import type { Result } from '../../shape/result/result.ts';
import { resultOf } from '../answer/answer-question.ts';
import { askQuery, type Asking } from '../answer/question.ts';
import type { Session } from '../workspace/session.ts';

/** A cohort of the workspace and its size. */
export interface SizedCohort extends Pick<Cohort, 'name' | 'title'> {
  /** Number of users at the reference time. */
  readonly users: number;
}

/**
 * Counts the users of each cohort. `tell` receives each answer. `onMistake` receives the error of a cohort that is not
 * valid, and this cohort is left out. Throws the errors of a query.
 */
export async function sizeCohorts(
  session: Session,
  tell: (result: Result) => void,
  signal?: AbortSignal,
  onMistake?: (error: InvalidInputError) => void,
): Promise<readonly SizedCohort[]> {
  const sized: SizedCohort[] = [];
  for (const { name, title } of session.model.cubes.filter(isCohortCube).map(({ source }) => source.definition)) {
    const measure = `${name}.users`;
    const result = await resultOf(session, askQuery({ measures: [measure] }), { signal }).catch((error: unknown) => {
      if (!onMistake || !(error instanceof InvalidInputError)) throw error;
      onMistake(error);
    });
    if (!result) continue;
    tell(result);
    sized.push({ name, title, users: Number(result.rows()[0]?.[measure] ?? 0) });
  }
  return sized;
}

/** Asks the keys of all users of a cohort, in ascending order. Throws `InvalidInputError` `unknown-cohort`. */
export function askCohortUsers(
  written: string,
  model: Model,
  timezone?: string,
): { readonly name: string; readonly asking: Asking } {
  const name = findCohort(written, model);
  const user = `${name}.user`;
  return { name, asking: askQuery({ dimensions: [user], order: [[user, 'asc']], timezone }) };
}

function findCohort(written: string, { cubes }: Model): string {
  const known = cubes.filter(isCohortCube).map(({ name }) => name);
  const name = toDefinitionSlug(written.slice(written.lastIndexOf('/') + 1));
  if (known.includes(name)) return name;
  const message = `There is no cohort ${quote(written)}.`;
  const all =
    known.length === 0
      ? 'This workspace has no valid cohorts. For the file format, run: sluice schema cohort'
      : `Use one of ${known.join(', ')}.`;
  const hint = didYouMean(name, known) ?? all;
  throw inputError('unknown-cohort', message, hint);
}
