import { tellUnknown } from '../session/rows-in.ts';
import { invariant } from '../../../ask/invariant.ts';
import type { Plan } from '../../../plan/plan.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { questionOverRelation } from '../session/answer-over-rows.ts';
import { answer, type EngineQuestion } from '../session/answer.ts';
import { nothingNamed } from '../../analysis/tell-unknown.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { withMore } from '../../analysis/more-facts.ts';
import { overFrames, cohortRelation } from '../../analysis/cohort-tables.ts';

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
