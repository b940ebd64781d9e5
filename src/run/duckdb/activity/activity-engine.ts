import { invariant } from '../../../ask/invariant.ts';
import type { ActivityPeriod } from '../../../ask/activity/retention.ts';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import type { TimeRange } from '../../../ask/time/range.ts';
import { withoutDates } from '../../../plan/computed/asked-dates.ts';
import type { BoundDimension, Plan } from '../../../plan/plan.ts';
import { duckDb, toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import type { Expression } from '../../../plan/sql/expression.ts';
import { printStatement, withTables } from '../../../plan/sql/print-statement.ts';
import type { Answer } from '../../backend.ts';
import { cohortTables } from '../session/cohort-tables.ts';
import { questionOverRelation } from '../session/answer-over-rows.ts';
import { answer, type EngineQuestion, type EngineSession, steadily } from '../session/answer.ts';
import type { EngineAnalysis } from '../session/engine-analysis.ts';

/** What an analysis of activity is in SQL. */
export interface ActivityInWords {
  readonly period: ActivityPeriod;
  /** The instants that its periods cover. */
  readonly window: TimeRange;
  /** The rows of its cube. A `label` is the wall time of the cube's time, if it has one. */
  readonly relation: Expression;
  /** Gives the number of events that are looked at and have no user. */
  readonly nobody: Expression;
}

/** An analysis that is one statement over the events. */
export function toActivityEngine(toWords: (plan: Plan) => ActivityInWords): EngineAnalysis {
  return {
    async answer(session, plan, signal): Promise<Answer> {
      const words = toWords(plan);
      const [answered, rows] = await Promise.all([
        answer(session, toQuestion(plan, words), signal),
        countRows(session, plan, withTables(cohortTables(plan), words.nobody), signal),
      ]);
      const told = rows > 0 ? [{ what: 'events without a user', rows }] : [];
      return {
        ...answered,
        facts: () => {
          const facts = answered.facts();
          return { ...facts, uncounted: [...facts.uncounted, ...told] };
        },
      };
    },
    toStatement: (plan) => toQuestion(plan, toWords(plan)).statement,
    openFurther: () => invariant(false, 'an analysis of activity tells nothing beyond rows'),
  };
}

function toQuestion(plan: Plan, { period, window, relation }: ActivityInWords): EngineQuestion {
  const times = plan.times.flatMap((time) => (time.granularity === undefined ? [] : [{ ...time, range: window }]));
  const dimensions = isCalendarUnit(period) ? plan.dimensions.map(asLabel) : plan.dimensions;
  return questionOverRelation({ ...withoutDates(plan), times, dimensions }, relation);
}

/** A period of a day and longer goes by its wall time, as buckets do. */
function asLabel(bound: BoundDimension): BoundDimension {
  const { dimension } = bound;
  if (dimension.type !== 'time') return bound;
  const sql = [{ kind: 'cube' as const }, { kind: 'text' as const, text: '.label' }];
  return { ...bound, dimension: { ...dimension, expression: { kind: 'sql', sql } } };
}

async function countRows(
  session: EngineSession,
  { zone }: Plan,
  expression: Expression,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { text, parameters } = printStatement(expression, duckDb);
  const statement = { text, parameters: parameters.map(toDuckDbValue), columns: [], counters: 0, zone };
  const rows = await steadily(session, statement, (engine) => engine.rows(text, statement.parameters), signal);
  return Number(rows[0]?.[0] ?? 0);
}
