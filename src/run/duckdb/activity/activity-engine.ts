import { tellUnknown, rowsIn } from '../session/rows-in.ts';
import { invariant } from '../../../ask/invariant.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import type { Plan } from '../../../plan/plan.ts';
import { codedDialect } from '../../../plan/projection/projections.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { withTables } from '../../../plan/sql/print-statement.ts';
import type { Answer, UsedProjection } from '../../backend.ts';
import { chooseCodedEvents } from '../session/choose-projection.ts';
import { cohortTables } from '../../analysis/cohort-tables.ts';
import { questionOverRelation } from '../session/answer-over-rows.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { answer, type EngineQuestion, type EngineSession } from '../session/answer.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { withMore } from '../../analysis/more-facts.ts';
import { countRows } from '../../analysis/rows-of.ts';
import { type ActivityInWords, uncountedBy, overPeriods } from '../../analysis/activity/activity-words.ts';
import { lifecycleInWords } from '../../analysis/activity/lifecycle.ts';
import { retentionInWords } from '../../analysis/activity/retention.ts';
import { stickinessInWords } from '../../analysis/activity/stickiness.ts';
import { followReturns, returnsStatement } from './follow-returns.ts';

/** Computes by following users what SQL would compute slowly. */
export interface Following<Found> {
  /** Undefined if SQL computes this plan. */
  follow(
    session: EngineSession,
    plan: Plan,
    dialect: Dialect,
    signal: AbortSignal | undefined,
  ): Promise<Found | undefined>;
  /** The statement that collects users' events. */
  toStatement(plan: Plan, dialect: Dialect): BoundStatement | undefined;
}

/** An analysis that is one statement over the events, or over the results of following users. */
function toActivityEngine<Found>(
  inWords: (plan: Plan, dialect: Dialect, followed?: Found) => ActivityInWords,
  following?: Following<Found>,
): EngineAnalysis {
  const wordsOf = async (session: EngineSession, plan: Plan): Promise<ChosenWords> => {
    const words = inWords(plan, duckDb);
    const used = await useOfCodedEvents(session, plan, words);
    if (used?.name === undefined) return { words, dialect: duckDb, used };
    const dialect = codedDialect(duckDb);
    return { words: inWords(plan, dialect), dialect, used, overEvents: toQuestion(plan, words).statement.text };
  };
  const toAnswer = async (session: EngineSession, plan: Plan, chosen: ChosenWords, signal?: AbortSignal) => {
    const { words, dialect, overEvents } = chosen;
    const followed = await following?.follow(session, plan, dialect, signal);
    const question =
      followed === undefined
        ? { ...toQuestion(plan, words), overEvents }
        : toQuestion({ ...plan, cohorts: [] }, inWords(plan, duckDb, followed));
    return answer(session, question, signal);
  };
  return {
    async answer(session, plan, signal): Promise<Answer> {
      const chosen = await wordsOf(session, plan);
      const { words, dialect } = chosen;
      const wanted = uncountedBy(words);
      const rowsOf = rowsIn(session, plan, signal);
      const [answered, lacking, ...rows] = await Promise.all([
        toAnswer(session, plan, chosen, signal),
        tellUnknown(session, plan, words.named, signal, dialect),
        ...wanted.map(({ count }) => countRows(rowsOf, withTables(cohortTables(plan, duckDb), count))),
      ]);
      const uncounted = wanted.map(({ what }, index) => ({ what, rows: rows[index] ?? 0 }));
      return { ...answered, facts: () => withMore(answered.facts(), { uncounted, lacking }) };
    },
    toStatement: (plan) => following?.toStatement(plan, duckDb) ?? toQuestion(plan, inWords(plan, duckDb)).statement,
    async overProjection(session, plan) {
      const { words, dialect, used } = await wordsOf(session, plan);
      return { statement: following?.toStatement(plan, dialect) ?? toQuestion(plan, words).statement, used };
    },
    openFurther: () => invariant(false, 'an analysis of activity tells nothing beyond rows'),
  };
}

interface ChosenWords {
  readonly words: ActivityInWords;
  readonly dialect: Dialect;
  readonly used: UsedProjection | undefined;
  /** The same statement over the events, if this one reads a projection. */
  readonly overEvents?: string | undefined;
}

/** Whether the coded events of a store suffice; undefined if no store is used. */
async function useOfCodedEvents(
  { events }: EngineSession,
  plan: Plan,
  { read }: ActivityInWords,
): Promise<UsedProjection | undefined> {
  if (!events?.projections) return undefined;
  if (listsUsers(plan)) return { why: 'Projections do not name users.' };
  if (plan.cohorts?.length) return { why: 'The analysis asks for members of cohorts.' };
  return chooseCodedEvents(events, read);
}

function toQuestion(plan: Plan, words: ActivityInWords): EngineQuestion {
  return questionOverRelation(overPeriods(plan, words), words.relation);
}

export const lifecycleEngine = toActivityEngine(lifecycleInWords);

export const stickinessEngine = toActivityEngine(stickinessInWords);

export const retentionEngine = toActivityEngine(retentionInWords, {
  follow: followReturns,
  toStatement: returnsStatement,
});
