import type { Value } from '../plan/column.ts';

/** Which rows of an answer, and in which order. Columns are indexes into the plan's. */
export interface RowView {
  /** The first counts most; rows that tie stay in the answer's order, and nulls stand last in either direction. */
  readonly sort: readonly RowSort[];
  /** All of them hold. */
  readonly filters: readonly RowFilter[];
}

export interface RowSort {
  readonly column: number;
  readonly descending: boolean;
}

export const rowOperators = ['=', '!=', '>', '>=', '<', '<=', '~', '!~', '^=', '$='] as const;

export type RowOperator = (typeof rowOperators)[number];

/**
 * Numbers are compared as numbers. Times are compared as text, `YYYY-MM-DD HH:MM:SS` as their column shows them, and a
 * shorter text means the whole of that time: `= 2024-03` any of March, `> 2024-03` what comes after it. Texts compare
 * by code point, but `~` (contains), `^=` (begins with) and `$=` (ends with) in any case of letters. Null passes no
 * test but `missing`, `!=` and `!~`.
 */
export type RowFilter =
  /** Some cell's text holds it, in any case of letters. Numbers are written plainly: `1234.5`. */
  | { readonly kind: 'anywhere'; readonly text: string }
  | { readonly kind: 'test'; readonly column: number; readonly operator: RowOperator; readonly text: string }
  | { readonly kind: 'missing' | 'present'; readonly column: number };

export const quantileShares = [0.05, 0.25, 0.5, 0.75, 0.95] as const;
export const histogramParts = 24;
/** So many of the commonest values are told. */
export const topValues = 8;

/** What the values of a column are like. */
export interface ColumnStatistics {
  readonly rowCount: number;
  readonly nullCount: number;
  /** Different values, null not counted. */
  readonly distinctCount: number;
  readonly least: Value;
  readonly greatest: Value;
  /** Only of numbers. */
  readonly mean?: number | undefined;
  /**
   * At the `quantileShares`; only of numbers. A value of the column each: the k-th of n, where k is the share of n
   * rounded up.
   */
  readonly quantiles?: readonly number[] | undefined;
  /** The commonest values, those that tie in the order of values. */
  readonly top: readonly { readonly value: Value; readonly count: number }[];
  /** How many values lie in each of the equal parts between least and greatest; only of numbers and times. */
  readonly histogram?: readonly number[] | undefined;
}
