import type { Preset } from '../mapping/preset.ts';
import { derivedSessions, isoTimes, recogniseBy, usersBy } from './signs.ts';

/** Events of PostHog's batch exports, and of its API. */
export const posthog: Preset = {
  name: 'posthog',
  title: 'PostHog',
  recognise: recogniseBy({
    typical: ['uuid', 'event', 'distinct_id', 'properties', 'timestamp', 'person_id', 'elements_chain'],
    least: 5,
  }),
  expects: [
    'uuid | id',
    'event',
    'distinct_id',
    'person_id',
    'timestamp',
    'properties',
    '$.properties.$current_url',
    '$.properties.$referrer',
    '$.properties.$session_id',
  ],
  instead: {
    person_id: usersBy('distinct_id'),
    distinct_id: usersBy('person_id'),
    '$.properties.$session_id': derivedSessions,
  },
  mapping: {
    columns: {
      utcTime: isoTimes('timestamp'),
      // PostHog counts a person as one user, across IDs.
      userAnonymousId: ['person_id', 'distinct_id'],
      userId: '$.properties.$user_id',
      sessionId: '$.properties.$session_id',
      eventType: {
        column: 'event',
        values: { $pageview: 'pageview', $screen: 'pageview' },
      },
      event: { value: null },
      eventId: ['uuid', 'id'],
      url: '$.properties.$current_url',
      docHost: '$.properties.$host',
      docPath: ['$.properties.$pathname', '$.properties.$screen_name'],
      pageTitle: ['$.properties.title', '$.properties.$title'],
      referer: { path: '$.properties.$referrer', values: { $direct: null } },
      useragent: ['$.properties.$raw_user_agent', '$.properties.$user_agent'],
      agentName: '$.properties.$browser',
      agentVersion: '$.properties.$browser_version',
      osName: '$.properties.$os',
      osVersion: '$.properties.$os_version',
      browserLanguage: '$.properties.$browser_language',
      utmSource: '$.properties.utm_source',
      utmMedium: '$.properties.utm_medium',
      utmCampaign: '$.properties.utm_campaign',
      utmTerm: '$.properties.utm_term',
      utmContent: '$.properties.utm_content',
      country: ['$.properties.$geoip_country_code', '$.properties.$geoip_country_name'],
      deviceClass: '$.properties.$device_type',
      viewportSize: {
        sql: `CAST(properties ->> '$."$viewport_width"' AS VARCHAR) || 'x' || (properties ->> '$."$viewport_height"')`,
      },
      customEventName: { sql: "CASE WHEN event NOT LIKE '$%' THEN event END" },
      customEventProps: 'properties',
      customUserProps: 'person_properties',
    },
  },
};
