import type { DuckDBValue } from '@duckdb/node-api';
import { invariant } from '../../../ask/invariant.ts';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import type { Column, Value, ValueType } from '../../../plan/column.ts';
import { toInstant } from '../../../plan/to-instant.ts';
import { toUnscaled } from '../../../plan/to-unscaled.ts';
import type { Batch } from '../../backend.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import { copyToParquet } from './copy-to-parquet.ts';

interface ParquetOptions {
  /** One for each column. */
  readonly types: readonly ValueType[];
  /** Written to the file unchanged. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Rows as the bytes of a Parquet file, written by a separate engine that closes when they have been read. Errors:
 * `engine-unavailable`, `AbortedError`.
 */
export async function* writeParquet(
  columns: readonly Column[],
  batches: AsyncIterable<Batch> | Iterable<Batch>,
  { types, metadata, signal }: ParquetOptions,
): AsyncGenerator<Uint8Array> {
  await using engine = await openEngine({});
  await engine.rows(`CREATE TABLE answer (${types.map((type, index) => `c${index} ${sqlType(type)}`).join(', ')})`);
  await engine.sparingly(() => append(engine, types, batches, signal));
  yield* copyToParquet(
    engine,
    columns.map(({ key }, index) => ({ key, expression: `c${index}` })),
    'answer',
    metadata,
    signal,
  );
}

function sqlType(type: ValueType): string {
  switch (type.kind) {
    case 'text':
      return 'VARCHAR';
    case 'boolean':
      return 'BOOLEAN';
    case 'integer':
      return 'BIGINT';
    case 'double':
      return 'DOUBLE';
    case 'decimal':
      return `DECIMAL(${type.precision}, ${type.scale})`;
    case 'time':
      return type.utc ? 'TIMESTAMPTZ' : 'TIMESTAMP';
  }
}

/** The number of rows in a DuckDB chunk. */
const chunkRows = 2048;

async function append(
  engine: Engine,
  types: readonly ValueType[],
  batches: AsyncIterable<Batch> | Iterable<Batch>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { DuckDBDataChunk, DuckDBDecimalValue, DuckDBTimestampValue, DuckDBTimestampTZValue } = await import(
    '@duckdb/node-api'
  );
  const toDuckDb = (type: ValueType): ((value: NonNullable<Value>) => DuckDBValue) => {
    switch (type.kind) {
      case 'text':
        return String;
      case 'boolean':
        return (value) => value;
      case 'integer':
        return (value) => BigInt(value);
      case 'double':
        return Number;
      case 'decimal':
        return (value) =>
          new DuckDBDecimalValue(known(toUnscaled(value as string, type.scale)), type.precision, type.scale);
      case 'time':
        return (value) =>
          new (type.utc ? DuckDBTimestampTZValue : DuckDBTimestampValue)(
            BigInt(known(toInstant(String(value)))) * 1000n,
          );
    }
  };
  const converters = types.map(toDuckDb);
  await engine.work(async (connection) => {
    const appender = await connection.createAppender('answer');
    const columnTypes = types.map((_, index) => appender.columnType(index));
    for await (const { rowCount, columns } of batches) {
      throwIfAborted(signal);
      for (let start = 0; start < rowCount; start += chunkRows) {
        const end = Math.min(start + chunkRows, rowCount);
        const chunk = DuckDBDataChunk.create(columnTypes, end - start);
        columns.forEach((values, index) => {
          const convert = converters[index] as (value: NonNullable<Value>) => DuckDBValue;
          chunk.setColumnValues(
            index,
            Array.from(values.slice(start, end) as readonly Value[], (value) =>
              value === null ? null : convert(value),
            ),
          );
        });
        appender.appendDataChunk(chunk);
      }
    }
    appender.closeSync();
  });
}

function known<T>(value: T | undefined): T {
  invariant(value !== undefined, 'a value fits the type of its column');
  return value;
}
