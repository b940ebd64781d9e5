/** Sessions by the words of the design, event by event: slow, and independent of SQL. */

export interface SessionEvent {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly eventId: string;
  readonly projectId?: string | null | undefined;
  readonly userAnonymousId?: string | null | undefined;
  readonly userId?: string | null | undefined;
  readonly sessionId?: string | null | undefined;
  readonly eventType?: string | null | undefined;
  readonly agentName?: string | null | undefined;
  readonly docPath?: string | null | undefined;
  readonly referer?: string | null | undefined;
}

export interface OracleSession {
  readonly derived: boolean;
  readonly startAt: number;
  readonly endAt: number;
  readonly minutes: number;
  /** Null without a user. */
  readonly user: string | null;
  readonly first: SessionEvent;
  readonly events: readonly SessionEvent[];
}

export interface OracleUser {
  readonly user: string;
  readonly firstTimestamp: number;
  readonly sessions: number;
}

export type UserSetting = 'anonymous' | 'known';

function userOf({ userAnonymousId, userId }: SessionEvent, setting: UserSetting): string | null {
  const names = [userAnonymousId ? `a ${userAnonymousId}` : null, userId ? `k ${userId}` : null];
  if (setting === 'known') names.reverse();
  return names.find((name) => name !== null) ?? null;
}

const halfAnHour = 1_800_000;

/** By time, then by ID. */
function inOrder(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.toSorted((one, other) => one.at - other.at || (one.eventId < other.eventId ? -1 : 1));
}

function sessionOf(unordered: readonly SessionEvent[], derived: boolean, setting: UserSetting): OracleSession {
  const events = inOrder(unordered);
  const [first, last] = [events[0]!, events.at(-1)!];
  const users = events.map((event) => userOf(event, setting)).filter((user) => user !== null);
  return {
    derived,
    startAt: first.at,
    endAt: last.at,
    minutes: (last.at - first.at) / 60_000,
    user: users[0] ?? null,
    first,
    events,
  };
}

export function oracleSessions(
  all: readonly SessionEvent[],
  { project, user }: { readonly project?: string | undefined; readonly user: UserSetting },
): readonly OracleSession[] {
  const events = project === undefined ? all : all.filter((event) => event.projectId === project);
  const tracked = Map.groupBy(
    events.filter((event) => event.sessionId),
    (event) => JSON.stringify([event.projectId ?? null, event.sessionId]),
  );
  const untracked = events.filter((event) => !event.sessionId && userOf(event, user) !== null);
  const streams = Map.groupBy(untracked, (event) => JSON.stringify([event.projectId ?? null, userOf(event, user)]));
  return [
    ...[...tracked.values()].map((own) => sessionOf(own, false, user)),
    ...[...streams.values()].flatMap((own) => {
      // A session starts with an event after at least half an hour without events of the user.
      const times = [...new Set(own.map(({ at }) => at))];
      const starts = times.filter((at) => !times.some((before) => before < at && at - before <= halfAnHour));
      return [...Map.groupBy(own, ({ at }) => Math.max(...starts.filter((start) => start <= at))).values()].map(
        (visit) => sessionOf(visit, true, user),
      );
    }),
  ];
}

export function oracleUsers(sessions: readonly OracleSession[]): readonly OracleUser[] {
  const users = Map.groupBy(
    sessions.filter(({ user }) => user !== null),
    ({ user }) => user!,
  );
  return [...users].map(([user, own]) => ({
    user,
    firstTimestamp: Math.min(...own.map(({ startAt }) => startAt)),
    sessions: own.length,
  }));
}

/** Values in the order of `sessionMeasures`. */
export function measureSessions(sessions: readonly OracleSession[]): readonly (number | null)[] {
  const users = new Set(sessions.map(({ user }) => user).filter((user) => user !== null)).size;
  const minutes = sessions.reduce((sum, session) => sum + session.minutes, 0);
  return [
    sessions.length,
    sessions.filter(({ user }) => user !== null).length,
    users,
    sessions.length === 0 ? null : minutes / sessions.length,
    users === 0 ? null : sessions.length / users,
    ...measureViews(sessions),
  ];
}

/** Page views, page views per session, sessions with a single one, and their share among those with any. */
function measureViews(sessions: readonly OracleSession[]): readonly (number | null)[] {
  const isView = ({ eventType }: SessionEvent) => eventType === 'pageview' || eventType === 'page_view';
  const views = sessions.map(({ events }) => events.filter(isView).length);
  const all = views.reduce((sum, count) => sum + count, 0);
  const bounced = views.filter((count) => count === 1).length;
  const viewing = views.filter((count) => count > 0).length;
  return [
    sessions.length === 0 ? null : all,
    sessions.length === 0 ? null : all / sessions.length,
    bounced,
    viewing === 0 ? null : (100 * bounced) / viewing,
  ];
}
export const sessionMeasures = [
  'count',
  'usersCount',
  'uniqueUsersCount',
  'averageDurationMinutes',
  'averagePerUser',
  'pageViewsCount',
  'averagePageViews',
  'bouncedCount',
  'bounceRate',
].map((name) => `Sessions.${name}`);

export function measureUsers(users: readonly OracleUser[]): readonly (number | null)[] {
  const returning = users.filter(({ sessions }) => sessions > 1).length;
  const sessions = users.reduce((sum, user) => sum + user.sessions, 0);
  return [
    users.length,
    returning,
    users.length === 0 ? null : sessions,
    users.length === 0 ? null : (100 * returning) / users.length,
  ];
}
export const userMeasures = ['count', 'returningUsersCount', 'allSessionsCount', 'returningUserPercentage'].map(
  (name) => `ReturningUsers.${name}`,
);
