import { defineCube } from './define-cube.ts';
import type { Cube } from './model.ts';
import { sharedSessions } from './sessions-cube.ts';

/** A session that several users share counts for the first of them alone. */
const uncounted = [{ sql: '{CUBE}.shared_sessions > 0', amount: '{CUBE}.shared_sessions', what: sharedSessions }];

/** One row a user, over all of their sessions. A range picks users by their first event. */
export function usersCube(name: string): Cube {
  return defineCube({
    name,
    description: 'Users, and whether they came back. One row a user; a date range picks those who first came within it.',
    source: { kind: 'users' },
    timeMember: 'first_timestamp',
    measures: {
      count: { description: 'Number of users.', type: 'count', uncounted },
      returningUsersCount: { description: 'Number of users with more than one session.', type: 'count', filter: '{CUBE}.sessions > 1', uncounted },
      allSessionsCount: { description: 'Number of sessions that the users had.', type: 'sum', sql: '{CUBE}.sessions', uncounted },
      returningUserPercentage: {
        description: 'Users with more than one session, in percent of all users.',
        type: 'number',
        sql: '100.0 * {returningUsersCount} / nullif({count}, 0)',
        format: 'percent',
        uncounted,
      },
    },
    dimensions: {
      first_timestamp: { description: 'When the user was first seen, UTC.', type: 'time', sql: '{CUBE}.first_timestamp' },
    },
    segments: {
      returningUsers: { description: 'Users with more than one session.', sql: '{CUBE}.sessions > 1' },
    },
  });
}
