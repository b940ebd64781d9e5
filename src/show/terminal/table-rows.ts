import { cellWidth, padToCells, truncateToCells } from '../labels/cell-width.ts';
import { wrapWords } from '../labels/wrap-words.ts';
import { fitColumns } from './fit-columns.ts';
import type { Glyphs } from './glyphs.ts';
import type { TableColumn } from './table-columns.ts';
import { type Line, type TextRun, toLine } from './table-line.ts';
import { gap } from './table-options.ts';

const noSign: TextRun = { text: '', style: 'plain' };

/** Cells side by side. */
function joinCells(cells: readonly (readonly TextRun[])[]): Line {
  const space: TextRun = { text: ' '.repeat(gap), style: 'plain' };
  return toLine(cells.flatMap((cell, index) => (index === 0 ? cell : [space, ...cell])));
}

/** How many cells the signs of a column take up: behind text they keep a distance. */
function signRoom({ align, signWidth }: TableColumn): number {
  return signWidth === 0 ? 0 : signWidth + (align === 'left' ? 1 : 0);
}

/** One line of a heading, above the values rather than their signs where there is room. */
function headingCell(text: string, width: number, column: TableColumn): readonly TextRun[] {
  const room = width - signRoom(column);
  const padded = cellWidth(text) <= room ? padToCells(text, room, column.align) : text;
  return [
    {
      text: padToCells(padded, width, column.align === 'right' && padded === text ? 'right' : 'left'),
      style: 'heading',
    },
  ];
}

/** A value with its sign, exactly `width` cells wide. */
function valueCell(column: TableColumn, row: number, width: number, ellipsis: string): readonly TextRun[] {
  const value = column.values[row] as TextRun;
  const hasRoom = width > signRoom(column);
  const sign = hasRoom ? (column.signs[row] as TextRun) : noSign;
  const room = hasRoom ? width - signRoom(column) : width;
  const text = fitValue(value.text, room, column.shrinks, ellipsis);
  if (column.align === 'right') {
    return [
      { text: padToCells(text, room, 'right'), style: value.style },
      { text: padToCells(sign.text, width - room, 'left'), style: sign.style },
    ];
  }
  // The sign follows its text: far away at the right edge nobody would see whose it is.
  const signed = sign.text === '' ? [{ text, style: value.style }] : [{ text: `${text} `, style: value.style }, sign];
  const used = signed.reduce((cells, span) => cells + cellWidth(span.text), 0);
  return [...signed, { text: ' '.repeat(Math.max(0, width - used)), style: 'plain' }];
}

/** Part of a number would be another number: it is shown in full or not at all. */
function fitValue(text: string, cells: number, shrinks: boolean, ellipsis: string): string {
  if (shrinks) return truncateToCells(text, cells, ellipsis);
  return cellWidth(text) <= cells ? text : truncateToCells(ellipsis, cells, '');
}

interface TableBody {
  readonly lines: readonly Line[];
  /** Columns that fit; the rest, at the right, is left out. */
  readonly columnCount: number;
}

/** Headings, a rule, and a line a row. */
export function layOutRows(
  columns: readonly TableColumn[],
  rowCount: number,
  width: number,
  glyphs: Glyphs,
): TableBody {
  const needs = columns.map((column) => ({
    heading: column.heading,
    values: column.valueWidth + signRoom(column),
    shrinks: column.shrinks,
    least: column.least,
  }));
  const widths = fitColumns(needs, width, gap, glyphs.ellipsis);
  const shown = columns.slice(0, widths.length);
  const total = widths.reduce((sum, cells) => sum + cells, gap * Math.max(0, widths.length - 1));
  const rule: Line = toLine([{ text: glyphs.rule.repeat(total), style: 'quiet' }]);
  const lines = [...layOutHeadings(shown, widths, glyphs), rule];
  for (let row = 0; row < rowCount; row += 1) {
    lines.push(
      joinCells(shown.map((column, index) => valueCell(column, row, widths[index] as number, glyphs.ellipsis))),
    );
  }
  return { lines, columnCount: shown.length };
}

/** Headings of one line stand on the rule, beside the last line of the longer ones. */
function layOutHeadings(columns: readonly TableColumn[], widths: readonly number[], glyphs: Glyphs): Line[] {
  const headings = columns.map(({ heading }, index) => wrapWords(heading, widths[index] as number, glyphs));
  const height = Math.max(0, ...headings.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    joinCells(
      columns.map((column, index) =>
        headingCell(headings[index]?.at(line - height) ?? '', widths[index] as number, column),
      ),
    ),
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
    return joinCells([
      [
        {
          text: padToCells(truncateToCells(column.heading, titles, glyphs.ellipsis), titles, 'left'),
          style: 'heading',
        },
      ],
      value,
    ]);
  });
  return { lines, columnCount: columns.length };
}
