import { cellsOf, graphemes, widthOf } from './cells.ts';
import { showText } from './show-text.ts';

/** A line of source made visible, and the pointer that belongs under it. */
export interface DrawnLine {
  readonly line: string;
  readonly pointer: string;
}

interface Piece {
  readonly text: string;
  readonly cells: number;
  /** Where it stands in the source. */
  readonly index: number;
  /** Belongs to the span. */
  readonly marked: boolean;
}

/**
 * Draws a line with `^^^` under `start` to `end` (UTF-16 units of the line). Tabs become spaces, control characters
 * visible; a line wider than `width` cells is cut around the span, with `…` where something is missing.
 */
export function drawLine(source: string, start: number, end: number, width: number): DrawnLine {
  const { pieces, first } = cutAround(toPieces(source, start, end), width);
  const before = cellsIn(pieces.slice(0, first));
  const marked = Math.max(1, cellsIn(pieces.filter((piece) => piece.marked)));
  return { line: pieces.map((piece) => piece.text).join('').trimEnd(), pointer: ' '.repeat(before) + '^'.repeat(marked) };
}

function toPieces(source: string, start: number, end: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let column = 0;
  for (const { segment, index } of graphemes(source)) {
    const text = segment === '\t' ? ' '.repeat(4 - (column % 4)) : showText(segment);
    const cells = text === segment ? cellsOf(text) : widthOf(text);
    column += cells;
    pieces.push({ text, cells, index, marked: index < end && index + segment.length > start });
  }
  // Where the span is empty or behind the last character, an empty piece marks the place.
  if (!pieces.some((piece) => piece.marked)) {
    const place = pieces.findIndex((piece) => piece.index >= start);
    pieces.splice(place === -1 ? pieces.length : place, 0, { text: '', cells: 0, marked: true, index: start });
  }
  return pieces;
}

function cutAround(pieces: readonly Piece[], width: number): { readonly pieces: readonly Piece[]; readonly first: number } {
  const mark = pieces.findIndex((piece) => piece.marked);
  if (cellsIn(pieces) <= width) return { pieces, first: mark };
  const room = width - 2;
  let from = mark;
  let cells = 0;
  while (from > 0 && cells + (pieces[from - 1]?.cells ?? 0) <= room / 3) cells += pieces[(from -= 1)]?.cells ?? 0;
  let to = mark;
  while (to < pieces.length && cells + (pieces[to]?.cells ?? 0) <= room) cells += pieces[to++]?.cells ?? 0;
  const dots: Piece = { text: '…', cells: 1, index: -1, marked: false };
  return {
    pieces: [...(from > 0 ? [dots] : []), ...pieces.slice(from, to), ...(to < pieces.length ? [dots] : [])],
    first: mark - from + (from > 0 ? 1 : 0),
  };
}

function cellsIn(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.cells, 0);
}
