import {
  toUncounted,
  namedByPaths,
  tellStrangers,
  countNameless,
  tellNoSteps,
} from '../../analysis/paths/tell-steps.ts';
import { tellUnknown, rowsIn } from '../session/rows-in.ts';
import { invariant } from '../../../ask/invariant.ts';
import { pathsOf } from '../../../plan/analysis/paths/paths-analysis.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import { withoutDates } from '../../../plan/computed/asked-dates.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import type { Plan } from '../../../plan/plan.ts';
import { boundText, type Expression, sql, trusted } from '../../../plan/sql/expression.ts';
import type { Answer } from '../../backend.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { questionOverRelation } from '../session/answer-over-rows.ts';
import { answer, type EngineSession, steadily } from '../session/answer.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { withMore } from '../../analysis/more-facts.ts';
import { type FollowedPaths, followPaths } from './follow-paths.ts';
import { stepsOf } from '../../analysis/paths/steps.ts';
import { wholeStatement } from './steps-statement.ts';

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
