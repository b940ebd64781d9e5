import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBValue,
} from '@duckdb/node-api';
import { eventFields, userKeyColumn } from '../../src/plan/model/event-fields.ts';
import { defineDuckDbFunction, duckDbFunctionsIn, duckDbSettings, toDuckDbValue } from '../../src/plan/sql/duckdb.ts';
import type { Statement } from '../../src/plan/sql/statement.ts';

/** Times are `YYYY-MM-DDTHH:mm:ss.SSS` in UTC, whole numbers beyond 2^53 are bigint, decimals are numbers. */
export type Cell = string | number | bigint | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

const sqlTypes = { time: 'TIMESTAMP', text: 'VARCHAR', json: 'VARCHAR', number: 'DOUBLE' } as const;

/** Creates an empty table of events with all of their columns. */
export const eventsTable = `CREATE TABLE events (${eventFields.map(({ column, type }) => `${column} ${sqlTypes[type]}`).join(', ')}, ${userKeyColumn} VARCHAR)`;

/** A real DuckDB in memory that contains only what the setup creates. */
export interface TestEngine extends AsyncDisposable {
  /** Runs several SQL statements without an answer. */
  setup(sql: string): Promise<void>;
  run(statement: Pick<Statement, 'text' | 'parameters'>): Promise<readonly Row[]>;
  rows(sql: string): Promise<readonly Row[]>;
  /** DuckDB's plan; throws if it does not understand the statement. */
  explain(statement: Pick<Statement, 'text' | 'parameters'>): Promise<string>;
}

export async function openTestEngine(setup = ''): Promise<TestEngine> {
  const database = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await database.connect();
  await connection.run(`${duckDbSettings.join('; ')}; ${setup}`);
  const defined = new Set<string>();
  const defineCalled = async (statement: string) => {
    for (const name of duckDbFunctionsIn(statement)) {
      if (defined.has(name)) continue;
      defined.add(name);
      const definition = defineDuckDbFunction(name);
      await defineCalled(definition.slice(definition.indexOf(') AS')));
      await connection.run(definition);
    }
  };
  const run = async (statement: Pick<Statement, 'text' | 'parameters'>) => {
    await defineCalled(statement.text);
    return rowsOf(connection, statement);
  };
  return {
    async setup(sql) {
      await connection.run(sql);
    },
    run,
    rows: (text) => run({ text, parameters: [] }),
    async explain({ text, parameters }) {
      const rows = await run({ text: `EXPLAIN ${text}`, parameters });
      return rows.map((row) => String(row.explain_value)).join('\n');
    },
    async [Symbol.asyncDispose]() {
      connection.disconnectSync();
      database.closeSync();
    },
  };
}

async function rowsOf(
  connection: DuckDBConnection,
  { text, parameters }: Pick<Statement, 'text' | 'parameters'>,
): Promise<readonly Row[]> {
  const prepared = await connection.prepare(text);
  try {
    parameters.forEach((parameter, index) => bindValue(prepared, index + 1, toDuckDbValue(parameter)));
    const result = await prepared.run();
    const names = result.columnNames();
    return (await result.getRows()).map((row) =>
      Object.fromEntries(row.map((value, index) => [names[index]!, toCell(value)])),
    );
  } finally {
    prepared.destroySync();
  }
}

function bindValue(prepared: DuckDBPreparedStatement, position: number, value: ReturnType<typeof toDuckDbValue>): void {
  if (typeof value === 'string') prepared.bindVarchar(position, value);
  else if (typeof value === 'boolean') prepared.bindBoolean(position, value);
  else if (typeof value === 'number') prepared.bindDouble(position, value);
  else if (BigInt.asIntN(64, value) === value) prepared.bindBigInt(position, value);
  else prepared.bindHugeInt(position, value);
}

function toCell(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if ('micros' in value && typeof value.micros === 'bigint') return writeTime(value.micros);
  if ('scale' in value) return Number(value.toString());
  return value.toString();
}

function writeTime(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toISOString().slice(0, -1);
}

/** A cell as an SQL literal, to fill tables by hand. */
export function literal(value: Cell): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** `(…), (…)` for INSERT. */
export function valuesOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ');
}
