import type { Granularity } from '../time/granularity.ts';

/**
 * What people call members of the built-in cubes: words without blanks, in small letters. A short name is one of the
 * cube that is asked about. A synonym only counts where the member exists, and nothing else is called so.
 */
export const synonyms: ReadonlyMap<string, string> = new Map([
  ...['page', 'pages', 'path', 'paths', 'urlpath', 'urlpaths'].map((word) => [word, 'docPath'] as const),
  ...['browser', 'browsers'].map((word) => [word, 'agentName'] as const),
  ...['host', 'hosts'].map((word) => [word, 'docHost'] as const),
  ...['referrer', 'referrers', 'referers'].map((word) => [word, 'referer'] as const),
  ...['title', 'titles'].map((word) => [word, 'pageTitle'] as const),
  ...['users', 'visitors'].map((word) => [word, 'uniqueUsersCount'] as const),
  ['os', 'osFamily'],
  ['clicks', 'linkClicksCount'],
  ['events', 'TrackedEvents.count'],
  ['sessions', 'Sessions.count'],
]);

/** What people call a bucket of the cube's usual time. */
export const bucketSynonyms: ReadonlyMap<string, Granularity> = new Map([['date', 'day']]);
