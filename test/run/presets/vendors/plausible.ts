import { orNull } from '../oracle.ts';
import type { Row, Vendor } from '../vendor.ts';

const names = {
  page: 'pageview',
  click: 'Outbound Link: Click',
  identify: 'engagement',
  custom: '',
} as const;

/** The table events_v2 of a self-hosted server: github.com/plausible/analytics, clickhouse_event_v2.ex. */
function plausible(label: string, format: 'ndjson' | 'csv'): Vendor {
  return {
    preset: 'plausible',
    label,
    format,
    write: (story) =>
      story.map((event) => ({
        timestamp: new Date(event.at).toISOString().slice(0, 19).replace('T', ' '),
        name: event.kind === 'custom' ? event.name : names[event.kind],
        site_id: format === 'csv' ? 3 : '3',
        // 64-bit numbers, which exceed JavaScript's exact range.
        user_id: event.visitor === null ? '0' : `1234567890123456${String(event.visitor).padStart(3, '0')}`,
        session_id: event.visitor === null ? '0' : `9876543210987654${String(event.visit).padStart(3, '0')}`,
        hostname: event.host,
        pathname: event.path,
        // Without the scheme.
        referrer:
          event.referrer === null || event.referrer.includes(event.host)
            ? ''
            : event.referrer.replace('https://', '').replace(/\/$/, ''),
        referrer_source: '',
        utm_source: event.search.includes('newsletter') ? 'newsletter' : '',
        country_code: 'AT',
        browser: 'Firefox',
        browser_version: '123.0',
        operating_system: 'Linux',
        operating_system_version: '6.1',
        screen_size: 'Desktop',
        'meta.key': format === 'csv' ? "['plan']" : ['plan'],
        'meta.value': format === 'csv' ? "['pro']" : ['pro'],
      })),
    read: (row: Row) => [
      {
        at: Date.parse(`${String(row.timestamp as string).replace(' ', 'T')}Z`),
        eventId: '',
        userAnonymousId: row.user_id === '0' ? null : orNull(row.user_id),
        userId: null,
        sessionId: row.session_id === '0' ? null : orNull(row.session_id),
        type: orNull(row.name),
        path: orNull(row.pathname),
        referer: orNull(row.referrer),
      },
    ],
    recognised: ['timestamp', 'name', 'user_id', 'session_id', 'hostname', 'pathname', 'referrer'],
  };
}

export const plausibleJson = plausible('events_v2 as JSON', 'ndjson');
export const plausibleCsv = plausible('events_v2 as CSV', 'csv');
