import type { DuckDBListVector } from '@duckdb/node-api';
import type { Retention } from '../../../ask/activity/retention.ts';
import { invariant } from '../../../ask/invariant.ts';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import { retentionOf } from '../../../plan/analysis/retention/bind-retention.ts';
import { toRetentionFrame } from '../../../plan/analysis/retention/retention-frame.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { anyOf, bound, type Expression, sql, trusted } from '../../../plan/sql/expression.ts';
import type { Engine } from '../engine/engine.ts';
import { type BoundStatement, runToEnd } from '../engine/run-statement.ts';
import { chunksOf, type CodedTimes, openCodedTimes, openLists, readBeside, setCount } from '../funnel/coded-times.ts';
import { printBound } from '../funnel/events-statement.ts';
import { decideParts, gatherParts, type Part } from '../funnel/user-parts.ts';
import { type EngineSession, steadily } from '../session/answer.ts';
import { cohortTables } from '../session/cohort-tables.ts';
import { setsFor } from './retention-sets.ts';
import { type Lowered, looked, lower } from './retention-words.ts';

/** How many users started in each cohort, and how many of them came back in each of its periods. */
export interface FollowedReturns {
  readonly sizes: Float64Array;
  /** Cohort by cohort, `periods` each; the first of them are 0. */
  readonly cells: Float64Array;
}

const dayInMicroseconds = 86_400_000_000;
/** Times are exact up to so many microseconds. */
const exact = 2 ** 53;

/** What an event is, in the lowest bits of its number. */
const [startBit, returnBit, bits] = [1, 2, 2];

/** Fewer columns of whole periods are read off the bits of a set as fast as users are followed. */
const manyColumns = 24;

/**
 * Whether users are followed one by one, where SQL would join each start to all returns after it: a user may start in
 * every period. Not where events are told apart by more than their time.
 */
function followsReturns(plan: Plan, lowered: Lowered): boolean {
  const { retention, value, amount, window } = lowered;
  if (retention.cohorts !== 'recurring' || value || amount || listsUsers(plan)) return false;
  const isFew = retention.cumulative || retention.periods < manyColumns;
  return !(setsFor(plan, lowered) && isFew) && (window.end - window.start) * 1000 < exact;
}

/** undefined: SQL computes it. */
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

/** The statement that gathers what each user did; undefined: SQL computes it all. */
export function returnsStatement(plan: Plan, dialect: Dialect): BoundStatement | undefined {
  const lowered = lowerPlan(plan, dialect);
  if (!followsReturns(plan, lowered)) return undefined;
  return { ...listsOf(plan, lowered), columns: [], counters: 0, zone: plan.zone };
}

function lowerPlan(plan: Plan, dialect: Dialect): Lowered {
  const { definition, bound: members } = retentionOf(plan) ?? {};
  invariant(definition && members, 'the plan asks a retention that is computed here');
  return lower(plan, definition, members, dialect);
}

/**
 * A row a user: the list of the times of what counts, in microseconds since the first cohort, with a code beside each.
 */
function listsOf(plan: Plan, lowered: Lowered, part?: Part) {
  const { start, comeBack, window } = lowered;
  const code = sql`CAST(${start} AS BIGINT) * ${trusted(String(startBit))} + CAST(${comeBack} AS BIGINT) * ${trusted(String(returnBit))}`;
  const event = sql`(epoch_us(utc_time) - ${trusted(`${window.start}000`)}) * ${trusted(String(2 ** bits))} + ${code}`;
  const ofPart = trusted(part ? ` WHERE hash(who) % ${part.of} = ${part.index}` : '');
  return print(
    plan,
    sql`SELECT list(event) AS events FROM (
  SELECT ${trusted(userKeyColumn)} AS who, ${event} AS event ${counted(lowered)}
) AS coded${ofPart} GROUP BY who`,
  );
}

const counted = (lowered: Lowered) => looked(lowered, anyOf([lowered.start, lowered.comeBack]));
const print = (plan: Plan, expression: Expression) => printBound(expression, cohortTables(plan, duckDb));

/** What an event takes while users' events are gathered and handed over. */
const bytesAnEvent = 40;

/** Follows all users, part by part where their events are more than `memory` holds, in bytes; 1 GiB by default. */
export async function followAll(
  engine: Engine,
  plan: Plan,
  {
    memory = 2 ** 30,
    dialect = duckDb,
    signal,
  }: { readonly memory?: number; readonly dialect?: Dialect; readonly signal?: AbortSignal | undefined } = {},
): Promise<FollowedReturns> {
  const lowered = lowerPlan(plan, dialect);
  const { retention } = lowered;
  const { window, cohorts } = toRetentionFrame(plan, retention);
  const ends = Float64Array.from(cohorts, ({ bucket }) => (bucket.end - window.start) * 1000);
  const { walk, followed } = openReturnsWalk(retention, ends);
  const statements = {
    events: listsOf(plan, lowered),
    count: print(plan, sql`SELECT count(*) ${counted(lowered)}`),
  };
  const parts = await decideParts(engine, statements, memory / bytesAnEvent);
  const events = openCodedTimes();
  for await (const result of gatherParts(parts, (part) => runToEnd(engine, listsOf(plan, lowered, part), signal)))
    for await (const chunk of chunksOf(result)) {
      throwIfAborted(signal);
      const list = chunk.getColumnVector(0) as DuckDBListVector;
      const [entryOf, read] = [openLists(list), readBeside(list, bits)];
      for (let row = 0; row < chunk.rowCount; row++) {
        const [offset, length] = entryOf(row);
        setCount(events, length);
        read(offset, events);
        walk(events);
      }
    }
  return followed();
}

/**
 * Counts one user after the other. `ends` of the cohorts' periods in microseconds since the first begins; times, too.
 */
function openReturnsWalk(
  { window, periods, least, cumulative }: Pick<Retention, 'window' | 'periods' | 'least' | 'cumulative'>,
  ends: Float64Array,
): { readonly walk: (events: CodedTimes) => void; readonly followed: () => FollowedReturns } {
  const sizes = new Float64Array(ends.length);
  const cells = new Float64Array(ends.length * periods);
  const isCalendar = window === 'calendar';
  let returns = new Float64Array(1024);
  /** The period that each return lies in. */
  let cohortOf = new Int32Array(1024);

  function walk({ times, codes, count }: CodedTimes): void {
    if (returns.length < count) [returns, cohortOf] = [new Float64Array(count * 2), new Int32Array(count * 2)];
    let [length, cohort] = [0, 0];
    for (let index = 0; index < count; index++) {
      if (!(codes[index]! & returnBit)) continue;
      const time = (returns[length] = times[index]!);
      if (isCalendar) {
        while (time >= ends[cohort]!) cohort += 1;
        cohortOf[length] = cohort;
      }
      length += 1;
    }
    // Of each period the first start counts.
    let [begun, after, from] = [-1, 0, 0];
    for (let index = 0; index < count; index++) {
      const time = times[index]!;
      if (!(codes[index]! & startBit) || time < after) continue;
      do after = ends[++begun]!;
      while (time >= after);
      sizes[begun]! += 1;
      from = firstFrom(returns, from, length, isCalendar ? after : time + dayInMicroseconds);
      followStart(begun, time, from, length);
    }
  }

  function followStart(begun: number, start: number, from: number, length: number): void {
    const first = begun * periods;
    let last = 0;
    for (let at = from; at < length; ) {
      const period = isCalendar ? cohortOf[at]! - begun : Math.floor((returns[at]! - start) / dayInMicroseconds);
      if (period >= periods && !cumulative) return;
      const next = isCalendar ? ends[begun + period]! : start + (period + 1) * dayInMicroseconds;
      const enough = at + least - 1;
      if (enough < length && returns[enough]! < next) {
        if (cumulative) last = period;
        else cells[first + period]! += 1;
      }
      at = firstFrom(returns, at + 1, length, next);
    }
    if (last > 0) cells[first + Math.min(last, periods - 1)]! += 1;
  }

  /** Whoever came back in a later period counts in those before it, too, if that is asked. */
  function followed(): FollowedReturns {
    if (cumulative)
      for (let cohort = 0; cohort < ends.length; cohort++)
        for (let period = periods - 2; period > 0; period--)
          cells[cohort * periods + period]! += cells[cohort * periods + period + 1]!;
    return { sizes, cells };
  }

  return { walk, followed };
}

/** The first of rising numbers, from a place on, that is not below; `end` if none is. Near ones are found at once. */
function firstFrom(numbers: Float64Array, from: number, end: number, wanted: number): number {
  let low = from;
  let step = 1;
  while (low + step <= end && numbers[low + step - 1]! < wanted) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Tables of what was followed, as SQL over the events has them. */
export function followedTables({ sizes, cells }: FollowedReturns): readonly (readonly [string, Expression])[] {
  const periods = cells.length / sizes.length;
  const listed = (numbers: Float64Array) =>
    sql`(SELECT unnest(range(${trusted(String(numbers.length))})) AS place, unnest(from_json(${bound({ type: 'text', value: JSON.stringify([...numbers]) })}, '["BIGINT"]')) AS users) AS listed WHERE users > 0`;
  const length = trusted(String(periods));
  return [
    ['sizes', sql`SELECT place AS n, users AS size FROM ${listed(sizes)}`],
    ['cells', sql`SELECT place // ${length} AS n, place % ${length} AS k, users FROM ${listed(cells)}`],
  ];
}
