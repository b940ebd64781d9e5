import { orNull, pathOf } from '../oracle.ts';
import type { Row, Vendor } from '../vendor.ts';

interface Event {
  readonly $insert_id: string;
  readonly amplitude_id: number | null;
  readonly device_id: string | null;
  readonly user_id: string | null;
  readonly session_id: number;
  readonly event_type: string;
  readonly event_time: string;
  readonly event_properties: Readonly<Record<string, unknown>>;
}

const names = {
  page: '[Amplitude] Page Viewed',
  click: '[Amplitude] Element Clicked',
  identify: '$identify',
  custom: '',
} as const;
const types: Readonly<Record<string, string>> = {
  '[Amplitude] Page Viewed': 'pageview',
};

/** amplitude.com/docs/apis/analytics/export: UTC without a mark, six decimal digits. */
const timeOf = (at: number) => `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')}000`;

export const amplitude: Vendor = {
  preset: 'amplitude',
  label: 'export API, unpacked',
  format: 'ndjson',
  write: (story) =>
    story.map(
      ({
        at,
        delay,
        number,
        visitor,
        account,
        visitStart,
        kind,
        name,
        host,
        path,
        search,
        title,
        referrer,
        props,
      }) => ({
        $insert_id: `insert-${number}`,
        $schema: 13,
        amplitude_id: visitor === null ? null : 9_007_199_254_740_991 - visitor,
        app: 100_001,
        city: 'Graz',
        client_event_time: timeOf(at + 3000),
        device_id: visitor === null ? null : `device-${visitor}`,
        event_id: number,
        event_properties: {
          ...props,
          '[Amplitude] Page URL': `https://${host}${path}${search}`,
          '[Amplitude] Page Path': path,
          '[Amplitude] Page Domain': host,
          '[Amplitude] Page Title': title,
          ...(referrer !== null && { referrer }),
        },
        event_time: timeOf(at),
        event_type: kind === 'custom' ? name : names[kind],
        language: 'German',
        os_name: 'Firefox',
        os_version: '123.0',
        platform: 'Web',
        server_upload_time: timeOf(at + delay),
        session_id: number % 7 === 0 ? -1 : visitStart,
        user_id: account,
        user_properties: { plan: 'pro' },
        uuid: `u-${number}`,
      }),
    ),
  read: (event: Event) => [
    {
      at: Date.parse(`${event.event_time.slice(0, 23).replace(' ', 'T')}Z`),
      eventId: event.$insert_id,
      userAnonymousId: orNull(event.amplitude_id) ?? orNull(event.device_id),
      userId: orNull(event.user_id),
      // -1 means none. The number is the start time, so it is unique only per user.
      sessionId:
        event.session_id === -1 || (event.amplitude_id ?? event.device_id) === null
          ? null
          : `${event.amplitude_id ?? event.device_id}.${event.session_id}`,
      type: types[event.event_type] ?? event.event_type,
      path: pathOf(orNull(event.event_properties['[Amplitude] Page URL'])),
      referer: orNull(event.event_properties.referrer),
    },
  ],
  recognised: [
    '$insert_id',
    'amplitude_id',
    'device_id',
    'session_id',
    'event_type',
    'event_time',
    'event_properties',
    'event_properties.[Amplitude] Page URL',
    'event_properties.referrer',
  ],
};

/** Snowflake and similar warehouses write names in capitals, and objects as JSON. */
export const amplitudeTable: Vendor = {
  ...amplitude,
  label: 'table of a warehouse',
  format: 'csv',
  write: (story) =>
    (amplitude.write(story) as readonly Row[]).map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key.toUpperCase(), value])),
    ),
  read: (row: Readonly<Record<string, string | null>>) => {
    const own = Object.fromEntries(Object.entries(row).map(([key, value]) => [key.toLowerCase(), value]));
    const { event_properties, session_id } = own;
    const properties = JSON.parse(event_properties ?? '{}') as object;
    return amplitude.read({ ...own, session_id: Number(session_id), event_properties: properties } as never);
  },
  recognised: amplitude.recognised.filter((name) => !name.includes('.')).map((name) => name.toUpperCase()),
};
