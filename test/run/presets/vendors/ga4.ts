import { orNull, pathOf } from '../oracle.ts';
import type { Vendor } from '../vendor.ts';

interface Param {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Event {
  readonly event_timestamp: string | number;
  readonly event_name: string;
  readonly event_params: readonly Param[];
  readonly user_pseudo_id: string | null;
  readonly user_id: string | null;
  readonly event_bundle_sequence_id: string | number;
}

const names = {
  page: 'page_view',
  click: 'click',
  identify: 'login',
  custom: '',
} as const;
const types: Readonly<Record<string, string>> = { page_view: 'pageview' };

/** support.google.com/analytics/answer/7029846. BigQuery writes 64-bit integers as texts in JSON. */
function ga4(label: string, whole: (value: number) => string | number): Vendor {
  const text = (key: string, value: string | null): Param => ({
    key,
    value: {
      string_value: value,
      int_value: null,
      float_value: null,
      double_value: null,
    },
  });
  const number = (key: string, value: number): Param => ({
    key,
    value: {
      string_value: null,
      int_value: whole(value),
      float_value: null,
      double_value: null,
    },
  });
  return {
    preset: 'ga4',
    label,
    format: 'ndjson',
    write: (story) =>
      story.map((event) => ({
        event_date: new Date(event.at).toISOString().slice(0, 10).replaceAll('-', ''),
        event_timestamp: whole(event.at * 1000 + 7),
        event_name: event.kind === 'custom' ? event.name : names[event.kind],
        event_params: [
          text('page_location', `https://${event.host}${event.path}${event.search}`),
          ...(event.title === null ? [] : [text('page_title', event.title)]),
          ...(event.referrer === null ? [] : [text('page_referrer', event.referrer)]),
          ...(event.number % 8 === 0 ? [] : [number('ga_session_id', Math.floor(event.visitStart / 1000))]),
          number('ga_session_number', 1),
          ...Object.entries(event.props).flatMap(([key, value]) =>
            typeof value === 'string'
              ? [text(key, value)]
              : typeof value === 'number'
                ? [
                    {
                      key,
                      value: {
                        string_value: null,
                        int_value: null,
                        float_value: null,
                        double_value: value,
                      },
                    },
                  ]
                : [],
          ),
        ],
        event_bundle_sequence_id: whole(event.number),
        user_id: event.account,
        user_pseudo_id: event.visitor === null ? null : `${event.visitor}.170925`,
        user_properties: [],
        device: {
          category: 'desktop',
          operating_system: 'Linux',
          language: 'de-at',
          web_info: {
            browser: 'Firefox',
            browser_version: '123.0',
            hostname: event.host,
          },
        },
        geo: { country: 'Austria', city: '' },
        traffic_source: {
          name: '(direct)',
          medium: '(none)',
          source: '(direct)',
        },
        stream_id: '77',
        platform: 'WEB',
        items: [],
      })),
    read: (event: Event) => {
      const param = (key: string) => {
        const value = event.event_params.find((one) => one.key === key)?.value;
        return orNull(value?.string_value) ?? orNull(value?.int_value);
      };
      const session = param('ga_session_id');
      return [
        {
          at: Math.floor(Number(event.event_timestamp) / 1000),
          eventId: String(event.event_bundle_sequence_id),
          userAnonymousId: orNull(event.user_pseudo_id),
          userId: orNull(event.user_id),
          sessionId: session === null || !event.user_pseudo_id ? null : `${event.user_pseudo_id}.${session}`,
          type: types[event.event_name] ?? event.event_name,
          path: pathOf(param('page_location')),
          referer: param('page_referrer'),
        },
      ];
    },
    recognised: [
      'event_timestamp',
      'event_name',
      'event_params',
      'user_pseudo_id',
      'event_params.page_location',
      'event_params.page_referrer',
      'event_params.ga_session_id',
    ],
  };
}

export const ga4Texts = ga4('BigQuery export, JSON', String);
export const ga4Numbers = ga4('BigQuery export, JSON with numbers', (value) => value);
