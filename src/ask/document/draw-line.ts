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
  // Cutting into graphemes is slow: of a very long line only the surroundings of the span are looked at.
  const from = Math.max(0, start - reach * width);
  const to = Math.min(source.length, start + reach * width);
  const near = toPieces(source.slice(from, to), start - from, Math.min(end, to) - from);
  const { pieces, first } = cutAround(near, width, { before: from > 0, after: to < source.length });
  const before = cellsIn(pieces.slice(0, first));
  const marked = Math.max(1, cellsIn(pieces.filter((piece) => piece.marked)));
  return { line: pieces.map((piece) => piece.text).join('').trimEnd(), pointer: ' '.repeat(before) + '^'.repeat(marked) };
}

/** Characters on either side of the span, for each cell of the width. Most graphemes have one to three. */
const reach = 8;

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

interface MoreText {
  readonly before: boolean;
  readonly after: boolean;
}

function cutAround(pieces: readonly Piece[], width: number, more: MoreText): { readonly pieces: readonly Piece[]; readonly first: number } {
  const mark = pieces.findIndex((piece) => piece.marked);
  if (!more.before && !more.after && cellsIn(pieces) <= width) return { pieces, first: mark };
  const room = width - 2;
  let from = mark;
  let cells = 0;
  while (from > 0 && cells + (pieces[from - 1]?.cells ?? 0) <= room / 3) cells += pieces[(from -= 1)]?.cells ?? 0;
  let to = mark;
  while (to < pieces.length && cells + (pieces[to]?.cells ?? 0) <= room) cells += pieces[to++]?.cells ?? 0;
  const hasBefore = more.before || from > 0;
  const hasAfter = more.after || to < pieces.length;
  const dots: Piece = { text: '…', cells: 1, index: -1, marked: false };
  return {
    pieces: [...(hasBefore ? [dots] : []), ...pieces.slice(from, to), ...(hasAfter ? [dots] : [])],
    first: mark - from + (hasBefore ? 1 : 0),
  };
}

function cellsIn(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.cells, 0);
}
