import type { Present } from '../process/read-as-of.ts';
import type { Session } from './session.ts';

/**
 * The session with its clock stopped: at an instant, epoch milliseconds, or at a time whose instant depends on the zone
 * of the question.
 */
export function atPresent(session: Session, present: number | Present): Session {
  const now = typeof present === 'number' ? () => present : present;
  return {
    ...session,
    get model() {
      return session.model;
    },
    now: (zone) => now(zone ?? session.settings.timezone.value),
    bind: (query, options = {}) => session.bind(query, { ...options, asOf: options.asOf ?? present }),
  };
}
