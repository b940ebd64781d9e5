import { cellSize, slack } from './cell-size.ts';
import { fillLying, fillStanding, type Raster } from './raster.ts';
import type { RectRole } from './rect-role.ts';

export interface Box {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** The cells that a rectangle takes part in, ends exclusive. */
export interface CellBox {
  readonly columns: readonly [from: number, to: number];
  readonly rows: readonly [from: number, to: number];
}

/**
 * Fills a rectangle. Where an edge is a place (a category, a bucket) it goes to the nearest border of cells; where it
 * is a value, to the nearest eighth of a cell.
 */
export function drawRect(raster: Raster, { x1, y1, x2, y2 }: Box, { x, y }: RectRole, paint: number): CellBox {
  if (x === 'values' && y !== 'values') {
    const [rows, eighths] = [toCells(y1, y2, cellSize.height), toEighths(x1, x2, cellSize.width)];
    fillLying(raster, rows, eighths, paint);
    return { rows, columns: cellsOf(eighths) };
  }
  const columns = toCells(x1, x2, cellSize.width);
  const [top, bottom] = toCells(y1, y2, cellSize.height);
  const eighths = y === 'values' ? toEighths(y1, y2, cellSize.height) : ([top * 8, bottom * 8] as const);
  fillStanding(raster, columns, eighths, paint);
  return { columns, rows: cellsOf(eighths) };
}

function cellsOf([from, to]: readonly [number, number]): [number, number] {
  return [Math.floor(from / 8), Math.ceil(to / 8)];
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
