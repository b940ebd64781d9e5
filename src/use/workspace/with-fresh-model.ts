import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { Session } from './session.ts';

/**
 * Does what needs the names of the model. A name that is not among those that were kept may be new at the server: it is asked once
 * more, and the work is done again, before the name is refused.
 */
export async function withFreshModel<T>(session: Pick<Session, 'refreshModel'>, work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAboutNames(error) || !(await session.refreshModel(signal))) throw error;
    return await work();
  }
}

function isAboutNames(error: unknown): boolean {
  return error instanceof InvalidInputError && error.issues.some(({ code }) => code === 'unknown-member' || code === 'wrong-kind' || code === 'no-such-query');
}
