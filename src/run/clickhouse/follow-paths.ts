import { invariant } from '../../ask/invariant.ts';
import { leftOutSteps, type Paths } from '../../ask/paths/paths.ts';
import { pathsOf } from '../../plan/analysis/paths/paths-analysis.ts';
import { withoutDates } from '../../plan/computed/asked-dates.ts';
import { computedHere } from '../../plan/computed/computed-here.ts';
import type { Plan } from '../../plan/plan.ts';
import { clickHouse } from '../../plan/sql/clickhouse/dialect.ts';
import { boundText, type Expression, joined, sql, trusted } from '../../plan/sql/expression.ts';
import { printStatement, withTables } from '../../plan/sql/print-statement.ts';
import type { Answer } from '../backend.ts';
import { keepEdges, type KeptEdges } from '../analysis/paths/keep-edges.ts';
import type { CountedEdge } from '../analysis/paths/path-tally.ts';
import { countNameless, namedByPaths, tellNoSteps, tellStrangers, toUncounted } from '../analysis/paths/tell-steps.ts';
import { type Steps, stepsOf } from '../analysis/paths/steps.ts';
import { listsUsers } from '../../plan/computed/lists-users.ts';
import { cohortTables } from '../analysis/cohort-tables.ts';
import { withMore } from '../analysis/more-facts.ts';
import { tellUnknownIn } from '../analysis/tell-unknown.ts';
import type { ServerStatement } from './connection.ts';
import { relationOf, rowsIn, withEvents } from './question.ts';
import type { ServerSession } from './server-session.ts';

/** Answers a question on paths. The server follows the users and returns the edges. */
export async function answerPaths(
  session: ServerSession,
  plan: Plan,
  answerOver: (plan: Plan, relation: Expression) => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { definition, bound: members } = computedHere(pathsOf(plan));
  const steps = stepsOf(plan, clickHouse);
  const tables = cohortTables(plan, clickHouse);
  const rowsOf = rowsIn(session, signal);
  const namesNone = definition.anchor.kind === 'none' && definition.exclude.length === 0;
  const [rows, names, unknown, [[nobody] = []], nameless] = await Promise.all([
    rowsOf(pathsExpression(plan)),
    namesNone ? [] : rowsOf(withTables(tables, namesExpression(definition, steps))),
    tellUnknownIn(rowsOf, plan, namedByPaths(definition, members), clickHouse),
    rowsOf(withTables(tables, sql`SELECT count(*) FROM ${steps.relation} AS steps WHERE who IS NULL`)),
    countNameless(rowsOf, steps),
  ]);
  const called = names.map(([name]) => String(name));
  const strangers = await tellStrangers(rowsOf, plan, called, clickHouse);
  const { kept, sessions, keys, walkers } = readPaths(rows, definition);
  const lacking = [...unknown, ...strangers, ...tellNoSteps(definition, sessions, unknown)];
  const relation = listsUsers(plan) ? toUserRelation(kept, keys, walkers) : toRelation(kept, sessions);
  const answered = await answerOver({ ...withoutDates(plan), cohorts: [] }, relation);
  const leftOut = { withoutUser: Number(nobody ?? 0), nameless, leftOut: kept.leftOut };
  return {
    ...answered,
    facts: () => withMore(answered.facts(), { uncounted: toUncounted(definition, leftOut), lacking }),
  };
}

/** The statement that follows the users of a plan's paths. */
export async function pathsStatement(session: ServerSession, plan: Plan): Promise<ServerStatement> {
  return withEvents(printStatement(pathsExpression(plan), clickHouse), await session.events());
}

/**
 * The walk of the embedded engine (`walk-paths.ts`) in arrays. One row for all sessions (`kind` 0); one for each name
 * at each step (1), with `timed` as the number of users who continue; one for each edge (2), with a null target if the
 * session ended.
 */
function pathsExpression(plan: Plan): Expression {
  const { definition } = pathsOf(plan) ?? {};
  invariant(definition, 'the plan asks paths');
  const { relation, name: called } = stepsOf(plan, clickHouse);
  const { first, last, number, meets, ends, cutLast, cutMiddle } = anchorWords(definition);
  const { maxSteps, gapMinutes } = definition;
  const room = `(${maxSteps} - first_number + 1)`;
  const half = maxSteps >> 1;
  const excluded = excludedStep(definition);
  const grouped = groupedStep(definition);
  const walked = sql`SELECT who, path_names, path_times, first_number, drops FROM (
  SELECT who, first_number, ${trusted(cutMiddle ? 'false' : `${ends} AND (is_whole OR ${cutLast})`)} AS drops,
    ${cut('all_names', sql`[${boundText(leftOutSteps)}]`)} AS path_names,
    ${cut('all_times', trusted(`[all_times[first_place + ${half}]]`))} AS path_times
  FROM (
    SELECT *, last_place - first_place < ${trusted(room)} AS is_whole FROM (
      SELECT *, ${number} AS first_number FROM (
        SELECT *, ${last} AS last_place FROM (
          SELECT *, ${first} AS first_place FROM (
            SELECT who, arrayMap(taken -> taken.4, run) AS all_names, arrayMap(taken -> taken.1, run) AS all_times FROM (
              SELECT who, arrayFilter((taken, at) -> at = length(one_session) OR taken.4 <> one_session[at + 1].4,
              one_session, arrayEnumerate(one_session)) AS run FROM (
                SELECT who, arrayJoin(arraySplit(
                  (taken, before) -> taken.1 - before.1 >= ${trusted(String(gapMinutes * 60_000_000))},
                  taken_steps, arrayPushFront(arrayPopBack(taken_steps), taken_steps[1]))) AS one_session FROM (
                  SELECT follower AS who, arraySort(groupArray(tuple(step_time, own_name, own_raw, step_name))) AS taken_steps FROM (
                    SELECT follower, step_time, own_raw, own_name, ${grouped} AS step_name FROM (
                      SELECT assumeNotNull(who) AS follower, toUnixTimestamp64Micro(assumeNotNull(time)) AS step_time,
                      assumeNotNull(raw) AS own_raw, assumeNotNull(${called}) AS own_name
                      FROM ${relation} AS steps WHERE who IS NOT NULL AND raw IS NOT NULL
                    )
                  ) WHERE true${excluded} GROUP BY follower
                )
              )
            )
          )
        ) WHERE first_place > 0
      ) WHERE ${meets}
    )
  )
)`;
  const tables = [...cohortTables(plan, clickHouse), { name: 'walked', rows: walked }];
  return withTables(
    tables,
    sql`SELECT 0 AS kind, toInt64(0) AS step, '' AS source, CAST(NULL AS Nullable(String)) AS target,
      count() AS sessions, toUInt64(0) AS users, toInt64(0) AS micros, toUInt64(0) AS timed,
      ${trusted(listsUsers(plan) ? 'toJSONString(groupUniqArray(who))' : "''")} AS keys FROM walked
UNION ALL
SELECT 1, first_number + place - 1, step_name, NULL, toUInt64(0), uniqExact(who), toInt64(0),
uniqExactIf(who, place < length(step_names)), '' FROM (
  SELECT who, first_number, path_names AS step_names, arrayEnumerate(path_names) AS places FROM walked
) ARRAY JOIN step_names AS step_name, places AS place GROUP BY 2, 3
UNION ALL
SELECT 2, edge.1, edge.2, edge.3, count(), uniqExact(who), sum(ifNull(edge.4, 0)), count(edge.4),
${trusted(listsUsers(plan) ? 'toJSONString(groupUniqArray(who))' : "''")} FROM (
  SELECT who, arrayJoin(arrayConcat(
    arrayMap(place -> (first_number + place - 1, path_names[place], CAST(path_names[place + 1] AS Nullable(String)),
    CAST(path_times[place + 1] - path_times[place] AS Nullable(Int64))), range(1, length(path_names))),
    if(drops AND first_number + length(path_names) - 1 < ${trusted(String(maxSteps))},
    [(toInt64(first_number + length(path_names) - 1), path_names[-1], CAST(NULL AS Nullable(String)), CAST(NULL AS Nullable(Int64)))], [])
  )) AS edge FROM walked
) GROUP BY 2, 3, 4`,
  );

  /** The steps of a path within its session, cut to the limit. */
  function cut(steps: string, middle: Expression): Expression {
    const whole = trusted(`arraySlice(${steps}, first_place, last_place - first_place + 1)`);
    const short = cutMiddle
      ? sql`arrayConcat(arraySlice(${trusted(steps)}, first_place, ${trusted(String(half))}), ${middle},
        arraySlice(${trusted(steps)}, last_place - ${trusted(`${half} + 1, ${half}`)}))`
      : trusted(
          cutLast
            ? `arraySlice(${steps}, last_place - ${room} + 1, ${room})`
            : `arraySlice(${steps}, first_place, ${room})`,
        );
    return sql`if(is_whole, ${whole}, ${short})`;
  }
}

/** The name of a step after grouping. */
function groupedStep({ groups }: Paths): Expression {
  if (groups.length === 0) return trusted('own_name');
  const cases = groups.map((pattern) => sql`own_name LIKE ${boundText(toLike(pattern))}, ${boundText(pattern)}`);
  return sql`multiIf(${joined(cases, ', ')}, own_name)`;
}

function excludedStep({ exclude }: Paths): Expression {
  return exclude.length === 0 ? sql`` : sql` AND step_name NOT IN (${texts(exclude)})`;
}

/** All step names after grouping, including excluded ones. */
function namesExpression(definition: Paths, { relation, name: called }: Steps): Expression {
  return sql`SELECT DISTINCT ${groupedStep(definition)} AS step_name FROM (
  SELECT assumeNotNull(raw) AS own_raw, assumeNotNull(${called}) AS own_name FROM ${relation} AS steps
)`;
}

/** The first and last position of a path among its session's steps, from 1, and the number of its first step. */
function anchorWords({ anchor }: Paths) {
  const begin = { first: trusted('toInt64(1)'), number: trusted('toInt64(1)') };
  const whole = { last: trusted('toInt64(length(all_names))'), meets: trusted('true') };
  if (anchor.kind === 'through') {
    const at = sql`toInt64(indexOf(all_names, ${boundText(anchor.point)}))`;
    const first = sql`if(${at} = 0, 0, greatest(toInt64(1), ${at} - ${trusted(String(anchor.before))}))`;
    const number = sql`(${trusted(String(anchor.before + 1))} - (${at} - first_place))`;
    return { ...whole, first, number, ends: true, cutLast: false, cutMiddle: false };
  }
  if (anchor.kind === 'none') return { ...begin, ...whole, ends: true, cutLast: false, cutMiddle: false };
  const { from, to, keep } = anchor;
  const found =
    to === undefined ? undefined : sql`toInt64(indexOf(arraySlice(all_names, first_place), ${boundText(to)}))`;
  return {
    ...begin,
    ...(from !== undefined && { first: sql`toInt64(indexOf(all_names, ${boundText(from)}))` }),
    ...whole,
    ...(found && { last: sql`(first_place + ${found} - 1)`, meets: trusted('last_place >= first_place') }),
    ends: to === undefined,
    cutMiddle: from !== undefined && to !== undefined,
    cutLast: !(from !== undefined && to !== undefined) && keep === 'last',
  };
}

function texts(values: readonly string[]): Expression {
  return joined(values.map(boundText), ', ');
}

/** `occursIn` as a LIKE pattern. */
function toLike(pattern: string): string {
  return `%${pattern.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%')}%`;
}

function readPaths(
  rows: readonly (readonly unknown[])[],
  paths: Paths,
): {
  readonly kept: KeptEdges;
  readonly sessions: number;
  /** The users of each edge. */
  readonly keys: readonly (readonly string[])[];
  readonly walkers: readonly string[];
} {
  const places = new Map<string, number>();
  const placeOf = (name: unknown) => {
    const place = places.get(String(name)) ?? places.size;
    places.set(String(name), place);
    return place;
  };
  const of = (kind: number) => rows.filter(([one]) => Number(one) === kind);
  const nodes = new Map(
    of(1).map(([, step, name, , , count, , continued]) => [`${step} ${placeOf(name)}`, [count, continued].map(Number)]),
  );
  const sessions = Number(of(0)[0]?.[4] ?? 0);
  // The target of edges for sessions that ended; it is not a step.
  const end = places.size;
  const edges = of(2).map(
    ([, step, source, target, count, who, micros, timed], number): CountedEdge => ({
      number,
      step: Number(step),
      source: placeOf(source),
      target: target === null ? end : placeOf(target),
      sessions: Number(count),
      users: Number(who),
      microseconds: Number(micros),
      timed: Number(timed),
    }),
  );
  const keysOf = (kind: number) =>
    of(kind).map(([, , , , , , , , listed]) => (listed ? (JSON.parse(String(listed)) as string[]) : []));
  const [keys, walkers] = [keysOf(2), keysOf(0).flat()];
  const usersOver = ({ number }: CountedEdge) => [number];
  const tally = {
    edges: () => edges,
    usersOver,
    usersAt: (step: number, name: number) => nodes.get(`${step} ${name}`)?.[0] ?? 0,
    continuedAt: (step: number, name: number) => nodes.get(`${step} ${name}`)?.[1] ?? 0,
  };
  return { kept: keepEdges(tally, [...places.keys()], paths), sessions, keys, walkers };
}

const columns = {
  step: 'Int64',
  source: 'String',
  target: 'String',
  sessions: 'Int64',
  users: 'Int64',
  microseconds: 'Float64',
  timed: 'Int64',
  source_users: 'Int64',
  continued_users: 'Int64',
  target_users: 'Nullable(Int64)',
  total: 'Int64',
} as const;

/**
 * One row for each edge and user, and one without an edge for each user with a path. `who` of an edge: its index in
 * `keys`.
 */
function toUserRelation(
  { edges }: KeptEdges,
  keys: readonly (readonly string[])[],
  walkers: readonly string[],
): Expression {
  const rows = edges.flatMap(({ step, source, target, who }) =>
    who.flatMap((place) => (keys[place] ?? []).map((user) => [step, source, target, user])),
  );
  const [number, text] = ['Nullable(Int64)', 'Nullable(String)'];
  return relationOf([...rows, ...walkers.map((user) => [null, null, null, user])], {
    step: number,
    source: text,
    target: text,
    user_key: 'String',
  });
}

function toRelation({ edges }: KeptEdges, sessions: number): Expression {
  const rows = edges.map((edge) => [
    edge.step,
    edge.source,
    edge.target,
    edge.sessions,
    edge.users,
    edge.microseconds,
    edge.timed,
    edge.sourceUsers,
    edge.continuedUsers,
    edge.targetUsers,
    sessions,
  ]);
  return relationOf(rows, columns);
}
