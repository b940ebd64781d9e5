import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import { duckDb, toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import { allOf, type Expression, joined, sql, trusted } from '../../../plan/sql/expression.ts';
import { printStatement, withTables } from '../../../plan/sql/print-statement.ts';
import type { CommonTable } from '../../../plan/sql/statement.ts';
import type { EventCodes } from './event-codes.ts';
import { type FunnelProgram, ofRange, holds } from '../../analysis/funnel/funnel-program.ts';

/** Which events to read. */
export interface EventsWanted {
  /** Epoch milliseconds, `to` exclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Only users in this hash partition; undefined: all users, and events without a user. */
  readonly part: { readonly index: number; readonly of: number } | undefined;
  /** Whether to return the users' keys. */
  readonly keys: boolean;
  /** `beside`: time and code in one number. `apart`: in several numbers without limits. */
  readonly shape: 'beside' | 'apart';
}

export interface BoundText {
  readonly text: string;
  readonly parameters: readonly (string | number | bigint | boolean)[];
}

/** Origin of times that share a number with a code: 2000-01-01, in epoch milliseconds. */
export const timeOrigin = 946_684_800_000;

/** Number of codes that fit beside a time. */
export const codesBeside = 1024;

/**
 * One row a user: the unordered list of events, or a list of such lists if the program holds values; 1 if there is no
 * user, else 0; the user's key if requested. Beside: `microseconds since timeOrigin * codesBeside + code`, which fails
 * with `Out of Range` for times some centuries away. Apart: structs of microseconds since 1970, the code words, and the
 * breakdown's value.
 */
export function eventsStatement(program: FunnelProgram, codes: EventCodes, wanted: EventsWanted): BoundText {
  const { part } = wanted;
  const ofPart = part && sql`hash(who) % ${trusted(String(part.of))} = ${trusted(String(part.index))}`;
  const heldNames = program.hold.map((_, index) => `held_${index}`);
  const heldColumns = joined(
    program.hold.map((value, index) => sql`, ${value} AS ${trusted(heldNames[index]!)}`),
    '',
  );
  const conditions = [...lookedAt(program, codes, wanted), ...(part ? [sql`${program.follow} IS NOT NULL`] : [])];
  const coded = sql`(
      SELECT ${program.follow} AS who${heldColumns}, ${wanted.shape === 'apart' ? split(program, codes) : packed(codes)} AS event
      FROM ${program.source} AS looked_at WHERE ${allOf(conditions)}
    ) AS coded${ofPart ? sql` WHERE ${ofPart}` : trusted('')}`;
  const grouped =
    program.hold.length === 0
      ? coded
      : sql`(SELECT who, list(event) AS event FROM ${coded} GROUP BY ${trusted(['who', ...heldNames].join(', '))}) AS held`;
  return print(
    program,
    sql`SELECT followed, CAST(who IS NULL AS TINYINT) AS nobody${trusted(wanted.keys ? ', who' : '')} FROM (
    SELECT who, list(event) AS followed FROM ${grouped} GROUP BY who
  ) AS users`,
  );
}

/** Counts all events that are followed, those of them without a user, or a user's events that lack a held value. */
export function countStatement(
  program: FunnelProgram,
  codes: EventCodes,
  range: Pick<EventsWanted, 'from' | 'to'>,
  whose: 'all' | 'nobody' | 'unheld',
): BoundText {
  const conditions =
    whose === 'unheld'
      ? [...ofRange(program, range), codes.matters, sql`${program.follow} IS NOT NULL AND NOT (${holds(program)})`]
      : [...lookedAt(program, codes, range), ...(whose === 'nobody' ? [sql`${program.follow} IS NULL`] : [])];
  return print(program, sql`SELECT count(*) FROM ${program.source} AS looked_at WHERE ${allOf(conditions)}`);
}

/** Distinct pairs of the followed key, `who`, and the user, `user_key`, of the events that are read. */
export function usersOfSessions(program: FunnelProgram, range: Pick<EventsWanted, 'from' | 'to'>): Expression {
  const conditions = [...ofRange(program, range), trusted(`${userKeyColumn} IS NOT NULL`)];
  return sql`SELECT DISTINCT ${program.follow} AS who, ${trusted(userKeyColumn)} FROM ${program.source} AS looked_at
    WHERE ${allOf(conditions)} AND ${program.follow} IS NOT NULL`;
}

/** `strict` funnels read all events of a user. */
function lookedAt(
  program: FunnelProgram,
  codes: EventCodes,
  range: Pick<EventsWanted, 'from' | 'to'>,
): readonly Expression[] {
  return [
    ...ofRange(program, range),
    ...(program.order === 'strict' ? [] : [codes.matters]),
    ...(program.hold.length === 0 ? [] : [holds(program)]),
  ];
}

function packed({ words }: EventCodes): Expression {
  return sql`(epoch_us(utc_time) - ${trusted(`${timeOrigin}000`)}) * ${trusted(String(codesBeside))} + ${words[0]!}`;
}

function split({ breakdown }: FunnelProgram, { words }: EventCodes): Expression {
  const coded = words.map((word, index) => sql`, ${trusted(`word${index}`)} := CAST(${word} AS INTEGER)`);
  const value = breakdown ? sql`, value := ${breakdown.value}` : trusted('');
  return sql`struct_pack(ticks := epoch_us(utc_time)${{ parts: coded.flatMap(({ parts }) => parts) }}${value})`;
}

const print = ({ tables }: FunnelProgram, expression: Expression): BoundText => printBound(expression, tables);

/** A DuckDB statement with its common tables. */
export function printBound(expression: Expression, tables: readonly CommonTable[] = []): BoundText {
  const { text, parameters } = printStatement(withTables(tables, expression), duckDb);
  return { text, parameters: parameters.map(toDuckDbValue) };
}
