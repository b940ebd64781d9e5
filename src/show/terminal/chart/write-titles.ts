import { cellWidth } from '../../labels/cell-width.ts';
import { wrapWords } from '../../labels/wrap-words.ts';
import type { DrawChartOptions } from './draw-chart-options.ts';
import type { Point } from './draw-paths.ts';
import { cellAt, type Raster } from './raster.ts';
import type { Frame } from './read-frame.ts';
import type { Ink, Screen } from './screen.ts';

/** A run of text in one style. */
export interface Piece {
  readonly text: string;
  readonly ink: Ink;
}

/** Title and subtitle as lines, wrapped between words. */
export function writeTitles(
  { title, subtitle }: Pick<Frame, 'title' | 'subtitle'>,
  { width, colours, ascii = false }: DrawChartOptions,
): readonly (readonly Piece[])[] {
  const ellipsis = ascii ? '...' : '…';
  const lines = (texts: readonly string[], ink: Ink) =>
    texts.length === 0
      ? []
      : wrapWords(texts.join(' '), width, { ellipsis }).map((text) => [{ text, ink: colours > 0 ? ink : {} }]);
  return [...lines(title, { bold: true }), ...lines(subtitle, { dim: true })];
}

/** Writes pieces one after the other from the start of a line. */
export function writePieces(screen: Screen, row: number, pieces: readonly Piece[]): void {
  let column = 0;
  for (const { text, ink } of pieces) {
    screen.put(row, column, text, ink);
    column += cellWidth(text);
  }
}

/** Texts of this font size (pixels) or more are written in large figures, if possible. */
export const bigFrom = 40;

export const bigLines = 3;

/** Figures three lines high, drawn with half blocks: five rows of pixels, and an empty sixth. */
const glyphs: Readonly<Record<string, readonly string[]>> = {
  '0': ['###', '#.#', '#.#', '#.#', '###'],
  '1': ['.#.', '##.', '.#.', '.#.', '###'],
  '2': ['###', '..#', '###', '#..', '###'],
  '3': ['###', '..#', '.##', '..#', '###'],
  '4': ['#.#', '#.#', '###', '..#', '..#'],
  '5': ['###', '#..', '###', '..#', '###'],
  '6': ['###', '#..', '###', '#.#', '###'],
  '7': ['###', '..#', '..#', '.#.', '.#.'],
  '8': ['###', '#.#', '###', '#.#', '###'],
  '9': ['###', '#.#', '###', '..#', '###'],
  '.': ['.', '.', '.', '.', '#'],
  ',': ['..', '..', '..', '.#', '#.'],
  '%': ['#..#', '...#', '.##.', '#...', '#..#'],
  '-': ['..', '..', '##', '..', '..'],
  '−': ['..', '..', '##', '..', '..'],
  '+': ['...', '.#.', '###', '.#.', '...'],
  ' ': ['.', '.', '.', '.', '.'],
  ':': ['.', '#', '.', '#', '.'],
  '–': ['..', '..', '##', '..', '..'],
};

const halves = [' ', '▄', '▀', '█'] as const;

/**
 * Writes figures three lines high around a line. Returns false, and writes nothing, if a sign has no large form or
 * there is no room.
 */
export function writeBig(screen: Screen, row: number, column: number, text: string): boolean {
  const shapes = [...text].map((character) => (Object.hasOwn(glyphs, character) ? glyphs[character] : undefined));
  const cells = shapes.reduce((sum, shape) => sum + (shape?.[0]?.length ?? 0) + 1, -1);
  if (shapes.includes(undefined) || column + cells > screen.width || row < 1 || row + 1 >= screen.height) return false;
  let at = column;
  for (const shape of shapes) {
    const wide = shape?.[0]?.length ?? 0;
    for (let line = 0; line < bigLines; line += 1) {
      for (let cell = 0; cell < wide; cell += 1) {
        const upper = shape?.[line * 2]?.[cell] === '#' ? 2 : 0;
        const lower = shape?.[line * 2 + 1]?.[cell] === '#' ? 1 : 0;
        screen.put(row - 1 + line, at + cell, halves[upper + lower] as string, {});
      }
    }
    at += wide + 1;
  }
  return true;
}

/** Cells between two letters on a line. */
const every = 24;

/** Writes the letter of a series at the end of its line and at intervals, at different places for each series. */
export function signLines(
  raster: Raster,
  points: readonly Point[],
  paint: number,
  letter: string,
  series: number,
): void {
  const last = points.at(-1);
  if (last) sign(raster, cellAt(raster, last.x, last.y), paint, letter);
  const shift = (series * 7 + 5) % every;
  for (let column = shift; column < raster.width; column += every) {
    for (let row = 0; row < raster.height; row += 1) {
      const cell = row * raster.width + column;
      if (raster.dots[cell] !== 0 && raster.dotPaints[cell] === paint) {
        sign(raster, cell, paint, letter);
        break;
      }
    }
  }
}

function sign(raster: Raster, cell: number, paint: number, letter: string): void {
  if (cell < 0 || raster.signs[cell] !== '') return;
  raster.signs[cell] = letter;
  raster.signPaints[cell] = paint;
}
