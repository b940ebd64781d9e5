import { orNull, pathOf } from '../oracle.ts';
import type { Vendor } from '../vendor.ts';

interface Event {
  readonly event: string;
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly time: number;
  };
}

const names = {
  page: '$mp_web_page_view',
  click: '$mp_click',
  identify: '$identify',
  custom: '',
} as const;
const types: Readonly<Record<string, string>> = {
  $mp_web_page_view: 'pageview',
};

/** docs.mixpanel.com/reference/raw-event-export: times are whole seconds. */
export const mixpanel: Vendor = {
  preset: 'mixpanel',
  label: 'raw event export',
  format: 'ndjson',
  write: (story) =>
    story.map(({ at, number, visitor, account, kind, name, host, path, search, title, referrer, props, delay }) => ({
      event: kind === 'custom' ? name : names[kind],
      properties: {
        time: Math.floor(at / 1000),
        distinct_id: visitor === null ? (number % 2 === 0 ? '' : null) : `$device:${visitor}`,
        ...props,
        $insert_id: `i${number}`,
        $browser: 'Firefox',
        $browser_version: 123,
        $city: 'Wien',
        $current_url: `https://${host}${path}${search}`,
        ...(kind === 'page' && {
          current_page_title: title,
          current_url_path: path,
        }),
        $device_id: String(visitor),
        $initial_referrer: '$direct',
        ...(referrer !== null && { $referrer: referrer }),
        $os: 'Mac OS X',
        $user_id: account,
        mp_country_code: 'AT',
        mp_processing_time_ms: at + delay,
      },
    })),
  read: ({ event, properties }: Event) => [
    {
      at: properties.time * 1000,
      eventId: String(properties.$insert_id as string),
      userAnonymousId: orNull(properties.distinct_id),
      userId: orNull(properties.$user_id),
      sessionId: null,
      type: types[event] ?? event,
      path: pathOf(orNull(properties.$current_url)),
      referer: orNull(properties.$referrer),
    },
  ],
  recognised: [
    'event',
    'properties',
    'properties.time',
    'properties.distinct_id',
    'properties.$insert_id',
    'properties.$current_url',
    'properties.$referrer',
  ],
};
