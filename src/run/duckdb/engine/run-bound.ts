import type { DuckDBConnection, DuckDBMaterializedResult, DuckDBPreparedStatement } from '@duckdb/node-api';
import { type ParameterValue, withValues } from './sql-text.ts';

/**
 * Runs a statement to its end. It is prepared only if its text cannot hold the values: DuckDB plans a statement that
 * reads files when it is prepared, and again when it runs.
 */
export async function runBound(
  connection: DuckDBConnection,
  text: string,
  parameters: readonly ParameterValue[],
): Promise<DuckDBMaterializedResult> {
  const whole = withValues(text, parameters);
  if (whole !== undefined) return connection.run(whole);
  const prepared = await connection.prepare(text);
  try {
    bindParameters(prepared, parameters);
    return await prepared.run();
  } finally {
    prepared.destroySync();
  }
}

export function bindParameters(prepared: DuckDBPreparedStatement, parameters: readonly ParameterValue[]): void {
  parameters.forEach((parameter, index) => bind(prepared, index + 1, parameter));
}

function bind(prepared: DuckDBPreparedStatement, position: number, value: ParameterValue): void {
  if (value === null) prepared.bindNull(position);
  else if (typeof value === 'string') prepared.bindVarchar(position, value);
  else if (typeof value === 'boolean') prepared.bindBoolean(position, value);
  else if (typeof value === 'number') prepared.bindDouble(position, value);
  else if (BigInt.asIntN(64, value) === value) prepared.bindBigInt(position, value);
  else prepared.bindHugeInt(position, value);
}
