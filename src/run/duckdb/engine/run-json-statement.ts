import type { DuckDBBlobVector, DuckDBMaterializedResult } from '@duckdb/node-api';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import type { JsonChunk } from '../../backend.ts';
import type { Engine } from './engine.ts';
import { addCounters, type BoundStatement, runToEnd } from './run-statement.ts';

export interface RunningJson {
  readonly chunks: AsyncGenerator<JsonChunk, void, undefined>;
  /** Sums over the chunks read so far. */
  readonly counters: readonly number[];
}

/**
 * Runs a statement whose rows have a UTF-8 text, the number of answer rows in it, and the counters. The texts are
 * passed on as bytes, because strings would be decoded and encoded again. Rejects like `runStatement`.
 */
export async function runJsonStatement(
  engine: Engine,
  statement: BoundStatement,
  signal?: AbortSignal,
): Promise<RunningJson> {
  const counters = new Array<number>(statement.counters).fill(0);
  const result = await runToEnd(engine, statement, signal);
  return { chunks: chunksOf(result, counters, signal), counters };
}

async function* chunksOf(
  result: DuckDBMaterializedResult,
  counters: number[],
  signal: AbortSignal | undefined,
): AsyncGenerator<JsonChunk, void, undefined> {
  for (;;) {
    throwIfAborted(signal);
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return;
    const texts = chunk.getColumnVector(0) as DuckDBBlobVector;
    const counts = chunk.getColumnValues(1);
    addCounters(counters, chunk, 2);
    for (let row = 0; row < chunk.rowCount; row += 1) {
      const bytes = texts.getItemBytes(row);
      // The engine stores a short text inline.
      if (bytes) yield { rowCount: Number(counts[row]), bytes: bytes.length <= 12 ? bytes.slice() : bytes };
    }
  }
}
