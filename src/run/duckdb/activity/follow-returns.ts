import type { DuckDBListVector, DuckDBMaterializedResult } from '@duckdb/node-api';
import { otherValues } from '../../../ask/activity/retention.ts';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { retentionOf } from '../../../plan/analysis/retention/bind-retention.ts';
import { toRetentionFrame } from '../../../plan/analysis/retention/retention-frame.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import type { Plan } from '../../../plan/plan.ts';
import { within } from '../../../plan/sql/condition-expression.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { allOf, anyOf, type Expression, name, sql, trusted } from '../../../plan/sql/expression.ts';
import { withTables } from '../../../plan/sql/print-statement.ts';
import type { Engine } from '../engine/engine.ts';
import { type BoundStatement, runToEnd } from '../engine/run-statement.ts';
import { chunksOf, type CodedTimes, openCodedTimes, openLists, readBeside, setCount } from '../funnel/coded-times.ts';
import { printBound } from '../funnel/events-statement.ts';
import { decideParts, gatherParts, memoryForUsers, type Part } from '../funnel/user-parts.ts';
import { type EngineSession, steadily } from '../session/answer.ts';
import { cohortTables } from '../../analysis/cohort-tables.ts';
import { setsFor } from '../../analysis/activity/retention-sets.ts';
import { type Lowered, looked, lower } from '../../analysis/activity/retention-words.ts';
import type { FollowedReturns } from '../../analysis/activity/followed-returns.ts';
import { kindBits, mayStartBit, openPopularity, openReturnsWalk, returnBit, startBit } from './walk-returns.ts';

/** Times are exact up to this many microseconds. */
const exact = 2 ** 53;

/** With fewer columns, sets of periods are as fast as following users. */
const manyColumns = 24;

/** With more figures SQL is used, which has no rows for zeros. */
const mostFigures = 2_000_000;

/**
 * Whether to follow users one by one. SQL would join each start with all later returns, and users can start in every
 * period and for each value of a breakdown. Only for questions that just ask for numbers of users.
 */
function followsReturns(plan: Plan, lowered: Lowered): boolean {
  const { retention, value, amount, window } = lowered;
  if (amount || listsUsers(plan) || (retention.cohorts !== 'recurring' && !value)) return false;
  const isFew = retention.cumulative || retention.periods < manyColumns;
  return !(setsFor(plan, lowered) && isFew) && (window.end - window.start) * 1000 < exact;
}

/** Undefined if SQL computes it. */
export async function followReturns(
  session: EngineSession,
  plan: Plan,
  dialect: Dialect,
  signal: AbortSignal | undefined,
): Promise<FollowedReturns | undefined> {
  const statement = returnsStatement(plan, dialect);
  if (!statement) return undefined;
  return steadily(session, statement, (engine) => followAll(engine, plan, { dialect, signal }), signal);
}

/** The statement that collects each user's events; undefined if SQL computes everything. */
export function returnsStatement(plan: Plan, dialect: Dialect): BoundStatement | undefined {
  const lowered = lowerPlan(plan, dialect);
  if (!followsReturns(plan, lowered)) return undefined;
  const values = lowered.value && { rows: sql`(${valuesStatement(lowered)})`, bits: 0 };
  return { ...listsOf(plan, lowered, values), columns: [], counters: 0, zone: plan.zone };
}

function lowerPlan(plan: Plan, dialect: Dialect): Lowered {
  const { definition, bound: members } = computedHere(retentionOf(plan));
  return lower(plan, definition, members, dialect);
}

/** The numbered values of a breakdown, as rows of `value` and `code`. `bits`: size of the numbers. */
interface NumberedValues {
  readonly rows: Expression;
  readonly bits: number;
}

/** All values, numbered in the order that decides ties. */
function valuesStatement(lowered: Lowered): Expression {
  return sql`SELECT value, CAST(row_number() OVER (ORDER BY value NULLS LAST) - 1 AS BIGINT) AS code
FROM (SELECT DISTINCT ${lowered.value!} AS value ${counted(lowered)}) AS apart`;
}

/**
 * One row a user: the list of relevant events, each as microseconds since just before the first cohort with a code
 * beside.
 */
function listsOf(plan: Plan, lowered: Lowered, values: NumberedValues | undefined, part?: Part) {
  const { retention, who, start, anyStart, value, window } = lowered;
  const isWhole = retention.cohorts === 'recurring';
  const kinds = [
    sql`CAST(${start} AS BIGINT) * ${trusted(String(startBit))}`,
    sql`CAST(${returnsOf(lowered)} AS BIGINT) * ${trusted(String(returnBit))}`,
    ...(retention.cohorts === 'first_ever' ? [sql`CAST(${anyStart} AS BIGINT) * ${trusted(String(mayStartBit))}`] : []),
  ];
  const since = sql`epoch_us(utc_time) - ${trusted(`${window.start}000`)} + 1`;
  const time = isWhole ? sql`(${since})` : sql`greatest(${since}, 0)`;
  const event = sql`${time} * ${trusted(String(2 ** (kindBits + (values?.bits ?? 0))))} + ${kinds[0]!} + ${kinds[1]!}${kinds[2] ? sql` + ${kinds[2]}` : trusted('')}`;
  const ofPart = trusted(part ? ` WHERE hash(who) % ${part.of} = ${part.index}` : '');
  const events = sql`SELECT ${who} AS who, ${event} AS event${value ? sql`, ${value} AS value` : trusted('')} ${counted(lowered)}`;
  const coded = values
    ? sql`SELECT who, event + code * ${trusted(String(2 ** kindBits))} AS event FROM (${events}) AS done
      JOIN ${values.rows} AS numbered ON numbered.value IS NOT DISTINCT FROM done.value`
    : events;
  return print(plan, sql`SELECT list(event) AS followed FROM (\n  ${coded}\n) AS coded${ofPart} GROUP BY who`);
}

/** Returns within the window. Before it, only starts count. */
function returnsOf({ retention, comeBack, window }: Lowered): Expression {
  return retention.cohorts === 'recurring' ? comeBack : allOf([comeBack, within(trusted('utc_time'), window)]);
}

function counted(lowered: Lowered): Expression {
  const { retention, start, anyStart } = lowered;
  const begins = retention.cohorts === 'first_ever' ? anyStart : start;
  const since = retention.cohorts === 'recurring' ? 'window' : 'ever';
  return looked(lowered, anyOf([begins, returnsOf(lowered)]), since);
}

const print = (plan: Plan, expression: Expression) => printBound(expression, cohortTables(plan, duckDb));

/** Memory for each event that is collected and returned. */
const bytesAnEvent = 40;

interface FollowOptions {
  /** How to read events. Defaults to the events of files. */
  readonly dialect?: Dialect | undefined;
  /** Approximate memory for the events of users followed at once, in bytes; `memoryForUsers` by default. */
  readonly memory?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Follows all users, in parts if their events exceed the memory; undefined if SQL computes it. */
export async function followAll(
  engine: Engine,
  plan: Plan,
  options: FollowOptions = {},
): Promise<FollowedReturns | undefined> {
  const lowered = lowerPlan(plan, options.dialect ?? duckDb);
  if (!lowered.value) return followIn(engine, plan, lowered, undefined, options);
  const table = name(`returns_values_${engine.nextNumber()}`);
  const run = (statement: Expression) => runToEnd(engine, printBound(statement), options.signal);
  try {
    const numbered = withTables(cohortTables(plan, duckDb), valuesStatement(lowered));
    await run(sql`CREATE TABLE ${table} AS ${numbered}`);
    return await followIn(engine, plan, lowered, table, options);
  } finally {
    await engine.rows(printBound(sql`DROP TABLE IF EXISTS ${table}`).text).catch(() => undefined);
  }
}

/** `table`: the numbered values of the breakdown. */
async function followIn(
  engine: Engine,
  plan: Plan,
  lowered: Lowered,
  table: Expression | undefined,
  { memory, signal }: FollowOptions,
): Promise<FollowedReturns | undefined> {
  const { retention } = lowered;
  const { window, cohorts } = toRetentionFrame(plan, retention);
  const ends = Float64Array.from(cohorts, ({ bucket }) => (bucket.end - window.start) * 1000 + 1);
  const known = table && (await valuesIn(engine, table));
  const numbered = table && known && { rows: table, bits: Math.ceil(Math.log2(Math.max(2, known.length))) };
  const bits = kindBits + (numbered?.bits ?? 0);
  const hasRoom = bits <= 31 && Math.log2(ends.at(-1)!) + bits <= 62;
  const { limit = 1 } = retention.breakdown ?? {};
  const groups = Math.min(limit, known?.length ?? 1) + 1;
  if (known && !(hasRoom && groups * cohorts.length * retention.periods <= mostFigures)) return undefined;

  const parts = await decideParts(
    engine,
    {
      events: listsOf(plan, lowered, numbered),
      count: print(plan, sql`SELECT count(*) ${counted(lowered)}`),
    },
    (memory ?? (await memoryForUsers(engine))) / bytesAnEvent,
  );
  const follow = async (walk: (events: CodedTimes) => void) => {
    const gathered = gatherParts(parts, (part) => runToEnd(engine, listsOf(plan, lowered, numbered, part), signal));
    for await (const result of gathered) await walkOver(result, bits, walk, signal);
  };
  if (!known) {
    const { walk, followed } = openReturnsWalk(retention, ends);
    await follow(walk);
    return followed();
  }
  // If all values fit, no group of other values is needed.
  const isWhole = known.length <= limit && !known.includes(otherValues);
  const popularity = openPopularity(retention, known.length);
  if (!isWhole) await follow(popularity.walk);
  const { values, groupOf } = isWhole
    ? { values: known, groupOf: Int32Array.from(known, (_, value) => value) }
    : groupValues(known, popularity.users, limit);
  const { walk, followed } = openReturnsWalk(retention, ends, groupOf);
  await follow(walk);
  return { ...followed(), values };
}

async function valuesIn(engine: Engine, table: Expression): Promise<readonly (string | null)[]> {
  const rows = await engine.rows(printBound(sql`SELECT value FROM ${table} ORDER BY code`).text);
  return rows.map(([value]) => (value === null || value === undefined ? null : String(value)));
}

/** The values with the most users, ties in order, and the rest as one group. */
function groupValues(known: readonly (string | null)[], users: Int32Array, limit: number) {
  const kept = Array.from(known.keys())
    .filter((value) => known[value] !== otherValues && users[value]! > 0)
    .sort((one, other) => users[other]! - users[one]! || one - other)
    .slice(0, limit);
  const groupOf = new Int32Array(known.length).fill(kept.length);
  for (const [group, value] of kept.entries()) groupOf[value] = group;
  return { values: [...kept.map((value) => known[value]!), otherValues], groupOf };
}

async function walkOver(
  result: DuckDBMaterializedResult,
  bits: number,
  walk: (events: CodedTimes) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const events = openCodedTimes();
  for await (const chunk of chunksOf(result)) {
    throwIfAborted(signal);
    const list = chunk.getColumnVector(0) as DuckDBListVector;
    const [lists, read, rows] = [openLists(list), readBeside(list, bits), chunk.rowCount];
    for (let row = 0; row < rows; row++) {
      setCount(events, lists.lengthOf(row));
      read(lists.offsetOf(row), events);
      walk(events);
    }
  }
}
