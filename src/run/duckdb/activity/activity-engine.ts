import { invariant } from '../../../ask/invariant.ts';
import { type Followed, followedWords } from '../../../ask/analysis/followed.ts';
import type { ActivityPeriod } from '../../../ask/activity/retention.ts';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import { withoutDates } from '../../../plan/computed/asked-dates.ts';
import { listsUsers } from '../../../plan/computed/lists-users.ts';
import type { BoundDimension, Plan } from '../../../plan/plan.ts';
import { codedDialect } from '../../../plan/projection/projections.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import type { Expression } from '../../../plan/sql/expression.ts';
import { withTables } from '../../../plan/sql/print-statement.ts';
import type { Answer, UsedProjection } from '../../backend.ts';
import { chooseCodedEvents } from '../session/choose-projection.ts';
import { cohortTables } from '../session/cohort-tables.ts';
import { questionOverRelation } from '../session/answer-over-rows.ts';
import type { BoundStatement } from '../engine/run-statement.ts';
import { answer, type EngineQuestion, type EngineSession } from '../session/answer.ts';
import { type NamedEvents, tellUnknown } from '../session/tell-unknown.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';
import { withMore } from '../session/more-facts.ts';
import { countRows, rowsIn } from '../session/rows-in.ts';

/** Events that no figure counts: their description, and a statement that counts them. */
export interface UncountedEvents {
  readonly what: string;
  readonly count: Expression;
}

/** The events that no figure counts, those of nobody first. */
export function uncountedBy({ named, nobody, uncounted = [] }: ActivityInWords): readonly UncountedEvents[] {
  return [{ what: `events without ${followedWords(named.definition).one}`, count: nobody }, ...uncounted];
}

/** An activity analysis as SQL. */
export interface ActivityInWords {
  readonly period: ActivityPeriod;
  /** The instants that its periods cover. */
  readonly window: TimeRange;
  /** The rows of its cube. `label`: the wall time of the cube's time, if it has one. */
  readonly relation: Expression;
  /** Counts the events of nobody who is followed. */
  readonly nobody: Expression;
  /** Other events that no figure counts. */
  readonly uncounted?: readonly UncountedEvents[];
  /** Conditions and values that it reads of single events, beside their users. */
  readonly read: readonly (Expression | undefined)[];
  /** The parts of events that the definition names. */
  readonly named: NamedEvents & { readonly definition: Followed };
}

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
export function toActivityEngine<Found>(
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

/** The plan over the rows of an activity analysis. */
export function overPeriods(plan: Plan, { period, window }: ActivityInWords): Plan {
  const times = plan.times.flatMap((time) => (time.granularity === undefined ? [] : [{ ...time, range: window }]));
  const dimensions = isCalendarUnit(period) ? plan.dimensions.map(asLabel) : plan.dimensions;
  return { ...withoutDates(plan), times, dimensions };
}

/** A period of a day or longer is identified by its wall time, as buckets are. */
function asLabel(bound: BoundDimension): BoundDimension {
  const { dimension } = bound;
  if (dimension.type !== 'time') return bound;
  const sql = [{ kind: 'cube' as const }, { kind: 'text' as const, text: '.label' }];
  return { ...bound, dimension: { ...dimension, expression: { kind: 'sql', sql } } };
}
