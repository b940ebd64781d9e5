import { hour, minute } from '../../ask/time/granularity.ts';
import type { BucketCut, Dialect } from '../sql/dialect.ts';
import { lowerUsers } from '../sql/duckdb.ts';
import { allOf, anyOf, type Expression, name, sql, trusted } from '../sql/expression.ts';
import { whereProject } from '../sql/of-project.ts';

/** A table of event counts. It has a row for each user, time slot and combination of column values. */
export interface EventCounts {
  readonly name: string;
  /** The name of its relation in SQL statements. */
  readonly relation: string;
  /** The event columns that distinguish its rows, in addition to `utc_time` (the start of the slot) and `user_key`. */
  readonly columns: readonly string[];
  /** Length of a slot in milliseconds: a multiple of `slotLength`. */
  readonly slot: number;
  /** True if a row counts the events of all users, without a column `user_key`. */
  readonly ofAllUsers?: true;
  /** True if each row is a single event. Equal events are rare here, so grouping would cost more than it saves. */
  readonly ungrouped?: true;
}

/** All current offsets from UTC are multiples of this length, so every zone's hours and days consist of whole slots. */
export const slotLength = 15 * minute;

/** The column with the number of events that a row stands for. */
export const eventCountColumn = 'event_count';

const fewColumns = ['project_id', 'event_type', 'agent_name'] as const;

/** In nearly all zones, hours begin when UTC hours begin. The other zones use `counts`. */
const hours: EventCounts = {
  name: 'hours',
  relation: 'hour_counts',
  columns: fewColumns,
  slot: hour,
  ofAllUsers: true,
};

const counts: EventCounts = { name: 'counts', relation: 'event_counts', columns: fewColumns, slot: slotLength };

/** Has all columns of `counts`, so that `counts` can be computed from it. */
const pages: EventCounts = {
  name: 'pages',
  relation: 'page_counts',
  slot: slotLength,
  ungrouped: true,
  columns: [...fewColumns, 'os_name', 'browser_language', 'country', 'doc_host', 'doc_path'],
};

/**
 * The projections that a store keeps in addition to its events, smallest first. Each one can be computed from the next.
 */
export const eventCounts: readonly EventCounts[] = [hours, counts, pages];

/** The columns that divide a user's day into several rows. */
const userDayColumns = ['project_id', 'agent_name'] as const;

/** The columns that a question groups by, or filters to one value. */
type UserDayKeys = ReadonlySet<(typeof userDayColumns)[number]>;

/**
 * The days on which each user had events, in one time zone. It has a row for each user, `day` and combination of column
 * values; `utc_time` is an instant of the day. For each subset of the columns, one of the columns in `befores` has the
 * previous day on which the user had events with the same values. If that day lies before a period, the row is the
 * user's first one in the period. The unique users of days, weeks and months are then a count of such rows.
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
 * The events with the columns of `pages`, times to the microsecond, and codes instead of user keys. For statements that
 * distinguish users but do not return their keys.
 */
export const codedEvents = {
  name: pages.name,
  relation: 'coded_events',
  columns: [...pages.columns, 'utc_time'] as readonly string[],
  /** The column of `pages` with the exact time of an event; its `utc_time` is the start of a slot. */
  timeColumn: 'exact_time',
} as const;

/** The sessions that a store keeps: one row per session, with user codes. */
export const keptSessions = {
  name: 'sessions',
  relation: 'kept_sessions',
  columns: ['project_id', 'shared', 'derived', 'start_at', 'end_at', 'duration_ms', 'page_views'],
} as const;

/**
 * The dialect for plans over events that a table of counts answers. The count column of a row says how many events the
 * row stands for.
 */
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

/** Counts events over rows that stand for several events each. */
function countEvents(conditions: readonly Expression[]): Expression {
  const all = sql`sum(${trusted(eventCountColumn)})`;
  const counted = conditions.length === 0 ? all : sql`${all} FILTER (WHERE ${allOf(conditions)})`;
  // The sum of no rows is null, but the count of no rows is 0.
  return sql`CAST(coalesce(${counted}, 0) AS BIGINT)`;
}

/** The parts of a plan that decide which of a user's days counts as the first one in a period. */
export interface UserDaysQuestion {
  readonly zone: string;
  readonly keys: UserDayKeys;
  /** The period; undefined for the whole range. */
  readonly granularity: BucketCut['granularity'] | undefined;
  readonly weekStart: BucketCut['weekStart'];
  /** The start of the range as wall time (epoch ms as if UTC); -Infinity if it is open. */
  readonly from: number;
}

/**
 * The dialect for plans over events that the table of user days answers. It counts users by their first days in a
 * period.
 */
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
  return sql`SELECT * FROM ${name(relation)}${whereProject(project)}`;
}
