import { expect } from 'vitest';
import type { Cell } from './oracle-rows.ts';

/** Rows as lists of cells. */
export type Table = readonly (readonly Cell[])[];

/** The rows of a result, cells in the order of its columns. */
export function tableOf(result: {
  readonly columns: readonly { readonly key: string }[];
  rows(): readonly object[];
}): Table {
  return result.rows().map((row) => result.columns.map(({ key }) => (row as Readonly<Record<string, Cell>>)[key]!));
}

/** Floats agree to 1e-12 (relative), all other values exactly, with equal types. */
export function expectTable(found: Table, wanted: Table): void {
  expect(found).toEqual(wanted.map((cells, row) => cells.map((cell, column) => nearly(cell, found[row]?.[column]))));
}

function nearly(wanted: Cell, found: Cell | undefined): Cell {
  const isClose =
    typeof wanted === 'number' && typeof found === 'number' && Math.abs(wanted - found) <= 1e-12 * Math.abs(wanted);
  return isClose ? found : wanted;
}
