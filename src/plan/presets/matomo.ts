import type { Preset } from '../mapping/preset.ts';
import { derivedSessions, recogniseBy } from './signs.ts';

/** Visits from Matomo's API (`Live.getLastVisitsDetails`). Each of their actions becomes an event. */
export const matomo: Preset = {
  name: 'matomo',
  title: 'Matomo (Live.getLastVisitsDetails)',
  recognise: recogniseBy({
    typical: ['idVisit', 'idSite', 'visitorId', 'actionDetails', 'serverTimestamp', 'referrerType', 'visitIp'],
    least: 4,
  }),
  expects: [
    'idVisit',
    'visitorId',
    'referrerUrl',
    'actionDetails',
    '$.actionDetails.type',
    '$.actionDetails.url',
    '$.actionDetails.timestamp',
  ],
  instead: {
    idVisit: derivedSessions,
  },
  mapping: {
    rows: 'actionDetails',
    columns: {
      utcTime: { path: '$.actionDetails.timestamp', format: 'seconds' },
      userAnonymousId: 'visitorId',
      userId: 'userId',
      sessionId: 'idVisit',
      eventType: {
        sql: `CASE actionDetails ->> '$.type'
          WHEN 'action' THEN 'pageview' WHEN 'outlink' THEN 'link_click'
          WHEN 'event' THEN coalesce(actionDetails ->> '$.eventAction', 'event')
          ELSE actionDetails ->> '$.type' END`,
      },
      url: {
        sql: `CASE WHEN actionDetails ->> '$.type' <> 'outlink' THEN actionDetails ->> '$.url' END`,
      },
      targetUrl: {
        sql: `CASE WHEN actionDetails ->> '$.type' IN ('outlink', 'download') THEN actionDetails ->> '$.url' END`,
      },
      pageTitle: '$.actionDetails.pageTitle',
      referer: { column: 'referrerUrl', values: { '': null } },
      agentName: 'browserName',
      agentVersion: 'browserVersion',
      osName: ['operatingSystemName', 'operatingSystem'],
      osVersion: 'operatingSystemVersion',
      browserLanguage: 'languageCode',
      utmSource: 'campaignSource',
      utmMedium: 'campaignMedium',
      utmCampaign: ['campaignName', { sql: "CASE WHEN referrerType = 'campaign' THEN referrerName END" }],
      utmTerm: 'campaignKeyword',
      utmContent: 'campaignContent',
      country: ['countryCode', 'country'],
      deviceClass: 'deviceType',
      projectId: { value: null },
      customEventName: {
        sql: `CASE WHEN actionDetails ->> '$.type' = 'event' THEN actionDetails ->> '$.eventAction' END`,
      },
      customEventProps: {
        sql: `CASE WHEN actionDetails ->> '$.type' = 'event' THEN CAST(actionDetails AS VARCHAR) END`,
      },
    },
  },
};
