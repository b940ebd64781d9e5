import { orNull, pathOf } from '../oracle.ts';
import type { StoryEvent } from '../story.ts';
import type { Vendor } from '../vendor.ts';

interface Action {
  readonly type: string;
  readonly url: string | null;
  readonly timestamp: number;
  readonly eventCategory?: string;
  readonly eventAction?: string;
}

interface Visit {
  readonly idVisit: string;
  readonly visitorId: string | null;
  readonly userId: string | null;
  readonly referrerUrl: string | null;
  readonly actionDetails: readonly Action[];
}

const types: Readonly<Record<string, string>> = {
  action: 'pageview',
  outlink: 'link_click',
};

/** developer.matomo.org/api-reference/reporting-api, Live.getLastVisitsDetails: a visit with its actions. */
function write(story: readonly StoryEvent[]) {
  return [...Map.groupBy(story, ({ visit }) => visit).values()].map((unordered) => {
    const events = unordered.toSorted((one, other) => one.at - other.at);
    const first = events[0]!;
    return {
      idSite: '1',
      idVisit: String(first.visit),
      visitorId: first.visit % 10 === 0 ? null : `${first.visitor ?? 99}abcdef`,
      userId: events.at(-1)!.account,
      visitIp: '203.0.113.0',
      referrerType: first.referrer === null ? 'direct' : 'website',
      referrerUrl: first.referrer,
      browserName: 'Firefox',
      browserVersion: '123.0',
      operatingSystemName: 'GNU/Linux',
      languageCode: 'de-at',
      country: 'Österreich',
      serverTimestamp: Math.floor(events.at(-1)!.at / 1000),
      actionDetails: events.map(({ at, kind, name, host, path, search, title, number }) => ({
        type: (
          {
            page: 'action',
            custom: 'event',
            click: 'outlink',
            identify: 'search',
          } as const
        )[kind],
        url: kind === 'click' ? 'https://other.example/' : `https://${host}${path}${search}`,
        pageTitle: title,
        idpageview: `p${number}`,
        pageId: String(number),
        serverTimePretty: 'Mar 1, 2024 00:00:00',
        timestamp: Math.floor(at / 1000),
        ...(kind === 'custom' && {
          eventCategory: 'Shop',
          eventAction: name,
          eventValue: 3,
        }),
        ...(kind === 'identify' && { siteSearchKeyword: 'größe "l"' }),
      })),
    };
  });
}

export const matomo: Vendor = {
  preset: 'matomo',
  label: 'Live.getLastVisitsDetails',
  format: 'json-array',
  write,
  read: (visit: Visit) =>
    visit.actionDetails.map((action, index) => ({
      at: action.timestamp * 1000,
      eventId: `${visit.idVisit}-${index}`,
      userAnonymousId: orNull(visit.visitorId),
      userId: orNull(visit.userId),
      sessionId: orNull(visit.idVisit),
      type: action.type === 'event' ? action.eventAction! : (types[action.type] ?? action.type),
      // A click leaves the site: its URL is not a page's.
      path: action.type === 'outlink' ? null : pathOf(action.url),
      referer: orNull(visit.referrerUrl),
    })),
  recognised: [
    'idVisit',
    'visitorId',
    'referrerUrl',
    'actionDetails',
    'actionDetails.type',
    'actionDetails.url',
    'actionDetails.timestamp',
  ],
};

/** The same visits, one per line. */
export const matomoLines: Vendor = {
  ...matomo,
  label: 'visits, one a line',
  format: 'ndjson',
};
