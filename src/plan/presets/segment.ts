import type { FieldSource } from '../mapping/mapping.ts';
import type { Preset } from '../mapping/preset.ts';
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
    sql: `CASE WHEN coalesce(context ->> '$.page.url', properties ->> '$.url') IS NULL THEN coalesce(context ->> '$.page.path', properties ->> '$.path', CASE WHEN type = 'screen' THEN name END) END`,
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
const instead = { anonymousId: usersBy('userId'), userId: usersBy('anonymousId') };

const typical = ['messageId', 'anonymousId', 'type', 'context', 'originalTimestamp', 'receivedAt', 'sentAt'];

/** Raw events of Segment, as its storage destinations write them. */
export const segment: Preset = {
  name: 'segment',
  title: 'Segment',
  recognise: recogniseBy({
    typical,
    least: 5,
    foreign: ['rudderId', 'request_ip'],
  }),
  expects: [...expects, 'timestamp'],
  instead,
  mapping: { columns: callColumns },
};

/** RudderStack writes the same calls, plus sessions. */
export const rudderstack: Preset = {
  name: 'rudderstack',
  title: 'RudderStack',
  recognise: recogniseBy({
    typical,
    least: 5,
    own: ['rudderId', 'request_ip'],
  }),
  expects: [...expects, 'originalTimestamp', '$.context.sessionId'],
  instead: { ...instead, '$.context.sessionId': derivedSessions },
  mapping: {
    columns: {
      ...callColumns,
      utcTime: isoTimes('originalTimestamp', 'timestamp', 'sentAt', 'receivedAt'),
      // The ID is the session's start time, which two users may share.
      sessionId: {
        sql: `coalesce(nullif(anonymousId, ''), nullif(userId, '')) || '.' || (context ->> '$.sessionId')`,
      },
    },
  },
};
