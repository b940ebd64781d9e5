import { hour, minute } from '../../ask/time/granularity.ts';
import type { BucketCut, Dialect } from '../sql/dialect.ts';
import { lowerUsers } from '../sql/duckdb.ts';
import { type Expression, allOf, anyOf, bound, name, sql, trusted } from '../sql/expression.ts';

/** Counts of events: rows for each user, slot of time, and values of the columns. */
export interface EventCounts {
  readonly name: string;
  /** What statements call its rows. */
  readonly relation: string;
  /** Columns of events that its rows are told apart by, beside `utc_time`, where a slot begins, and `user_key`. */
  readonly columns: readonly string[];
  /** Milliseconds from a slot to the next one: a multiple of `slotLength`. */
  readonly slot: number;
  /** Its rows are those of all users: they have no `user_key`. */
  readonly ofAllUsers?: true;
  /** A row is a single event: hardly two are alike, and to group them costs more than it saves. */
  readonly ungrouped?: true;
}

/**
 * All offsets from UTC that clocks keep today are multiples of it, so that it tiles the hours and days of each zone.
 */
export const slotLength = 15 * minute;

/** How many events a row stands for. */
export const eventCountColumn = 'event_count';

const fewColumns = ['project_id', 'event_type', 'agent_name'] as const;

/** Hours begin at once in nearly all zones; the others have `counts`. */
const hours: EventCounts = {
  name: 'hours',
  relation: 'hour_counts',
  columns: fewColumns,
  slot: hour,
  ofAllUsers: true,
};

const counts: EventCounts = { name: 'counts', relation: 'event_counts', columns: fewColumns, slot: slotLength };

/** Its columns are those of `counts` and more, so that these can be made of it. */
const pages: EventCounts = {
  name: 'pages',
  relation: 'page_counts',
  slot: slotLength,
  ungrouped: true,
  columns: [...fewColumns, 'os_name', 'browser_language', 'country', 'doc_host', 'doc_path'],
};

/** What a store keeps of its events beside them, the smallest first: each can be made of the next one. */
export const eventCounts: readonly EventCounts[] = [hours, counts, pages];

/** Columns that distinguish the rows of a user's day. */
const userDayColumns = ['project_id', 'agent_name'] as const;

/** The columns that a question groups by or filters to one value. */
export type UserDayKeys = ReadonlySet<(typeof userDayColumns)[number]>;

/**
 * The days on which each user had events, in one time zone: a row per user, `day` and values of the columns, with an
 * instant of the day as `utc_time`. For each subset of the columns, one of `befores` has the previous day on which the
 * user had events with the same values. A row is the user's first one in a period if that day lies before the period, so
 * unique users of days, weeks and months are a count of rows.
 */
export const userDays = {
  name: 'days',
  columns: userDayColumns as readonly string[],
  befores: ([[], ['project_id'], ['agent_name'], userDayColumns] as const).map((keys) => ({
    keys: new Set(keys) as UserDayKeys,
    column: ['before', ...keys].join('_'),
  })),
  relation: (zone: string) => `user_days ${zone}`,
} as const;

/**
 * The events themselves with the columns of `pages`, the times to the microsecond, and the codes of users for their
 * keys: for statements that tell users apart, and not who they are.
 */
export const codedEvents = {
  name: pages.name,
  relation: 'coded_events',
  columns: [...pages.columns, 'utc_time'] as readonly string[],
  /** What the time of an event is called in `pages`, where `utc_time` is a slot. */
  timeColumn: 'exact_time',
} as const;

/** What a store keeps of its sessions: a row each, users told apart by codes. */
export const keptSessions = {
  name: 'sessions',
  relation: 'kept_sessions',
  columns: ['project_id', 'shared', 'derived', 'start_at', 'end_at', 'duration_ms'],
} as const;

/** The dialect for plans over events that counts of them answer: each row stands for as many events as it says. */
export function countedDialect(
  dialect: Dialect,
  { relation, ungrouped }: Pick<EventCounts, 'relation' | 'ungrouped'>,
): Dialect {
  const lowerSource: Dialect['lowerSource'] = (source, columns, project) =>
    source.kind !== 'events' ? dialect.lowerSource(source, columns, project) : sql`(${rowsOf(relation, project)})`;
  if (ungrouped) return { ...dialect, lowerSource };
  return {
    ...dialect,
    lowerSource,
    aggregate: (measure, value, conditions) =>
      measure.type === 'count' ? countEvents(conditions) : dialect.aggregate(measure, value, conditions),
    countRows: countEvents,
  };
}

/** Counts events over rows that each stand for several. */
function countEvents(conditions: readonly Expression[]): Expression {
  const all = sql`sum(${trusted(eventCountColumn)})`;
  const counted = conditions.length === 0 ? all : sql`${all} FILTER (WHERE ${allOf(conditions)})`;
  // The sum of no rows is null, their count is 0.
  return sql`CAST(coalesce(${counted}, 0) AS BIGINT)`;
}

/** The parts of a plan that decide which of a user's days is the first in a period. */
export interface UserDaysQuestion {
  readonly zone: string;
  readonly keys: UserDayKeys;
  /** The period; undefined for the whole range. */
  readonly granularity: BucketCut['granularity'] | undefined;
  readonly weekStart: BucketCut['weekStart'];
  /** The start of the range as wall time (epoch ms as if UTC); -Infinity if it is open. */
  readonly from: number;
}

/** The dialect for plans over events that the days of users answer: counts users by their first days in a period. */
export function userDaysDialect(dialect: Dialect, asked: UserDaysQuestion): Dialect {
  const day = sql`CAST(${name('day')} AS TIMESTAMP)`;
  const toBucket: Dialect['toBucket'] = (_instant, cut) =>
    dialect.toBucket(day, { ...cut, zone: 'UTC', range: undefined });
  const { column } = userDays.befores.find(
    ({ keys }) => keys.size === asked.keys.size && [...keys].every((key) => asked.keys.has(key)),
  )!;
  const before = name(column);
  const { granularity, weekStart, from } = asked;
  const firsts = [
    sql`${before} IS NULL`,
    ...(granularity === 'day' ? [sql`${before} < ${name('day')}`] : []),
    ...(granularity !== undefined && granularity !== 'day'
      ? [sql`${before} < ${dialect.toBucket(day, { granularity, weekStart, zone: 'UTC', range: undefined })}`]
      : []),
    ...(Number.isFinite(from) ? [sql`${before} < ${dialect.timestamp(from)}`] : []),
  ];
  return {
    ...countedDialect(dialect, { relation: userDays.relation(asked.zone) }),
    toBucket,
    aggregate: (measure, value, conditions) =>
      measure.type === 'count'
        ? countEvents(conditions)
        : sql`count(${value ?? trusted('*')}) FILTER (WHERE ${allOf([...conditions, anyOf(firsts)])})`,
  };
}

/** The dialect for analyses that coded events answer. */
export function codedDialect(dialect: Dialect): Dialect {
  return {
    ...dialect,
    lowerSource: (source, columns, project) =>
      source.kind === 'events' && project === undefined
        ? name(codedEvents.relation)
        : dialect.lowerSource(source, columns, project),
  };
}

/** The dialect for plans over sessions and users that kept sessions answer. */
export function sessionsDialect(dialect: Dialect): Dialect {
  return {
    ...dialect,
    lowerSource(source, columns, project) {
      if (source.kind === 'sessions') return sql`(${rowsOf(keptSessions.relation, project)})`;
      if (source.kind === 'users') return sql`(${lowerUsers(columns, rowsOf(keptSessions.relation, project))})`;
      return dialect.lowerSource(source, columns, project);
    },
  };
}

function rowsOf(relation: string, project: string | undefined): Expression {
  const all = sql`SELECT * FROM ${name(relation)}`;
  return project === undefined ? all : sql`${all} WHERE project_id = ${bound({ type: 'text', value: project })}`;
}
