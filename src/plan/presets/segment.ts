import { toSnakeCase } from '../model/identifier.ts';
import type { FieldSource } from '../mapping/mapping.ts';
import type { FileSigns, Preset } from '../mapping/preset.ts';
import { derivedSessions, isoTimes, recogniseBy, usersBy } from './signs.ts';

/** The calls of the common specification: page, screen, track, identify, group, alias. */
const callColumns: Readonly<Record<string, FieldSource>> = {
  utcTime: isoTimes('timestamp', 'originalTimestamp', 'sentAt', 'receivedAt'),
  userAnonymousId: 'anonymousId',
  userId: 'userId',
  eventType: {
    sql: "CASE type WHEN 'track' THEN event WHEN 'page' THEN 'pageview' WHEN 'screen' THEN 'pageview' ELSE type END",
  },
  event: { value: null },
  eventId: 'messageId',
  url: ['$.context.page.url', '$.properties.url'],
  docHost: { value: null },
  docPath: {
    sql: `CASE WHEN coalesce(context ->> '$.page.url', properties ->> '$.url') IS NULL
      THEN coalesce(context ->> '$.page.path', properties ->> '$.path',
      CASE WHEN type = 'screen' THEN name END) END`,
  },
  pageTitle: ['$.context.page.title', '$.properties.title'],
  referer: ['$.context.page.referrer', { path: '$.properties.referrer', values: { '': null } }],
  useragent: '$.context.userAgent',
  osName: '$.context.os.name',
  osVersion: '$.context.os.version',
  browserLanguage: '$.context.locale',
  utmSource: '$.context.campaign.source',
  utmMedium: '$.context.campaign.medium',
  utmCampaign: '$.context.campaign.name',
  utmTerm: '$.context.campaign.term',
  utmContent: '$.context.campaign.content',
  country: '$.context.location.country',
  deviceClass: '$.context.device.type',
  customEventName: { sql: "CASE WHEN type = 'track' THEN event END" },
  customEventProps: 'properties',
  customUserProps: ['traits', '$.context.traits'],
};

/** Columns that figures depend on. */
const expects = [
  'messageId',
  'type',
  'event',
  'anonymousId',
  'userId',
  'context',
  '$.context.page.url',
  '$.context.page.referrer',
];

/** What happens without some of them. */
const instead = {
  anonymousId: usersBy('userId'),
  userId: usersBy('anonymousId'),
  anonymous_id: usersBy('user_id'),
  user_id: usersBy('anonymous_id'),
};

const typical = ['messageId', 'anonymousId', 'type', 'context', 'originalTimestamp', 'receivedAt', 'sentAt'];

/** Tables that a warehouse has of calls other than events, by their names. */
const typeOfTable: ReadonlyMap<string, string> = new Map([
  ['pages', 'pageview'],
  ['screens', 'pageview'],
  ['identifies', 'identify'],
  ['groups', 'group'],
  ['aliases', 'alias'],
]);

/** Tables of a warehouse: one for each call, one for each event, and `tracks` with the common columns of all events. */
function tableColumns({ table, has }: FileSigns, times: readonly string[]): Readonly<Record<string, FieldSource>> {
  // A column that a table lacks has no value.
  const type = has('event') ? undefined : typeOfTable.get(table);
  return {
    utcTime: isoTimes(...times.map(toSnakeCase)),
    userAnonymousId: 'anonymous_id',
    userId: 'user_id',
    eventType: type === undefined ? 'event' : { value: type },
    event: { value: null },
    eventId: 'id',
    url: ['context_page_url', 'url'],
    docHost: { value: null },
    docPath: {
      sql: `CASE WHEN coalesce(context_page_url, url) IS NULL THEN coalesce(context_page_path, path${table === 'screens' ? ', name' : ''}) END`,
    },
    pageTitle: ['context_page_title', 'title'],
    referer: ['context_page_referrer', { column: 'referrer', values: { '': null } }],
    useragent: 'context_user_agent',
    osName: 'context_os_name',
    osVersion: 'context_os_version',
    browserLanguage: 'context_locale',
    utmSource: 'context_campaign_source',
    utmMedium: 'context_campaign_medium',
    utmCampaign: 'context_campaign_name',
    utmTerm: 'context_campaign_term',
    utmContent: 'context_campaign_content',
    country: 'context_location_country',
    deviceClass: 'context_device_type',
    customEventName: type === undefined ? ['event_text', 'event'] : { value: null },
  };
}

const typicalOfTables = ['id', 'anonymous_id', 'received_at', 'sent_at', 'timestamp', 'original_timestamp', 'uuid_ts'];

const isTable = recogniseBy({ typical: typicalOfTables, least: 5, foreign: ['messageId'] });

/** Columns that only the tables of RudderStack have. */
const ofRudderstack = ['channel', 'context_request_ip', 'context_passed_ip'];

const expectedOfTables = (signs: FileSigns) => [
  ...['id', 'anonymous_id', 'user_id', 'timestamp | original_timestamp', 'context_page_url | context_page_path'],
  ...(typeOfTable.has(signs.table) ? [] : ['event']),
];

const notesOnTables = (signs: FileSigns) =>
  isTable(signs) && signs.table === 'tracks'
    ? [
        'The table tracks repeats the events of the event tables, without their properties. ' +
          'Leave it out if you read those.',
      ]
    : [];

/** Segment's calls, as its storage destinations write them, and the tables of its warehouses. */
export const segment: Preset = {
  name: 'segment',
  title: 'Segment',
  recognise: (signs) =>
    Math.max(
      recogniseBy({ typical, least: 5, foreign: ['rudderId', 'request_ip'] })(signs),
      ofRudderstack.some(signs.has) ? 0 : isTable(signs),
    ),
  expects: (signs) => (isTable(signs) ? expectedOfTables(signs) : [...expects, 'timestamp']),
  instead,
  notes: notesOnTables,
  mapping: (signs) => ({
    columns: isTable(signs)
      ? tableColumns(signs, ['timestamp', 'originalTimestamp', 'sentAt', 'receivedAt'])
      : callColumns,
  }),
};

const rudderstackTimes = ['originalTimestamp', 'timestamp', 'sentAt', 'receivedAt'];

/** RudderStack writes the same calls and tables, plus sessions. */
export const rudderstack: Preset = {
  name: 'rudderstack',
  title: 'RudderStack',
  recognise: (signs) =>
    Math.max(
      recogniseBy({ typical, least: 5, own: ['rudderId', 'request_ip'] })(signs),
      ofRudderstack.some(signs.has) ? isTable(signs) : 0,
    ),
  expects: (signs) =>
    isTable(signs) ? expectedOfTables(signs) : [...expects, 'originalTimestamp', '$.context.sessionId'],
  notes: notesOnTables,
  instead: { ...instead, '$.context.sessionId': derivedSessions },
  mapping: (signs) => {
    const user = (...names: readonly string[]) => `coalesce(${names.map((name) => `nullif(${name}, '')`).join(', ')})`;
    // The ID is the session's start time, which two users may share.
    return isTable(signs)
      ? {
          columns: {
            ...tableColumns(signs, rudderstackTimes),
            sessionId: { sql: `${user('anonymous_id', 'user_id')} || '.' || context_session_id` },
          },
        }
      : {
          columns: {
            ...callColumns,
            utcTime: isoTimes(...rudderstackTimes),
            sessionId: { sql: `${user('anonymousId', 'userId')} || '.' || (context ->> '$.sessionId')` },
          },
        };
  },
};
