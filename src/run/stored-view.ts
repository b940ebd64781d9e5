import type { Value } from '../plan/column.ts';

/** The selection and order of an answer's rows. Columns are indexes into the plan's columns. */
export interface RowView {
  /** The first key takes precedence. Ties keep the answer's order, and nulls come last in either direction. */
  readonly sort: readonly RowSort[];
  /** All filters must hold. */
  readonly filters: readonly RowFilter[];
}

export interface RowSort {
  readonly column: number;
  readonly descending: boolean;
}

export const rowOperators = ['=', '!=', '>', '>=', '<', '<=', '~', '!~', '^=', '$='] as const;

export type RowOperator = (typeof rowOperators)[number];

/**
 * Numbers are compared as numbers. Times are compared as text, `YYYY-MM-DD HH:MM:SS` as displayed, and a shorter text
 * means that whole period: `= 2024-03` is any time in March, `> 2024-03` any time after it. Texts are compared by code
 * point, but `~` (contains), `^=` (begins with) and `$=` (ends with) are case-insensitive. Null passes no test except
 * `missing`, `!=` and `!~`.
 */
export type RowFilter =
  /** The text of any cell contains it, case-insensitive. Numbers are written plainly: `1234.5`. */
  | { readonly kind: 'anywhere'; readonly text: string }
  | { readonly kind: 'test'; readonly column: number; readonly operator: RowOperator; readonly text: string }
  | { readonly kind: 'missing' | 'present'; readonly column: number };

export const quantileShares = [0.05, 0.25, 0.5, 0.75, 0.95] as const;
export const histogramParts = 24;
/** Number of most common values to return. */
export const topValues = 8;

/** Statistics of a column's values. */
export interface ColumnStatistics {
  readonly rowCount: number;
  readonly nullCount: number;
  /** Distinct values without null. */
  readonly distinctCount: number;
  readonly least: Value;
  readonly greatest: Value;
  /** Only for numbers. */
  readonly mean?: number | undefined;
  /**
   * At the `quantileShares`; only for numbers. Each is a value of the column: the k-th of n, where k is the share of n,
   * rounded up.
   */
  readonly quantiles?: readonly number[] | undefined;
  /** The most common values; ties are in the order of values. */
  readonly top: readonly { readonly value: Value; readonly count: number }[];
  /** The number of values in each of the equal parts between least and greatest; only for numbers and times. */
  readonly histogram?: readonly number[] | undefined;
}
