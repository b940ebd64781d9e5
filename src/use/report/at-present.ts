import type { Session } from '../session.ts';

/** The session with its clock stopped: every question of a report has the same present. */
export function atPresent(session: Session, present: number): Session {
  return {
    ...session,
    get model() {
      return session.model;
    },
    now: () => present,
    bind: (query, options = {}) => session.bind(query, { ...options, asOf: options.asOf ?? present }),
  };
}
