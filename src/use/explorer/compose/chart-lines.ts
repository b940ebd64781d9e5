import { graphemes } from '../../../ask/graphemes.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { cellWidth } from '../../../show/labels/cell-width.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';
import { type ChartCursor, type ChartReading, markedPlaces } from '../state/chart-reading.ts';
import { fitStretches, type Stretch } from './paint-line.ts';

/** The lines of a chart with a vertical line at the cursor, and another at the end of the marked range. */
export function withCursor(
  lines: readonly string[],
  { plots }: ChartReading,
  cursor: ChartCursor,
  look: TextLook,
): readonly string[] {
  const marked = [...lines];
  for (const { top, height, columns } of plots) {
    const [from, to] = markedPlaces(cursor).map((place) => columns[place]);
    if (from === undefined || to === undefined) continue;
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    for (let line = top; line < top + height; line += 1) {
      const between = line === top ? (look.unicode ? '─' : '-') : undefined;
      marked[line] = withSigns(marked[line] ?? '', { first, last, sign: look.unicode ? '│' : '|', between }, look);
    }
  }
  return marked;
}

/** Characters that charts are drawn with: each one is a cell wide and never combines. */
const simple = /^[\x20-\x7e\u2500-\u259f\u2800-\u28ff]*$/;

interface Signs {
  readonly first: number;
  readonly last: number;
  /**
   * Fills the blank cells of these two columns. Other characters there are drawn in reverse if the terminal supports
   * it.
   */
  readonly sign: string;
  /** Fills the blank cells between them. */
  readonly between: string | undefined;
}

function withSigns(line: string, { first, last, sign, between }: Signs, { depth }: TextLook): string {
  const blankAt = (column: number) =>
    column === first || column === last ? sign : column > first && column < last ? (between ?? ' ') : ' ';
  let drawn = '';
  let column = 0;
  for (const [, sequence, text = ''] of line.matchAll(/(\u001b\[[\d;]*m)|([^\u001b]+)/g)) {
    drawn += sequence ?? '';
    const isSimple = simple.test(text);
    // Fast path: text away from the cursor, with characters that are one cell wide.
    if (isSimple && (column + text.length <= first || column > last)) {
      drawn += text;
      column += text.length;
      continue;
    }
    for (const grapheme of isSimple ? text : graphemes(text)) {
      const isMarked = column === first || column === last;
      if (grapheme === ' ') drawn += blankAt(column);
      else drawn += isMarked && depth !== 'plain' ? `\u001b[7m${grapheme}\u001b[27m` : grapheme;
      column += isSimple ? 1 : cellWidth(grapheme);
    }
  }
  for (; column <= last; column += 1) drawn += blankAt(column);
  return drawn;
}

/**
 * The values at the cursor in `height` lines: the bucket, then the series, scrolled so that the chosen one is visible.
 */
export function composeReading(
  { places, series }: ChartReading,
  cursor: ChartCursor,
  { width, height }: { readonly width: number; readonly height: number },
  look: TextLook,
): readonly string[] {
  const place = places[cursor.place];
  const [from, to] = markedPlaces(cursor);
  const range =
    cursor.mark === undefined
      ? ''
      : `  marked: ${formatNumber(to - from + 1)} from ${places[from]?.label ?? ''} to ${places[to]?.label ?? ''}`;
  const where: readonly Stretch[] = [
    { text: place?.label ?? '', tone: 'heading' },
    { text: `  ${formatNumber(cursor.place + 1)} of ${formatNumber(places.length)}`, tone: 'quiet' },
    { text: range, tone: 'accent' },
  ];
  const lines: Stretch[][] = [];
  let left = 0;
  let chosenLine = 0;
  for (const [index, { label, texts, hidden }] of series.entries()) {
    const isChosen = index === cursor.series;
    const text = `${label} ${hidden ? '(left out)' : (texts[cursor.place] ?? '')}`;
    const cells = cellWidth(text) + between.length;
    if (cells > left || lines.length === 0) {
      lines.push([]);
      left = width;
    }
    lines
      .at(-1)
      ?.push({ text, tone: isChosen ? 'selected' : hidden ? 'quiet' : 'plain' }, { text: between, tone: 'plain' });
    left -= cells;
    if (isChosen) chosenLine = lines.length - 1;
  }
  const room = Math.max(1, height - 1);
  const start = Math.max(0, Math.min(chosenLine, lines.length - room));
  return [where, ...lines.slice(start, start + room)].map((line) => fitStretches(line, width, look));
}

const between = '  ';
