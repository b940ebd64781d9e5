import { eventsCube } from './events-cube.ts';
import type { Model } from './model.ts';
import { sessionsCube } from './sessions-cube.ts';
import { usersCube } from './users-cube.ts';

/**
 * The platform's own cubes, under all names that its documentation, its dashboards and its older versions use.
 * Cubes of older versions can be asked for, but are not listed.
 */
export const builtInModel: Model = {
  cubes: [
    eventsCube('TrackedEvents', 'utcTime', { public: true }),
    sessionsCube('Sessions', { public: true }),
    usersCube('ReturningUsers'),
    eventsCube('Jitsu', 'utcTime', { public: false }),
    eventsCube('SnowplowTrackedEvents', 'derivedTstamp', { public: false }),
    sessionsCube('SnowplowSessions', {
      public: false,
      measures: {
        repeatCount: {
          description: 'Sessions beyond each user\'s first one among those that are looked at.',
          type: 'number',
          sql: '{usersCount} - {uniqueUsersCount}',
        },
        repeatPercent: {
          description: 'Repeat sessions in percent of all sessions.',
          type: 'number',
          sql: '100.0 * {repeatCount} / nullif({count}, 0)',
          format: 'percent',
        },
      },
    }),
  ],
};
