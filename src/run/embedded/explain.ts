import type { Explanation } from '../backend.ts';
import type { Session } from './answer.ts';
import type { BoundStatement } from './run-statement.ts';
import { toBackendError } from './to-backend-error.ts';

/** The statement, its parameters, and DuckDB's plan for it, which reads none of the data. */
export async function explain({ engine, circumstances }: Session, { text, parameters }: BoundStatement): Promise<Explanation> {
  const rows = await engine.rows(`EXPLAIN ${text}`, parameters).catch(async (error: unknown) => {
    throw await toBackendError(error, { ...circumstances, statement: text });
  });
  return { statement: text, parameters, enginePlan: rows.map(([, plan]) => String(plan)).join('\n') };
}
