import { cellSize, slack } from './cell-size.ts';
import { fillLying, fillStanding, type Raster } from './raster.ts';
import type { RectRole } from './rect-role.ts';

export interface Box {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/**
 * Fills a rectangle. Where an edge is a place (a category, a bucket) it goes to the nearest border of cells; where it is a
 * value, to the nearest eighth of a cell.
 */
export function drawRect(raster: Raster, { x1, y1, x2, y2 }: Box, { x, y }: RectRole, paint: number): void {
  if (x === 'values' && y !== 'values') fillLying(raster, toCells(y1, y2, cellSize.height), toEighths(x1, x2, cellSize.width), paint);
  else if (y === 'values') fillStanding(raster, toCells(x1, x2, cellSize.width), toEighths(y1, y2, cellSize.height), paint);
  else {
    const [top, bottom] = toCells(y1, y2, cellSize.height);
    fillStanding(raster, toCells(x1, x2, cellSize.width), [top * 8, bottom * 8], paint);
  }
}

function toCells(from: number, to: number, size: number): [number, number] {
  const start = Math.round(from / size + slack);
  return [start, Math.max(start + 1, Math.round(to / size + slack))];
}

/** What there is takes at least an eighth, on the side of the border on which it lies. */
function toEighths(from: number, to: number, size: number): [number, number] {
  const [start, end] = [Math.round((from / size) * 8), Math.round((to / size) * 8)];
  if (start < end || to - from < slack) return [start, end];
  return from + to < 2 * (start / 8) * size ? [start - 1, start] : [start, start + 1];
}
