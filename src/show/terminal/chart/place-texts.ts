import { cellWidth, truncateApart, truncateToCells } from '../../labels/cell-width.ts';
import { cellSize } from './raster.ts';
import type { PlotMark } from './scene.ts';
import type { PlotView } from './open-plot-view.ts';
import type { PlotText } from './plot-text.ts';

/** The start of the plot on the screen, and the size of the screen. */
interface TextRoom {
  readonly row: number;
  readonly column: number;
  readonly width: number;
  readonly height: number;
  readonly ellipsis: string;
  readonly isFree: (row: number, column: number) => boolean;
}

interface PlacedText extends Pick<PlotText, 'row' | 'column' | 'text' | 'cells' | 'bold' | 'colour' | 'size'> {}

/** Of many texts, at most this share may be omitted for lack of room; otherwise all are. */
const mostLeftOut = 0.2;
const many = 8;

/** Places the texts of the plot on the screen, mark by mark. Texts never overlap; the later one is omitted. */
export function placeTexts(marks: readonly (readonly PlotText[])[], room: TextRoom): readonly PlacedText[] {
  const taken = new Set<number>();
  return marks.flatMap((texts) => {
    const own = new Set<number>();
    const placed: PlacedText[] = [];
    for (const text of texts) {
      const found = placeText(text, room);
      // A trailing space separates neighbours.
      const place = found
        ? Array.from({ length: found.cells + 1 }, (_, index) => found.row * (room.width + 1) + found.column + index)
        : [];
      if (!found || place.some((cell) => taken.has(cell) || own.has(cell))) continue;
      for (const cell of place) own.add(cell);
      placed.push(found);
    }
    if (texts.length > many && placed.length < texts.length * (1 - mostLeftOut)) return [];
    for (const cell of own) taken.add(cell);
    return placed;
  });
}

/** A figure that is cut would be misread. */
const figure = /^[^\p{L}]*\p{L}?$/u;

/**
 * Moves a text left, over free cells, if it would end beyond the screen. A text that is still too long is cut; a figure
 * is omitted.
 */
function placeText(text: PlotText, { row, column, width, height, ellipsis, isFree }: TextRoom): PlacedText | undefined {
  const line = row + text.row;
  if (line < 0 || line >= height) return undefined;
  if (text.optional) return isRoomFor(text.cells) ? { ...text, row: line, column: column + text.column } : undefined;
  let start = Math.max(0, column + text.column);
  while (start > 0 && start + text.cells > width && isFree(line, start - 1) && (start < 2 || isFree(line, start - 2)))
    start -= 1;
  const shown = truncateToCells(text.text, width - start, ellipsis);
  return shown === '' || (shown !== text.text && figure.test(text.text))
    ? undefined
    : { ...text, row: line, column: start, text: shown, cells: cellWidth(shown) };

  function isRoomFor(cells: number): boolean {
    const first = column + text.column;
    return (
      first >= 0 &&
      first + cells <= width &&
      Array.from({ length: cells }, (_, cell) => isFree(line, first + cell)).every(Boolean)
    );
  }
}

interface Label {
  /** The cell that the label refers to, from the plot's left edge. */
  readonly at: number;
  readonly text: string;
}

interface PlacedLabel {
  readonly column: number;
  readonly text: string;
  /** As in `Label`. */
  readonly at: number;
}

/**
 * Places labels side by side on one line, each centred on its cell, in the cells from `from` up to `to`. If they do not
 * all fit, only every second, third and so on is written. `room` limits the cells of a label.
 */
export function placeLabels(
  labels: readonly Label[],
  {
    from,
    to,
    room,
    ellipsis,
  }: { readonly from: number; readonly to: number; readonly room: number; readonly ellipsis: string },
): readonly PlacedLabel[] {
  const ordered = [...labels].sort((a, b) => a.at - b.at);
  for (let every = 1; every < ordered.length; every += 1) {
    const placed = tryToPlace(
      ordered.filter((_, index) => index % every === 0),
      from,
      to,
      room,
      ellipsis,
    );
    if (placed) return placed;
  }
  return tryToPlace(ordered.slice(0, 1), from, to, Math.min(room, to - from), ellipsis) ?? [];
}

function tryToPlace(
  labels: readonly Label[],
  from: number,
  to: number,
  room: number,
  ellipsis: string,
): readonly PlacedLabel[] | undefined {
  const placed: PlacedLabel[] = [];
  const texts = truncateApart(
    labels.map(({ text }) => text),
    room,
    ellipsis,
  );
  let free = from;
  for (const [index, { at }] of labels.entries()) {
    const text = texts[index] ?? '';
    const cells = cellWidth(text);
    if (cells === 0) continue;
    const column = Math.min(Math.max(at - Math.floor((cells - 1) / 2), from), to - cells);
    if (column < free) return undefined;
    placed.push({ column, text, at });
    free = column + cells + 1;
  }
  return placed;
}

/** True if bars at different places each have their own cell. On a time scale they may not. */
function stand(starts: readonly number[], size: number): boolean {
  const ordered = [...new Set(starts.map((start) => Math.round(start * 100) / 100))].sort((a, b) => a - b);
  return ordered.every((start, index) => index === 0 || start - (ordered[index - 1] as number) >= size - 0.05);
}

/** Like `stand`, for all rectangles of a plot. */
export function standClear({ rects }: PlotView, marks: readonly PlotMark[]): boolean {
  return marks.every(({ mark, dx, dy }) => {
    if (mark.marktype !== 'rect') return true;
    const role = rects.get(mark.name ?? '');
    const upright =
      role?.x !== 'place' ||
      stand(
        mark.items.map(({ x = 0 }) => x + dx),
        cellSize.width,
      );
    return (
      upright &&
      (role?.y !== 'place' ||
        stand(
          mark.items.map(({ y = 0 }) => y + dy),
          cellSize.height,
        ))
    );
  });
}
