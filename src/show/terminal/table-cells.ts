import { cellWidth, padToCells, truncateToCells } from './cell-width.ts';
import type { TableColumn } from './table-columns.ts';
import { toLine, type Line, type Span } from './table-line.ts';
import { gap } from './table-options.ts';

const noSign: Span = { text: '', style: 'plain' };

/** Cells side by side. */
export function joinCells(cells: readonly (readonly Span[])[]): Line {
  const space: Span = { text: ' '.repeat(gap), style: 'plain' };
  return toLine(cells.flatMap((cell, index) => (index === 0 ? cell : [space, ...cell])));
}

/** How many cells the signs of a column take up: behind text they keep a distance. */
export function signRoom({ align, signWidth }: TableColumn): number {
  return signWidth === 0 ? 0 : signWidth + (align === 'left' ? 1 : 0);
}

/** One line of a heading, above the values rather than their signs where there is room. */
export function headingCell(text: string, width: number, column: TableColumn): readonly Span[] {
  const room = width - signRoom(column);
  const padded = cellWidth(text) <= room ? padToCells(text, room, column.align) : text;
  return [{ text: padToCells(padded, width, column.align === 'right' && padded === text ? 'right' : 'left'), style: 'heading' }];
}

/** A value with its sign, exactly `width` cells wide. */
export function valueCell(column: TableColumn, row: number, width: number, ellipsis: string): readonly Span[] {
  const value = column.values[row] as Span;
  const hasRoom = width > signRoom(column);
  const sign = hasRoom ? (column.signs[row] as Span) : noSign;
  const room = hasRoom ? width - signRoom(column) : width;
  const text = fitValue(value.text, room, column.shrinks, ellipsis);
  if (column.align === 'right') {
    return [{ text: padToCells(text, room, 'right'), style: value.style }, { text: padToCells(sign.text, width - room, 'left'), style: sign.style }];
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
