import { graphemes } from '../../../ask/graphemes.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { cellWidth } from '../../../show/labels/cell-width.ts';
import type { TextLook } from '../../../show/terminal/paint.ts';
import { type ChartCursor, type ChartReading, markedPlaces } from '../state/chart-reading.ts';
import { fitStretches, type Stretch } from './paint-line.ts';

/** The lines of a chart with a line where it is read, and one more where the marked range ends. */
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
      const signs = new Map([first, last].map((column) => [column, look.unicode ? '│' : '|']));
      if (line === top)
        for (let column = first + 1; column < last; column += 1) signs.set(column, look.unicode ? '─' : '-');
      marked[line] = withSigns(marked[line] ?? '', signs, look);
    }
  }
  return marked;
}

/** Signs in the blank cells of a line, by cell; what stands in another one is reversed where the terminal can do it. */
function withSigns(line: string, signs: ReadonlyMap<number, string>, { depth }: TextLook): string {
  const last = Math.max(...signs.keys());
  let drawn = '';
  let column = 0;
  for (const [, sequence, text = ''] of line.matchAll(/(\u001b\[[\d;]*m)|([^\u001b]+)/g)) {
    drawn += sequence ?? '';
    for (const grapheme of graphemes(text)) {
      const sign = signs.get(column);
      if (sign === undefined) drawn += grapheme;
      else if (grapheme === ' ') drawn += sign;
      else drawn += depth === 'plain' ? grapheme : `\u001b[7m${grapheme}\u001b[27m`;
      column += cellWidth(grapheme);
    }
  }
  for (; column <= last; column += 1) drawn += signs.get(column) ?? ' ';
  return drawn;
}

/** What is read: the bucket, then the series with their values, the chosen one in sight; so many lines. */
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
