import type { Preset } from '../mapping/preset.ts';
import { derivedSessions, isoTimes, recogniseBy, usersBy } from './signs.ts';

/** Amplitude's own user, across devices and IDs. */
const user = `coalesce(nullif(CAST(amplitude_id AS VARCHAR), ''), nullif(CAST(device_id AS VARCHAR), ''))`;

/** Events of Amplitude's export API and of its exports to object stores. */
export const amplitude: Preset = {
  name: 'amplitude',
  title: 'Amplitude',
  recognise: recogniseBy({
    typical: [
      '$insert_id',
      'amplitude_id',
      'event_time',
      'event_type',
      'client_event_time',
      'device_id',
      'event_properties',
      'server_upload_time',
    ],
    least: 6,
  }),
  expects: [
    '$insert_id',
    'amplitude_id',
    'device_id',
    'session_id',
    'event_type',
    'event_time',
    'event_properties',
    '$.event_properties."[Amplitude] Page URL" | $.event_properties."[Amplitude] Page Location"',
    '$.event_properties.referrer',
  ],
  instead: {
    amplitude_id: usersBy('device_id'),
    device_id: usersBy('amplitude_id'),
    session_id: derivedSessions,
  },
  mapping: {
    columns: {
      utcTime: isoTimes('event_time', 'client_event_time'),
      userAnonymousId: { sql: user },
      userId: 'user_id',
      // Session IDs are start times, which two users may share. -1 means no session.
      sessionId: {
        sql: `CASE WHEN CAST(session_id AS VARCHAR) <> '-1' THEN ${user} || '.' || session_id END`,
      },
      eventType: {
        column: 'event_type',
        values: {
          '[Amplitude] Page Viewed': 'pageview',
          'Page Viewed': 'pageview',
          'Page View': 'pageview',
          '[Amplitude] Screen Viewed': 'pageview',
        },
      },
      eventId: ['$."$insert_id"', 'uuid'],
      url: ['$.event_properties."[Amplitude] Page URL"', '$.event_properties."[Amplitude] Page Location"'],
      docHost: '$.event_properties."[Amplitude] Page Domain"',
      docPath: ['$.event_properties."[Amplitude] Page Path"', '$.event_properties."[Amplitude] Screen Name"'],
      pageTitle: '$.event_properties."[Amplitude] Page Title"',
      referer: '$.event_properties.referrer',
      useragent: { value: null },
      agentName: { sql: "CASE WHEN platform = 'Web' THEN os_name END" },
      agentVersion: { sql: "CASE WHEN platform = 'Web' THEN os_version END" },
      osName: { sql: "CASE WHEN platform <> 'Web' THEN os_name END" },
      osVersion: { sql: "CASE WHEN platform <> 'Web' THEN os_version END" },
      browserLanguage: 'language',
      utmSource: ['$.event_properties.utm_source', '$.user_properties.utm_source'],
      utmMedium: ['$.event_properties.utm_medium', '$.user_properties.utm_medium'],
      utmCampaign: ['$.event_properties.utm_campaign', '$.user_properties.utm_campaign'],
      utmTerm: ['$.event_properties.utm_term', '$.user_properties.utm_term'],
      utmContent: ['$.event_properties.utm_content', '$.user_properties.utm_content'],
      country: 'country',
      customEventName: {
        sql: "CASE WHEN event_type NOT LIKE '[Amplitude]%' AND event_type NOT LIKE '$%' THEN event_type END",
      },
      customEventProps: 'event_properties',
      customUserProps: 'user_properties',
    },
  },
};
