import type { CatalogMember, MemberCatalog } from '../../../src/ask/query/member-catalog.ts';

const members: Readonly<Record<string, 'measure' | 'segment' | 'string' | 'time'>> = {
  'TrackedEvents.count': 'measure',
  'TrackedEvents.pageViewsCount': 'measure',
  'TrackedEvents.uniqueUsersCount': 'measure',
  'TrackedEvents.docPath': 'string',
  'TrackedEvents.docHost': 'string',
  'TrackedEvents.eventType': 'string',
  'TrackedEvents.agentName': 'string',
  'TrackedEvents.pageTitle': 'string',
  'TrackedEvents.utcTime': 'time',
  'TrackedEvents.knownUsers': 'segment',
  'Sessions.count': 'measure',
  'Sessions.averageDurationMinutes': 'measure',
  'Sessions.agentName': 'string',
  'Sessions.osName': 'string',
  'Sessions.startAt': 'time',
  'Sessions.endAt': 'time',
  'checkout.count': 'measure',
  'checkout.step': 'string',
  'checkout.date': 'time',
  'signup.step': 'string',
};

const times: Readonly<Record<string, string>> = {
  TrackedEvents: 'TrackedEvents.utcTime',
  Sessions: 'Sessions.startAt',
  checkout: 'checkout.date',
};

/** A small model for resolving names. */
export const catalog: MemberCatalog = {
  find: (name): CatalogMember | undefined => {
    const kind = Object.hasOwn(members, name) ? members[name] : undefined;
    if (kind === undefined) return undefined;
    return kind === 'measure' || kind === 'segment' ? { kind } : { kind: 'dimension', member: { type: kind } };
  },
  names: () => Object.keys(members),
  timeMemberOf: (cube) => times[cube],
};
