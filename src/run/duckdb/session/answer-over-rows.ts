import type { Plan } from '../../../plan/plan.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { type Expression, joined, name, sql } from '../../../plan/sql/expression.ts';
import type { Answer } from '../../backend.ts';
import { answer, type EngineQuestion, type EngineSession } from './answer.ts';
import { toQuestion } from './to-question.ts';

/** The rows of a computed cube. */
interface ComputedRows {
  /** The column names that the cube's SQL uses. */
  readonly columns: readonly string[];
  /** SQL literals; at least one row. */
  readonly rows: readonly (readonly Expression[])[];
}

/**
 * Answers a query over rows that an analysis computed from the events. The query's filters, order and limit apply to
 * these rows. Errors: as `answer`.
 */
export function answerOverRows(
  session: EngineSession,
  plan: Plan,
  computed: ComputedRows,
  signal?: AbortSignal,
): Promise<Answer> {
  return answer(session, questionOverRelation(plan, valuesOf(computed)), signal);
}

function valuesOf({ columns, rows }: ComputedRows): Expression {
  const values = joined(
    rows.map((row) => sql`(${joined(row, ', ')})`),
    ', ',
  );
  const names = joined(
    columns.map((column) => name(column)),
    ', ',
  );
  return sql`(SELECT * FROM (VALUES ${values}) AS computed(${names}))`;
}

/** The engine's question for a query over a relation with the rows of a computed cube. */
export function questionOverRelation(plan: Plan, relation: Expression): EngineQuestion {
  const dialect: Dialect = {
    ...duckDb,
    lowerSource: (source, used, project) =>
      source.kind === 'computed' ? relation : duckDb.lowerSource(source, used, project),
  };
  return { ...toQuestion(plan, dialect), reach: 'some', ranged: true, timed: true };
}
