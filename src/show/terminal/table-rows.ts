import { cellWidth, padToCells, truncateToCells } from './cell-width.ts';
import { fitColumns } from './fit-columns.ts';
import type { Glyphs } from './glyphs.ts';
import { headingCell, joinCells, signRoom, valueCell } from './table-cells.ts';
import type { TableColumn } from './table-columns.ts';
import { toLine, type Line } from './table-line.ts';
import { gap } from './table-options.ts';
import { wrapWords } from './wrap-words.ts';

export interface TableBody {
  readonly lines: readonly Line[];
  /** Columns that fit; the rest, at the right, is left out. */
  readonly columnCount: number;
}

/** Headings, a rule, and a line a row. */
export function layOutRows(columns: readonly TableColumn[], rowCount: number, width: number, glyphs: Glyphs): TableBody {
  const needs = columns.map((column) => ({ heading: column.heading, values: column.valueWidth + signRoom(column), shrinks: column.shrinks }));
  const widths = fitColumns(needs, width, gap, glyphs.ellipsis);
  const shown = columns.slice(0, widths.length);
  const total = widths.reduce((sum, cells) => sum + cells, gap * Math.max(0, widths.length - 1));
  const rule: Line = toLine([{ text: glyphs.rule.repeat(total), style: 'quiet' }]);
  const lines = [...layOutHeadings(shown, widths, glyphs), rule];
  for (let row = 0; row < rowCount; row += 1) {
    lines.push(joinCells(shown.map((column, index) => valueCell(column, row, widths[index] as number, glyphs.ellipsis))));
  }
  return { lines, columnCount: shown.length };
}

/** Headings of one line stand on the rule, beside the last line of the longer ones. */
function layOutHeadings(columns: readonly TableColumn[], widths: readonly number[], glyphs: Glyphs): Line[] {
  const headings = columns.map(({ heading }, index) => wrapWords(heading, widths[index] as number, glyphs.ellipsis));
  const height = Math.max(0, ...headings.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    joinCells(columns.map((column, index) => headingCell(headings[index]?.at(line - height) ?? '', widths[index] as number, column))),
  );
}

/** One row of nothing but measures reads better downwards: `Count  991,631`. */
export function layOutSingleRow(columns: readonly TableColumn[], width: number, glyphs: Glyphs): TableBody {
  const widest = Math.max(0, ...columns.map((column) => column.valueWidth + signRoom(column)));
  const values = Math.min(widest, width);
  const titles = Math.min(width - values - gap, Math.max(0, ...columns.map(({ heading }) => cellWidth(heading))));
  const lines = columns.map((column) => {
    const value = valueCell(column, 0, values, glyphs.ellipsis);
    if (titles <= 0) return toLine(value);
    return joinCells([[{ text: padToCells(truncateToCells(column.heading, titles, glyphs.ellipsis), titles, 'left'), style: 'heading' }], value]);
  });
  return { lines, columnCount: columns.length };
}
