import type { Issue, Span } from '../outcome.ts';
import { showText } from '../text.ts';
import { cellsOf, segmentsOf, widthOf } from '../graphemes.ts';
import { writePath } from './located.ts';

interface DrawOptions {
  /** The text that the spans point into. */
  readonly source?: string | undefined;
  readonly file?: string | undefined;
  /** Terminal cells for the line of source; defaults to 100. */
  readonly width?: number | undefined;
}

/**
 * Draws an issue for people, without colour and without a final line break:
 *
 * ```
 * queries/top.yaml:4:7  error  Unknown key "mesures".
 *   mesures: [TrackedEvents.count]
 *   ^^^^^^^
 *   hint: Did you mean "measures"?
 * ```
 *
 * Without a span or source, the path replaces the place: `error  query.filters[0].operator: …`. Escapes control
 * characters, so that hostile text cannot drive the terminal.
 */
export function drawIssue(issue: Issue, options: DrawOptions = {}): string {
  const { source, file } = options;
  const lines = [];
  if (issue.span && source !== undefined) {
    lines.push(`${toPlace(file, issue.span)}  ${issue.severity}  ${showText(issue.message)}`);
    lines.push(...pointAt(source, issue.span, options.width ?? 100));
  } else {
    const place = file === undefined ? '' : `${toPlace(file, issue.span)}  `;
    const path = issue.path.length === 0 ? '' : `${showText(writePath(issue.path))}: `;
    lines.push(`${place}${issue.severity}  ${path}${showText(issue.message)}`);
  }
  if (issue.hint !== undefined) lines.push(`  hint: ${showText(issue.hint)}`);
  return lines.join('\n');
}

/** The maximum number of issues to draw. The others are only counted. */
const maxDrawn = 100;

/** Draws the issues one below the other: at most 100, then the number of the others. */
export function drawIssues(issues: readonly Issue[], options: DrawOptions = {}): string {
  const drawn = issues.slice(0, maxDrawn).map((issue) => drawIssue(issue, options));
  const others = issues.length - drawn.length;
  return [...drawn, ...(others > 0 ? [`… and ${others.toLocaleString('en-US')} more.`] : [])].join('\n');
}

function toPlace(file: string | undefined, span: Span | undefined): string {
  const name = file === undefined ? '' : showText(file);
  if (!span) return name;
  return `${name === '' ? '' : `${name}:`}${span.line}:${span.column}`;
}

function pointAt(source: string, span: Span, width: number): readonly string[] {
  const lineStart = span.start - (span.column - 1);
  const lineBreak = source.indexOf('\n', span.start);
  const line = source.slice(lineStart, lineBreak === -1 ? source.length : lineBreak).replace(/\r$/, '');
  const drawn = drawLine(line, span.start - lineStart, Math.min(span.end - lineStart, line.length), width);
  return [`  ${drawn.line}`, `  ${drawn.pointer}`];
}

/** A line of source without control characters, and the pointer below it. */
interface DrawnLine {
  readonly line: string;
  readonly pointer: string;
}

interface Piece {
  readonly text: string;
  readonly cells: number;
  /** Offset in the source. */
  readonly index: number;
  /** Whether the piece belongs to the span. */
  readonly marked: boolean;
}

/**
 * Draws a line with `^^^` under `start` to `end` (UTF-16 units of the line). Tabs become spaces, and control characters
 * become visible. A line wider than `width` cells is cut around the span, with `…` for each missing part.
 */
function drawLine(source: string, start: number, end: number, width: number): DrawnLine {
  // Finding graphemes is slow, so a very long line is only read around the span.
  const from = Math.max(0, start - reach * width);
  const to = Math.min(source.length, start + reach * width);
  const near = toPieces(source.slice(from, to), start - from, Math.min(end, to) - from);
  const { pieces, first } = cutAround(near, width, { before: from > 0, after: to < source.length });
  const before = cellsIn(pieces.slice(0, first));
  const marked = Math.max(1, cellsIn(pieces.filter((piece) => piece.marked)));
  return {
    line: pieces
      .map((piece) => piece.text)
      .join('')
      .trimEnd(),
    pointer: ' '.repeat(before) + '^'.repeat(marked),
  };
}

/** Characters to read on either side of the span, for each cell of the width. Most graphemes have one to three. */
const reach = 8;

function toPieces(source: string, start: number, end: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let column = 0;
  for (const { segment, index } of segmentsOf(source)) {
    const text = segment === '\t' ? ' '.repeat(4 - (column % 4)) : showText(segment);
    const cells = text === segment ? cellsOf(text) : widthOf(text);
    column += cells;
    pieces.push({ text, cells, index, marked: index < end && index + segment.length > start });
  }
  // If the span is empty or past the last character, an empty piece marks the place.
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

function cutAround(
  pieces: readonly Piece[],
  width: number,
  more: MoreText,
): { readonly pieces: readonly Piece[]; readonly first: number } {
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
