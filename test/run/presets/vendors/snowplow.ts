import { orNull, pathOf } from '../oracle.ts';
import type { StoryEvent } from '../story.ts';
import type { Row, Vendor } from '../vendor.ts';

const names = {
  page: 'page_view',
  click: 'link_click',
  identify: 'page_ping',
  custom: 'custom_event',
} as const;
const types: Readonly<Record<string, string>> = { page_view: 'pageview' };
const timeOf = (at: number) => new Date(at).toISOString().replace('T', ' ').replace('Z', '');

/** docs.snowplow.io, "Canonical event model": fields that every tracker writes. */
function common(event: StoryEvent) {
  return {
    app_id: 'shop',
    collector_tstamp: timeOf(event.at + event.delay),
    etl_tstamp: timeOf(event.at + event.delay + 1000),
    dvce_created_tstamp: timeOf(event.at + 5000),
    derived_tstamp: timeOf(event.at),
    event_id: `e-${event.number}`,
    user_id: event.account,
    v_tracker: 'js-3.20.0',
  };
}

function web(event: StoryEvent) {
  return {
    ...common(event),
    platform: 'web',
    event: event.kind === 'page' ? 'page_view' : event.kind === 'identify' ? 'page_ping' : 'unstruct',
    event_name: names[event.kind],
    domain_userid: event.visitor === null ? null : `v-${event.visitor}`,
    domain_sessionid: event.number % 9 === 0 ? '' : `s-${event.visit}`,
    page_url: `https://${event.host}${event.path}${event.search}`,
    page_urlhost: event.host,
    page_urlpath: event.path,
    page_urlquery: event.search.slice(1),
    page_title: event.title,
    page_referrer: event.referrer,
    useragent: event.agent,
  };
}

const readWeb = (row: Row) => [
  {
    at: Date.parse(`${String(row.derived_tstamp as string).replace(' ', 'T')}Z`),
    eventId: String(row.event_id as string),
    userAnonymousId: orNull(row.domain_userid),
    userId: orNull(row.user_id),
    sessionId: orNull(row.domain_sessionid),
    type: types[String(row.event_name as string)] ?? orNull(row.event_name),
    path: pathOf(orNull(row.page_url)),
    referer: orNull(row.page_referrer),
  },
];

export const snowplowWeb: Vendor = {
  preset: 'snowplow',
  label: 'web, JSON',
  format: 'ndjson',
  write: (story) => story.map(web),
  read: readWeb,
  recognised: ['derived_tstamp', 'event_name', 'domain_userid', 'domain_sessionid', 'page_referrer'],
};

export const snowplowTable: Vendor = {
  ...snowplowWeb,
  label: 'web, a table as CSV',
  format: 'csv',
};

/** docs.snowplow.io, mobile trackers: an entity has user and session, and a screen is the page. */
function mobile(version: string): Vendor {
  const session = `contexts_com_snowplowanalytics_snowplow_client_session_${version}`;
  const screen = `unstruct_event_com_snowplowanalytics_mobile_screen_view_${version}`;
  const context = `contexts_com_snowplowanalytics_mobile_screen_${version}`;
  const agent = `contexts_com_snowplowanalytics_snowplow_mobile_context_${version}`;
  return {
    preset: 'snowplow',
    label: `mobile, entities _${version}`,
    format: 'ndjson',
    write: (story) =>
      story.map((event) => ({
        ...common(event),
        platform: 'mob',
        event: 'unstruct',
        event_name: event.kind === 'page' ? 'screen_view' : names[event.kind],
        domain_userid: null,
        domain_sessionid: null,
        ...(event.visitor !== null && {
          [session]: [
            {
              userId: `v-${event.visitor}`,
              sessionId: `s-${event.visit}`,
              sessionIndex: 1,
            },
          ],
        }),
        [agent]: [{ osType: 'ios', osVersion: '17.3' }],
        ...(event.kind === 'page'
          ? { [screen]: { name: event.path, id: 'x' } }
          : { [context]: [{ name: event.path }] }),
      })),
    read: (row: Row) => {
      const own = (row[session] as readonly Row[] | undefined)?.[0];
      const path = (row[screen] as Row | undefined)?.name ?? (row[context] as readonly Row[] | undefined)?.[0]?.name;
      return [
        {
          ...readWeb(row)[0]!,
          userAnonymousId: orNull(own?.userId),
          sessionId: orNull(own?.sessionId),
          path: orNull(path),
          referer: null,
        },
      ];
    },
    recognised: ['derived_tstamp', 'event_name', session],
  };
}

export const snowplowMobile = mobile('1_0_0');
export const snowplowMobileMajor = mobile('1');

const half = snowplowMobile;
/** The unified model's input: rows of web and apps in one table. */
export const snowplowUnified: Vendor = {
  ...snowplowWeb,
  label: 'unified: web and mobile',
  // Apps have the other fields in an entity.
  recognised: ['derived_tstamp', 'event_name'],
  write: (story) => {
    const apps = half.write(story) as readonly Row[];
    return story.map((event, index) => (event.visitor !== null && event.visitor % 2 === 0 ? apps[index]! : web(event)));
  },
  read: ((row: Row) => (row.platform === 'mob' ? half.read(row as never) : readWeb(row))) as Vendor['read'],
};
