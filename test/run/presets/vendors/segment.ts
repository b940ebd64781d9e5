import { orNull, pathOf } from '../oracle.ts';
import type { StoryEvent } from '../story.ts';
import type { Row, Vendor } from '../vendor.ts';

interface Call extends Row {
  readonly type: string;
  readonly event?: string;
  readonly messageId: string;
  readonly anonymousId?: string | null;
  readonly userId?: string | null;
  readonly timestamp: string;
  readonly originalTimestamp: string;
  readonly context: {
    readonly page?: { readonly url?: string; readonly referrer?: string };
    readonly sessionId?: number;
  };
}

/** segment.com/docs/connections/spec/common */
function common(event: StoryEvent) {
  const { at, delay, number, visitor, account, kind, name, host, path, search, title, referrer, agent, props } = event;
  const page = {
    path,
    referrer: referrer ?? '',
    search,
    title,
    url: `https://${host}${path}${search}`,
  };
  return {
    type: (
      {
        page: 'page',
        custom: 'track',
        click: 'track',
        identify: 'identify',
      } as const
    )[kind],
    ...(kind === 'custom' && { event: name, properties: props }),
    ...(kind === 'click' && {
      event: 'Link Clicked',
      properties: { href: 'https://other.example/' },
    }),
    ...(kind === 'page' && {
      name: number % 2 === 0 ? 'Home' : null,
      properties: page,
    }),
    ...(kind === 'identify' && {
      traits: { plan: 'pro', 'full name': 'Zoë "Z" Müller' },
    }),
    messageId: `ajs-next-${number}`,
    ...(visitor !== null ? { anonymousId: `a-${visitor}` } : number % 2 === 0 ? { anonymousId: null } : {}),
    userId: account,
    originalTimestamp: new Date(at + 4000).toISOString(),
    sentAt: new Date(at + 4000 + 10).toISOString(),
    receivedAt: new Date(at + delay).toISOString(),
    timestamp: new Date(at).toISOString(),
    context: {
      ip: '203.0.113.9',
      locale: 'de-AT',
      page,
      userAgent: agent,
      campaign: search.includes('utm') ? { source: 'newsletter' } : undefined,
    },
    integrations: {},
  };
}

const types: Readonly<Record<string, string>> = { page: 'pageview' };

function read(call: Call, time: string, session: string | null) {
  return [
    {
      at: Date.parse(time),
      eventId: call.messageId,
      userAnonymousId: orNull(call.anonymousId),
      userId: orNull(call.userId),
      sessionId: session,
      type: call.type === 'track' ? call.event! : (types[call.type] ?? call.type),
      path: pathOf(call.context.page?.url),
      referer: orNull(call.context.page?.referrer),
    },
  ];
}

const recognised = [
  'type',
  'event',
  'messageId',
  'anonymousId',
  'userId',
  'context',
  'context.page.url',
  'context.page.referrer',
];

export const segment: Vendor = {
  preset: 'segment',
  label: 'raw events',
  format: 'ndjson',
  write: (story) => story.map((event) => ({ ...common(event), version: 2, projectId: 'Kx9' })),
  read: (call: Call) => read(call, call.timestamp, null),
  recognised: [...recognised, 'timestamp'],
};

/** rudderstack.com/docs/event-spec/standard-events/common-fields */
export const rudderstack: Vendor = {
  preset: 'rudderstack',
  label: 'event dumps',
  format: 'ndjson',
  write: (story) =>
    story.map((event) => {
      const call = common(event);
      const sessionId = event.number % 9 === 0 ? undefined : event.visitStart;
      return {
        ...call,
        channel: 'web',
        rudderId: `r-${event.number}`,
        request_ip: '203.0.113.9',
        // Here the client's clock is right.
        originalTimestamp: new Date(event.at).toISOString(),
        context: {
          ...call.context,
          sessionId,
          library: { name: 'RudderLabs JavaScript SDK' },
        },
      };
    }),
  read: (call: Call) => {
    const user = orNull(call.anonymousId) ?? orNull(call.userId);
    // The session's number is its start in seconds, so it is unique only per user.
    const session = call.context.sessionId === undefined || user === null ? null : `${user}.${call.context.sessionId}`;
    return read(call, call.originalTimestamp, session);
  },
  recognised: [...recognised, 'context.sessionId'],
};
