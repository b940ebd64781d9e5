import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invariant } from '../../../ask/invariant.ts';
import { throwIfAborted } from '../../../ask/sluice-error.ts';
import type { Batch, StoredView } from '../../backend.ts';
import type { RowView } from '../../stored-view.ts';
import { columnDecoder } from '../decode-column.ts';
import type { Engine } from '../engine.ts';
import { bindParameters, interruptible, runToEnd } from '../run-statement.ts';
import { quoteText } from '../sql-text.ts';
import { storedRowGroup, type StoredRows } from './store-statement.ts';
import { toStoredCondition, type StoredCondition } from './stored-condition.ts';
import { toStoredError } from './stored-error.ts';
import { storedStatistics } from './stored-statistics.ts';
import { comparable } from './stored-text.ts';

/**
 * Rows of a stored answer in another order, or only some of them. The engine writes down which they are, in a file of
 * its own, so that any of them is found without the ones before it; closing the view removes the file.
 */
export async function openStoredView(engine: Engine, stored: StoredRows, zone: string, view: RowView, signal?: AbortSignal): Promise<StoredView> {
  const condition = toStoredCondition(view.filters, stored.columns, zone);
  const isWhole = view.sort.length === 0 && view.filters.length === 0;
  const places = isWhole ? undefined : join(engine.folder, `view-${engine.nextNumber()}.parquet`);
  const rowCount = places === undefined ? stored.rowCount : await writePlaces(engine, stored, view, condition, places, signal);
  return {
    rowCount,
    async read(start, count, columns, reading) {
      const end = Math.min(start + count, rowCount);
      return readBatch(engine, stored, zone, columns, start < end ? selectText(stored, columns, places, start, end) : undefined, reading);
    },
    statistics: (column, reading) => storedStatistics(engine, stored, zone, column, condition, reading),
    async [Symbol.asyncDispose]() {
      if (places !== undefined) await rm(places, { force: true });
    },
  };
}

async function writePlaces(engine: Engine, { path, columns }: StoredRows, { sort }: RowView, condition: StoredCondition, places: string, signal: AbortSignal | undefined): Promise<number> {
  throwIfAborted(signal);
  const order = sort.map(({ column, descending }) => {
    const stored = columns[column];
    invariant(stored, `there is a column ${column}`);
    return `${comparable(stored, `c${column}`)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`;
  });
  const text = `COPY (SELECT file_row_number AS place FROM read_parquet(${quoteText(path)}, file_row_number = true) WHERE ${condition.text}
    ORDER BY ${[...order, 'file_row_number'].join(', ')}) TO ${quoteText(places)} (FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE ${storedRowGroup})`;
  try {
    return await engine.work((connection) => interruptible(connection, signal, async () => {
      const prepared = await connection.prepare(text);
      try {
        bindParameters(prepared, condition.parameters);
        return Number((await (await prepared.run()).getRows())[0]?.[0]);
      } finally {
        prepared.destroySync();
      }
    }));
  } catch (error) {
    await rm(places, { force: true });
    throw await toStoredError(error, signal);
  }
}

function selectText({ path, columns }: StoredRows, wanted: readonly number[], places: string | undefined, start: number, end: number): string {
  const selected = wanted.map((index) => {
    const column = columns[index];
    invariant(column, `there is a column ${index}`);
    return `${column.fromStored(`c${index}`)} AS c${index}`;
  });
  const source = `read_parquet(${quoteText(path)}, file_row_number = true)`;
  const between = `file_row_number >= ${start} AND file_row_number < ${end}`;
  if (places === undefined) return `SELECT ${selected.join(', ')} FROM ${source} WHERE ${between} ORDER BY file_row_number`;
  return `SELECT ${selected.join(', ')} FROM (SELECT place, file_row_number AS position FROM read_parquet(${quoteText(places)}, file_row_number = true) WHERE ${between}) AS chosen
    JOIN ${source} AS answer ON answer.file_row_number = chosen.place ORDER BY chosen.position`;
}

/** All of the rows as one batch. */
async function readBatch(engine: Engine, { columns }: StoredRows, zone: string, wanted: readonly number[], text: string | undefined, signal: AbortSignal | undefined): Promise<Batch> {
  throwIfAborted(signal);
  if (text === undefined || wanted.length === 0) return { rowCount: 0, columns: wanted.map(() => []) };
  try {
    const result = await runToEnd(engine, { text, parameters: [] }, signal);
    const decoders = wanted.map((index, at) => columnDecoder(result.columnType(at), (columns[index] as StoredRows['columns'][number]).column, zone));
    const parts: (Batch['columns'][number])[][] = wanted.map(() => []);
    let rowCount = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) break;
      rowCount += chunk.rowCount;
      decoders.forEach((decode, at) => parts[at]?.push(decode(chunk, at)));
    }
    return { rowCount, columns: parts.map(joinParts) };
  } catch (error) {
    throw await toStoredError(error, signal);
  }
}

function joinParts(parts: readonly Batch['columns'][number][]): Batch['columns'][number] {
  const [only] = parts;
  return only && parts.length === 1 ? only : parts.flatMap((part) => [...part]);
}
