import { agentDimensions } from './agent-dimensions.ts';
import { botCondition } from './bot-agents.ts';
import { defineCube, type DimensionDefinition } from './define-cube.ts';
import { pageView } from './event-fields.ts';
import type { Cube } from './model.ts';

/** One row an event, with the members of both vocabularies: the documentation's and the newer dashboards'. */
export function eventsCube(name: string, timeMember: 'utcTime' | 'derivedTstamp', options: { readonly public: boolean }): Cube {
  return defineCube({
    name,
    description: 'Events: page views, clicks on links and whatever else an application tracks. One row an event.',
    source: { kind: 'events' },
    timeMember,
    public: options.public,
    measures: {
      count: { description: 'Number of events.', type: 'count', drillMembers: ['eventId', 'pageTitle'] },
      pageViewsCount: {
        description: 'Number of page views.',
        type: 'count',
        filter: `{CUBE}.event_type = '${pageView.documented}'`,
        drillMembers: ['eventId', 'pageTitle'],
      },
      linkClicksCount: {
        description: 'Number of clicks on links.',
        type: 'count',
        filter: `{CUBE}.event_type = 'link_click'`,
        drillMembers: ['eventId', 'targetUrl'],
      },
      uniqueUsersCount: {
        description: 'Number of different users. Events without any user count as nobody.',
        type: 'count_distinct',
        sql: '{CUBE}.user_key',
        uncounted: [{ sql: '{CUBE}.user_key IS NULL', what: 'events without a user' }],
      },
    },
    dimensions: eventDimensions,
    segments: {
      knownUsers: {
        description: 'Events of users who were identified; leaves anonymous users out.',
        sql: `{CUBE}.user_id IS NOT NULL AND {CUBE}.user_id <> ''`,
      },
      bots: { description: 'Events of crawlers, feed readers and scripts, told by their agent.', sql: botCondition('{CUBE}') },
      humans: { description: 'Events that do not come from a known kind of robot.', sql: `NOT ${botCondition('{CUBE}')}` },
    },
  });
}

const time: DimensionDefinition = { description: 'When the event happened, UTC.', type: 'time', sql: '{CUBE}.utc_time' };
const host: DimensionDefinition = { description: 'Host of the page: www.example.com.', sql: '{CUBE}.doc_host' };
const path: DimensionDefinition = { description: 'Path of the page: /pricing.', sql: '{CUBE}.doc_path' };
const address: DimensionDefinition = { description: 'Full address of the page.', sql: '{CUBE}.url' };
const referrer: DimensionDefinition = { description: 'Address of the page that led here.', sql: '{CUBE}.referer' };
const eventId: DimensionDefinition = { description: 'Identifier of the event.', sql: '{CUBE}.event_id' };
const browserLanguage: DimensionDefinition = { description: 'Language that the browser is set to: de-AT.', sql: '{CUBE}.browser_language' };
const viewport: DimensionDefinition = { description: 'Size of the viewport in pixels: 1280x720.', sql: '{CUBE}.viewport_size' };

const eventDimensions: Readonly<Record<string, DimensionDefinition>> = {
  utcTime: time,
  derivedTstamp: time,
  eventType: { description: 'Kind of event: pageview, link_click.', sql: '{CUBE}.event_type' },
  eventName: {
    description: 'Kind of event in the newer spelling: page_view, link_click.',
    sql: `CASE WHEN {CUBE}.event_type = '${pageView.documented}' THEN '${pageView.newer}' ELSE {CUBE}.event_type END`,
  },
  event: { description: 'The tracker\'s class of event: page_view, struct, unstruct, page_ping.', sql: '{CUBE}.event' },
  eventId,
  eventnCtxEventId: eventId,
  userAnonymousId: { description: 'The visitor, as the tracker\'s cookie knows them.', sql: '{CUBE}.user_anonymous_id' },
  userId: { description: 'The user, as the application identified them.', sql: '{CUBE}.user_id' },
  userHashedAnonymousId: { description: 'The visitor, as a hash instead of a cookie.', sql: '{CUBE}.user_hashed_anonymous_id' },
  sessionId: { description: 'Session of the event, as the tracker counts them.', sql: '{CUBE}.session_id' },
  idsAjsAnonymousId: { description: 'The visitor, as another analytics library in the page knows them.', sql: '{CUBE}.ids_ajs_anonymous_id' },
  docHost: host,
  pageUrlhosts: host,
  docPath: path,
  pageUrlpath: path,
  docSearch: { description: 'Query of the page\'s address, with its question mark: ?page=2.', sql: '{CUBE}.doc_search' },
  docEncoding: { description: 'Character encoding of the page.', sql: '{CUBE}.doc_encoding' },
  url: address,
  pageUrl: address,
  baseUrl: { description: 'Protocol, host and port of the page: https://www.example.com:8443.', sql: '{CUBE}.base_url' },
  pageTitle: { description: 'Title of the page.', sql: '{CUBE}.page_title' },
  referer: referrer,
  pageReferrer: referrer,
  useragent: { description: 'The user agent as the browser sent it.', sql: '{CUBE}.useragent' },
  ...agentDimensions,
  browserLanguage,
  userLanguage: browserLanguage,
  documentLanguage: { description: 'Language that the page says it is in.', sql: '{CUBE}.document_language' },
  viewportSize: viewport,
  vpSize: viewport,
  localTzOffset: { description: 'Minutes from the user\'s local time to UTC.', type: 'number', sql: '{CUBE}.local_tz_offset' },
  src: { description: 'What sent the event.', sql: '{CUBE}.src' },
  apiKey: { description: 'Key of the instrumented application.', sql: '{CUBE}.api_key' },
  projectId: { description: 'Project that the event belongs to.', sql: '{CUBE}.project_id' },
  targetUrl: { description: 'Address that a clicked link leads to.', sql: '{CUBE}.target_url' },
  elementId: { description: 'Identifier of the clicked element.', sql: '{CUBE}.element_id' },
  customEventName: { description: 'Name of a custom event.', sql: '{CUBE}.custom_event_name' },
  customEventProps: { description: 'Properties of a custom event, JSON text.', sql: '{CUBE}.custom_event_props' },
  customUserProps: { description: 'Properties of the user, JSON text.', sql: '{CUBE}.custom_user_props' },
};
