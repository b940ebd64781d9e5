import type { Preset } from '../mapping/preset.ts';
import { derivedSessions, isoTimes, recogniseBy } from './signs.ts';

/** The same name in two spellings: a column of the table, and a key of the API. */
const names = (snake: string): readonly string[] => [
  snake,
  snake.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
];
const either = (snake: string): string =>
  `coalesce(${names(snake)
    .map((name) => `nullif(CAST("${name}" AS VARCHAR), '')`)
    .join(', ')})`;

const typical = [
  'website_id',
  'visit_id',
  'url_path',
  'url_query',
  'referrer_domain',
  'event_type',
  'created_at',
  'session_id',
];

/** umami's table `website_event`, and events from its API. */
export const umami: Preset = {
  name: 'umami',
  title: 'umami',
  recognise: (signs) =>
    Math.max(
      recogniseBy({ typical, least: 6 })(signs),
      recogniseBy({
        typical: typical.map((name) => names(name)[1]!),
        least: 6,
      })(signs),
    ),
  expects: [
    'session_id | sessionId',
    'visit_id | visitId',
    'created_at | createdAt',
    'url_path | urlPath',
    'referrer_domain | referrerDomain',
    'event_type | eventType',
    'event_name | eventName',
    'event_id | id',
  ],
  instead: {
    'visit_id | visitId': derivedSessions,
  },
  mapping: {
    columns: {
      utcTime: isoTimes(...names('created_at')),
      // umami's session is a visitor, and its visit is a session.
      userAnonymousId: [...names('session_id')],
      userId: [...names('distinct_id')],
      sessionId: [...names('visit_id')],
      eventType: {
        sql: `CASE ${either('event_type')} WHEN '1' THEN 'pageview' ELSE coalesce(${either('event_name')}, 'event') END`,
      },
      eventId: ['event_id', 'id'],
      docHost: 'hostname',
      docPath: [...names('url_path')],
      docSearch: { sql: `'?' || ${either('url_query')}` },
      pageTitle: [...names('page_title')],
      referer: {
        sql: `'https://' || ${either('referrer_domain')} || coalesce(${either('referrer_path')}, '') || coalesce('?' || ${either('referrer_query')}, '')`,
      },
      agentName: 'browser',
      osName: 'os',
      browserLanguage: 'language',
      deviceClass: 'device',
      projectId: { value: null },
      customEventName: {
        sql: `CASE WHEN ${either('event_type')} <> '1' THEN ${either('event_name')} END`,
      },
    },
  },
};
