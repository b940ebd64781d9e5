import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import type { Engine } from '../engine/engine.ts';
import type { BoundText } from './events-statement.ts';

/** The users whose key has this hash, modulo. */
export interface Part {
  readonly index: number;
  readonly of: number;
}

export const everybody: Part = { index: 0, of: 1 };

/**
 * In how many parts users are followed: one, where all events together, or all that are looked at, are at most so many.
 */
export async function decideParts(
  engine: Engine,
  statements: { readonly events: BoundText; readonly count: BoundText },
  most: number,
): Promise<readonly Part[]> {
  if ((await estimateRows(engine, statements.events)) <= most) return [everybody];
  return toParts(Math.ceil((await countEvents(engine, statements.count)) / most));
}

/** So many parts, which are all users together. */
export function toParts(of: number): readonly Part[] {
  return of <= 1 ? [everybody] : Array.from({ length: of }, (_, index) => ({ index, of }));
}

/** What is gathered of each part, one after the other; one that is too much for the memory is split. */
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

/** Whoever cannot be followed among so few users is too much by himself. */
export const mostParts = 65_536;

export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory');
}

/** What `countStatement` counts. */
export async function countEvents(engine: Engine, { text, parameters }: BoundText): Promise<number> {
  return Number((await engine.rows(text, parameters))[0]?.[0] ?? 0);
}

/** The same users in four parts. */
export function splitPart({ index, of }: Part): readonly Part[] {
  return [0, 1, 2, 3].map((turn) => ({ index: index + turn * of, of: of * 4 }));
}

/** DuckDB takes it that a condition leaves a fifth of the rows. */
const leftByCondition = 0.2;

/** So many rows at most that the engine reads, going by what it expects: of Parquet files it knows their number. */
async function estimateRows(engine: Engine, { text, parameters }: BoundText): Promise<number> {
  const rows = await engine.rows(`EXPLAIN (FORMAT json) ${text}`, parameters);
  const plan = rows.map((row) => String(row[1])).join('\n');
  return (
    Math.max(0, ...[...plan.matchAll(/"Estimated Cardinality": "(\d+)"/g)].map(([, count]) => Number(count))) /
    leftByCondition
  );
}
