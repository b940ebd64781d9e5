import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import type { Engine } from '../engine/engine.ts';
import { isOutOfMemory } from '../engine/to-backend-error.ts';
import type { BoundText } from './events-statement.ts';

/** Users whose hashed key modulo `of` is `index`. */
export interface Part {
  readonly index: number;
  readonly of: number;
}

export const everybody: Part = { index: 0, of: 1 };

/** Memory for the events of the users who are followed at once, in bytes, unless the caller sets another amount. */
export async function memoryForUsers(engine: Engine): Promise<number> {
  const [row] = await engine.rows("SELECT parse_formatted_bytes(current_setting('memory_limit'))");
  // Each further part reads all events again. A part that exceeds the limit after all is split.
  return Math.max(2 ** 30, Number(row?.[0] ?? 0) / 4);
}

/**
 * Decides the number of parts in which to follow users: one if the estimated or counted number of events is at most
 * `most`.
 */
export async function decideParts(
  engine: Engine,
  statements: { readonly events: BoundText; readonly count: BoundText },
  most: number,
): Promise<readonly Part[]> {
  if ((await estimateRows(engine, statements.events)) <= most) return [everybody];
  return toParts(Math.ceil((await countEvents(engine, statements.count)) / most));
}

/** Splits all users into this number of parts. */
export function toParts(of: number): readonly Part[] {
  return of <= 1 ? [everybody] : Array.from({ length: of }, (_, index) => ({ index, of }));
}

/** Gathers each part in turn. A part that exceeds the memory is split. */
export async function* gatherParts(
  parts: readonly Part[],
  gather: (part: Part | undefined) => Promise<DuckDBMaterializedResult>,
): AsyncGenerator<DuckDBMaterializedResult, void, undefined> {
  const waiting = [...parts];
  for (let part = waiting.shift(); part; part = waiting.shift()) {
    const [gathered] = await Promise.allSettled([gather(part.of === 1 ? undefined : part)]);
    if (gathered.status === 'fulfilled') yield gathered.value;
    else if (isOutOfMemory(gathered.reason) && part.of < mostParts) waiting.unshift(...splitPart(part));
    else throw gathered.reason;
  }
}

/** If so few users exceed the memory, a single user does. */
export const mostParts = 65_536;

/** Runs a `countStatement`. */
export async function countEvents(engine: Engine, { text, parameters }: BoundText): Promise<number> {
  return Number((await engine.rows(text, parameters))[0]?.[0] ?? 0);
}

/** Splits the part into four. */
export function splitPart({ index, of }: Part): readonly Part[] {
  return [0, 1, 2, 3].map((turn) => ({ index: index + turn * of, of: of * 4 }));
}

/** DuckDB assumes that a condition keeps a fifth of the rows. */
const leftByCondition = 0.2;

/** An upper bound of the rows that the engine reads, from its plan. It knows the size of Parquet files. */
async function estimateRows(engine: Engine, { text, parameters }: BoundText): Promise<number> {
  const rows = await engine.rows(`EXPLAIN (FORMAT json) ${text}`, parameters);
  const plan = rows.map((row) => String(row[1])).join('\n');
  return (
    Math.max(0, ...[...plan.matchAll(/"Estimated Cardinality": "(\d+)"/g)].map(([, count]) => Number(count))) /
    leftByCondition
  );
}
