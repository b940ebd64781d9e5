import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import { duckDb, toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import { allOf, bound, type Expression, sql, trusted } from '../../../plan/sql/expression.ts';
import { printStatement, withTables } from '../../../plan/sql/print-statement.ts';
import type { CommonTable } from '../../../plan/sql/statement.ts';
import type { EventCodes } from './event-codes.ts';
import type { FunnelProgram } from './funnel-program.ts';

/** What part of the events is asked for. */
export interface EventsWanted {
  /** Epoch milliseconds, from the first up to the second, which is out. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Only every so manieth user, by a hash; undefined: all, and events without a user too. */
  readonly part: { readonly index: number; readonly of: number } | undefined;
  /** Whether the users' keys are asked for. */
  readonly keys: boolean;
  /** `beside`: time and code in one number. `apart`: in several, which has room for everything. */
  readonly shape: 'beside' | 'apart';
}

export interface BoundText {
  readonly text: string;
  readonly parameters: readonly (string | number | bigint | boolean)[];
}

/** What times count from where they share a number with a code: 2000-01-01, in epoch milliseconds. */
export const timeOrigin = 946_684_800_000;

/** A code beside a time has so many values. */
export const codesBeside = 1024;

/**
 * A row a user: the list `events` of what is known of each event, in no order; 1 where it is nobody; the user's key.
 * Beside: `microseconds since timeOrigin * codesBeside + code`, which fails with `Out of Range` where a time lies some
 * centuries off. Apart: structs of microseconds since 1970, the words of the code, and the breakdown's value.
 */
export function eventsStatement(program: FunnelProgram, codes: EventCodes, wanted: EventsWanted): BoundText {
  const { part } = wanted;
  const ofPart = part && sql`hash(who) % ${trusted(String(part.of))} = ${trusted(String(part.index))}`;
  const conditions = [...lookedAt(program, codes, wanted), ...(part ? [sql`${program.follow} IS NOT NULL`] : [])];
  const coded = sql`(
      SELECT ${program.follow} AS who, ${wanted.shape === 'apart' ? split(program, codes) : packed(codes)} AS event
      FROM ${program.source} AS looked_at WHERE ${allOf(conditions)}
    ) AS coded${ofPart ? sql` WHERE ${ofPart}` : trusted('')}`;
  return print(
    program,
    sql`SELECT events, CAST(who IS NULL AS TINYINT) AS nobody${trusted(wanted.keys ? ', who' : '')} FROM (
    SELECT who, list(event) AS events FROM ${coded} GROUP BY who
  ) AS followed`,
  );
}

/** The number of events: all, or those without a user. */
export function countStatement(
  program: FunnelProgram,
  codes: EventCodes,
  range: Pick<EventsWanted, 'from' | 'to'>,
  whose: 'all' | 'nobody',
): BoundText {
  const ofNobody = whose === 'nobody' ? [sql`${program.follow} IS NULL`] : [];
  return print(
    program,
    sql`SELECT count(*) FROM ${program.source} AS looked_at WHERE ${allOf([...lookedAt(program, codes, range), ...ofNobody])}`,
  );
}

/** What is followed, `who`, and each user, `user_key`, of the events that are looked at in it: once each. */
export function usersOfSessions(program: FunnelProgram, range: Pick<EventsWanted, 'from' | 'to'>): Expression {
  const conditions = [...ofRange(program, range), trusted(`${userKeyColumn} IS NOT NULL`)];
  return sql`SELECT DISTINCT ${program.follow} AS who, ${trusted(userKeyColumn)} FROM ${program.source} AS looked_at WHERE ${allOf(conditions)} AND ${program.follow} IS NOT NULL`;
}

/** With `strict` everything that a user does tells. */
function lookedAt(
  program: FunnelProgram,
  codes: EventCodes,
  range: Pick<EventsWanted, 'from' | 'to'>,
): readonly Expression[] {
  return [...ofRange(program, range), ...(program.order === 'strict' ? [] : [codes.matters])];
}

/** What events a funnel looks at at all. */
export function ofRange(
  { looksAt }: FunnelProgram,
  { from, to }: Pick<EventsWanted, 'from' | 'to'>,
): readonly Expression[] {
  return [
    ...(from === undefined ? [] : [sql`utc_time >= ${bound({ type: 'instant', value: from })}`]),
    ...(to === undefined ? [] : [sql`utc_time < ${bound({ type: 'instant', value: to })}`]),
    ...(looksAt ? [looksAt] : []),
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

/** A statement for DuckDB, over tables of its own. */
export function printBound(expression: Expression, tables: readonly CommonTable[] = []): BoundText {
  const { text, parameters } = printStatement(withTables(tables, expression), duckDb);
  return { text, parameters: parameters.map(toDuckDbValue) };
}
