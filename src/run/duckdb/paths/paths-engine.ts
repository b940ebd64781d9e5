import { invariant } from '../../../ask/invariant.ts';
import type { Paths } from '../../../ask/paths/paths.ts';
import { nearest, offer } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';
import { type BoundPaths, pathsOf } from '../../../plan/analysis/paths/paths-analysis.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import { withoutDates } from '../../../plan/computed/asked-dates.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import { pageView } from '../../../plan/model/event-fields.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { shortNameOf } from '../../../ask/query/member-name.ts';
import { withTables } from '../../../plan/sql/print-statement.ts';
import { boundText, type Expression, sql, trusted } from '../../../plan/sql/expression.ts';
import type { Answer, AnswerFacts } from '../../backend.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { questionOverRelation } from '../session/answer-over-rows.ts';
import { answer, type EngineSession, steadily } from '../session/answer.ts';
import {
  definitionOf,
  hintOnUnquoted,
  isMistyped,
  type NamedEvents,
  refuseMistakes,
  tellUnknown,
} from '../session/tell-unknown.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { withMore } from '../session/more-facts.ts';
import { countRows, rowsIn, type RowsOf } from '../session/rows-in.ts';
import { type FollowedPaths, followPaths, toStepName } from './follow-paths.ts';
import { type Steps, stepsOf, wholeStatement } from './steps-statement.ts';

/** Paths computed by following users over the events. */
export const pathsEngine: EngineAnalysis = {
  async answer(session: EngineSession, plan: Plan, signal?: AbortSignal): Promise<Answer> {
    const { definition, bound: members } = computedHere(pathsOf(plan));
    const steps = stepsOf(plan);
    const keepsUsers = listsUsers(plan);
    const followed = await steadily(
      session,
      toStatement(plan),
      (engine) => followPaths(engine, definition, steps, { signal, keepsUsers }),
      signal,
    );
    const unknown = await tellUnknown(session, plan, namedByPaths(definition, members), signal);
    const rowsOf = rowsIn(session, plan, signal);
    const strangers = await tellStrangers(rowsOf, plan, followed.called);
    const nameless = await countNameless(rowsOf, steps);
    const lacking = [...unknown, ...strangers, ...tellNoSteps(definition, followed.sessions, unknown)];
    const answered = await answer(
      session,
      questionOverRelation(
        { ...withoutDates(plan), cohorts: [] },
        keepsUsers ? toUserRelation(followed) : toRelation(followed),
      ),
      signal,
    );
    return {
      ...answered,
      facts: () =>
        withMore(answered.facts(), { uncounted: toUncounted(definition, { ...followed, nameless }), lacking }),
    };
  },
  toStatement,
  openFurther: () => invariant(false, 'paths tell nothing beyond rows'),
};

/** The event types and conditions that paths name. */
export function namedByPaths(definition: Paths, members: BoundPaths): NamedEvents {
  return {
    definition,
    matches: (definition.events ?? []).map((event) => ({ event, targets: [], where: [] })),
    conditions: members.where,
  };
}

/** The events and steps that no edge includes, for the facts of an answer. */
export function toUncounted(
  { step }: Paths,
  { withoutUser, nameless, leftOut }: Pick<FollowedPaths, 'withoutUser' | 'leftOut'> & { readonly nameless: number },
): AnswerFacts['uncounted'] {
  return [
    { what: 'events without a user', rows: withoutUser },
    {
      what:
        step.kind === 'dimension'
          ? `events without a value of ${shortNameOf(step.dimension)}`
          : 'page views without a path',
      rows: nameless,
    },
    { what: `steps beyond the edges that \`edge_limit\` and \`min_sessions\` keep`, rows: leftOut },
  ];
}

/** The number of events that are no steps because they have no name. */
export async function countNameless(rowsOf: RowsOf, { nameless, tables }: Steps): Promise<number> {
  return nameless === undefined ? 0 : countRows(rowsOf, withTables(tables, nameless));
}

/** No session that anybody asks about has more names of steps. */
const mostNames = 20_000;

/**
 * Sentences on steps that paths should begin with, end with, lead through or leave out, and that nothing is called by.
 * `called`: what steps are called in the range. Throws `InvalidInputError` for a name that nothing has at any time, and
 * that is near to one that there is; else as `answer`.
 */
export async function tellStrangers(
  rowsOf: RowsOf,
  plan: Plan,
  called: readonly string[],
  dialect: Dialect = duckDb,
): Promise<readonly string[]> {
  const { definition, bound: members } = computedHere(pathsOf(plan));
  const { anchor, exclude, groups } = definition;
  const ends = anchor.kind === 'through' ? [anchor.point] : anchor.kind === 'ends' ? [anchor.from, anchor.to] : [];
  const points = new Set(ends.filter((point) => point !== undefined));
  const inRange = new Set(called);
  const strangers = [...new Set([...points, ...exclude])].filter((name) => !inRange.has(name));
  if (strangers.length === 0) return [];
  const computed = { ...plan.computed!, bound: { ...members, where: [] } };
  const always = stepsOf({ ...withoutDates(plan), computed, cohorts: [] }, dialect);
  const rows = await rowsOf(
    sql`SELECT DISTINCT ${always.name} AS name FROM ${always.relation} AS steps ORDER BY 1 LIMIT ${trusted(String(mostNames))}`,
  );
  const known = new Set(rows.map(([name]) => toStepName(groups, String(name))));
  const mistakes = strangers.flatMap((name) => {
    if (known.has(name)) return [];
    const by = [definition];
    const near = nearest(name, known);
    const hint =
      hintOnUnquoted(by, name, [...known]) ?? (near !== undefined && isMistyped(name, near) ? offer(near) : undefined);
    const message = `No step is called ${quote(name)}.`;
    return hint === undefined ? [] : [{ code: 'unknown-step', message, hint, name, by, within: definitionOf(plan) }];
  });
  if (mistakes.length > 0) throw refuseMistakes(mistakes);
  return strangers.flatMap((name) => {
    if (points.has(name))
      return [
        known.has(name)
          ? `No step is called ${quote(name)} in this range: no session has a path.`
          : `No step is called ${quote(name)}: no session has a path.${isOfPages(definition) ? ` ${onOtherEvents}` : ''}`,
      ];
    return known.has(name) ? [] : [`No step is called ${quote(name)}, which is to be left out.`];
  });
}

/** Says why paths have no rows if nothing but page views would be steps, and no `unknown` name is the reason. */
export function tellNoSteps(definition: Paths, sessions: number, unknown: readonly string[]): readonly string[] {
  return sessions === 0 && unknown.length === 0 && definition.anchor.kind === 'none' && isOfPages(definition)
    ? [`No session has a page view with a path. ${onOtherEvents}`]
    : [];
}

/** Whether only the paths of page views are steps, as by default. */
function isOfPages({ step, events }: Paths): boolean {
  return step.kind === 'page' && (events ?? []).join() === pageView.documented;
}

const onOtherEvents =
  'By default, steps are the paths of page views: `event any` adds other events, and `step event` names all by their events.';

function toStatement(plan: Plan): BoundStatement {
  return { ...wholeStatement(plan), columns: [], counters: 0, zone: plan.zone };
}

const columns = {
  step: 'BIGINT',
  source: 'VARCHAR',
  target: 'VARCHAR',
  sessions: 'BIGINT',
  users: 'BIGINT',
  microseconds: 'DOUBLE',
  timed: 'BIGINT',
  source_users: 'BIGINT',
  continued_users: 'BIGINT',
  target_users: 'BIGINT',
  total: 'BIGINT',
} as const;

/** Pass the rows in one value: names come from events, and there may be many. */
function toRelation({ edges, sessions }: FollowedPaths): Expression {
  const rows = edges.map(({ sourceUsers, continuedUsers, targetUsers, who: _, ...edge }) => ({
    ...edge,
    source_users: sourceUsers,
    continued_users: continuedUsers,
    target_users: targetUsers,
    total: sessions,
  }));
  const json = boundText(JSON.stringify(rows));
  return sql`(SELECT unnest(from_json(${json}, ${trusted(`'${JSON.stringify([columns])}'`)}), recursive := true))`;
}

/** One row for each edge and user, and one row without an edge for each user with a path. */
function toUserRelation({ edges, keys, walkers }: FollowedPaths): Expression {
  const places = new Map<number, number>();
  const whole = { step: null, source: null, target: null, who: walkers };
  const rows = [...edges, whole].map(({ step, source, target, who }) => ({
    step,
    source,
    target,
    who: who.map((user) => places.get(user) ?? places.set(user, places.size).size - 1),
  }));
  const [edgeRows, userKeys] = [rows, Array.from(places.keys(), (user) => keys[user])].map((value) =>
    boundText(JSON.stringify(value)),
  );
  const { step, source, target } = columns;
  const shape = trusted(`'${JSON.stringify([{ step, source, target, who: ['BIGINT'] }])}'`);
  return sql`(SELECT step, source, target, user_key FROM (
  SELECT step, source, target, unnest(who) AS place FROM (SELECT unnest(from_json(${edgeRows!}, ${shape}), max_depth := 2))
) AS edges JOIN (
  SELECT unnest(range(len(keys))) AS place, unnest(keys) AS user_key FROM (SELECT from_json(${userKeys!}, '["VARCHAR"]') AS keys)
) AS users USING (place))`;
}
