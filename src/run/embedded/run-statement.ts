import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { AbortedError } from '../../ask/sluice-error.ts';
import type { Column } from '../../plan/column.ts';
import type { Batch } from '../backend.ts';
import { columnDecoder, type ColumnDecoder } from './decode-column.ts';
import type { Engine, Loan } from './engine.ts';

/** A statement for DuckDB, with `$1`, `$2` … for the parameters. */
export interface BoundStatement {
  readonly text: string;
  readonly parameters: readonly (string | number | bigint | boolean | null)[];
  /** What its first columns mean. */
  readonly columns: readonly Column[];
  /** So many whole numbers follow in every row; they are added up and not part of the batches. */
  readonly counters: number;
  /** Canonical IANA name. */
  readonly zone: string;
}

export interface RunningStatement {
  /** Ends the loan of its connection with the last batch, or when it is left. */
  readonly batches: AsyncGenerator<Batch, void, undefined>;
  /** Sums so far. */
  readonly counters: readonly number[];
}

/** Starts a statement on a connection of its own. Rejects with DuckDB's own error, or `AbortedError`. */
export async function runStatement(engine: Engine, statement: BoundStatement, signal?: AbortSignal): Promise<RunningStatement> {
  throwIfAborted(signal);
  const loan = await engine.borrow();
  const interrupt = () => loan.connection.interrupt();
  signal?.addEventListener('abort', interrupt, { once: true });
  const finish = (whole: boolean) => {
    signal?.removeEventListener('abort', interrupt);
    loan.giveBack(whole);
  };
  try {
    const result = await startStreaming(loan, statement);
    throwIfAborted(signal);
    const decoders = statement.columns.map((column, index) => columnDecoder(result.columnType(index), column, statement.zone));
    const counters = new Array<number>(statement.counters).fill(0);
    return { batches: batchesOf(result, decoders, counters, signal, finish), counters };
  } catch (error) {
    finish(true);
    throw signal?.aborted ? new AbortedError(error) : error;
  }
}

async function startStreaming({ connection }: { readonly connection: DuckDBConnection }, { text, parameters }: BoundStatement): Promise<DuckDBResult> {
  const prepared = await connection.prepare(text);
  try {
    parameters.forEach((parameter, index) => bind(prepared, index + 1, parameter));
    return await prepared.stream();
  } finally {
    prepared.destroySync();
  }
}

type Prepared = Awaited<ReturnType<Loan['connection']['prepare']>>;

function bind(prepared: Prepared, position: number, value: BoundStatement['parameters'][number]): void {
  if (value === null) prepared.bindNull(position);
  else if (typeof value === 'string') prepared.bindVarchar(position, value);
  else if (typeof value === 'boolean') prepared.bindBoolean(position, value);
  else if (typeof value === 'number') prepared.bindDouble(position, value);
  else if (BigInt.asIntN(64, value) === value) prepared.bindBigInt(position, value);
  else prepared.bindHugeInt(position, value);
}

async function* batchesOf(
  result: DuckDBResult, decoders: readonly ColumnDecoder[], counters: number[], signal: AbortSignal | undefined, finish: (whole: boolean) => void,
): AsyncGenerator<Batch, void, undefined> {
  let whole = false;
  try {
    for (;;) {
      throwIfAborted(signal);
      const chunk = await result.fetchChunk();
      throwIfAborted(signal);
      if (!chunk || chunk.rowCount === 0) break;
      counters.forEach((sum, index) => {
        const values = chunk.getColumnValues(decoders.length + index);
        counters[index] = values.reduce<number>((total, value) => total + Number(value ?? 0), sum);
      });
      yield { rowCount: chunk.rowCount, columns: decoders.map((decode, index) => decode(chunk, index)) };
    }
    whole = true;
  } catch (error) {
    throw signal?.aborted && !(error instanceof AbortedError) ? new AbortedError(error) : error;
  } finally {
    finish(whole);
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AbortedError(signal.reason);
}
