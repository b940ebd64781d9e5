import type { Plan } from '../../../plan/plan.ts';
import { duckDb, toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import type { Expression } from '../../../plan/sql/expression.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import { type EngineSession, steadily } from './answer.ts';

/** Gives the rows of a statement. */
export type RowsOf = (expression: Expression) => Promise<readonly (readonly unknown[])[]>;

/** The rows of statements over the events of a session. Errors: as `answer`. */
export function rowsIn(session: EngineSession, { zone }: Pick<Plan, 'zone'>, signal: AbortSignal | undefined): RowsOf {
  return (expression) => {
    const { text, parameters } = printStatement(expression, duckDb);
    const statement = { text, parameters: parameters.map(toDuckDbValue), columns: [], counters: 0, zone };
    return steadily(session, statement, (engine) => engine.rows(text, statement.parameters), signal);
  };
}

/** The result of a counting statement. */
export async function countRows(rowsOf: RowsOf, expression: Expression): Promise<number> {
  return Number((await rowsOf(expression))[0]?.[0] ?? 0);
}
