import type { Plan } from '../../../plan/plan.ts';
import { duckDb, toDuckDbValue } from '../../../plan/sql/duckdb.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import { type EngineSession, steadily } from './answer.ts';
import type { RowsOf } from '../../analysis/rows-of.ts';
import { type NamedEvents, tellUnknownIn } from '../../analysis/tell-unknown.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';

/** The rows of statements over the events of a session. Errors: as `answer`. */
export function rowsIn(session: EngineSession, { zone }: Pick<Plan, 'zone'>, signal: AbortSignal | undefined): RowsOf {
  return (expression) => {
    const { text, parameters } = printStatement(expression, duckDb);
    const statement = { text, parameters: parameters.map(toDuckDbValue), columns: [], counters: 0, zone };
    return steadily(session, statement, (engine) => engine.rows(text, statement.parameters), signal);
  };
}

/**
 * Sentences on the event types, paths and values that a definition, or a cohort of the plan, names and no event has at
 * any time: figures about them are 0, and look like any other. Throws `InvalidInputError` if a type or path is so near
 * to one that there is that it must be mistyped; else as `answer`.
 */
export function tellUnknown(
  session: EngineSession,
  plan: Plan,
  named: NamedEvents,
  signal: AbortSignal | undefined,
  dialect: Dialect = duckDb,
): Promise<readonly string[]> {
  return tellUnknownIn(rowsIn(session, plan, signal), plan, named, dialect, session.events?.renames?.());
}
