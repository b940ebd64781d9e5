import type { DuckDBConnection, DuckDBDataChunk, DuckDBMaterializedResult } from '@duckdb/node-api';
import { throwIfAborted, toAborted } from '../../../ask/sluice-error.ts';
import type { Column, TypeClaim } from '../../../plan/column.ts';
import type { Batch } from '../../backend.ts';
import { columnDecoder, toTypeClaim } from './decode-column.ts';
import type { Engine } from './engine.ts';
import { runBound } from './run-bound.ts';
import type { ParameterValue } from './sql-text.ts';

/** A statement for DuckDB, with parameters `$1`, `$2` … */
export interface BoundStatement {
  readonly text: string;
  readonly parameters: readonly ParameterValue[];
  /** The meaning of the first columns. */
  readonly columns: readonly Column[];
  /** The order of the rows in a stored answer, as indexes; undefined to keep them as they are. */
  readonly shown?: readonly number[] | undefined;
  /** The number of integer columns that follow in every row. They are summed and not part of the batches. */
  readonly counters: number;
  /** Canonical IANA name. */
  readonly zone: string;
  /** Whether the statement only passes rows on, so that it needs little memory however many there are. */
  readonly light?: boolean | undefined;
}

interface RunningStatement {
  readonly batches: AsyncGenerator<Batch, void, undefined>;
  /** Sums over the batches read so far. */
  readonly counters: readonly number[];
  /** The data type of each column by DuckDB's types; undefined if only its values tell. */
  readonly types: readonly (TypeClaim | undefined)[];
}

/**
 * Runs a statement to its end on its own connection. The rows then wait in the engine by column and are decoded in
 * batches. It does not stream, because the client ends a stream that fails halfway as if it were complete. Rejects with
 * DuckDB's error or `AbortedError`.
 */
export async function runStatement(
  engine: Engine,
  statement: BoundStatement,
  signal?: AbortSignal,
): Promise<RunningStatement> {
  const counters = new Array<number>(statement.counters).fill(0);
  const result = await runToEnd(engine, statement, signal);
  const types = statement.columns.map((column, index) => toTypeClaim(result.columnType(index), column));
  return { batches: batchesOf(result, statement, counters, signal), counters, types };
}

/** The whole result of a statement, run on its own connection. Rejects with DuckDB's error or `AbortedError`. */
export async function runToEnd(
  engine: Engine,
  statement: Pick<BoundStatement, 'text' | 'parameters'>,
  signal?: AbortSignal,
): Promise<DuckDBMaterializedResult> {
  throwIfAborted(signal);
  try {
    const result = await engine.work((connection) =>
      interruptible(connection, signal, () => runBound(connection, statement.text, statement.parameters)),
    );
    throwIfAborted(signal);
    return result;
  } catch (error) {
    throw toAborted(error, signal);
  }
}

/** DuckDB ignores an interrupt between two statements, so repeat it. */
export async function interruptible<T>(
  connection: DuckDBConnection,
  signal: AbortSignal | undefined,
  task: () => Promise<T>,
): Promise<T> {
  // A signal that aborted while the connection was opened no longer calls listeners.
  throwIfAborted(signal);
  let repeating: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    repeating = setInterval(() => connection.interrupt(), 20);
  };
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    return await task();
  } finally {
    signal?.removeEventListener('abort', interrupt);
    clearInterval(repeating);
  }
}

/** Adds the values of the columns from `first` on. */
export function addCounters(counters: number[], chunk: DuckDBDataChunk, first: number): void {
  counters.forEach((sum, index) => {
    counters[index] = chunk
      .getColumnValues(first + index)
      .reduce<number>((total, value) => total + Number(value ?? 0), sum);
  });
}

async function* batchesOf(
  result: DuckDBMaterializedResult,
  { columns, zone }: BoundStatement,
  counters: number[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Batch, void, undefined> {
  const decoders = columns.map((column, index) => columnDecoder(result.columnType(index), column, zone));
  for (;;) {
    throwIfAborted(signal);
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return;
    addCounters(counters, chunk, columns.length);
    yield { rowCount: chunk.rowCount, columns: decoders.map((decode, index) => decode(chunk, index)) };
  }
}
