import { botCondition } from './bot-agents.ts';
import {
  type DimensionDefinition,
  type MeasureDefinition,
  column,
  countOf,
  defineCube,
  percentage,
  sumOf,
} from './define-cube.ts';
import { pageView } from './event-fields.ts';
import type { Cube, LeftOut, Model } from './model.ts';
import { firstTouchDimensions, sessionDimensions, visitDimensions } from './visit-dimensions.ts';

/** The program that sent an event. A session takes these values from its first event. */
const agentDimensions: Readonly<Record<string, DimensionDefinition>> = {
  agentName: column('Browser', 'Browser or other agent: Firefox.', 'agent_name'),
  agentVersion: column('Browser version', 'Version of the browser or other agent.', 'agent_version'),
  osFamily: column('OS family', 'Family of operating systems: Linux.', 'os_family'),
  osName: column('Operating system', 'Operating system: Ubuntu.', 'os_name'),
  osVersion: column('OS version', 'Version of the operating system.', 'os_version'),
  osVersionMajor: column('OS major version', 'Major version of the operating system.', 'os_version_major'),
};

/** One row per event, with the members of both vocabularies: the documentation's and the newer dashboards'. */
function eventsCube(
  name: string,
  timeMember: 'utcTime' | 'derivedTstamp',
  options: { readonly public: boolean },
): Cube {
  return defineCube({
    name,
    description: 'Events: page views, clicks on links and whatever else an application tracks. One row per event.',
    source: { kind: 'events' },
    timeMember,
    public: options.public,
    measures: {
      count: {
        label: 'Events',
        description: 'Number of events.',
        type: 'count',
        drillMembers: ['eventId', 'pageTitle'],
      },
      pageViewsCount: {
        label: 'Page views',
        description: 'Number of page views.',
        type: 'count',
        filter: `{CUBE}.event_type = '${pageView.documented}'`,
        drillMembers: ['eventId', 'pageTitle'],
      },
      linkClicksCount: {
        label: 'Link clicks',
        description: 'Number of clicks on links.',
        type: 'count',
        filter: `{CUBE}.event_type = 'link_click'`,
        drillMembers: ['eventId', 'targetUrl'],
      },
      uniqueUsersCount: {
        label: 'Unique users',
        description: 'Number of different users. Events without a user are not counted.',
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
      bots: {
        description: 'Events of crawlers, feed readers and scripts, recognized by their user agent.',
        sql: botCondition('{CUBE}'),
      },
      humans: {
        description: 'Events that do not come from a known kind of robot.',
        sql: `NOT ${botCondition('{CUBE}')}`,
      },
    },
  });
}

const time: DimensionDefinition = column('Time', 'When the event happened, UTC.', 'utc_time', 'time');
/** The parts of a time that people compare, in the query's time zone. */
function timeParts(sql: string, when: string): Readonly<Record<string, DimensionDefinition>> {
  return {
    hourOfDay: {
      label: 'Hour of day',
      description: `Hour of the day in which ${when}, in the query's time zone: 0 to 23.`,
      type: 'number',
      sql,
      part: 'hour',
      format: 'hour',
      local: true,
    },
    weekday: {
      label: 'Weekday',
      description: `Day of the week on which ${when}, in the query's time zone: 1 is Monday, 7 is Sunday.`,
      type: 'number',
      sql,
      part: 'weekday',
      format: 'weekday',
      local: true,
    },
  };
}

const host: DimensionDefinition = column('Host', 'Host of the page: www.example.com.', 'doc_host');
const path: DimensionDefinition = column('Page', 'Path of the page: /pricing.', 'doc_path');
const address: DimensionDefinition = column('Page URL', 'Full address of the page.', 'url');
const referrer: DimensionDefinition = column('Referrer', 'Address of the page that led here.', 'referer');
const eventId: DimensionDefinition = column('Event ID', 'Identifier of the event.', 'event_id');
const browserLanguage: DimensionDefinition = column(
  'Browser language',
  'Language that the browser is set to: de-AT.',
  'browser_language',
);
const viewport: DimensionDefinition = column(
  'Viewport size',
  'Size of the viewport in pixels: 1280x720.',
  'viewport_size',
);

const eventDimensions: Readonly<Record<string, DimensionDefinition>> = {
  utcTime: time,
  derivedTstamp: time,
  ...timeParts('{CUBE}.utc_time', 'the event happened'),
  eventType: column('Event type', 'Kind of event: pageview, link_click.', 'event_type'),
  eventName: {
    label: 'Event name',
    description: 'Kind of event in the newer spelling: page_view, link_click.',
    sql: `CASE WHEN {CUBE}.event_type = '${pageView.documented}' THEN '${pageView.newer}' ELSE {CUBE}.event_type END`,
  },
  event: column('Event class', "The tracker's class of event: page_view, struct, unstruct, page_ping.", 'event'),
  eventId,
  eventnCtxEventId: eventId,
  userAnonymousId: column('Anonymous ID', "Visitor ID from the tracker's cookie.", 'user_anonymous_id'),
  userId: column('User ID', 'User ID set by the application.', 'user_id'),
  userHashedAnonymousId: column(
    'Hashed anonymous ID',
    'Visitor ID as a hash instead of a cookie.',
    'user_hashed_anonymous_id',
  ),
  sessionId: column('Session ID', 'Session ID set by the tracker.', 'session_id'),
  idsAjsAnonymousId: column(
    'Other anonymous ID',
    'Visitor ID set by another analytics library on the page.',
    'ids_ajs_anonymous_id',
  ),
  docHost: host,
  pageUrlhosts: host,
  docPath: path,
  pageUrlpath: path,
  docSearch: column('Page query', "Query of the page's address, with its question mark: ?page=2.", 'doc_search'),
  docEncoding: column('Page encoding', 'Character encoding of the page.', 'doc_encoding'),
  url: address,
  pageUrl: address,
  baseUrl: column('Base URL', 'Protocol, host and port of the page: https://www.example.com:8443.', 'base_url'),
  pageTitle: column('Page title', 'Title of the page.', 'page_title'),
  referer: referrer,
  pageReferrer: referrer,
  useragent: column('User agent', 'The user agent as the browser sent it.', 'useragent'),
  ...agentDimensions,
  browserLanguage,
  userLanguage: browserLanguage,
  documentLanguage: column('Page language', 'Language that the page declares.', 'document_language'),
  viewportSize: viewport,
  vpSize: viewport,
  localTzOffset: column('Time zone offset', "Minutes from the user's local time to UTC.", 'local_tz_offset', 'number'),
  src: column('Source', 'What sent the event.', 'src'),
  ...visitDimensions,
  apiKey: column('API key', 'Key of the instrumented application.', 'api_key'),
  projectId: column('Project ID', 'Project that the event belongs to.', 'project_id'),
  targetUrl: column('Link target', 'Address that a clicked link leads to.', 'target_url'),
  elementId: column('Element ID', 'Identifier of the clicked element.', 'element_id'),
  customEventName: column('Custom event', 'Name of a custom event.', 'custom_event_name'),
  customEventProps: column('Event properties', 'Properties of a custom event, JSON text.', 'custom_event_props'),
  customUserProps: column('User properties', 'Properties of the user, JSON text.', 'custom_user_props'),
};

interface SessionsCubeOptions {
  readonly public: boolean;
  /** Measures in addition to those of every sessions cube. */
  readonly measures?: Readonly<Record<string, MeasureDefinition>>;
}

const pageViewMeasures: Readonly<Record<string, MeasureDefinition>> = {
  pageViewsCount: { ...sumOf('Page views', 'Number of page views in sessions.', 'page_views'), local: true },
  averagePageViews: {
    label: 'Page views per session',
    description: 'Page views per session, on average.',
    type: 'number',
    sql: '1.0 * {pageViewsCount} / nullif({count}, 0)',
    local: true,
  },
  bouncedCount: {
    ...countOf('Bounced sessions', 'Number of sessions with a single page view.', '{CUBE}.page_views = 1'),
    local: true,
  },
  viewingCount: {
    ...countOf('Sessions with page views', 'Number of sessions with a page view.', '{CUBE}.page_views > 0'),
    public: false,
    local: true,
  },
  bounceRate: {
    ...percentage(
      'Bounce rate',
      'Sessions with a single page view, as a percentage of sessions with page views.',
      '100.0 * {bouncedCount} / nullif({viewingCount}, 0)',
    ),
    local: true,
  },
};

/** The note about sessions with events of several users. */
const sharedSessions = 'sessions have events of several users, and each counts only for the first of them';

/** One row per session. Its attributes (browser, system, page, referrer) come from its first event. */
function sessionsCube(name: string, options: SessionsCubeOptions): Cube {
  return defineCube({
    name,
    description: 'Sessions: visits of one user. One row per session, with the attributes of its first event.',
    source: { kind: 'sessions' },
    timeMember: 'startAt',
    public: options.public,
    measures: {
      count: countOf('Sessions', 'Number of sessions.'),
      averagePerUser: {
        label: 'Sessions per user',
        description: 'Sessions per user, on average.',
        type: 'number',
        sql: '1.0 * {count} / nullif({uniqueUsersCount}, 0)',
      },
      averageDurationMinutes: {
        label: 'Average session duration in minutes',
        description: 'Average time from the first to the last event of a session, in minutes.',
        // Computed from integers, so that the last digit does not depend on the order of the rows.
        type: 'number',
        sql: '{durationMilliseconds} / 60000.0 / nullif({count}, 0)',
      },
      durationMilliseconds: {
        label: 'Session duration in milliseconds',
        description: 'Total time from the first to the last event of each session, in milliseconds.',
        type: 'sum',
        sql: '{CUBE}.duration_ms',
        public: false,
      },
      uniqueUsersCount: {
        label: 'Unique users',
        description: 'Number of different users who had sessions.',
        type: 'count_distinct',
        sql: '{CUBE}.user_key',
        uncounted: [
          { sql: '{CUBE}.user_key IS NULL', what: 'sessions without a user' },
          { sql: '{CUBE}.shared', what: sharedSessions },
        ],
      },
      usersCount: countOf(
        'Sessions with a user',
        'Number of sessions that have a user: a user with two sessions counts twice.',
        '{CUBE}.user_key IS NOT NULL',
      ),
      ...pageViewMeasures,
      ...options.measures,
    },
    dimensions: {
      sessionID: {
        label: 'Session ID',
        description: 'Identifier of the session.',
        sql: 'coalesce({CUBE}.session_id, {CUBE}.session_key)',
        primaryKey: true,
        public: false,
      },
      derived: column(
        'Derived session',
        'True if the tracker sent no session ID, so that pauses between events separate the sessions.',
        'derived',
        'boolean',
      ),
      startAt: column('Session start', "When the session's first event happened, UTC.", 'start_at', 'time'),
      endAt: column('Session end', "When the session's last event happened, UTC.", 'end_at', 'time'),
      ...timeParts('{CUBE}.start_at', 'the session began'),
      pageViews: {
        ...column('Page views in session', 'Number of page views in the session.', 'page_views', 'number'),
        local: true,
      },
      durationMinutes: {
        label: 'Session duration in minutes',
        description: 'Time from the first to the last event of the session, in minutes.',
        type: 'number',
        sql: '{CUBE}.duration_ms / 60000.0',
        local: true,
      },
      userId: column('User ID', 'User ID set by the application.', 'user_id'),
      userAnonymousId: {
        ...column('Anonymous ID', "Visitor ID from the tracker's cookie.", 'user_anonymous_id'),
        local: true,
      },
      projectId: column('Project ID', 'Project that the session belongs to.', 'project_id'),
      ...agentDimensions,
      browserLanguage: column('Browser language', 'Language that the browser is set to: de-AT.', 'browser_language'),
      documentLanguage: column('Entry page language', 'Language that the entry page declares.', 'document_language'),
      viewportSize: column('Viewport size', 'Size of the viewport in pixels: 1280x720.', 'viewport_size'),
      docHost: column('Entry host', 'Host of the entry page.', 'doc_host'),
      docPath: column('Entry page', "Path of the session's first event, also if it is no page view.", 'doc_path'),
      referer: column('Referrer', 'Address of the page that led to the entry page.', 'referer'),
      ...visitDimensions,
      ...sessionDimensions,
    },
    segments: {},
  });
}

/** A session that several users share counts only for the first of them. */
const uncounted = [{ sql: '{CUBE}.shared_sessions > 0', amount: '{CUBE}.shared_sessions', what: sharedSessions }];

/** One row per user, over all sessions. A range selects users by their first event. */
function usersCube(name: string): Cube {
  return defineCube({
    name,
    description:
      'Users, and whether they came back. One row per user; a date range selects users who were first seen in it.',
    source: { kind: 'users' },
    timeMember: 'first_timestamp',
    measures: {
      count: { label: 'Users', description: 'Number of users.', type: 'count', uncounted },
      returningUsersCount: {
        label: 'Returning users',
        description: 'Number of users with more than one session.',
        type: 'count',
        filter: '{CUBE}.sessions > 1',
        uncounted,
      },
      allSessionsCount: {
        label: 'Sessions',
        description: 'Number of sessions of the users.',
        type: 'sum',
        sql: '{CUBE}.sessions',
        uncounted,
      },
      returningUserPercentage: {
        label: 'Returning user rate',
        description: 'Users with more than one session, as a percentage of all users.',
        type: 'number',
        sql: '100.0 * {returningUsersCount} / nullif({count}, 0)',
        format: 'percent',
        uncounted,
      },
    },
    dimensions: {
      first_timestamp: column('First seen', 'When the user was first seen, UTC.', 'first_timestamp', 'time'),
      ...firstTouchDimensions,
    },
    segments: {
      returningUsers: { description: 'Users with more than one session.', sql: '{CUBE}.sessions > 1' },
    },
  });
}

/**
 * The platform's own cubes, under all names in its documentation, dashboards and older versions. Cubes of older
 * versions can be queried but are not listed.
 */
export const builtInModel: Model = {
  cubes: [
    eventsCube('TrackedEvents', 'utcTime', { public: true }),
    sessionsCube('Sessions', { public: true }),
    usersCube('ReturningUsers'),
    eventsCube('Jitsu', 'utcTime', { public: false }),
    eventsCube('SnowplowTrackedEvents', 'derivedTstamp', { public: false }),
    sessionsCube('SnowplowSessions', {
      public: false,
      measures: {
        repeatCount: {
          label: 'Repeat sessions',
          description: "Sessions after each user's first one, among the selected sessions.",
          type: 'number',
          sql: '{usersCount} - {uniqueUsersCount}',
        },
        repeatPercent: percentage(
          'Repeat session rate',
          'Repeat sessions as a percentage of all sessions.',
          '100.0 * {repeatCount} / nullif({count}, 0)',
        ),
      },
    }),
  ],
};

/**
 * The built-in cubes as servers have them, without members that only local engines support. `leftOut` gives the
 * reasons.
 */
export const builtInModelOfServers: Model = {
  cubes: builtInModel.cubes.map((cube) => ({
    ...cube,
    measures: cube.measures.filter(({ local }) => !local),
    dimensions: cube.dimensions.filter(({ local }) => !local),
  })),
  leftOut: localOnly(() => false),
};

/** Adds to a server's model the reasons why members of local engines are missing. */
export function tellLocal(model: Model): Model {
  const has = new Set(
    model.cubes.flatMap(({ name, measures, dimensions }) =>
      [...measures, ...dimensions].map((each) => `${name}.${each.name}`),
    ),
  );
  const cubes = new Set(model.cubes.map(({ name }) => name));
  const missing = localOnly((cube, name) => !cubes.has(cube) || has.has(`${cube}.${name}`));
  return missing.length === 0 ? model : { ...model, leftOut: [...(model.leftOut ?? []), ...missing] };
}

function localOnly(isKnown: (cube: string, member: string) => boolean): readonly LeftOut[] {
  return builtInModel.cubes.flatMap((cube) =>
    [...cube.measures, ...cube.dimensions]
      .filter(({ name, local }) => local && !isKnown(cube.name, name))
      .map(({ name }) => ({
        name: `${cube.name}.${name}`,
        reason: 'Servers do not compute it. Export the events with `sluice export`, then query them locally.',
      })),
  );
}
