import type { Dialect } from '../../../plan/sql/dialect.ts';
import { type Expression, sql, trusted } from '../../../plan/sql/expression.ts';

/**
 * Periods of a frame as the bits of one whole number: an engine gathers what each user did in one pass over the events,
 * and joins no users to themselves.
 */
export interface PeriodSets {
  /** The set of the period with this number, from 0. */
  readonly only: (n: number) => string;
  /** How many periods there are. */
  readonly length: number;
  /** The set of the first periods, so many. */
  readonly first: (count: number) => string;
  /** The type of the sets. */
  readonly type: 'BIGINT' | 'HUGEINT';
}

/** undefined: the engine has no whole number of so many bits. ClickHouse gathers them by other functions. */
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

/** The periods of the rows for which a condition holds, none of them being the empty set. */
export function gathered(condition: Expression, { type }: PeriodSets): Expression {
  return sql`coalesce(bit_or(bit) FILTER (WHERE ${condition}), CAST(0 AS ${trusted(type)}))`;
}
