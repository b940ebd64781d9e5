import { invariant } from '../../../ask/invariant.ts';
import { pathsOf } from '../../../plan/analysis/paths/paths-analysis.ts';
import { withoutDates } from '../../../plan/computed/asked-dates.ts';
import type { Plan } from '../../../plan/plan.ts';
import { bound, type Expression, sql, trusted } from '../../../plan/sql/expression.ts';
import type { Answer, AnswerFacts } from '../../backend.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { questionOverRelation } from '../session/answer-over-rows.ts';
import { answer, type EngineSession, steadily } from '../session/answer.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { type FollowedPaths, followPaths } from './follow-paths.ts';
import { printBound, stepsOf, wholeStatement } from './steps-statement.ts';

/** Paths, by following users over the events. */
export const pathsEngine: EngineAnalysis = {
  async answer(session: EngineSession, plan: Plan, signal?: AbortSignal): Promise<Answer> {
    const { definition } = pathsOf(plan) ?? {};
    invariant(definition, 'the plan asks paths');
    const steps = stepsOf(plan);
    const followed = await steadily(
      session,
      toStatement(plan),
      (engine) => followPaths(engine, definition, steps, { signal }),
      signal,
    );
    const answered = await answer(session, questionOverRelation(withoutDates(plan), toRelation(followed)), signal);
    return { ...answered, facts: () => withLeftOutSteps(answered.facts(), followed) };
  },
  toStatement,
  openFurther: () => invariant(false, 'paths tell nothing beyond rows'),
};

/** What is in no edge, beside what the source's files tell. */
export function withLeftOutSteps(
  facts: AnswerFacts,
  { withoutUser, leftOut }: Pick<FollowedPaths, 'withoutUser' | 'leftOut'>,
): AnswerFacts {
  const told = [
    { what: 'events without a user', rows: withoutUser },
    { what: `steps beyond the edges that \`edge_limit\` and \`min_sessions\` keep`, rows: leftOut },
  ];
  return { ...facts, uncounted: [...facts.uncounted, ...told.filter(({ rows }) => rows > 0)] };
}

function toStatement(plan: Plan): BoundStatement {
  return { ...printBound(wholeStatement(plan)), columns: [], counters: 0, zone: plan.zone };
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
  target_users: 'BIGINT',
  total: 'BIGINT',
} as const;

/** The rows travel in one value: names come from events, and there may be many. */
function toRelation({ edges, sessions }: FollowedPaths): Expression {
  const rows = edges.map(({ sourceUsers, targetUsers, ...edge }) => ({
    ...edge,
    source_users: sourceUsers,
    target_users: targetUsers,
    total: sessions,
  }));
  const json = bound({ type: 'text', value: JSON.stringify(rows) });
  return sql`(SELECT unnest(from_json(${json}, ${trusted(`'${JSON.stringify([columns])}'`)}), recursive := true))`;
}
