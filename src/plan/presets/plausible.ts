import type { Preset } from '../mapping/preset.ts';
import { derivedSessions, isoTimes, recogniseBy } from './signs.ts';

/** The events table of a self-hosted Plausible server: ClickHouse's `events_v2` as JSON, CSV or Parquet. */
export const plausible: Preset = {
  name: 'plausible',
  title: 'Plausible (events_v2)',
  recognise: recogniseBy({
    typical: ['timestamp', 'name', 'site_id', 'hostname', 'pathname', 'user_id', 'session_id', 'referrer_source'],
    least: 6,
  }),
  expects: ['timestamp', 'name', 'user_id', 'session_id', 'hostname', 'pathname', 'referrer'],
  instead: {
    session_id: derivedSessions,
  },
  mapping: {
    columns: {
      utcTime: isoTimes('timestamp'),
      // The server's hash of address and agent, renewed each day; 0 means none.
      userAnonymousId: { sql: "nullif(CAST(user_id AS VARCHAR), '0')" },
      userId: { value: null },
      sessionId: { sql: "nullif(CAST(session_id AS VARCHAR), '0')" },
      eventType: 'name',
      docHost: 'hostname',
      docPath: 'pathname',
      referer: { column: 'referrer', values: { '': null } },
      agentName: 'browser',
      agentVersion: 'browser_version',
      osName: 'operating_system',
      osVersion: 'operating_system_version',
      country: 'country_code',
      deviceClass: 'screen_size',
      customEventName: {
        sql: "CASE WHEN name NOT IN ('pageview', 'engagement') THEN name END",
      },
    },
  },
  notes: ['Plausible gives a visitor a new id each day: users are counted per day, and nobody returns.'],
};

/** Columns of the CSV files that Plausible's settings and dashboard export. */
const figures = [
  'visitors',
  'pageviews',
  'visits',
  'bounces',
  'visit_duration',
  'bounce_rate',
  'entrances',
  'exits',
  'conversions',
];

/** Plausible's own exports, which contain daily figures and no events. */
export const plausibleFigures: Preset = {
  name: 'plausible-figures',
  title: 'Plausible (exported figures)',
  recognise: (signs) => {
    const found = figures.filter((figure) => signs.has(figure)).length;
    const isTally = signs.kind === 'csv' && signs.has('visitors') && (signs.has('date') || signs.has('name'));
    return isTally && found >= 2 && !signs.has('user_id') ? 1 : 0;
  },
  mapping: { columns: {} },
  refusal: {
    message: 'contains figures that Plausible counted (visitors per day or page), not events',
    hint: 'Sessions and funnels need single events. On your own server, export the table: clickhouse-client -q "SELECT * FROM events_v2 FORMAT JSONEachRow" > events.ndjson',
  },
};
