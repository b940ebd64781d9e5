import type { ExportedEvent } from './exported-events.ts';

/** Reference time of the contract: noon of Wednesday, 6 November 2024, UTC. */
export const contractNow = Date.parse('2024-11-06T12:00:00Z');

export const hostilePath = '/a,"b"\n\'c\'; DROP TABLE events; --';
export const hostileAgent = '\u001b[31mEvil';

const robot: ExportedEvent = {
  utcTime: '2024-10-28T12:00:00.000',
  eventId: 'e12',
  eventType: 'signup',
  docPath: hostilePath,
  pageTitle: '<script>alert(1)</script>',
  agentName: 'Googlebot',
  localTzOffset: 12.5,
};
const ann = { userAnonymousId: 'ann', projectId: '42' };
const bob = { userAnonymousId: 'bob', agentName: 'Safari' };
const cat = { userAnonymousId: 'cat', projectId: '7', useragent: 'curl/8.5.0', sessionId: 's2', docPath: '/pricing' };
const dan = { userAnonymousId: 'dan', eventType: 'pageview' };
/** Identified without a cookie; not the same user as the visitor of that name. */
const knownAnn = { userId: 'ann', projectId: '7', agentName: 'Firefox', eventType: 'pageview', docPath: '/a' };
const eve = { userAnonymousId: 'eve', projectId: '42', sessionId: 's5', agentName: 'Chrome', eventType: 'pageview' };

/**
 * Two dozen events, chosen to be difficult. In Berlin the clock goes back on 27 October at 01:00 UTC, in New York on 3
 * November at 06:00 UTC. There are no events from 29 to 31 October, on 2 and on 5 November UTC.
 */
export const contractEvents: readonly ExportedEvent[] = [
  // A millisecond before midnight in Berlin, and midnight itself.
  {
    utcTime: '2024-10-25T21:59:59.999',
    eventId: 'e01',
    eventType: 'pageview',
    docPath: '/',
    pageTitle: 'Home',
    ...ann,
    sessionId: 's0',
    agentName: 'Firefox',
    localTzOffset: -120,
  },
  {
    utcTime: '2024-10-25T22:00:00.000',
    eventId: 'e02',
    eventType: 'pageview',
    docPath: '/',
    pageTitle: 'Home',
    ...ann,
    sessionId: 's1',
    agentName: 'Firefox',
  },
  {
    utcTime: '2024-10-26T00:00:00.000',
    eventId: 'e03',
    eventType: 'pageview',
    docPath: '/docs',
    pageTitle: 'Docs',
    ...ann,
    sessionId: 's1',
    agentName: 'Firefox',
  },
  // Gaps of exactly thirty minutes, and a millisecond more.
  {
    utcTime: '2024-10-26T23:59:59.999',
    eventId: 'e04',
    eventType: 'pageview',
    docPath: '/docs',
    pageTitle: 'Docs',
    ...bob,
    projectId: '42',
    userId: 'k1',
    localTzOffset: 0,
  },
  {
    utcTime: '2024-10-27T00:29:59.999',
    eventId: 'e05',
    eventType: 'link_click',
    docPath: '/docs/install',
    ...bob,
    projectId: '42',
  },
  { utcTime: '2024-10-27T01:00:00.000', eventId: 'e06', eventType: 'pageview', docPath: '/', ...bob, projectId: '42' },
  // Half past two occurs twice in Berlin; a missing title in two forms.
  { utcTime: '2024-10-27T00:30:00.000', eventId: 'e07', pageTitle: '', ...knownAnn },
  { utcTime: '2024-10-27T01:30:00.000', eventId: 'e08', pageTitle: null, ...knownAnn },
  // Around midnight in Berlin after the long day.
  { utcTime: '2024-10-27T22:59:59.999', eventId: 'e09', eventType: 'pageview', ...cat },
  { utcTime: '2024-10-27T23:00:00.000', eventId: 'e10', eventType: 'pageview', ...cat },
  { utcTime: '2024-10-27T23:59:59.999', eventId: 'e11', eventType: 'link_click', ...cat },
  // No user, a duplicate, and hostile text.
  robot,
  robot,
  {
    utcTime: '2024-11-01T10:00:00.000',
    eventId: 'e14',
    eventType: 'page_view',
    docPath: '/',
    pageTitle: 'Home',
    ...ann,
    sessionId: 's3',
    agentName: 'Chrome',
    localTzOffset: 300,
  },
  {
    utcTime: '2024-11-01T10:30:00.000',
    eventId: 'e15',
    eventType: 'pageview',
    docPath: '/Docs',
    pageTitle: '50%_off\\',
    ...ann,
    sessionId: 's3',
    agentName: 'Chrome',
  },
  // Around midnight in New York; then half past one occurs twice there.
  { utcTime: '2024-11-03T03:59:59.999', eventId: 'e16', docPath: '/', ...dan, sessionId: 's6' },
  { utcTime: '2024-11-03T04:00:00.000', eventId: 'e17', docPath: '/', ...dan },
  { utcTime: '2024-11-03T05:30:00.000', eventId: 'e18', docPath: '/docs', ...dan },
  { utcTime: '2024-11-03T06:30:00.000', eventId: 'e19', docPath: '/docs', ...dan },
  { utcTime: '2024-11-04T04:59:59.999', eventId: 'e20', eventType: 'link_click', docPath: '/pricing', ...bob },
  {
    utcTime: '2024-11-04T05:00:00.000',
    eventId: 'e21',
    eventType: 'pageview',
    docPath: '/pricing',
    ...bob,
    sessionId: 's4',
  },
  // Empty IDs count as missing. Then the reference time to the millisecond, and future events.
  {
    utcTime: '2024-11-06T10:00:00.000',
    eventId: 'e22',
    docPath: '/café',
    pageTitle: '😀',
    userAnonymousId: '',
    userId: '',
    sessionId: 's7',
    agentName: hostileAgent,
  },
  { utcTime: '2024-11-06T12:00:00.000', eventId: 'e23', docPath: '=cmd|calc', ...eve },
  { utcTime: '2024-11-07T09:00:00.000', eventId: 'e24', docPath: '/', ...eve },
];
