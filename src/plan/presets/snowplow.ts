import type { Preset } from '../mapping/preset.ts';
import { derivedSessions, recogniseBy } from './signs.ts';

/** Apps store the user and the session in an entity whose field name contains its version. */
const appSession = [
  'contexts',
  ...['1', '2', '1_0_0', '1_0_1', '1_0_2', '2_0_0'].map(
    (version) => `contexts_com_snowplowanalytics_snowplow_client_session_${version}`,
  ),
];
const orOfApp = (column: string) => [column, ...appSession].join(' | ');

/** Snowplow's enriched events. The names of its columns and entities are field names in every file. */
export const snowplow: Preset = {
  name: 'snowplow',
  title: 'Snowplow',
  recognise: recogniseBy({
    typical: [
      'app_id',
      'platform',
      'collector_tstamp',
      'derived_tstamp',
      'dvce_created_tstamp',
      'etl_tstamp',
      'event_id',
      'v_tracker',
      'domain_userid',
      'domain_sessionid',
      'page_urlpath',
    ],
    least: 5,
  }),
  expects: [
    'derived_tstamp',
    'event_name',
    'event_id',
    ...['domain_userid', 'domain_sessionid', 'page_referrer'].map(orOfApp),
  ],
  instead: {
    [orOfApp('domain_sessionid')]: derivedSessions,
  },
  mapping: { columns: {} },
};
