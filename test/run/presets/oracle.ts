import { oracleSessions } from '../../contract/sessions-oracle.ts';
import { funnelSteps } from './story.ts';

/** One event, as read from a file by its vendor's documentation. */
export interface ReadEvent {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly eventId: string;
  readonly userAnonymousId: string | null;
  readonly userId: string | null;
  readonly sessionId: string | null;
  readonly type: string | null;
  readonly path: string | null;
  readonly referer: string | null;
}

/** The answers to the five questions, and the kinds of events. */
export interface Answers {
  /** Without days that have no users. */
  readonly daily: Readonly<Record<string, number>>;
  readonly pages: Readonly<Record<string, number>>;
  readonly sources: Readonly<Record<string, number>>;
  readonly sessions: readonly [count: number, users: number, minutes: number];
  readonly funnel: readonly number[];
  readonly types: Readonly<Record<string, number>>;
}

const day = 86_400_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** An anonymous ID and a known one never mean the same user. */
const userOf = ({ userAnonymousId, userId }: ReadEvent) =>
  userAnonymousId ? `a ${userAnonymousId}` : userId ? `k ${userId}` : null;

/** Counts over all events one by one, slowly and obviously. */
export function countSlowly(events: readonly ReadEvent[]): Answers {
  const views = events.filter(({ type }) => type === 'pageview');
  const days = [...new Set(events.map(({ at }) => dayOf(at)))].sort();
  const users = [...new Set(events.map(userOf))].filter((user) => user !== null);
  const sessions = oracleSessions(events, { user: 'anonymous' });
  const minutes = sessions.reduce((sum, session) => sum + session.minutes, 0);
  return {
    daily: Object.fromEntries(
      days
        .map(
          (one) =>
            [
              one,
              users.filter((user) => events.some((event) => userOf(event) === user && dayOf(event.at) === one)).length,
            ] as const,
        )
        .filter(([, count]) => count > 0),
    ),
    pages: tally(views.map(({ path }) => path)),
    sources: tally(views.map(({ referer }) => referer)),
    sessions: [
      sessions.length,
      new Set(sessions.map(({ user }) => user).filter((user) => user !== null)).size,
      minutes / sessions.length,
    ],
    funnel: [
      users.filter((user) => views.some((view) => userOf(view) === user && view.path === funnelSteps[0])).length,
      users.filter((user) => {
        const own = views.filter((view) => userOf(view) === user);
        return own.some(
          (first) =>
            first.path === funnelSteps[0] &&
            own.some(
              (second) => second.path === funnelSteps[1] && second.at >= first.at && second.at - first.at <= day,
            ),
        );
      }).length,
    ],
    types: tally(events.map(({ type }) => type)),
  };
}

export function tally(values: readonly (string | null)[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The path of a URL; `/` if it has none. */
export function pathOf(url: string | null | undefined): string | null {
  if (!url) return null;
  const rest = url
    .split('#')[0]!
    .split('?')[0]!
    .replace(/^[a-z]+:\/\/[^/]*/, '');
  return rest === '' ? '/' : rest;
}

/** Trackers write missing values in several ways. */
export const orNull = (value: unknown): string | null =>
  value === undefined || value === null || value === '' ? null : String(value as string | number);
