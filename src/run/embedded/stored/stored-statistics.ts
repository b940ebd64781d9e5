import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import { invariant } from '../../../ask/invariant.ts';
import type { Value } from '../../../plan/column.ts';
import { histogramParts, quantileShares, topValues, type ColumnStatistics } from '../../stored-view.ts';
import { columnDecoder } from '../decode-column.ts';
import type { Engine } from '../engine.ts';
import { runToEnd } from '../run-statement.ts';
import { quoteText } from '../sql-text.ts';
import type { StoredRows } from './store-statement.ts';
import type { StoredColumn } from './stored-column.ts';
import type { StoredCondition } from './stored-condition.ts';
import { toStoredError } from './stored-error.ts';
import { comparable, measurable } from './stored-text.ts';

/** What the values of a column are like, in the rows that meet the condition. The engine counts; what comes back is a handful of rows. */
export async function storedStatistics(
  engine: Engine, { path, columns }: StoredRows, zone: string, index: number, condition: StoredCondition, signal?: AbortSignal,
): Promise<ColumnStatistics> {
  const stored = columns[index];
  invariant(stored, `there is a column ${index}`);
  const value = comparable(stored, `c${index}`);
  const rows = `(SELECT ${value} AS v, ${measurable(stored, `c${index}`)} AS m FROM read_parquet(${quoteText(path)}) WHERE ${condition.text})`;
  const ask = (text: string) => runToEnd(engine, { text, parameters: condition.parameters }, signal);
  const number = stored.column.type === 'number' ? 'CAST(m AS DOUBLE)' : undefined;
  // A time is a place on a line too, however it is written.
  const place = number ?? (stored.kind === 'instant' || stored.kind === 'date' ? 'CAST(epoch_ms(CAST(m AS TIMESTAMP)) AS DOUBLE)' : undefined);
  try {
    return await engine.sparingly(async () => {
      const facts = await ask(`SELECT count(*), count(v), count(m), count(DISTINCT v), min(${place ?? '0'}), max(${place ?? '0'}), ${number ? `favg(${number})` : 'NULL'} FROM ${rows}`);
      const [rowCount, count, measured, distinctCount, least, greatest, mean] = ((await facts.getRows())[0] ?? []).map(Number);
      invariant(rowCount !== undefined && count !== undefined && measured !== undefined && distinctCount !== undefined, 'a count gives a row');
      const [ends] = await decoded(await ask(`SELECT min(m) AS a, max(m) AS b FROM ${rows}`), stored, zone, 2);
      const top = await decoded(await ask(`SELECT v, count(*) AS n FROM ${rows} WHERE v IS NOT NULL GROUP BY v ORDER BY n DESC, v LIMIT ${topValues}`), stored, zone, 1);
      const known = { rowCount, nullCount: rowCount - count, distinctCount, least: ends?.[0] ?? null, greatest: ends?.[1] ?? null, top: top.map(([each = null, times]) => ({ value: each, count: Number(times) })) };
      if (measured === 0 || place === undefined) return known;
      const histogram = await parts(ask, rows, place, least ?? 0, greatest ?? 0);
      return number === undefined ? { ...known, histogram } : { ...known, mean, quantiles: await quantiles(ask, rows, measured), histogram };
    });
  } catch (error) {
    throw await toStoredError(error, signal);
  }
}

type Ask = (text: string) => Promise<DuckDBMaterializedResult>;

/** The first columns as the answer's values, those behind them as they come. */
async function decoded(result: DuckDBMaterializedResult, { column }: StoredColumn, zone: string, count: number): Promise<readonly (readonly Value[])[]> {
  const names = result.columnCount;
  const decoders = Array.from({ length: count }, (_, at) => columnDecoder(result.columnType(at), column, zone));
  const rows: Value[][] = [];
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return rows;
    const read = Array.from({ length: names }, (_, at) => decoders[at]?.(chunk, at) ?? (chunk.getColumnValues(at) as readonly Value[]));
    for (let row = 0; row < chunk.rowCount; row += 1) rows.push(read.map((values) => values[row] ?? null));
  }
}

/** By rank, so that each is a value of the column: the k-th of n, where k is the share of n rounded up. */
async function quantiles(ask: Ask, rows: string, count: number): Promise<readonly number[]> {
  const ranks = quantileShares.map((share) => Math.max(1, Math.ceil(share * count)));
  const result = await ask(`SELECT CAST(m AS DOUBLE) FROM (SELECT m, row_number() OVER (ORDER BY m) AS rank FROM ${rows} WHERE m IS NOT NULL) WHERE rank IN (${ranks.join(', ')}) ORDER BY rank`);
  const found = new Map([...new Set(ranks)].map((rank, at) => [rank, at]));
  const values = (await result.getRows()).map(([value]) => Number(value));
  return ranks.map((rank) => values[found.get(rank) ?? 0] ?? Number.NaN);
}

async function parts(ask: Ask, rows: string, place: string, least: number, greatest: number): Promise<readonly number[]> {
  const counts = new Array<number>(histogramParts).fill(0);
  const width = (greatest - least) / histogramParts;
  const part = width > 0 && Number.isFinite(width) ? `CAST(least(${histogramParts - 1}, floor((${place} - ${toSql(least)}) / ${toSql(width)})) AS INTEGER)` : '0';
  const result = await ask(`SELECT ${part} AS part, count(*) FROM ${rows} WHERE m IS NOT NULL GROUP BY part`);
  for (const [at, count] of await result.getRows()) counts[Number(at)] = Number(count);
  return counts;
}

function toSql(number: number): string {
  return `${number}::DOUBLE`;
}
