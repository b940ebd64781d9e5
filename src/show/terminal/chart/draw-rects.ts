import { cellSize, slack, fillLying, fillStanding, type Raster } from './raster.ts';

type Part = Readonly<Record<string, unknown>>;

/**
 * The meaning of a rectangle's two edges in one direction: a place (a category, a bucket, a bin), two values (a bar
 * from 0, a part of a stack), one value (a tick), or the whole plot from edge to edge.
 */
type RectExtent = 'place' | 'values' | 'value' | 'through';

export interface RectRole {
  readonly x: RectExtent;
  readonly y: RectExtent;
}

/** Reads the role of a rectangle from the definitions of its edges in Vega. */
export function readRectRole(update: Part): RectRole {
  return { x: readExtent(update, 'x', 'width'), y: readExtent(update, 'y', 'height') };
}

function readExtent(update: Part, way: 'x' | 'y', size: 'width' | 'height'): RectExtent {
  const centre = update[`${way}c`];
  const start = asPart(update[way]);
  const end = asPart(update[`${way}2`]);
  if (centre !== undefined) return isConstant(update[size]) ? 'value' : 'place';
  if (update[size] !== undefined) return start['scale'] === undefined ? 'through' : 'place';
  if (start['scale'] === undefined && end['scale'] === undefined) return 'through';
  const [from, to] = [start['field'], end['field']];
  // Vega-Lite names the ends of a bucket `f` and `f_end`, and those of a part of a stack `f_start` and `f_end`.
  const isBucket = typeof from === 'string' && typeof to === 'string' && (from === `${to}_end` || to === `${from}_end`);
  return isBucket ? 'place' : 'values';
}

function isConstant(definition: unknown): boolean {
  return typeof asPart(definition)['value'] === 'number';
}

function asPart(value: unknown): Part {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'object' && last !== null ? (last as Part) : {};
}

export interface Box {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** The cells that a rectangle touches, ends exclusive. */
export interface CellBox {
  readonly columns: readonly [from: number, to: number];
  readonly rows: readonly [from: number, to: number];
}

/**
 * Fills a rectangle. An edge that is a place (a category, a bucket) snaps to the nearest cell border, an edge that is a
 * value to the nearest eighth of a cell.
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

/** A rectangle takes at least an eighth, on its side of the border. */
function toEighths(from: number, to: number, size: number): [number, number] {
  const [start, end] = [Math.round((from / size) * 8), Math.round((to / size) * 8)];
  if (start < end || to - from < slack) return [start, end];
  return from + to < 2 * (start / 8) * size ? [start - 1, start] : [start, start + 1];
}
