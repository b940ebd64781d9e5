import type { Preset } from '../mapping/preset.ts';
import { recogniseBy } from './signs.ts';

/** Raw events of Mixpanel's export API. */
export const mixpanel: Preset = {
  name: 'mixpanel',
  title: 'Mixpanel',
  recognise: recogniseBy({
    typical: [
      'event',
      '$.properties.time',
      '$.properties.distinct_id',
      '$.properties.$insert_id',
      '$.properties.mp_lib',
    ],
    least: 3,
    own: ['$.properties.$insert_id', '$.properties.mp_processing_time_ms', '$.properties.mp_country_code'],
    // A table with these has its own facts beside `event` and `properties`.
    foreign: [
      ...['uuid', 'distinct_id', 'user_id', 'timestamp', 'event_timestamp', 'time', 'event_time', 'ts', 'date'],
      ...['created_at', 'occurred_at', 'sent_at', 'received_at'],
    ],
  }),
  zoneNote:
    'Projects created before 2023 export times in their own time zone, others in UTC. Declare it for their files ' +
    'in sluice.yaml: `sources: [{files: …, timezone: America/New_York}]`, or `timezone: UTC`.',
  expects: [
    'event',
    '$.properties.time',
    '$.properties.distinct_id',
    '$.properties.$insert_id',
    '$.properties.$current_url',
    '$.properties.$referrer',
  ],
  mapping: {
    columns: {
      // Seconds, or milliseconds of an export with `time_in_ms`.
      utcTime: { path: '$.properties.time', localEpochs: true },
      userAnonymousId: '$.properties.distinct_id',
      userId: '$.properties.$user_id',
      sessionId: { value: null },
      eventType: {
        column: 'event',
        values: {
          $mp_web_page_view: 'pageview',
          mp_page_view: 'pageview',
          'Page View': 'pageview',
          'Page view': 'pageview',
          'Viewed Page': 'pageview',
        },
      },
      event: { value: null },
      eventId: '$.properties.$insert_id',
      url: '$.properties.$current_url',
      pageTitle: ['$.properties.current_page_title', '$.properties.$title'],
      referer: { path: '$.properties.$referrer', values: { $direct: null } },
      agentName: '$.properties.$browser',
      agentVersion: '$.properties.$browser_version',
      osName: '$.properties.$os',
      osVersion: '$.properties.$os_version',
      utmSource: '$.properties.utm_source',
      utmMedium: '$.properties.utm_medium',
      utmCampaign: '$.properties.utm_campaign',
      utmTerm: '$.properties.utm_term',
      utmContent: '$.properties.utm_content',
      country: '$.properties.mp_country_code',
      deviceClass: '$.properties.$device_type',
      customEventName: {
        sql: "CASE WHEN event NOT LIKE '$%' AND event NOT LIKE 'mp_%' THEN event END",
      },
      customEventProps: 'properties',
    },
  },
};
