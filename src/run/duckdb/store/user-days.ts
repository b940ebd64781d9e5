import type { TimeRange } from '../../../ask/time/range.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import { eventCountColumn, userDays } from '../../../plan/projection/projections.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { name, sql } from '../../../plan/sql/expression.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';

const { columns, befores } = userDays;

/** The columns that distinguish a user's rows of one day, and order them. */
const within = columns.join(', ');

/** An instant within the day. Days in UTC need no column for it: their first instant will do. */
const instantOf = (zone: string, kept: string) => (zone === 'UTC' ? 'CAST(day AS TIMESTAMP)' : kept);

/** The columns of a zone's files. */
export function userDaysColumns(zone: string): string {
  const instant = zone === 'UTC' ? '' : 'utc_time, ';
  return `${within}, ${userKeyColumn}, day, ${instant}${eventCountColumn}, ${befores.map(({ column }) => column).join(', ')}`;
}

/** SQL for the relation that statements ask, over rows of `userDaysColumns`. */
export function userDaysIn(zone: string, rows: string): string {
  return `SELECT * REPLACE (${instantOf(zone, 'utc_time')} AS utc_time)
    FROM (SELECT ${zone === 'UTC' ? 'NULL AS utc_time, ' : ''}${userDaysColumns(zone)} FROM ${rows})`;
}

/**
 * SQL that computes the rows of `userDaysColumns`. `counts`: rows that each stand for `event_count` events of one day.
 * `extent`: a range that contains all of their times.
 */
export function toUserDays(zone: string, counts: string, extent: TimeRange): string {
  const bucket = duckDb.toBucket(sql`${name('utc_time')}`, {
    granularity: 'day',
    zone,
    weekStart: 'monday',
    range: extent,
  });
  const instant = zone === 'UTC' ? '' : 'min(utc_time) AS utc_time, ';
  const grouped = `SELECT ${within}, ${userKeyColumn}, CAST(${printStatement(bucket, duckDb).text} AS DATE) AS day,
    ${instant}CAST(sum(${eventCountColumn}) AS INTEGER) AS ${eventCountColumn} FROM ${counts} GROUP BY ALL`;
  const lag = (value: string, keys: readonly string[]) =>
    `lag(${value}) OVER (PARTITION BY ${[userKeyColumn, ...keys].join(', ')} ORDER BY day, ${within})`;
  // Nearly all users have the same values in all rows, so that one window serves all sets of columns.
  const placed = columns.map((column) => `, ${lag(column, [])} AS last_${column}`).join('');
  const isOther = columns.map((column) => `last_${column} IS DISTINCT FROM ${column}`).join(' OR ');
  const own = `${within}, ${userKeyColumn}, day, ${zone === 'UTC' ? '' : 'utc_time, '}${eventCountColumn}`;
  return `WITH placed AS MATERIALIZED (SELECT *, ${lag('day', [])} AS before${placed} FROM (${grouped})),
    changing AS MATERIALIZED (SELECT DISTINCT ${userKeyColumn} FROM placed WHERE before IS NOT NULL AND (${isOther}))
    SELECT ${own}, ${befores.map(({ column }) => `before AS ${column}`).join(', ')} FROM placed ANTI JOIN changing USING (${userKeyColumn})
    UNION ALL
    SELECT ${own}, ${befores.map(({ column, keys }) => `${lag('day', [...keys])} AS ${column}`).join(', ')} FROM placed
    SEMI JOIN changing USING (${userKeyColumn})`;
}
