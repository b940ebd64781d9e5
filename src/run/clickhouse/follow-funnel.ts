import { invariant } from '../../ask/invariant.ts';
import { BackendError, throwIfAborted } from '../../ask/sluice-error.ts';
import { funnelOf } from '../../plan/analysis/funnel/bind-funnel.ts';
import { askedDates, withoutDates } from '../../plan/computed/asked-dates.ts';
import { listsUsers } from '../../plan/computed/lists-users.ts';
import type { Plan } from '../../plan/plan.ts';
import { clickHouse } from '../../plan/sql/clickhouse/dialect.ts';
import { eventsWithSessions } from '../../plan/sql/clickhouse/sources.ts';
import { allOf, anyOf, bound, type Expression, joined, sql, trusted } from '../../plan/sql/expression.ts';
import { printStatement, withTables } from '../../plan/sql/print-statement.ts';
import { type Answer, type AnswerFacts, nothingRejected } from '../backend.ts';
import { byText, type FunnelAnswer, type FunnelSeries, sumUpUsers } from '../duckdb/funnel/compute-funnel.ts';
import { distinctConditions } from '../duckdb/funnel/event-codes.ts';
import { findNearMissesIn } from '../duckdb/funnel/follow-funnel.ts';
import { toRange } from '../duckdb/funnel/follow-users.ts';
import { type FollowedUsers, noUsers } from '../duckdb/funnel/followed-users.ts';
import { namedEvents, planToProgram } from '../duckdb/funnel/funnel-plan.ts';
import type { Spread } from '../duckdb/funnel/quantiles.ts';
import type { FunnelProgram } from '../duckdb/funnel/funnel-program.ts';
import { withLeftOut } from '../duckdb/funnel/answer-funnel.ts';
import { type EventKinds, openEventKinds } from '../duckdb/funnel/user-events.ts';
import type { UserSource } from '../duckdb/funnel/user-source.ts';
import { mostUsers, openSourceWalk, toRules } from '../duckdb/funnel/walk-users.ts';
import { tellUnknownIn, withLacking } from '../duckdb/session/tell-unknown.ts';
import type { FollowFunnelOptions, FunnelFollower, FunnelUsers } from '../followed-funnel.ts';
import type { ServerStatement } from './connection.ts';
import type { NativeBlock, RawValue } from './native-reader.ts';
import { relationOf, rowsIn, withEvents } from './question.ts';
import { walkExpression } from './walk-in-arrays.ts';
import type { ServerSession } from './server-session.ts';

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
  /** A row for each user who begins: see `walkExpression`. */
  readonly walk: Expression;
  /** A row for each event that matters of users who are too hard for SQL, user by user, in order of time. */
  readonly hardEvents: ServerStatement;
  /** The number of events without a user. */
  readonly nobody: ServerStatement;
  readonly entriesBefore: number;
  print(expression: Expression): ServerStatement;
}

/** Arrays of many users at once take memory, and each step is a query in a query. Both are of use, and not needed. */
const walkSettings = { max_block_size: 8192, max_subquery_depth: 1000 } as const;

/** The statement that a funnel's figures come from. */
export async function funnelStatement(session: ServerSession, plan: Plan): Promise<ServerStatement> {
  return figuresStatement(await gather(session, plan, {}), {});
}

/**
 * The server picks the events that can be steps or exclusions, and follows each user in arrays. Its `windowFunnel` has
 * other rules for events of one time, for an event that fits several steps, and for exclusions.
 */
async function gather(
  { connection, events: eventsThere }: ServerSession,
  plan: Plan,
  { byEntry = false, ...dates }: Options,
): Promise<Gathering> {
  const events = await eventsThere();
  const mayChange = (await connection.facts()).readonly !== 1;
  const planned = planToProgram(plan, clickHouse);
  const isBySession = funnelOf(plan)?.definition.by === 'session';
  const program = isBySession ? { ...planned, source: eventsWithSessions(plan.project) } : planned;
  const { all, conditions } = distinctConditions([...program.steps, ...program.exclusions]);
  if (all.length > mostConditions)
    throw new BackendError(`A funnel on ClickHouse can have ${mostConditions} different steps and exclusions.`, {
      code: 'not-on-clickhouse',
      hint: 'Ask the same events with the embedded engine: `--backend embedded`.',
    });
  const codes = { kinds: openEventKinds(all.length), conditions };
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
  const print = (expression: Expression) => ({
    ...withEvents(printStatement(withTables(program.tables ?? [], expression), clickHouse), events),
    settings: mayChange ? walkSettings : undefined,
  });
  const selected = (further: readonly Expression[]) =>
    sql`SELECT assumeNotNull(${program.follow}) AS who, toUnixTimestamp64Micro(assumeNotNull(utc_time)) AS ticks, ${met} AS met${value} FROM ${program.source} AS looked_at WHERE ${allOf([...looked, sql`${program.follow} IS NOT NULL`, ...further])}`;
  const walk = walkExpression({
    events: selected([]),
    rules: toRules(program, codes),
    attribution: program.breakdown?.attribution,
    entriesBefore: range.entriesBefore * 1000,
  });
  return {
    program,
    codes,
    walk,
    hardEvents: print(
      sql`${selected([sql`${program.follow} IN (SELECT who FROM (${walk}) WHERE hard)`])} ORDER BY who, ticks`,
    ),
    nobody: print(
      sql`SELECT count() FROM ${program.source} AS looked_at WHERE ${allOf([...looked, sql`${program.follow} IS NULL`])}`,
    ),
    entriesBefore: range.entriesBefore,
    print,
  };
}

/** Follows the users of a plan's funnel. */
export async function* followUsersOf(
  session: ServerSession,
  plan: Plan,
  options: Options,
): AsyncGenerator<FollowedUsers, void, undefined> {
  yield* followUsers(session, await gather(session, plan, options), options);
}

/** Follows all users, some thousand at a time. */
async function* followUsers(
  { connection }: ServerSession,
  gathering: Gathering,
  { keys = false, signal }: Options,
): AsyncGenerator<FollowedUsers, void, undefined> {
  const { program, codes, hardEvents, nobody, entriesBefore } = gathering;
  const [[without] = []] = await connection.rows(nobody.text, nobody.parameters, signal);
  yield { ...noUsers, withoutUser: Number(without ?? 0) };
  let isHard = false;
  const { blocks: users } = await connection.query(usersStatement(gathering, keys), signal);
  for await (const block of users) {
    if (block.rowCount === 0) continue;
    const read = readUsers(block, program, keys);
    isHard ||= read.hard;
    yield read.users;
  }
  if (!isHard) return;
  const walk = openSourceWalk(toRules(program, codes), { program, codes, keys });
  const { blocks } = await connection.query(hardEvents, signal);
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

/** Epoch milliseconds of a time, rounded down. */
const entryOf = 'intDiv(chain[1] - positiveModulo(chain[1], 1000), 1000)';

/** A row a user: how far, from when, how long after that the other steps, the breakdown's value, who, and if hard. */
function usersStatement({ program, walk, print }: Gathering, keys: boolean): ServerStatement {
  const elapsed = program.steps
    .slice(1)
    .map((_, index) => `, if(depth > ${index + 1}, chain[${index + 2}] - chain[1], 0)`);
  return print(
    sql`SELECT toUInt8(hard) AS is_hard, depth, if(depth > 0, ${trusted(entryOf)}, 0), step_value, ${trusted(keys ? 'who' : "''")}${trusted(elapsed.join(''))} FROM (${walk})`,
  );
}

function readUsers(
  { rowCount, columns }: NativeBlock,
  { steps, breakdown }: FunnelProgram,
  withKeys: boolean,
): { readonly hard: boolean; readonly users: FollowedUsers } {
  const [hard, depths, entries, given, who, ...further] = columns.map(({ values }) => values);
  const rows = Array.from({ length: rowCount }, (_, row) => row).filter((row) => !hard![row]);
  const counted = rows.filter((row) => Number(depths![row]) > 0);
  const elapsed = new Float64Array(counted.length * steps.length);
  for (const [user, row] of counted.entries())
    for (const [step, times] of further.entries()) elapsed[user * steps.length + step + 1] = Number(times[row]) / 1000;
  return {
    hard: rows.length < rowCount,
    users: {
      count: counted.length,
      depth: Int32Array.from(counted, (row) => Number(depths![row])),
      entry: Float64Array.from(counted, (row) => Number(entries![row])),
      elapsed,
      values: breakdown && counted.map((row) => given![row] as string | null),
      keys: withKeys ? counted.map((row) => String(who![row])) : undefined,
      spoiled: rows.length - counted.length,
      withoutUser: 0,
    },
  };
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

type Wanted = Options & Pick<FollowFunnelOptions, 'bucketOf'> & { readonly times?: boolean };

/** The figures come from the server, unless users who are too hard for SQL belong to them: then from all users. */
async function follow(session: ServerSession, plan: Plan, options: Wanted): Promise<FunnelAnswer> {
  const gathering = await gather(session, plan, options);
  const { nobody } = gathering;
  const { bucketOf, signal } = options;
  const without = session.connection.rows(nobody.text, nobody.parameters, signal);
  const [figures, [[withoutUser] = []]] = await Promise.all([
    readFigures(session, gathering, options, bucketOf && mostTogether),
    without,
  ]);
  if (figures) return { ...figures, withoutUser: Number(withoutUser ?? 0) };
  return sumUpUsers(followUsers(session, gathering, options), gathering.program, options);
}

/** Milliseconds: users who begin in the same quarter of an hour are in one bucket, as clocks are today. */
const mostTogether = 900_000;

/** A row of `figuresStatement`. */
interface FigureRow {
  readonly kind: number;
  readonly step: number;
  readonly users: number;
  readonly value: string | null;
  /** Epoch milliseconds: the first and the last entry. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds from the first step, of all users together. */
  readonly elapsed: number;
  /** Microseconds: for each of `shares` the two times that it falls between. */
  readonly between: readonly number[];
}

function toFigures([kind, step, users, value, from, to, elapsed, ...between]: readonly RawValue[]): FigureRow {
  return {
    kind: Number(kind),
    step: Number(step),
    users: Number(users),
    value: value as string | null,
    from: Number(from),
    to: Number(to),
    elapsed: Number(elapsed),
    between: between.map(Number),
  };
}

const shares = [0.5, 0.9] as const;

/**
 * A row for each step of all users (`kind` 1), of each value (2), and of those who begin in the same stretch of time
 * (3). Step 0 has those whom exclusions spoil, step -1 those who are too hard. The users are followed once.
 */
function figuresStatement(
  { program, walk, print }: Gathering,
  { times = false, together }: { readonly times?: boolean | undefined; readonly together?: number | undefined },
): ServerStatement {
  const kinds = [1, ...(program.breakdown ? [2] : []), ...(together === undefined ? [] : [3])];
  const spread = [
    // The sum has room for all, and milliseconds stay whole.
    'toFloat64(intDiv(sum(toInt128(elapsed)), 1000)) + toFloat64(sum(toInt128(elapsed)) % 1000) / 1000',
    ...shares.flatMap((share) => {
      const below = `toInt64(floor((count() - 1) * ${share}))`;
      return [`${below} + 1`, `least(${below} + 2, toInt64(count()))`].map(
        (place) => `arraySort(groupArrayIf(elapsed, kind < 3))[${place}]`,
      );
    }),
  ];
  const stretch = together === undefined ? '0' : `intDiv(entry - positiveModulo(entry, ${together}), ${together})`;
  return print(sql`SELECT kind, step, count(), value, min(entry), max(entry)${trusted(times ? `, ${spread.join(', ')}` : '')} FROM (
  SELECT kind, step, if(kind = 2, step_value, NULL) AS value, if(kind = 3, ${trusted(stretch)}, 0) AS stretch, entry, if(step > 0, chain[step] - chain[1], 0) AS elapsed FROM (
    SELECT step_value, chain, if(depth > 0, ${trusted(entryOf)}, 0) AS entry, arrayJoin(${trusted(`[${kinds.join(', ')}]`)}) AS kind,
      arrayJoin(multiIf(hard, [toInt64(-1)], depth = 0, [toInt64(0)], arrayMap(place -> toInt64(place), arrayEnumerate(chain)))) AS step
    FROM (${walk})
  )
) GROUP BY kind, step, value, stretch`);
}

/** undefined: some users are too hard for SQL. */
async function readFigures(
  session: ServerSession,
  gathering: Gathering,
  options: Wanted,
  together: number | undefined,
): Promise<FunnelAnswer | undefined> {
  const { bucketOf, times = false, signal } = options;
  const { program } = gathering;
  const { text, parameters, settings } = figuresStatement(gathering, { times, together });
  const rows = (await session.connection.rows(text, parameters, signal, settings)).map(toFigures);
  const of = (kind: number) => rows.filter((row) => row.kind === kind && row.step > 0);
  const beside = (step: number) => rows.find((row) => row.kind === 1 && row.step === step)?.users ?? 0;
  if (beside(-1) > 0) return undefined;
  const byEntry = new Map<number, number[]>();
  for (const { step, users, from, to } of of(3)) {
    const bucket = bucketOf!(from);
    // A clock changed at an odd time, or buckets are shorter.
    if (bucket !== bucketOf!(to)) return readFigures(session, gathering, options, 1);
    const reached = byEntry.get(bucket) ?? program.steps.map(() => 0);
    reached[step - 1]! += users;
    byEntry.set(bucket, reached);
  }
  const seriesOf = (found: readonly FigureRow[]): FunnelSeries => {
    const byStep = program.steps.map((_, index) => found.find(({ step }) => step === index + 1));
    return {
      reached: byStep.map((row) => row?.users ?? 0),
      toConvert: byStep.map((row) => (row && times ? toSpread(row) : undefined)),
    };
  };
  const byValue = Map.groupBy(of(2), ({ value }) => value);
  return {
    all: seriesOf(of(1)),
    byValue: program.breakdown && [...byValue].sort(byText).map(([value, found]) => ({ value, ...seriesOf(found) })),
    byEntry: bucketOf && [...byEntry].sort(([a], [b]) => a - b).map(([bucket, reached]) => ({ bucket, reached })),
    spoiled: beside(0),
    withoutUser: 0,
  };
}

function toSpread({ users, elapsed, between }: FigureRow): Spread {
  const [median = 0, p90 = 0] = shares.map((share, index) => {
    const [low, high] = [between[index * 2]! / 1000, between[index * 2 + 1]! / 1000];
    return low + (high - low) * (((users - 1) * share) % 1);
  });
  return { mean: elapsed / users, median, p90 };
}

/** Where an answer over the users of a funnel is made of rows that are at hand; see `answerFunnel` of the embedded engine. */
export async function answerFunnel(
  session: ServerSession,
  plan: Plan,
  answerOver: (plan: Plan, relation: Expression) => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const over = { ...withoutDates(plan), cohorts: [] };
  if (listsUsers(plan)) {
    const users: (readonly [number, string])[] = [];
    const leftOut = { spoiled: 0, withoutUser: 0 };
    for await (const some of followUsersOf(session, plan, { keys: true, signal })) {
      leftOut.spoiled += some.spoiled;
      leftOut.withoutUser += some.withoutUser;
      for (const [at, key] of (some.keys ?? []).entries())
        for (let step = 1; step <= some.depth[at]!; step++) users.push([step, key]);
    }
    const answered = await answerOver(over, relationOf(users, { step: 'Int64', user_key: 'String' }));
    return { ...answered, facts: () => withLeftOut(answered.facts(), leftOut) };
  }
  const [counted, unknown] = await Promise.all([
    follow(session, plan, { signal }),
    tellUnknownIn(rowsIn(session, signal), plan, namedEvents(plan), clickHouse),
  ]);
  const rows = counted.all.reached.map((users, index) => `(${index + 1}, ${users})`);
  const relation = trusted(`(SELECT * FROM (VALUES ${rows.join(', ')}) AS computed("step", "reached"))`);
  const answered = await answerOver(over, relation);
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
      const gathering = await gather(session, plan, { byEntry });
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
