import { invariant } from '../../ask/invariant.ts';
import { BackendError, throwIfAborted } from '../../ask/sluice-error.ts';
import { funnelOf } from '../../plan/analysis/funnel/bind-funnel.ts';
import { askedDates, withoutDates } from '../../plan/computed/asked-dates.ts';
import type { Plan } from '../../plan/plan.ts';
import { clickHouse } from '../../plan/sql/clickhouse/dialect.ts';
import { eventsWithSessions } from '../../plan/sql/clickhouse/sources.ts';
import { allOf, anyOf, bound, type Expression, joined, sql, trusted } from '../../plan/sql/expression.ts';
import { printStatement, withTables } from '../../plan/sql/print-statement.ts';
import { type Answer, type AnswerFacts, nothingRejected } from '../backend.ts';
import { type FunnelAnswer, sumUpUsers } from '../duckdb/funnel/compute-funnel.ts';
import { distinctConditions } from '../duckdb/funnel/event-codes.ts';
import { findNearMissesIn } from '../duckdb/funnel/follow-funnel.ts';
import { toRange } from '../duckdb/funnel/follow-users.ts';
import { type FollowedUsers, noUsers } from '../duckdb/funnel/followed-users.ts';
import { namedEvents, planToProgram } from '../duckdb/funnel/funnel-plan.ts';
import type { FunnelProgram } from '../duckdb/funnel/funnel-program.ts';
import { withLeftOut } from '../duckdb/funnel/answer-funnel.ts';
import { type EventKinds, openEventKinds } from '../duckdb/funnel/user-events.ts';
import type { UserSource } from '../duckdb/funnel/user-source.ts';
import { mostUsers, openSourceWalk, toRules } from '../duckdb/funnel/walk-users.ts';
import { tellUnknownIn, withLacking } from '../duckdb/session/tell-unknown.ts';
import type { FollowFunnelOptions, FunnelFollower, FunnelUsers } from '../followed-funnel.ts';
import type { ServerStatement } from './connection.ts';
import type { NativeBlock } from './native-reader.ts';
import { rowsIn, withEvents } from './question.ts';
import type { EventsThere, ServerSession } from './server-session.ts';

/** A bit for each condition, so many in a whole number. */
const mostConditions = 52;

type Options = Omit<FollowFunnelOptions, 'bucketOf'> & {
  readonly keys?: boolean;
  /** Epoch milliseconds; the plan's own where not set. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

interface Gathering {
  readonly program: FunnelProgram;
  readonly codes: { readonly kinds: EventKinds; readonly conditions: readonly number[] };
  /** A row for each event that matters, user by user, in order of time. */
  readonly statement: ServerStatement;
  /** The number of events without a user. */
  readonly nobody: ServerStatement;
  readonly entriesBefore: number;
}

/** The statement that a funnel's events come from. */
export async function funnelStatement(session: ServerSession, plan: Plan): Promise<ServerStatement> {
  return gather(plan, await session.events(), {}).statement;
}

/**
 * The server picks the events that can be steps or exclusions and sorts them by user; what each user did is then
 * followed by the same walk as in the embedded engine: its `windowFunnel` has other rules for events of one time, for
 * an event that fits several steps, and for exclusions. Only such events travel, and few of them are in memory.
 */
function gather(plan: Plan, events: EventsThere, { byEntry = false, ...dates }: Options): Gathering {
  const planned = planToProgram(plan, clickHouse);
  const isBySession = funnelOf(plan)?.definition.by === 'session';
  const program = isBySession ? { ...planned, source: eventsWithSessions(plan.project) } : planned;
  const { all, conditions } = distinctConditions([...program.steps, ...program.exclusions]);
  if (all.length > mostConditions)
    throw new BackendError(`A funnel on ClickHouse can have ${mostConditions} different steps and exclusions.`, {
      code: 'not-on-clickhouse',
      hint: 'Ask the same events with the embedded engine: `--backend embedded`.',
    });
  const kinds = openEventKinds(all.length);
  const range = toRange(program, { ...askedDates(plan), ...dates, byEntry });
  const tests = all.map(({ paths, also }) =>
    paths
      ? allOf([
          also,
          sql`doc_path IN (${joined(
            paths.map((path) => bound({ type: 'text', value: path })),
            ', ',
          )})`,
        ])
      : also,
  );
  const looked = [
    ...(range.from === undefined ? [] : [sql`utc_time >= ${bound({ type: 'instant', value: range.from })}`]),
    ...(range.to === undefined ? [] : [sql`utc_time < ${bound({ type: 'instant', value: range.to })}`]),
    ...(program.looksAt ? [program.looksAt] : []),
    ...(program.order === 'strict' ? [] : [sql`(${anyOf(tests)})`]),
  ];
  const met = joined(
    tests.map((test, index) => sql`if(ifNull(${test}, false), toUInt64(${trusted(String(2 ** index))}), toUInt64(0))`),
    ' + ',
  );
  const value = program.breakdown ? sql`, ${program.breakdown.value} AS step_value` : trusted('');
  const print = (expression: Expression) =>
    withEvents(printStatement(withTables(program.tables ?? [], expression), clickHouse), events);
  return {
    program,
    codes: { kinds, conditions },
    statement: print(
      sql`SELECT ${program.follow} AS who, toUnixTimestamp64Micro(utc_time) AS ticks, ${met} AS met${value} FROM ${program.source} AS looked_at WHERE ${allOf([...looked, sql`${program.follow} IS NOT NULL`])} ORDER BY who, ticks`,
    ),
    nobody: print(
      sql`SELECT count() FROM ${program.source} AS looked_at WHERE ${allOf([...looked, sql`${program.follow} IS NULL`])}`,
    ),
    entriesBefore: range.entriesBefore,
  };
}

/** Follows the users of a plan's funnel. */
export async function* followUsersOf(
  session: ServerSession,
  plan: Plan,
  options: Options,
): AsyncGenerator<FollowedUsers, void, undefined> {
  yield* followUsers(session, gather(plan, await session.events(), options), options);
}

/** Follows all users, some thousand at a time. */
async function* followUsers(
  { connection }: ServerSession,
  { program, codes, statement, nobody, entriesBefore }: Gathering,
  { keys = false, signal }: Options,
): AsyncGenerator<FollowedUsers, void, undefined> {
  const [[without] = []] = await connection.rows(nobody.text, nobody.parameters, signal);
  yield { ...noUsers, withoutUser: Number(without ?? 0) };
  const walk = openSourceWalk(toRules(program, codes), { program, codes, keys });
  const { blocks } = await connection.query(statement, signal);
  for await (const rows of wholeUsers(blocks)) {
    const source = openSource(rows, codes.kinds, entriesBefore);
    for (let more = true; more; ) {
      throwIfAborted(signal);
      const users = walk(source);
      more = users.count === mostUsers;
      yield users;
    }
  }
}

interface EventRows {
  readonly count: number;
  readonly who: readonly string[];
  readonly ticks: readonly bigint[];
  readonly met: readonly bigint[];
  readonly values: readonly (string | null)[] | undefined;
}

/** The rows of the blocks, cut between users. */
async function* wholeUsers(blocks: AsyncIterable<NativeBlock>): AsyncGenerator<EventRows, void, undefined> {
  let held: EventRows | undefined;
  for await (const { rowCount, columns } of blocks) {
    if (rowCount === 0) continue;
    const [who, ticks, met, values] = columns.map((column) => Array.from(column.values as readonly unknown[]));
    const rows = joinRows(held, {
      count: rowCount,
      who: who as string[],
      ticks: ticks as bigint[],
      met: met as bigint[],
      values: values as (string | null)[] | undefined,
    });
    let end = rows.count;
    const last = rows.who[end - 1];
    while (end > 0 && rows.who[end - 1] === last) end -= 1;
    if (end > 0) yield cutRows(rows, 0, end);
    held = cutRows(rows, end, rows.count);
  }
  if (held) yield held;
}

function joinRows(first: EventRows | undefined, then: EventRows): EventRows {
  if (!first) return then;
  return {
    count: first.count + then.count,
    who: [...first.who, ...then.who],
    ticks: [...first.ticks, ...then.ticks],
    met: [...first.met, ...then.met],
    values: then.values && [...(first.values ?? []), ...then.values],
  };
}

function cutRows(rows: EventRows, start: number, end: number): EventRows {
  return {
    count: end - start,
    who: rows.who.slice(start, end),
    ticks: rows.ticks.slice(start, end),
    met: rows.met.slice(start, end),
    values: rows.values?.slice(start, end),
  };
}

function openSource(rows: EventRows, kinds: EventKinds, entriesBefore: number): UserSource {
  const events = { count: 0, times: new Float64Array(64), kinds: new Int32Array(64), entriesBefore: Infinity };
  const kindsOfMet = new Map<bigint, number>();
  let [first, end, base] = [0, 0, 0n];
  const kindOf = (met: bigint) => {
    let kind = kindsOfMet.get(met);
    if (kind === undefined) {
      kind = kinds.kindOf(
        Array.from({ length: kinds.conditions }, (_, index) => index).filter((index) => (met >> BigInt(index)) & 1n),
      );
      kindsOfMet.set(met, kind);
    }
    return kind;
  };
  return {
    events,
    next() {
      if (end >= rows.count) return false;
      first = end;
      while (end < rows.count && rows.who[end] === rows.who[first]) end += 1;
      events.count = end - first;
      if (events.times.length < events.count) {
        events.times = new Float64Array(events.count * 2);
        events.kinds = new Int32Array(events.count * 2);
      }
      base = rows.ticks[first]!;
      for (let row = first; row < end; row++) {
        events.times[row - first] = Number(rows.ticks[row]! - base);
        events.kinds[row - first] = kindOf(rows.met[row]!);
      }
      events.entriesBefore = entriesBefore === Infinity ? Infinity : entriesBefore * 1000 - Number(base);
      return true;
    },
    toInstant: (time) => Math.floor((Number(base) + time) / 1000),
    valueOf: (index) => rows.values?.[first + index] ?? null,
    key: () => rows.who[first]!,
    takeNobody: () => 0,
  };
}

async function follow(
  session: ServerSession,
  plan: Plan,
  options: Options & Pick<FollowFunnelOptions, 'bucketOf'> & { readonly times?: boolean },
): Promise<FunnelAnswer> {
  const gathering = gather(plan, await session.events(), options);
  return sumUpUsers(followUsers(session, gathering, options), gathering.program, options);
}

/** Where an answer over the users of a funnel is made of rows that are at hand; see `answerFunnel` of the embedded engine. */
export async function answerFunnel(
  session: ServerSession,
  plan: Plan,
  answerOver: (plan: Plan, relation: Expression) => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const counted = await follow(session, plan, { signal });
  const unknown = await tellUnknownIn(rowsIn(session, signal), plan, namedEvents(plan), clickHouse);
  const rows = counted.all.reached.map((users, index) => `(${index + 1}, ${users})`);
  const relation = trusted(`(SELECT * FROM (VALUES ${rows.join(', ')}) AS computed("step", "reached"))`);
  const answered = await answerOver({ ...withoutDates(plan), cohorts: [] }, relation);
  return { ...answered, facts: () => withLacking(withLeftOut(answered.facts(), counted), unknown) };
}

/** What a funnel tells beyond rows. `factsOf`: what is told of the events. */
export function openFollower(
  session: ServerSession,
  factsOf: (signal: AbortSignal | undefined) => Promise<AnswerFacts>,
): FunnelFollower {
  return {
    async follow(plan, { signal, ...options } = {}) {
      const followed = await follow(session, plan, { ...options, times: true, signal });
      const { all, byValue, byEntry } = followed;
      const rowsOf = rowsIn(session, signal);
      const nearMisses = await findNearMissesIn(rowsOf, plan, all.reached);
      const { matches, conditions } = namedEvents(plan);
      const near = new Set(nearMisses.map(({ target }) => target));
      const further = matches.map((match) => ({
        ...match,
        targets: match.targets.filter(({ path }) => !near.has(path)),
      }));
      const unknown = all.reached.every((users) => users > 0)
        ? []
        : await tellUnknownIn(rowsOf, plan, { matches: further, conditions }, clickHouse);
      const facts = withLacking(withLeftOut(await factsOf(signal), followed), unknown);
      return { all, byValue, byEntry, nearMisses, facts };
    },
    async streamUsers(plan, { signal, byEntry } = {}) {
      const gathering = gather(plan, await session.events(), { byEntry });
      const leftOut = { spoiled: 0, withoutUser: 0 };
      let facts: AnswerFacts = { uncounted: [], rejected: nothingRejected };
      async function* batches(): AsyncGenerator<FunnelUsers, void, undefined> {
        for await (const users of followUsers(session, gathering, { byEntry, keys: true, signal })) {
          leftOut.spoiled += users.spoiled;
          leftOut.withoutUser += users.withoutUser;
          if (users.count === 0) continue;
          const { count, depth, entry, keys, values } = users;
          invariant(keys, 'users come with their keys');
          yield { count, depth, entry, keys, values };
        }
        facts = await factsOf(signal);
      }
      return { batches: batches(), facts: () => withLeftOut(facts, leftOut) };
    },
  };
}
