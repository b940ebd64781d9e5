import type { Outcome } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { Session } from './session.ts';

/** What came of reading what a person wrote. The error has every issue drawn in its message; it was not thrown. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: InvalidInputError };

/**
 * Does what needs the names of the model. A name that is not among those that were kept may be new at the server: it is
 * asked once more, and the work is done again, before the name is refused. So are the events, for properties.
 */
export async function withFreshModel<Done extends Attempt<unknown> | Outcome<unknown>>(
  session: Pick<Session, 'refreshModel'>,
  work: () => Done | Promise<Done>,
  signal?: AbortSignal,
): Promise<Done> {
  let done = await work();
  for (let round = 0; !done.ok && round < mostRounds; round += 1) {
    const { issues } = 'error' in done ? done.error : done;
    const unknown = issues.filter(({ code }) => aboutNames.has(code));
    const names = unknown.flatMap(({ name }) => name ?? []);
    if (unknown.length === 0 || !(await session.refreshModel(signal, names))) break;
    done = await work();
  }
  return done;
}

/** A line may name properties in parts that are understood only once others are. */
const mostRounds = 3;

const aboutNames = new Set(['unknown-member', 'unread-property', 'wrong-kind', 'no-such-query']);

/** The value of what went well. Throws the error otherwise. */
export function valueOrThrow<T>(attempt: Attempt<T>): T {
  if (attempt.ok) return attempt.value;
  throw attempt.error;
}

/** What comes of work that throws `InvalidInputError`. Other errors pass. */
export function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof InvalidInputError) return { ok: false, error };
    throw error;
  }
}
