import type { FileSigns, Preset } from '../mapping/preset.ts';
import { derivedSessions, recogniseBy } from './signs.ts';

/** Google Analytics 4, exported from BigQuery as JSON lines or Parquet. */
export const ga4: Preset = {
  name: 'ga4',
  title: 'Google Analytics 4 (BigQuery export)',
  recognise: recogniseBy({
    typical: [
      'event_date',
      'event_timestamp',
      'event_name',
      'event_params',
      'user_pseudo_id',
      'event_bundle_sequence_id',
      'traffic_source',
    ],
    least: 5,
  }),
  expects: [
    'event_timestamp',
    'event_name',
    'event_params',
    'user_pseudo_id',
    '$.event_params.page_location',
    '$.event_params.page_referrer',
    '$.event_params.ga_session_id',
  ],
  instead: {
    '$.event_params.ga_session_id': derivedSessions,
  },
  mapping: (signs) => {
    const param = (key: string) => parameter(signs, key);
    return {
      columns: {
        utcTime: { column: 'event_timestamp', format: 'microseconds' },
        userAnonymousId: 'user_pseudo_id',
        userId: 'user_id',
        // The ID is the second in which the session began, which two users may share.
        sessionId: {
          sql: `nullif(user_pseudo_id, '') || '.' || ${param('ga_session_id')}`,
        },
        eventType: {
          column: 'event_name',
          values: { page_view: 'pageview', screen_view: 'pageview' },
        },
        // Google assigns no event IDs. Events sent together share their bundle's number.
        eventId: { value: null },
        url: { sql: param('page_location') },
        docPath: {
          sql: `CASE WHEN ${param('page_location')} IS NULL THEN coalesce(${param('firebase_screen')}, ${param('firebase_screen_class')}) END`,
        },
        pageTitle: { sql: param('page_title') },
        referer: { sql: param('page_referrer') },
        agentName: ['$.device.web_info.browser', '$.device.browser'],
        agentVersion: ['$.device.web_info.browser_version', '$.device.browser_version'],
        osName: '$.device.operating_system',
        osVersion: '$.device.operating_system_version',
        browserLanguage: '$.device.language',
        utmSource: [{ sql: param('source') }, '$.collected_traffic_source.manual_source'],
        utmMedium: [{ sql: param('medium') }, '$.collected_traffic_source.manual_medium'],
        utmCampaign: [{ sql: param('campaign') }, '$.collected_traffic_source.manual_campaign_name'],
        utmTerm: [{ sql: param('term') }, '$.collected_traffic_source.manual_term'],
        utmContent: [{ sql: param('content') }, '$.collected_traffic_source.manual_content'],
        country: '$.geo.country',
        deviceClass: '$.device.category',
        customEventProps: { sql: parameters(signs) },
        customUserProps: { sql: parameters(signs, 'user_properties') },
      },
    };
  },
};

/** The list of parameters as JSON elements. Parquet files of BigQuery wrap lists and their elements. */
function list({ kind }: FileSigns, column = 'event_params'): string {
  if (kind === 'json') return `json_extract(TRY_CAST(${column} AS JSON), '$[*]')`;
  const json = kind === 'parquet' ? `to_json(${column})` : `TRY_CAST(${column} AS JSON)`;
  return `list_concat(json_extract(${json}, '$[*]'), json_extract(${json}, '$.list[*].element'))`;
}

/** The value as text; exactly one of its four members is set. */
const valueOf = (item: string) =>
  `coalesce(${['string', 'int', 'float', 'double'].map((type) => `${item} ->> '$.value.${type}_value'`).join(', ')})`;

function parameter(signs: FileSigns, key: string): string {
  // Write the list only once, because planning time grows with the statement's length.
  return `list_transform(list_filter(${list(signs)}, lambda item: item ->> '$.key' = '${key}'), lambda item: ${valueOf('item')})[1]`;
}

/** All parameters as one object. */
function parameters(signs: FileSigns, column?: string): string {
  const pairs = `list_transform(${list(signs, column)},
    lambda item: CAST(to_json(item ->> '$.key') AS VARCHAR) || ':'
    || coalesce(CAST(to_json(item ->> '$.value.string_value') AS VARCHAR),
    item ->> '$.value.int_value', item ->> '$.value.float_value',
    item ->> '$.value.double_value', 'null'))`;
  return `'{' || array_to_string(${pairs}, ',') || '}'`;
}
