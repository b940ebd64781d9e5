import type { Column } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import { clickHouse, clickHouseWithin, quoteClickHouseText } from '../../plan/sql/clickhouse/dialect.ts';
import { withClickHouseFunctions } from '../../plan/sql/clickhouse/functions.ts';
import { withPropertyReads } from '../../plan/sql/clickhouse/property.ts';
import { withQuantiles } from '../../plan/sql/clickhouse/quantiles.ts';
import type { Dialect } from '../../plan/sql/dialect.ts';
import { type Expression, trusted } from '../../plan/sql/expression.ts';
import { type JoinCheck, joinChecks } from '../../plan/sql/join-check.ts';
import { printStatement } from '../../plan/sql/print-statement.ts';
import type { Statement } from '../../plan/sql/statement.ts';
import { toStatement, toTotalStatement } from '../../plan/sql/to-statement.ts';
import { cohortTables } from '../analysis/cohort-tables.ts';
import { asksBuiltIn, cubesOf, eventsReach } from '../events/events-reach.ts';
import type { ServerStatement } from './connection.ts';
import type { EventsThere, ServerSession } from './server-session.ts';

/** A plan as a question to the server. */
export interface ServerQuestion {
  readonly statement: ServerStatement;
  readonly columns: readonly Column[];
  readonly zone: string;
  readonly uncounted: readonly string[];
  /** Whether the last columns are the first and the last event time, which the server knows without reading events. */
  readonly tellsExtent: boolean;
  /** Counts all rows. */
  readonly total: ServerStatement | undefined;
  readonly readsEvents: boolean;
  /** Sentences on how its times are read. */
  readonly notes?: readonly string[];
  /** Checks of the joins that it follows. */
  readonly joins: readonly JoinCheck[];
  /** The statement without the SQL of the events, which shows what it reads. */
  asked(): string;
}

export function toServerQuestion(plan: Plan, dialect: Dialect, events: EventsThere): ServerQuestion {
  const tables = cohortTables(plan, dialect);
  const asked = () => toStatement(plan, dialect, tables).text;
  const readsEvents = eventsReach(plan, asked) !== 'none';
  const tellsExtent = events.knowsExtent && readsEvents;
  const extent = () =>
    events.ends.map((end, index) => ({
      alias: index === 0 ? 'first event' : 'last event',
      expression: trusted(`(${end})`),
    }));
  const statement = toStatement(plan, dialect, tables, tellsExtent ? extent() : []);
  return {
    statement: withEvents(statement, events),
    tellsExtent,
    readsEvents,
    columns: plan.columns,
    zone: plan.zone,
    asked,
    joins: [...joinChecks(plan, dialect), ...(asksBuiltIn(plan) ? events.joins : [])],
    uncounted: statement.uncounted.map(({ what }) => what),
    total: plan.total ? withEvents(toTotalStatement(plan, dialect, tables), events) : undefined,
  };
}

/**
 * As `toServerQuestion`, also for times without a range: it first asks the server for the first and last event times.
 * The range is widened to whole years, so that events which arrive meanwhile are hardly ever outside.
 */
export async function toBoundedQuestion(
  { connection, events: eventsThere }: ServerSession,
  plan: Plan,
  dialect: Dialect,
  signal: AbortSignal | undefined,
): Promise<ServerQuestion> {
  const events = await eventsThere();
  if (!readsOnlyEvents(plan)) return toServerQuestion(plan, dialect, events);
  let isBounded = true;
  const unknown = () => {
    isBounded = false;
    return { start: plan.now, end: plan.now };
  };
  const question = toServerQuestion(plan, clickHouseWithin(dialect, unknown), events);
  if (isBounded) return question;
  const [ends = []] = await connection.rows(events.extent, [], signal);
  const [first, last] = ends.map((end) => new Date(end === null ? plan.now : Number(end)).getUTCFullYear());
  const extent = { start: Date.UTC(first!, 0, 1), end: Date.UTC(last! + 1, 0, 1) };
  return toServerQuestion(
    plan,
    clickHouseWithin(dialect, () => extent),
    events,
  );
}

/** Whether all cubes of the plan are made of events, so that their times are event times. */
function readsOnlyEvents(plan: Plan): boolean {
  const kinds = new Set(['events', 'sessions', 'users', 'list']);
  return [plan.root, ...cubesOf(plan)].every(({ source }) => kinds.has(source.kind));
}

export function withEvents(
  { text, parameters }: Pick<Statement, 'text' | 'parameters'>,
  events: EventsThere,
): ServerStatement {
  const read = withPropertyReads(text, events.properties, events.propertyText);
  return { text: withClickHouseFunctions(events.directly(withQuantiles(read)), events.relationFor), parameters };
}

/** Additional settings for the SQL of analyses, which is written for both engines. */
export const analysisSettings = { cast_keep_nullable: 1, aggregate_functions_null_for_empty: 1 } as const;

/** Rows of a statement over the events. */
export function rowsIn({ connection, events }: ServerSession, signal: AbortSignal | undefined) {
  return async (expression: Expression) => {
    const { text, parameters } = withEvents(printStatement(expression, clickHouse), await events());
    return connection.rows(text, parameters, signal);
  };
}

/** The rows as one text in the statement, because parameters go into the URL, which must be short. */
export function relationOf(rows: readonly (readonly unknown[])[], shape: Readonly<Record<string, string>>): Expression {
  const types = `Array(Tuple(${Object.values(shape).join(', ')}))`;
  const read = Object.keys(shape).map((column, index) => `edge.${index + 1} AS ${column}`);
  return trusted(
    `(SELECT ${read.join(', ')} FROM (SELECT arrayJoin(JSONExtract(${quoteClickHouseText(JSON.stringify(rows))}, '${types}')) AS edge))`,
  );
}
