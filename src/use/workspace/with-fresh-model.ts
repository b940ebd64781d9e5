import type { Outcome } from '../../ask/outcome.ts';
import { endsOf } from '../../ask/query/time-span.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { Session } from './session.ts';

/** The value that was read, or an error that was not thrown, with every issue in its message. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: InvalidInputError };

/**
 * Does work that resolves names. If a name is unknown, refreshes the model from the server, or searches the events for
 * properties, and does the work again.
 */
export async function withFreshModel<Done extends Attempt<unknown> | Outcome<unknown>>(
  session: Pick<Session, 'refreshModel' | 'noticeChanges'>,
  work: () => Done | Promise<Done>,
  signal?: AbortSignal,
): Promise<Done> {
  await session.noticeChanges(signal);
  let done = await work();
  for (let round = 0; !done.ok && round < mostRounds; round += 1) {
    const { issues } = 'error' in done ? done.error : done;
    const unknown = issues.filter(({ code, name }) => aboutNames.has(code) || name !== undefined);
    const names = unknown.flatMap(({ name }) => (name === undefined ? [] : endsOf(name)));
    if (unknown.length === 0 || !(await session.refreshModel(signal, names))) break;
    done = await work();
  }
  return done;
}

/** Some properties of a line are only found after others are known. */
const mostRounds = 3;

const aboutNames = new Set(['unknown-member', 'not-a-name', 'unread-property', 'wrong-kind', 'no-such-query']);

/** Returns the value, or throws the error. */
export function valueOrThrow<T>(attempt: Attempt<T>): T {
  if (attempt.ok) return attempt.value;
  throw attempt.error;
}

/** Catches `InvalidInputError` as an attempt. Other errors are thrown. */
export function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof InvalidInputError) return { ok: false, error };
    throw error;
  }
}
