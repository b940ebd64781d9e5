import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import { throwIfAborted, toAborted } from '../../../ask/sluice-error.ts';
import type { Column } from '../../../plan/column.ts';
import type { Engine } from '../engine/engine.ts';
import { runBound } from '../engine/run-bound.ts';
import { type BoundStatement, interruptible } from '../engine/run-statement.ts';
import { quoteText } from '../engine/sql-text.ts';
import { type StoredColumn, toStoredColumn } from './stored-column.ts';

/** All rows of a statement, in order, in a Parquet file with columns `c0`, `c1` … in display order. */
export interface StoredRows {
  readonly path: string;
  readonly rowCount: number;
  readonly columns: readonly StoredColumn[];
  /** Sums over all rows. */
  readonly counters: readonly number[];
}

/** Rows per write and read. Rows that were read stay in memory until garbage collection. */
export const storedRowGroup = 20_480;

/**
 * Runs a statement into a file that the engine writes in pieces. It fails if the statement fails, so that a partial
 * answer never passes for the whole. undefined if some columns could not be read back unchanged. Rejects like
 * `runStatement`.
 */
export async function storeStatement(
  engine: Engine,
  statement: BoundStatement,
  signal?: AbortSignal,
): Promise<StoredRows | undefined> {
  throwIfAborted(signal);
  const path = join(engine.folder, `answer-${engine.nextNumber()}.parquet`);
  try {
    const write = () => writeRows(engine, statement, path, signal);
    // Sorting can spill to disk for hardly more time; grouping and sessions cannot.
    const stored = await (statement.light ? engine.sparingly(write, statement.columns.length) : write());
    throwIfAborted(signal);
    return stored && { ...stored, counters: await sumCounters(engine, path, statement.counters) };
  } catch (error) {
    await rm(path, { force: true });
    throw toAborted(error, signal);
  }
}

async function writeRows(
  engine: Engine,
  statement: BoundStatement,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Omit<StoredRows, 'counters'> | undefined> {
  return engine.work((connection) =>
    interruptible(connection, signal, async () => {
      const columns = await withPrepared(await connection.prepare(statement.text), async (prepared) =>
        toStoredColumns(prepared, statement.columns),
      );
      if (!columns) return undefined;
      const copied = await runBound(connection, copyText(statement, columns, path), statement.parameters);
      const rowCount = Number((await copied.getRows())[0]?.[0]);
      return { path, rowCount, columns: shownFirst(columns, statement) };
    }),
  );
}

async function withPrepared<T>(
  prepared: DuckDBPreparedStatement,
  task: (prepared: DuckDBPreparedStatement) => Promise<T>,
): Promise<T> {
  try {
    return await task(prepared);
  } finally {
    prepared.destroySync();
  }
}

function toStoredColumns(
  prepared: DuckDBPreparedStatement,
  columns: readonly Column[],
): readonly StoredColumn[] | undefined {
  const stored = columns.flatMap((column, index) => toStoredColumn(prepared.columnType(index), column) ?? []);
  return stored.length === columns.length ? stored : undefined;
}

function copyText(statement: BoundStatement, columns: readonly StoredColumn[], path: string): string {
  const { text, counters } = statement;
  const names = columns.map((_, index) => `c${index}`);
  const counted = Array.from({ length: counters }, (_, index) => `u${index}`);
  const values = columns.map(({ toStored }, index) => toStored(`c${index}`));
  const selected = [...shownFirst(values, statement).map((value, index) => `${value} AS c${index}`), ...counted];
  return `COPY (SELECT ${selected.join(', ')} FROM (${text}) AS answer(${[...names, ...counted].join(', ')}))
    TO ${quoteText(path)} (FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE ${storedRowGroup})`;
}

function shownFirst<One>(columns: readonly One[], { shown }: BoundStatement): readonly One[] {
  return shown?.map((index) => columns[index]!) ?? columns;
}

async function sumCounters(engine: Engine, path: string, count: number): Promise<readonly number[]> {
  if (count === 0) return [];
  const sums = Array.from({ length: count }, (_, index) => `coalesce(sum(u${index}), 0)`);
  const [row] = await engine.rows(`SELECT ${sums.join(', ')} FROM read_parquet(${quoteText(path)})`);
  return (row ?? []).map(Number);
}
