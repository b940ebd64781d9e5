import type { Expression, Parameter } from './expression.ts';
import type { Cube, Dimension } from '../model/model.ts';

export interface SelectColumn {
  readonly expression: Expression;
  readonly alias: string;
}

export interface JoinClause {
  /** `ASOF LEFT`: of the rows that `on` finds for a row, the last one by the time that `on` ends with. */
  readonly kind: 'LEFT' | 'FULL' | 'INNER' | 'ASOF LEFT';
  readonly source: Expression;
  readonly alias: string;
  readonly on: Expression;
}

export interface OrderClause {
  readonly expression: Expression;
  readonly descending: boolean;
}

/** Rows under a name. */
export interface CommonTable {
  readonly name: string;
  readonly rows: Expression;
}

/** A SELECT statement, clause by clause. Empty lists leave their clause out. */
export interface Select {
  readonly with?: readonly (
    | { readonly name: string; readonly select: Select }
    /** Computed once, however often it is named. */
    | CommonTable
  )[];
  readonly distinct?: boolean;
  readonly columns: readonly SelectColumn[];
  readonly from: { readonly source: Expression; readonly alias: string };
  readonly joins?: readonly JoinClause[];
  readonly where?: readonly Expression[];
  readonly groupBy?: readonly Expression[];
  readonly having?: readonly Expression[];
  /** Conditions after windows over groups. */
  readonly qualify?: readonly Expression[];
  readonly orderBy?: readonly OrderClause[];
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** SQL ready to send: text with the dialect's placeholders, and the values for them in order. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /**
   * Columns that follow the plan's own in every row: numbers of source rows that a measure could not count.
   * They are added up and told, never shown.
   */
  readonly uncounted: readonly { readonly what: string }[];
}

/** Columns of the relation that holds a dimension made of measures. */
export const subQueryValue = 'value';

export function subQueryKey(index: number): string {
  return `key_${index}`;
}

/** The relation's own name. */
export function subQueryAlias(cube: Pick<Cube, 'name'>, dimension: Pick<Dimension, 'name'>): string {
  return `sub-query: ${cube.name}.${dimension.name}`;
}
