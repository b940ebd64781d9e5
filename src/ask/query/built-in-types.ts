/** The built-in cubes as types. Generated from the model; a test keeps both equal. */
export interface BuiltInModel {
  /** The types of the values of all measures, besides null. */
  measures: {
    /** Number of events. */
    'TrackedEvents.count': number;
    /** Number of page views. */
    'TrackedEvents.pageViewsCount': number;
    /** Number of clicks on links. */
    'TrackedEvents.linkClicksCount': number;
    /** Number of different users. Events without a user are not counted. */
    'TrackedEvents.uniqueUsersCount': number;
    /** Number of sessions. */
    'Sessions.count': number;
    /** Sessions per user, on average. */
    'Sessions.averagePerUser': number | bigint | string;
    /** Average time from the first to the last event of a session, in minutes. */
    'Sessions.averageDurationMinutes': number | bigint | string;
    /** Number of different users who had sessions. */
    'Sessions.uniqueUsersCount': number;
    /** Number of sessions that have a user: a user with two sessions counts twice. */
    'Sessions.usersCount': number;
    /** Number of page views in sessions. */
    'Sessions.pageViewsCount': number | bigint | string;
    /** Page views per session, on average. */
    'Sessions.averagePageViews': number | bigint | string;
    /** Number of sessions with a single page view. */
    'Sessions.bouncedCount': number;
    /** Sessions with a single page view, as a percentage of sessions with page views. */
    'Sessions.bounceRate': number | bigint | string;
    /** Number of users. */
    'ReturningUsers.count': number;
    /** Number of users with more than one session. */
    'ReturningUsers.returningUsersCount': number;
    /** Number of sessions of the users. */
    'ReturningUsers.allSessionsCount': number | bigint | string;
    /** Users with more than one session, as a percentage of all users. */
    'ReturningUsers.returningUserPercentage': number | bigint | string;
  };
  /** The types of the values of all dimensions, besides null. */
  dimensions: {
    /** When the event happened, UTC. */
    'TrackedEvents.utcTime': string;
    /** When the event happened, UTC. */
    'TrackedEvents.derivedTstamp': string;
    /** Hour of the day in which the event happened, in the query's time zone: 0 to 23. */
    'TrackedEvents.hourOfDay': number | bigint | string;
    /** Day of the week on which the event happened, in the query's time zone: 1 is Monday, 7 is Sunday. */
    'TrackedEvents.weekday': number | bigint | string;
    /** Kind of event: pageview, link_click. */
    'TrackedEvents.eventType': string;
    /** Kind of event in the newer spelling: page_view, link_click. */
    'TrackedEvents.eventName': string;
    /** The tracker's class of event: page_view, struct, unstruct, page_ping. */
    'TrackedEvents.event': string;
    /** Identifier of the event. */
    'TrackedEvents.eventId': string;
    /** Identifier of the event. */
    'TrackedEvents.eventnCtxEventId': string;
    /** Visitor ID from the tracker's cookie. */
    'TrackedEvents.userAnonymousId': string;
    /** User ID set by the application. */
    'TrackedEvents.userId': string;
    /** Visitor ID as a hash instead of a cookie. */
    'TrackedEvents.userHashedAnonymousId': string;
    /** Session ID set by the tracker. */
    'TrackedEvents.sessionId': string;
    /** Visitor ID set by another analytics library on the page. */
    'TrackedEvents.idsAjsAnonymousId': string;
    /** Host of the page: www.example.com. */
    'TrackedEvents.docHost': string;
    /** Host of the page: www.example.com. */
    'TrackedEvents.pageUrlhosts': string;
    /** Path of the page: /pricing. */
    'TrackedEvents.docPath': string;
    /** Path of the page: /pricing. */
    'TrackedEvents.pageUrlpath': string;
    /** Query of the page's address, with its question mark: ?page=2. */
    'TrackedEvents.docSearch': string;
    /** Character encoding of the page. */
    'TrackedEvents.docEncoding': string;
    /** Full address of the page. */
    'TrackedEvents.url': string;
    /** Full address of the page. */
    'TrackedEvents.pageUrl': string;
    /** Protocol, host and port of the page: https://www.example.com:8443. */
    'TrackedEvents.baseUrl': string;
    /** Title of the page. */
    'TrackedEvents.pageTitle': string;
    /** Address of the page that led here. */
    'TrackedEvents.referer': string;
    /** Address of the page that led here. */
    'TrackedEvents.pageReferrer': string;
    /** The user agent as the browser sent it. */
    'TrackedEvents.useragent': string;
    /** Browser or other agent: Firefox. */
    'TrackedEvents.agentName': string;
    /** Version of the browser or other agent. */
    'TrackedEvents.agentVersion': string;
    /** Family of operating systems: Linux. */
    'TrackedEvents.osFamily': string;
    /** Operating system: Ubuntu. */
    'TrackedEvents.osName': string;
    /** Version of the operating system. */
    'TrackedEvents.osVersion': string;
    /** Major version of the operating system. */
    'TrackedEvents.osVersionMajor': string;
    /** Language that the browser is set to: de-AT. */
    'TrackedEvents.browserLanguage': string;
    /** Language that the browser is set to: de-AT. */
    'TrackedEvents.userLanguage': string;
    /** Language that the page declares. */
    'TrackedEvents.documentLanguage': string;
    /** Size of the viewport in pixels: 1280x720. */
    'TrackedEvents.viewportSize': string;
    /** Size of the viewport in pixels: 1280x720. */
    'TrackedEvents.vpSize': string;
    /** Minutes from the user's local time to UTC. */
    'TrackedEvents.localTzOffset': number | bigint | string;
    /** What sent the event. */
    'TrackedEvents.src': string;
    /** Campaign source, from a column or utm_source in the page's address: newsletter. */
    'TrackedEvents.utmSource': string;
    /** Campaign medium, from a column or utm_medium in the page's address: email. */
    'TrackedEvents.utmMedium': string;
    /** Campaign, from a column or utm_campaign in the page's address: spring-sale. */
    'TrackedEvents.utmCampaign': string;
    /** Campaign term, from a column or utm_term in the page's address: kettles. */
    'TrackedEvents.utmTerm': string;
    /** Campaign content, from a column or utm_content in the page's address: header-link. */
    'TrackedEvents.utmContent': string;
    /** Host of the page that led here: news.example.com. */
    'TrackedEvents.referrerHost': string;
    /** Campaign source, or else the referrer host if it is another site. Empty for direct visits. */
    'TrackedEvents.trafficSource': string;
    /** Country of the user, as the events have it. */
    'TrackedEvents.country': string;
    /** desktop, mobile, tablet, tv or bot, from a column or the user agent. */
    'TrackedEvents.deviceClass': string;
    /** Key of the instrumented application. */
    'TrackedEvents.apiKey': string;
    /** Project that the event belongs to. */
    'TrackedEvents.projectId': string;
    /** Address that a clicked link leads to. */
    'TrackedEvents.targetUrl': string;
    /** Identifier of the clicked element. */
    'TrackedEvents.elementId': string;
    /** Name of a custom event. */
    'TrackedEvents.customEventName': string;
    /** Properties of a custom event, JSON text. */
    'TrackedEvents.customEventProps': string;
    /** Properties of the user, JSON text. */
    'TrackedEvents.customUserProps': string;
    /** True if the tracker sent no session ID, so that pauses between events separate the sessions. */
    'Sessions.derived': boolean;
    /** When the session's first event happened, UTC. */
    'Sessions.startAt': string;
    /** When the session's last event happened, UTC. */
    'Sessions.endAt': string;
    /** Hour of the day in which the session began, in the query's time zone: 0 to 23. */
    'Sessions.hourOfDay': number | bigint | string;
    /** Day of the week on which the session began, in the query's time zone: 1 is Monday, 7 is Sunday. */
    'Sessions.weekday': number | bigint | string;
    /** Number of page views in the session. */
    'Sessions.pageViews': number | bigint | string;
    /** Time from the first to the last event of the session, in minutes. */
    'Sessions.durationMinutes': number | bigint | string;
    /** User ID set by the application. */
    'Sessions.userId': string;
    /** Visitor ID from the tracker's cookie. */
    'Sessions.userAnonymousId': string;
    /** Project that the session belongs to. */
    'Sessions.projectId': string;
    /** Browser or other agent: Firefox. */
    'Sessions.agentName': string;
    /** Version of the browser or other agent. */
    'Sessions.agentVersion': string;
    /** Family of operating systems: Linux. */
    'Sessions.osFamily': string;
    /** Operating system: Ubuntu. */
    'Sessions.osName': string;
    /** Version of the operating system. */
    'Sessions.osVersion': string;
    /** Major version of the operating system. */
    'Sessions.osVersionMajor': string;
    /** Language that the browser is set to: de-AT. */
    'Sessions.browserLanguage': string;
    /** Language that the entry page declares. */
    'Sessions.documentLanguage': string;
    /** Size of the viewport in pixels: 1280x720. */
    'Sessions.viewportSize': string;
    /** Host of the entry page. */
    'Sessions.docHost': string;
    /** Path of the session's first event, also if it is no page view. */
    'Sessions.docPath': string;
    /** Address of the page that led to the entry page. */
    'Sessions.referer': string;
    /** Campaign source, from a column or utm_source in the page's address: newsletter. */
    'Sessions.utmSource': string;
    /** Campaign medium, from a column or utm_medium in the page's address: email. */
    'Sessions.utmMedium': string;
    /** Campaign, from a column or utm_campaign in the page's address: spring-sale. */
    'Sessions.utmCampaign': string;
    /** Campaign term, from a column or utm_term in the page's address: kettles. */
    'Sessions.utmTerm': string;
    /** Campaign content, from a column or utm_content in the page's address: header-link. */
    'Sessions.utmContent': string;
    /** Host of the page that led here: news.example.com. */
    'Sessions.referrerHost': string;
    /** Campaign source, or else the referrer host if it is another site. Empty for direct visits. */
    'Sessions.trafficSource': string;
    /** Country of the user, as the events have it. */
    'Sessions.country': string;
    /** desktop, mobile, tablet, tv or bot, from a column or the user agent. */
    'Sessions.deviceClass': string;
    /** How the visit came, from campaign and referrer: Organic search, Email, Referral, Direct. */
    'Sessions.channel': string;
    /** Path of the session's first page view that has one. */
    'Sessions.landingPage': string;
    /** Path of the session's last page view that has one. */
    'Sessions.exitPage': string;
    /** When the user was first seen, UTC. */
    'ReturningUsers.first_timestamp': string;
    /** Traffic source of the user's first session. Empty if that one was a direct visit. */
    'ReturningUsers.firstTouchSource': string;
    /** Channel of the user's first session. */
    'ReturningUsers.firstTouchChannel': string;
    /** Campaign medium of the user's first session. */
    'ReturningUsers.firstTouchMedium': string;
    /** Campaign of the user's first session. */
    'ReturningUsers.firstTouchCampaign': string;
  };
  /** The types of the values of all times, besides null. */
  times: {
    /** When the event happened, UTC. */
    'TrackedEvents.utcTime': string;
    /** When the event happened, UTC. */
    'TrackedEvents.derivedTstamp': string;
    /** When the session's first event happened, UTC. */
    'Sessions.startAt': string;
    /** When the session's last event happened, UTC. */
    'Sessions.endAt': string;
    /** When the user was first seen, UTC. */
    'ReturningUsers.first_timestamp': string;
  };
  /** Names of all segments. */
  segments:
    | 'TrackedEvents.knownUsers'
    | 'TrackedEvents.bots'
    | 'TrackedEvents.humans'
    | 'ReturningUsers.returningUsers';
}
