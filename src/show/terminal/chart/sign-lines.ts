import type { Point } from './draw-paths.ts';
import { cellAt, type Raster } from './raster.ts';

/** Cells between two letters on a line. */
const every = 24;

/** Writes the letter of a series on its line, at the end and now and then, each series at other places. */
export function signLines(raster: Raster, points: readonly Point[], paint: number, letter: string, series: number): void {
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
