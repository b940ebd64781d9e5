import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import type { Engine } from '../engine/engine.ts';
import { runToEnd } from '../engine/run-statement.ts';
import { quoteName, quoteText } from '../engine/sql-text.ts';
import { toStoredError } from '../engine/stored-error.ts';

/** A column of a Parquet file: its name, and SQL for its values. */
interface ParquetColumn {
  readonly key: string;
  readonly expression: string;
}

const atOnce = 1 << 20;

/**
 * The rows of a relation, in order, as the bytes of a Parquet file; the same rows give the same bytes. The engine's
 * folder holds them first. Errors: `BackendError` (`disk-full`, `out-of-memory`), `AbortedError`.
 */
export async function* copyToParquet(
  engine: Engine,
  columns: readonly ParquetColumn[],
  source: string,
  metadata: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const selected = columns.map(({ key, expression }) => `${expression} AS ${quoteName(key)}`).join(', ');
  const told = [...metadata].map(([key, text]) => `${quoteName(key)}: ${quoteText(text)}`).join(', ');
  const options = ['FORMAT parquet', ...(told === '' ? [] : [`KV_METADATA {${told}}`])].join(', ');
  yield* copyToBytes(engine, `SELECT ${selected} FROM ${source}`, options, signal);
}

/** The bytes that a COPY of a SELECT writes. Errors: as `copyToParquet`. */
export async function* copyToBytes(
  engine: Engine,
  select: string,
  options: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  throwIfAborted(signal);
  const path = join(engine.folder, `written-${engine.nextNumber()}`);
  try {
    const text = `COPY (${select}) TO ${quoteText(path)} (${options}, USE_TMP_FILE false)`;
    await engine.sparingly(() => runToEnd(engine, { text, parameters: [] }, signal));
    for await (const chunk of createReadStream(path, { highWaterMark: atOnce, ...(signal ? { signal } : {}) }))
      yield chunk as Uint8Array;
  } catch (error) {
    throw await toStoredError(error, signal);
  } finally {
    await rm(path, { force: true });
  }
}
