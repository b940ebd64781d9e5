import { cellWidth, truncateToCells } from '../cell-width.ts';
import type { PlotText } from './plot-text.ts';

/** Where the plot begins on the screen, and where the screen ends. */
export interface TextRoom {
  readonly row: number;
  readonly column: number;
  readonly width: number;
  readonly height: number;
  readonly ellipsis: string;
  readonly isFree: (row: number, column: number) => boolean;
}

export interface PlacedText extends Pick<PlotText, 'row' | 'column' | 'text' | 'cells' | 'bold' | 'colour' | 'size'> {}

/** Of many texts, this part may be left out for want of room. Where it would be more, none of them are written. */
const mostLeftOut = 0.2;
const many = 8;

/** Finds a place on the screen for the texts of the plot, mark by mark. Texts never lie on one another; the later one is left out. */
export function placeTexts(marks: readonly (readonly PlotText[])[], room: TextRoom): readonly PlacedText[] {
  const taken = new Set<number>();
  return marks.flatMap((texts) => {
    const own = new Set<number>();
    const placed: PlacedText[] = [];
    for (const text of texts) {
      const found = placeText(text, room);
      // A space behind keeps neighbours apart.
      const place = found ? Array.from({ length: found.cells + 1 }, (_, index) => found.row * (room.width + 1) + found.column + index) : [];
      if (!found || place.some((cell) => taken.has(cell) || own.has(cell))) continue;
      for (const cell of place) own.add(cell);
      placed.push(found);
    }
    if (texts.length > many && placed.length < texts.length * (1 - mostLeftOut)) return [];
    for (const cell of own) taken.add(cell);
    return placed;
  });
}

/** A figure that is cut would be read as another one. */
const figure = /^[^\p{L}]*\p{L}?$/u;

/** What would end beyond the screen begins further left if nothing stands there; what is still too long is cut, a figure left out. */
function placeText(text: PlotText, { row, column, width, height, ellipsis, isFree }: TextRoom): PlacedText | undefined {
  const line = row + text.row;
  if (line < 0 || line >= height) return undefined;
  if (text.optional) return isRoomFor(text.cells) ? { ...text, row: line, column: column + text.column } : undefined;
  let start = Math.max(0, column + text.column);
  while (start > 0 && start + text.cells > width && isFree(line, start - 1) && (start < 2 || isFree(line, start - 2))) start -= 1;
  const shown = truncateToCells(text.text, width - start, ellipsis);
  return shown === '' || (shown !== text.text && figure.test(text.text)) ? undefined : { ...text, row: line, column: start, text: shown, cells: cellWidth(shown) };

  function isRoomFor(cells: number): boolean {
    const first = column + text.column;
    return first >= 0 && first + cells <= width && Array.from({ length: cells }, (_, cell) => isFree(line, first + cell)).every(Boolean);
  }
}
