import { orNull } from '../oracle.ts';
import type { StoryEvent } from '../story.ts';
import type { Row, Vendor } from '../vendor.ts';

/** The table website_event: github.com/umami-software/umami, schema.prisma. */
function columns(event: StoryEvent) {
  const { at, number, visitor, visit, kind, name, host, path, search, title, referrer } = event;
  const from = referrer === null || referrer.includes(host) ? undefined : new URL(referrer);
  return {
    event_id: `e-${number}`,
    website_id: 'site-1',
    // umami's session is a visitor, and its visit is a session.
    session_id: visitor === null ? '' : `visitor-${visitor}`,
    visit_id: visitor === null ? '' : `visit-${visit}`,
    created_at: new Date(at).toISOString().replace('T', ' ').replace('.000Z', 'Z').replace('Z', '+00'),
    url_path: path,
    url_query: search.slice(1),
    referrer_path: from?.pathname ?? null,
    referrer_query: from?.search.slice(1) ?? null,
    referrer_domain: from?.host ?? null,
    page_title: title,
    hostname: host,
    event_type: kind === 'page' ? 1 : 2,
    event_name: kind === 'page' ? null : kind === 'custom' ? name : kind,
  };
}

const camel = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key === 'event_id' ? 'id' : key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
const snake = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key === 'id' ? 'event_id' : key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

function read(row: Row) {
  const domain = orNull(row.referrer_domain);
  const query = orNull(row.referrer_query);
  return [
    {
      at: Date.parse(
        String(row.created_at as string)
          .replace(' ', 'T')
          .replace('+00', 'Z'),
      ),
      eventId: String(row.event_id as string),
      userAnonymousId: orNull(row.session_id),
      userId: null,
      sessionId: orNull(row.visit_id),
      type: String(row.event_type as string) === '1' ? 'pageview' : orNull(row.event_name),
      path: orNull(row.url_path),
      referer:
        domain === null
          ? null
          : `https://${domain}${orNull(row.referrer_path) ?? ''}${query === null ? '' : `?${query}`}`,
    },
  ];
}

const recognised = [
  'event_id',
  'session_id',
  'visit_id',
  'created_at',
  'url_path',
  'referrer_domain',
  'event_type',
  'event_name',
];

export const umamiTable: Vendor = {
  preset: 'umami',
  label: 'website_event as CSV',
  format: 'csv',
  write: (story) => story.map(columns),
  read,
  recognised,
};

/** umami.is/docs/api/website-stats, "events". */
export const umamiApi: Vendor = {
  preset: 'umami',
  label: 'events of the API',
  format: 'json-array',
  write: (story) =>
    story.map((event) =>
      camel({
        ...columns(event),
        created_at: new Date(event.at).toISOString(),
      }),
    ),
  read: (row: Row) => read(snake(row)),
  recognised: recognised.map((column) => Object.keys(camel({ [column]: 0 }))[0]!),
};
