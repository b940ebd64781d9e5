import type { Expression, Parameter } from './expression.ts';
import type { Cube, Dimension } from '../model/model.ts';

export interface SelectColumn {
  readonly expression: Expression;
  readonly alias: string;
}

export interface JoinClause {
  /** `ASOF LEFT`: of the rows that `on` matches, takes the last one by the time at the end of `on`. */
  readonly kind: 'LEFT' | 'FULL' | 'INNER' | 'ASOF LEFT';
  readonly source: Expression;
  readonly alias: string;
  readonly on: Expression;
}

export interface OrderClause {
  readonly expression: Expression;
  readonly descending: boolean;
}

/** A named relation. */
export interface CommonTable {
  readonly name: string;
  readonly rows: Expression;
}

/** A SELECT statement, clause by clause. Empty lists leave their clause out. */
export interface Select {
  readonly with?: readonly (
    | { readonly name: string; readonly select: Select }
    /** Computed once, however often it is used. */
    | CommonTable
  )[];
  readonly distinct?: boolean;
  readonly columns: readonly SelectColumn[];
  readonly from: { readonly source: Expression; readonly alias: string };
  readonly joins?: readonly JoinClause[];
  readonly where?: readonly Expression[];
  readonly groupBy?: readonly Expression[];
  readonly having?: readonly Expression[];
  /** Conditions after window functions over groups. */
  readonly qualify?: readonly Expression[];
  readonly orderBy?: readonly OrderClause[];
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** SQL ready to send: text with the dialect's placeholders, and their values in order. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /**
   * Columns after the plan's own in every row: numbers of source rows that a measure could not count. Their sums are
   * reported; the columns are not shown.
   */
  readonly uncounted: readonly { readonly what: string }[];
}

/** Columns of the relation for a dimension computed from measures. */
export const subQueryValue = 'value';

export function subQueryKey(index: number): string {
  return `key_${index}`;
}

/** The alias of the relation. */
export function subQueryAlias(cube: Pick<Cube, 'name'>, dimension: Pick<Dimension, 'name'>): string {
  return `sub-query: ${cube.name}.${dimension.name}`;
}
