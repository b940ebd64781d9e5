import { agentDimensions } from './agent-dimensions.ts';
import { defineCube, type MeasureDefinition } from './define-cube.ts';
import type { Cube } from './model.ts';

export interface SessionsCubeOptions {
  readonly public: boolean;
  /** Measures beside those that every cube of sessions has. */
  readonly measures?: Readonly<Record<string, MeasureDefinition>>;
}

/** What is told of sessions that events of several users share. */
export const sharedSessions = 'sessions for all but the first of their users';

/** One row a session. Its attributes (browser, system, page, referrer) are those of its first event. */
export function sessionsCube(name: string, options: SessionsCubeOptions): Cube {
  return defineCube({
    name,
    description: 'Sessions: visits of one user. One row a session, with the attributes of its first event.',
    source: { kind: 'sessions' },
    timeMember: 'startAt',
    public: options.public,
    measures: {
      count: { description: 'Number of sessions.', type: 'count' },
      averagePerUser: { description: 'Sessions per user, on average.', type: 'number', sql: '1.0 * {count} / nullif({uniqueUsersCount}, 0)' },
      averageDurationMinutes: {
        description: 'Time from the first to the last event of a session, in minutes, on average.',
        // Of whole numbers, so that the last digit does not depend on the order in which rows are added up.
        type: 'number',
        sql: '{durationMilliseconds} / 60000.0 / nullif({count}, 0)',
      },
      durationMilliseconds: {
        description: 'Time from the first to the last event of each session, in milliseconds, added up.',
        type: 'sum',
        sql: '{CUBE}.duration_ms',
        public: false,
      },
      uniqueUsersCount: {
        description: 'Number of different users who had sessions.',
        type: 'count_distinct',
        sql: '{CUBE}.user_key',
        uncounted: [{ sql: '{CUBE}.user_key IS NULL', what: 'sessions without a user' }, { sql: '{CUBE}.shared', what: sharedSessions }],
      },
      usersCount: {
        description: 'Number of sessions that have a user: someone who came twice counts twice.',
        type: 'count',
        filter: '{CUBE}.user_key IS NOT NULL',
      },
      ...options.measures,
    },
    dimensions: {
      sessionID: {
        description: 'Identifier of the session.',
        sql: 'coalesce({CUBE}.session_id, {CUBE}.session_key)',
        primaryKey: true,
        public: false,
      },
      derived: {
        description: 'True where the tracker gave no session, and pauses between events tell sessions apart.',
        type: 'boolean',
        sql: '{CUBE}.derived',
      },
      startAt: { description: 'When the session\'s first event happened, UTC.', type: 'time', sql: '{CUBE}.start_at' },
      endAt: { description: 'When the session\'s last event happened, UTC.', type: 'time', sql: '{CUBE}.end_at' },
      userId: { description: 'The user, as the application identified them.', sql: '{CUBE}.user_id' },
      projectId: { description: 'Project that the session belongs to.', sql: '{CUBE}.project_id' },
      ...agentDimensions,
      browserLanguage: { description: 'Language that the browser is set to: de-AT.', sql: '{CUBE}.browser_language' },
      documentLanguage: { description: 'Language that the entry page says it is in.', sql: '{CUBE}.document_language' },
      viewportSize: { description: 'Size of the viewport in pixels: 1280x720.', sql: '{CUBE}.viewport_size' },
      docHost: { description: 'Host of the entry page.', sql: '{CUBE}.doc_host' },
      docPath: { description: 'Path of the entry page.', sql: '{CUBE}.doc_path' },
      referer: { description: 'Address of the page that led to the entry page.', sql: '{CUBE}.referer' },
    },
    segments: {},
  });
}
