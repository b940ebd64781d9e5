import { rm } from 'node:fs/promises';
import { invariant } from '../../../ask/invariant.ts';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import type { Value, ValueType } from '../../../plan/column.ts';
import type { AnswerFacts, Batch, StoredAnswer } from '../../backend.ts';
import { columnDecoder, type ColumnDecoder } from '../engine/decode-column.ts';
import type { Engine } from '../engine/engine.ts';
import { runToEnd } from '../engine/run-statement.ts';
import { quoteText } from '../engine/sql-text.ts';
import { toStoredError } from '../engine/stored-error.ts';
import { copyToBytes, copyToParquet } from '../parquet/copy-to-parquet.ts';
import { openStoredView } from './open-stored-view.ts';
import { copyOptions, selectText } from './row-text.ts';
import { storedRowGroup, type StoredRows } from './store-statement.ts';
import { type StoredColumn, toTyped } from './stored-column.ts';
import { measurable } from './stored-text.ts';

/** The stored rows of a statement as an answer. Closing it removes the file. */
export async function openStoredAnswer(
  engine: Engine,
  stored: StoredRows,
  zone: string,
  facts: AnswerFacts,
): Promise<StoredAnswer> {
  const { path, rowCount, columns } = stored;
  const types = await proveTypes(engine, stored);
  const selected = columns.map(({ fromStored }, index) => fromStored(`c${index}`));
  const typed = columns.map((column, index) => {
    const type = types[index];
    return type && toTyped(column, type, `c${index}`);
  });
  const source = `read_parquet(${quoteText(path)})`;

  /** Small results stay in the engine and are decoded in batches. */
  async function* decoded(
    text: string,
    shown: readonly StoredColumn[],
    decoders: (ColumnDecoder | undefined)[],
    signal?: AbortSignal,
  ): AsyncGenerator<Batch> {
    const result = await runToEnd(engine, { text, parameters: [] }, signal).catch(async (error: unknown) => {
      throw await toStoredError(error, signal);
    });
    for (;;) {
      throwIfAborted(signal);
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) return;
      yield {
        rowCount: chunk.rowCount,
        columns: shown.map(({ column }, index) =>
          (decoders[index] ??= columnDecoder(result.columnType(index), column, zone))(chunk, index),
        ),
      };
    }
  }

  return {
    rowCount,
    types,
    facts,
    async *batches(signal) {
      const decoders: (ColumnDecoder | undefined)[] = [];
      for (let start = 0; start < rowCount; start += storedRowGroup) {
        const end = Math.min(start + storedRowGroup, rowCount);
        const text = `SELECT ${selected.join(', ')} FROM read_parquet(${quoteText(path)}, file_row_number = true)
          WHERE file_row_number >= ${start} AND file_row_number < ${end}`;
        let count = 0;
        for await (const batch of decoded(text, columns, decoders, signal)) {
          count += batch.rowCount;
          yield batch;
        }
        invariant(count === end - start, `the rows from ${start} to ${end} can be read again`);
      }
    },
    async distinct(index, most) {
      const column = columns[index];
      invariant(column, `there is a column ${index}`);
      const name = `c${index}`;
      // An estimate takes little memory for any number of values and is off by less than a factor of two.
      const [estimate] = await engine.rows(`SELECT approx_count_distinct(${name}) FROM ${source}`);
      if (Number(estimate?.[0]) > 2 * most) return undefined;
      const text = `SELECT ${column.fromStored(name)} FROM ${source} WHERE ${name} IS NOT NULL
        GROUP BY ${name} LIMIT ${Math.min(most, Number.MAX_SAFE_INTEGER - 1) + 1}`;
      const values = new Set<Value>();
      for await (const {
        columns: [found],
      } of decoded(text, [column], []))
        for (const value of found ?? []) values.add(value);
      return values.size > most ? undefined : [...values];
    },
    text(form, signal) {
      const values = columns.map(({ column, type, fromStored }, index) => ({
        column,
        type,
        value: fromStored(`c${index}`),
      }));
      const select = selectText(form, values, source);
      return select === undefined ? undefined : copyToBytes(engine, select, copyOptions, signal);
    },
    view: (view, signal) => openStoredView(engine, stored, zone, view, signal),
    async extremes() {
      const known = columns.map((column, index) =>
        column.column.type === 'number' ? measurable(column, `c${index}`) : undefined,
      );
      const asked = known.flatMap((value) => (value === undefined ? [] : [`min(${value})`, `max(${value})`]));
      if (asked.length === 0) return columns.map(() => undefined);
      const result = await engine.work((connection) => connection.run(`SELECT ${asked.join(', ')} FROM ${source}`));
      const chunk = await result.fetchChunk();
      let at = 0;
      return columns.map(({ column }, index) => {
        if (known[index] === undefined || !chunk) return undefined;
        const read = () => columnDecoder(result.columnType(at), column, zone)(chunk, at++)[0] ?? null;
        return [read(), read()] as const;
      });
    },
    ...(typed.every((expression) => expression !== undefined)
      ? {
          parquet: (metadata: ReadonlyMap<string, string>, signal?: AbortSignal) =>
            copyToParquet(
              engine,
              columns.map(({ column }, index) => ({ key: column.key, expression: typed[index] as string })),
              source,
              metadata,
              signal,
            ),
        }
      : {}),
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  };
}

/** Checks facts that depend on the values: whether integers fit into 64 bits, and times into JavaScript's range. */
async function proveTypes(engine: Engine, { path, columns }: StoredRows): Promise<readonly (ValueType | undefined)[]> {
  const open = columns.flatMap(({ proofs, fromStored }, index) =>
    proofs.slice(0, -1).map(({ holds }) => ({ index, holds: holds(fromStored(`c${index}`)) })),
  );
  const [row] =
    open.length === 0
      ? [[]]
      : await engine.rows(`SELECT ${open.map(({ holds }) => holds).join(', ')} FROM read_parquet(${quoteText(path)})`);
  return columns.map(({ proofs }, index) => {
    const held = open.flatMap((one, at) => (one.index === index ? [row?.[at] === true] : []));
    return proofs[held.indexOf(true)]?.type ?? proofs.at(-1)?.type;
  });
}
