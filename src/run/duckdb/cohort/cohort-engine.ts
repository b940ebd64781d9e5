import { cohortFrames } from '../../../plan/analysis/cohort/cohort-analysis.ts';
import { cohortTableAt } from '../../../plan/analysis/cohort/cohort-members.ts';
import { invariant } from '../../../ask/invariant.ts';
import { withoutDates } from '../../../plan/computed/asked-dates.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { type Expression, joined, name, sql, trusted } from '../../../plan/sql/expression.ts';
import { questionOverRelation } from '../session/answer-over-rows.ts';
import { answer, type EngineQuestion } from '../session/answer.ts';
import { nothingNamed, tellUnknown } from '../session/tell-unknown.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { withMore } from '../session/more-facts.ts';

/** The users of a cohort, now or at the end of each bucket. */
export const cohortEngine: EngineAnalysis = {
  async answer(session, plan, signal) {
    const [answered, lacking] = await Promise.all([
      answer(session, toQuestion(plan), signal),
      tellUnknown(session, plan, nothingNamed, signal),
    ]);
    return { ...answered, facts: () => withMore(answered.facts(), { lacking }) };
  },
  toStatement: (plan) => toQuestion(plan).statement,
  openFurther: () => invariant(false, 'a cohort tells nothing beyond rows'),
};

function toQuestion(plan: Plan): EngineQuestion {
  return questionOverRelation(overFrames(plan), cohortRelation(plan, duckDb));
}

/** The plan over the rows of `cohortRelation`. */
export function overFrames(plan: Plan): Plan {
  const frames = cohortFrames(plan);
  const buckets = frames.flatMap(({ bucket }) => bucket ?? []);
  const range = { start: buckets[0]?.start ?? 0, end: buckets.at(-1)?.end ?? 0 };
  const times = plan.times.flatMap((time) => (time.granularity === undefined ? [] : [{ ...time, range }]));
  return { ...withoutDates(plan), times };
}

/** One row a user and frame. A frame without users has one row without a user, unless the question lists users. */
export function cohortRelation(plan: Plan, dialect: Dialect): Expression {
  const byUser = plan.dimensions.some(({ dimension }) => dimension.name === 'user');
  const frames = cohortFrames(plan).map(({ at, bucket }) => {
    const users = name(cohortTableAt(plan, plan.root.name, at));
    const date = dialect.timestamp(bucket?.start ?? Math.min(at, plan.now));
    return byUser
      ? sql`SELECT ${date} AS date, ${trusted(userKeyColumn)} FROM ${users}`
      : sql`SELECT ${date} AS date, ${trusted(userKeyColumn)} FROM (SELECT 1) AS one LEFT JOIN ${users} ON TRUE`;
  });
  return sql`(${joined(frames, '\nUNION ALL\n')})`;
}
