import { segmentsOf } from '../../../ask/graphemes.ts';
import type { Issue } from '../../../ask/outcome.ts';
import { showText } from '../../../ask/text.ts';
import { cellWidth, padToCells, truncateToCells } from '../../../show/labels/cell-width.ts';
import { wrapWords } from '../../../show/labels/wrap-words.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../../show/terminal/glyphs.ts';
import { type TextLook, paint } from '../../../show/terminal/paint.ts';
import { borderAt } from './graphemes.ts';
import type { LineSearch, LineState } from './line-state.ts';

interface ComposeLineOptions {
  /** Width of every line, in cells. */
  readonly width: number;
  readonly look: TextLook;
  /** Shown before the text: `? `. */
  readonly label?: string | undefined;
  /** Issues of the text, with spans in it. */
  readonly issues?: readonly Issue[] | undefined;
  /** Shown in a quiet tone if the text is empty. */
  readonly placeholder?: string | undefined;
  /** Draw the cursor, for when the terminal's own is hidden. */
  readonly showCursor?: boolean | undefined;
  /** Maximum number of lines for messages (default: 6). */
  readonly mostWords?: number | undefined;
}

export interface ComposedLine {
  /** The text, then pointers to its issues, then their messages. None is wider than `width`. */
  readonly lines: readonly string[];
  /** Position of the cursor, in cells from the left of the first line. */
  readonly cursor: number;
}

interface Piece {
  readonly text: string;
  readonly cells: number;
  readonly start: number;
  readonly end: number;
}

/** Draws a line, cut around the cursor if it is too long, with `^^^` under its issues. The result is sanitized. */
export function composeLine(line: LineState, options: ComposeLineOptions): ComposedLine {
  const { look, issues = [], placeholder = '' } = options;
  const width = Math.max(1, options.width);
  const ellipsis = (look.unicode ? unicodeGlyphs : asciiGlyphs).ellipsis;
  const given = line.search ? searchLabel(line.search) : (options.label ?? '');
  // If both do not fit, drop the label.
  const label = cellWidth(given) <= width / 2 ? given : '';
  const window = findWindow(
    stretchAround(line, width),
    line.cursor,
    width - cellWidth(label),
    look.unicode ? '…' : '.',
  );
  const place = (at: number) => cellWidth(label) + window.placeOf(at);
  const cursor = Math.min(width - 1, place(line.cursor));
  const isEmpty = line.text === '' && !line.search;
  const quiet = isEmpty ? truncateToCells(showText(placeholder), width - cellWidth(label) - 1, '') : '';
  const text = options.showCursor
    ? withCursor(window, line.cursor, quiet, look)
    : window.text + paint(quiet, 'quiet', look);
  return {
    lines: [
      paint(label, 'accent', look) + text,
      ...drawIssues(issues, { place, window, line, width, look, ellipsis, most: options.mostWords ?? 6 }),
    ],
    cursor,
  };
}

function searchLabel({ query, at }: LineSearch): string {
  return `${query !== '' && at === undefined ? 'no earlier line holds' : 'earlier line with'} "${showText(query)}": `;
}

/** A part of a line that contains the visible window, and whether text precedes or follows it. */
interface Stretch {
  readonly pieces: readonly Piece[];
  readonly hasBefore: boolean;
  readonly hasBehind: boolean;
}

/**
 * Many screens around the cursor, or the whole line: measuring millions of characters for each frame would take
 * seconds.
 */
function stretchAround({ text, cursor }: LineState, width: number): Stretch {
  const reach = Math.max(1024, 8 * width);
  // The stretch is fixed while the cursor moves within it, and so is the window.
  const from = borderAt(text, (Math.floor(cursor / reach) - 1) * reach);
  const to = borderAt(text, from + 3 * reach);
  return { pieces: toPieces(text.slice(from, to), from), hasBefore: from > 0, hasBehind: to < text.length };
}

function toPieces(text: string, from: number): readonly Piece[] {
  return Array.from(segmentsOf(text), ({ segment, index }) => {
    const shown = segment === '\t' ? ' ' : showText(segment);
    return { text: shown, cells: cellWidth(shown), start: from + index, end: from + index + segment.length };
  });
}

/** A narrower window has no room for the ellipsis. */
const narrow = 5;

/** The visible part of a line. */
interface Window {
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly lead: string;
  readonly tail: string;
  /** Cells from its left; offsets outside map to its edges. */
  readonly placeOf: (at: number) => number;
}

/** Pieces around the cursor that fit, with a cell at each cut end for the ellipsis, and one for a cursor at the end. */
function findWindow(
  { pieces: all, hasBefore, hasBehind }: Stretch,
  cursor: number,
  room: number,
  missing: string,
): Window {
  const isWhole = !hasBefore && !hasBehind && cellsOf(all) < room;
  const inside = room < narrow ? room - 1 : room - 3;
  const behind = all.findIndex((piece) => piece.end > cursor);
  const last = behind === -1 ? all.length : behind;
  let from = 0;
  let before = cellsOf(all.slice(0, last));
  // The window moves by half its width, and only if it must; otherwise the text would shift with every key.
  while (!isWhole && from < last && before > inside) {
    let skipped = 0;
    do skipped += all[from++]?.cells ?? 0;
    while (from < last && skipped < inside / 2);
    before -= skipped;
  }
  const pieces: Piece[] = [];
  let used = 0;
  for (const piece of all.slice(from)) {
    if (!isWhole && used + piece.cells > inside) break;
    pieces.push(piece);
    used += piece.cells;
  }
  const lead = (from > 0 || hasBefore) && room >= narrow ? missing : '';
  const tail = !isWhole && (from + pieces.length < all.length || hasBehind) && room >= narrow ? missing : '';
  const placeOf = (at: number) => lead.length + Math.min(used, cellsOf(pieces.filter((piece) => piece.end <= at)));
  return { text: lead + pieces.map((piece) => piece.text).join('') + tail, pieces, lead, tail, placeOf };
}

function withCursor({ pieces, lead, tail }: Window, cursor: number, placeholder: string, look: TextLook): string {
  const draw = (part: readonly Piece[]) => part.map((piece) => piece.text).join('');
  const under = pieces.find((piece) => piece.end > cursor);
  if (!under)
    return (
      lead + draw(pieces) + (tail === '' ? paint(' ', 'selected', look) : tail) + paint(placeholder, 'quiet', look)
    );
  return (
    lead +
    draw(pieces.filter((piece) => piece.end <= cursor)) +
    paint(under.text === '' ? ' ' : under.text, 'selected', look) +
    draw(pieces.filter((piece) => piece.start > under.start)) +
    tail
  );
}

interface Surroundings {
  readonly place: (at: number) => number;
  readonly window: Window;
  readonly line: LineState;
  readonly width: number;
  readonly look: TextLook;
  readonly ellipsis: string;
  readonly most: number;
}

function drawIssues(issues: readonly Issue[], around: Surroundings): readonly string[] {
  if (issues.length === 0) return [];
  const { width, look, ellipsis, most } = around;
  const words = issues.flatMap(({ severity, message, hint }) =>
    wrapWords(showText(hint === undefined ? message : `${message} ${hint}`), Math.max(1, width - 2), { ellipsis }).map(
      (text) => ({ text, tone: severity === 'error' ? ('error' as const) : ('alert' as const) }),
    ),
  );
  const tone = words.some((each) => each.tone === 'error') ? 'error' : 'alert';
  const shown = words.slice(0, most).map((each, index) => {
    // Messages without a line continue in the last one, and are visibly cut there.
    const text =
      index === most - 1
        ? words
            .slice(index)
            .map((rest) => rest.text)
            .join(' ')
        : each.text;
    return paint(truncateToCells(`  ${text}`, width, ellipsis), each.tone, look);
  });
  const pointers = drawPointers(issues, around);
  return [...(pointers === '' ? [] : [paint(pointers, tone, look)]), ...shown];
}

/** `^^^` under the visible part of each issue. */
function drawPointers(issues: readonly Issue[], { place, window, line, width }: Surroundings): string {
  let drawn = '';
  for (const { start, end } of issues.flatMap(({ span }) => span ?? []).toSorted((a, b) => a.start - b.start)) {
    const seen = window.pieces.filter((piece) => piece.end > start && piece.start < end);
    const isBehind = start >= line.text.trimEnd().length && window.tail === '';
    if (seen.length === 0 && !isBehind) continue;
    const column = Math.min(width - 1, place(seen[0]?.start ?? start));
    if (column < drawn.length) continue;
    drawn = padToCells(drawn, column, 'left') + '^'.repeat(Math.max(1, Math.min(cellsOf(seen), width - column)));
  }
  return drawn;
}

function cellsOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.cells, 0);
}
