import { cellWidth, padToCells } from '../../../show/labels/cell-width.ts';

/**
 * Formats rows of sanitized cells as lines, each column as wide as its widest cell. `right`: indexes of right-aligned
 * columns.
 */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cellWidth(cell));
  const pad = (cell: string, column: number) =>
    padToCells(cell, widths[column] ?? 0, right.includes(column) ? 'right' : 'left');
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}
