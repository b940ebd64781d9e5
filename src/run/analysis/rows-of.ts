import type { Expression } from '../../plan/sql/expression.ts';

/** Gives the rows of a statement. */
export type RowsOf = (expression: Expression) => Promise<readonly (readonly unknown[])[]>;

/** The result of a counting statement. */
export async function countRows(rowsOf: RowsOf, expression: Expression): Promise<number> {
  return Number((await rowsOf(expression))[0]?.[0] ?? 0);
}
