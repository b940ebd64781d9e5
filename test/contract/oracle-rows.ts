import type { ExportedEvent } from './exported-events.ts';

export type Cell = string | number | boolean | null;

/** A row of a cube before grouping: an event, a session, a user. */
export interface SourceRow {
  /** By short name. */
  readonly values: Readonly<Record<string, Cell>>;
  /** Instants by short name. */
  readonly times: Readonly<Record<string, number>>;
  readonly user: string | null;
  /** Minutes from the first to the last event of a session. */
  readonly minutes: number;
  /** Sessions of a user. */
  readonly sessions: number;
  /** Page views of a session. */
  readonly views: number;
}

export interface OracleStore {
  readonly TrackedEvents: readonly SourceRow[];
  readonly Sessions: readonly SourceRow[];
  readonly ReturningUsers: readonly SourceRow[];
  /** The time of the last event of all projects. */
  readonly latest: number;
}

export interface StoreSettings {
  readonly project: string | undefined;
  readonly user: 'anonymous' | 'known';
}

type Seen = ExportedEvent & { readonly at: number; readonly user: string | null };

/** The cubes as the design describes them, computed by hand. */
export function toStore(events: readonly ExportedEvent[], { project, user }: StoreSettings): OracleStore {
  const seen = events
    .map((event): Seen => ({ ...event, at: Date.parse(`${event.utcTime}Z`), user: userOf(event, user) }))
    .filter((event) => project === undefined || event.projectId === project);
  const sessions = toSessions(seen);
  const latest = Math.max(...events.map(({ utcTime }) => Date.parse(`${utcTime}Z`)));
  return { TrackedEvents: seen.map(toEventRow), Sessions: sessions, ReturningUsers: toUsers(sessions), latest };
}

/** An anonymous ID and a known one are never the same user, even with equal text. */
function userOf({ userAnonymousId, userId }: ExportedEvent, first: StoreSettings['user']): string | null {
  const anonymous = userAnonymousId ? `anonymous ${userAnonymousId}` : null;
  const known = userId ? `known ${userId}` : null;
  return first === 'anonymous' ? (anonymous ?? known) : (known ?? anonymous);
}

const eventFields = [
  'eventId',
  'eventType',
  'docPath',
  'docHost',
  'pageTitle',
  'referer',
  'targetUrl',
  'userAnonymousId',
  'userId',
  'projectId',
  'agentName',
  'useragent',
  'localTzOffset',
  'customEventName',
] as const;

function toEventRow(event: Seen): SourceRow {
  const eventType = event.eventType === 'page_view' ? 'pageview' : (event.eventType ?? null);
  return {
    values: {
      ...Object.fromEntries(eventFields.map((field) => [field, event[field] ?? null])),
      eventType,
      eventName: eventType === 'pageview' ? 'page_view' : eventType,
    },
    times: { utcTime: event.at, derivedTstamp: event.at },
    user: event.user,
    minutes: 0,
    sessions: 0,
    views: 0,
  };
}

const longestGap = 30 * 60_000;

function toSessions(events: readonly Seen[]): readonly SourceRow[] {
  const inOrder = events.toSorted((a, b) => a.at - b.at || byId(a.eventId, b.eventId));
  const tracked = new Map<string, Seen[]>();
  const derived = new Map<string, Seen[][]>();
  for (const event of inOrder) {
    if (event.sessionId) {
      const key = JSON.stringify([event.projectId ?? null, event.sessionId]);
      tracked.set(key, [...(tracked.get(key) ?? []), event]);
    } else if (event.user !== null) {
      const key = JSON.stringify([event.projectId ?? null, event.user]);
      const visits = derived.get(key) ?? [];
      const last = visits.at(-1)?.at(-1);
      if (last && event.at - last.at <= longestGap) visits.at(-1)!.push(event);
      else visits.push([event]);
      derived.set(key, visits);
    }
  }
  return [
    ...[...tracked.values()].map((visit) => toSessionRow(visit, false)),
    ...[...derived.values()].flat().map((visit) => toSessionRow(visit, true)),
  ];
}

function byId(a: string | null | undefined, b: string | null | undefined): number {
  if (a === b) return 0;
  return a === null || a === undefined ? 1 : b === null || b === undefined ? -1 : a < b ? -1 : 1;
}

function toSessionRow(visit: readonly Seen[], derived: boolean): SourceRow {
  const [first, last] = [visit[0]!, visit.at(-1)!];
  const views = visit.filter(({ eventType }) => eventType === 'pageview' || eventType === 'page_view').length;
  return {
    views,
    values: {
      derived,
      pageViews: views,
      projectId: first.projectId ?? null,
      agentName: first.agentName ?? null,
      docPath: first.docPath ?? null,
      docHost: first.docHost ?? null,
      userId: first.userId ?? null,
      referer: first.referer ?? null,
    },
    times: { startAt: first.at, endAt: last.at },
    user: visit.find((event) => event.user !== null)?.user ?? null,
    minutes: (last.at - first.at) / 60_000,
    sessions: 1,
  };
}

function toUsers(sessions: readonly SourceRow[]): readonly SourceRow[] {
  const users = new Map<string, SourceRow[]>();
  for (const session of sessions)
    if (session.user !== null) users.set(session.user, [...(users.get(session.user) ?? []), session]);
  return [...users].map(([user, visits]) => ({
    values: {},
    times: { first_timestamp: Math.min(...visits.map((visit) => visit.times.startAt!)) },
    user,
    minutes: 0,
    sessions: visits.length,
    views: 0,
  }));
}

export interface OracleMeasure {
  of(rows: readonly SourceRow[]): number | null;
  /** Its value over no rows, in a filled bucket. */
  readonly absent: 0 | null;
  /** Its value for a single row. */
  one(row: SourceRow): number | null;
  /** The rows that it counts, for `measureFilter`. */
  readonly counts?: (row: SourceRow) => boolean;
}

function counting(counts: (row: SourceRow) => boolean): OracleMeasure {
  return { of: (rows) => rows.filter(counts).length, absent: 0, one: (row) => (counts(row) ? 1 : null), counts };
}

const users: OracleMeasure = {
  of: (rows) => new Set(rows.map((row) => row.user).filter((user) => user !== null)).size,
  absent: 0,
  one: (row) => (row.user === null ? null : 1),
};

function different(name: string): OracleMeasure {
  return {
    of: (rows) => new Set(rows.map(({ values }) => values[name] ?? null).filter((value) => value !== null)).size,
    absent: 0,
    one: ({ values }) => ((values[name] ?? null) === null ? null : 1),
  };
}

/** A figure of the numbers that rows have. `absent`: over no rows. */
function ofNumbers(
  read: (row: SourceRow) => unknown,
  fold: (numbers: readonly number[]) => number,
  absent: 0 | null = null,
): OracleMeasure {
  const numbersOf = (rows: readonly SourceRow[]) => rows.map(read).filter((value) => typeof value === 'number');
  const of = (rows: readonly SourceRow[]) => (numbersOf(rows).length === 0 ? absent : fold(numbersOf(rows)));
  return { of, absent, one: (row) => (numbersOf([row]).length === 0 ? null : of([row])) };
}

/** Between the two numbers that are nearest to the place. */
function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below * (1 - (place % 1)) + above * (place % 1);
}

function figuresOf(name: string, read: (row: SourceRow) => unknown): Readonly<Record<string, OracleMeasure>> {
  return {
    [name.replace('(', '.sum(')]: ofNumbers(read, sum, 0),
    [name.replace('(', '.avg(')]: ofNumbers(read, (numbers) => sum(numbers) / numbers.length),
    [name.replace('(', '.min(')]: ofNumbers(read, (numbers) => Math.min(...numbers)),
    [name.replace('(', '.max(')]: ofNumbers(read, (numbers) => Math.max(...numbers)),
    [name.replace('(', '.median(')]: ofNumbers(read, (numbers) => quantile(numbers, 0.5)),
    [name.replace('(', '.p90(')]: ofNumbers(read, (numbers) => quantile(numbers, 0.9)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export const oracleMeasures: Readonly<Record<string, OracleMeasure>> = {
  'TrackedEvents.count': counting(() => true),
  'TrackedEvents.pageViewsCount': counting((row) => row.values.eventType === 'pageview'),
  'TrackedEvents.linkClicksCount': counting((row) => row.values.eventType === 'link_click'),
  'TrackedEvents.uniqueUsersCount': users,
  ...Object.fromEntries(
    ['docPath', 'pageTitle', 'userId', 'localTzOffset'].map((name) => [
      `TrackedEvents.distinct(${name})`,
      different(name),
    ]),
  ),
  ...Object.fromEntries(
    ['docPath', 'agentName', 'pageViews'].map((name) => [`Sessions.distinct(${name})`, different(name)]),
  ),
  ...figuresOf('TrackedEvents(localTzOffset)', ({ values }) => values['localTzOffset']),
  ...figuresOf('Sessions(pageViews)', (row) => row.views),
  ...figuresOf('Sessions(durationMinutes)', (row) => row.minutes),
  'Sessions.count': counting(() => true),
  'Sessions.usersCount': counting((row) => row.user !== null),
  'Sessions.uniqueUsersCount': users,
  'Sessions.averageDurationMinutes': {
    of: (rows) => (rows.length === 0 ? null : sum(rows.map((row) => row.minutes)) / rows.length),
    absent: null,
    one: (row) => row.minutes,
  },
  'Sessions.averagePerUser': {
    of: (rows) => (users.of(rows) === 0 ? null : rows.length / users.of(rows)!),
    absent: null,
    one: (row) => users.one(row),
  },
  'Sessions.pageViewsCount': {
    of: (rows) => (rows.length === 0 ? null : sum(rows.map((row) => row.views))),
    absent: 0,
    one: (row) => row.views,
  },
  'Sessions.averagePageViews': {
    of: (rows) => (rows.length === 0 ? null : sum(rows.map((row) => row.views)) / rows.length),
    absent: null,
    one: (row) => row.views,
  },
  'Sessions.bouncedCount': counting((row) => row.views === 1),
  'Sessions.bounceRate': {
    of: (rows) => {
      const viewing = rows.filter((row) => row.views > 0).length;
      return viewing === 0 ? null : (100 * rows.filter((row) => row.views === 1).length) / viewing;
    },
    absent: null,
    one: (row) => (row.views === 1 ? 100 : null),
  },
  'ReturningUsers.count': counting(() => true),
  'ReturningUsers.returningUsersCount': counting((row) => row.sessions > 1),
  'ReturningUsers.allSessionsCount': {
    of: (rows) => (rows.length === 0 ? null : sum(rows.map((row) => row.sessions))),
    absent: 0,
    one: (row) => row.sessions,
  },
  'ReturningUsers.returningUserPercentage': {
    of: (rows) => (rows.length === 0 ? null : (100 * rows.filter((row) => row.sessions > 1).length) / rows.length),
    absent: null,
    one: (row) => (row.sessions > 1 ? 100 : null),
  },
};

export const oracleSegments: Readonly<Record<string, (row: SourceRow) => boolean>> = {
  'TrackedEvents.knownUsers': (row) => Boolean(row.values.userId),
  'TrackedEvents.bots': isBot,
  'TrackedEvents.humans': (row) => !isBot(row),
  'ReturningUsers.returningUsers': (row) => row.sessions > 1,
};

/** Sufficient for the agents in the tests. */
function isBot({ values }: SourceRow): boolean {
  return /bot|curl\//i.test(`${values.agentName ?? ''} ${values.useragent ?? ''}`);
}
