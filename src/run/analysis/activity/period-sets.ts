import type { Dialect } from '../../../plan/sql/dialect.ts';
import { type Expression, sql, trusted } from '../../../plan/sql/expression.ts';

/**
 * The periods of a frame as bits of one integer. One pass over the events then collects each user's periods, without a
 * self-join.
 */
export interface PeriodSets {
  /** The set of only this period, counted from 0. */
  readonly only: (n: number) => string;
  /** Number of periods. */
  readonly length: number;
  /** The set of the first `count` periods. */
  readonly first: (count: number) => string;
  /** The type of the sets. */
  readonly type: 'BIGINT' | 'HUGEINT';
}

/** Undefined if no integer type has enough bits. ClickHouse collects periods by other functions. */
export function periodSets(periods: number, dialect: Dialect): PeriodSets | undefined {
  if (dialect.name !== 'duckdb' || periods > 126) return undefined;
  const type = periods <= 62 ? 'BIGINT' : 'HUGEINT';
  const toSet = (bits: bigint) => `CAST(${bits} AS ${type})`;
  return {
    length: periods,
    type,
    only: (n) => toSet(1n << BigInt(n)),
    first: (count) => toSet((1n << BigInt(count)) - 1n),
  };
}

/** The periods of the rows that meet a condition; the empty set if there are none. */
export function gathered(condition: Expression, { type }: PeriodSets): Expression {
  return sql`coalesce(bit_or(bit) FILTER (WHERE ${condition}), CAST(0 AS ${trusted(type)}))`;
}
