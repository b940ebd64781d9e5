import { orNull, pathOf } from '../oracle.ts';
import type { Vendor } from '../vendor.ts';

interface Event {
  readonly uuid: string;
  readonly event: string;
  readonly distinct_id: string;
  readonly person_id: string | null;
  readonly timestamp: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

const names = {
  page: '$pageview',
  click: '$autocapture',
  identify: '$identify',
  custom: '',
} as const;
const types: Readonly<Record<string, string>> = { $pageview: 'pageview' };

/** posthog.com/docs/cdp/batch-exports/s3, model "events", JSON lines. */
export const posthog: Vendor = {
  preset: 'posthog',
  label: 'batch export, JSON lines',
  format: 'ndjson',
  write: (story) =>
    story.map(
      ({
        at,
        delay,
        number,
        visitor,
        account,
        visit,
        kind,
        name,
        host,
        path,
        search,
        title,
        referrer,
        agent,
        props,
      }) => ({
        uuid: `018df${String(number).padStart(3, '0')}-0000-7000-8000-000000000000`,
        event: kind === 'custom' ? name : names[kind],
        distinct_id: visitor === null ? '' : (account ?? `anon-${visitor}`),
        person_id: visitor === null ? null : `person-${visitor}`,
        properties: {
          ...props,
          $current_url: `https://${host}${path}${search}`,
          $host: host,
          $pathname: path,
          $referrer: referrer ?? '$direct',
          $referring_domain: referrer === null ? '$direct' : new URL(referrer).host,
          $session_id: number % 11 === 0 ? null : `session-${visit}`,
          $user_id: account,
          $raw_user_agent: agent,
          $browser: 'Firefox',
          $browser_version: 123,
          $os: 'Linux',
          title,
          $lib: 'web',
        },
        person_properties: { plan: 'pro' },
        elements_chain: kind === 'click' ? 'a.btn:href="/x"nth-child="1"' : '',
        timestamp: new Date(at).toISOString().replace('Z', '000+00:00'),
        created_at: new Date(at + delay).toISOString().replace('Z', '000+00:00'),
      }),
    ),
  read: ({ uuid, event, distinct_id, person_id, timestamp, properties }: Event) => [
    {
      at: Date.parse(timestamp.replace('000+00:00', 'Z')),
      eventId: uuid,
      userAnonymousId: orNull(person_id) ?? orNull(distinct_id),
      userId: orNull(properties.$user_id),
      sessionId: orNull(properties.$session_id),
      type: types[event] ?? event,
      path: pathOf(orNull(properties.$current_url)),
      referer: properties.$referrer === '$direct' ? null : orNull(properties.$referrer),
    },
  ],
  recognised: [
    'uuid',
    'event',
    'distinct_id',
    'person_id',
    'timestamp',
    'properties',
    'properties.$current_url',
    'properties.$referrer',
    'properties.$session_id',
  ],
};
