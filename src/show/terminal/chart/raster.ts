/**
 * A plot before it becomes text. Each cell has a filling in eighths, eight braille dots, a sign and a line. Paints are
 * numbers of `Paints`; 0 means none.
 */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Eight per cell: from top to bottom, or from left to right if the cell is lying. */
  readonly eighths: Int32Array;
  readonly lying: Uint8Array;
  /** The dots in Unicode's numbering, see `dotBits`. */
  readonly dots: Uint8Array;
  readonly dotPaints: Int32Array;
  readonly signs: string[];
  readonly signPaints: Int32Array;
  /** Lines through the cell, visible if nothing else is there. */
  readonly rules: string[];
}

export function openRaster(width: number, height: number): Raster {
  const cells = width * height;
  return {
    width,
    height,
    eighths: new Int32Array(cells * 8),
    lying: new Uint8Array(cells),
    dots: new Uint8Array(cells),
    dotPaints: new Int32Array(cells),
    signs: new Array<string>(cells).fill(''),
    signPaints: new Int32Array(cells),
    rules: new Array<string>(cells).fill(''),
  };
}

/** Bits of the braille patterns (Unicode, U+2800), by row and column within the cell. */
export const dotBits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

/** Sets the dot at these pixels. On the right and lower edges this is the last dot; positions beyond are ignored. */
export function setDot(raster: Raster, x: number, y: number, paint: number): void {
  const column = toDot(x, raster.width * 2);
  const row = toDot(y, raster.height * 4);
  if (column >= 0 && row >= 0) setDotAt(raster, column, row, paint);
}

/** Like `setDot`, in dots. */
export function setDotAt(raster: Raster, column: number, row: number, paint: number): void {
  const cell = (row >> 2) * raster.width + (column >> 1);
  raster.dots[cell] = (raster.dots[cell] as number) | (dotBits[row & 3] as readonly number[])[column & 1]!;
  raster.dotPaints[cell] = paint;
}

/** The index of the dot at a pixel; −1 if it is outside. */
function toDot(pixel: number, count: number): number {
  const dot = Math.floor(pixel / dotSize + slack);
  if (dot === count && pixel <= count * dotSize + dotSize / 2) return count - 1;
  return dot < 0 || dot >= count ? -1 : dot;
}

/** The cell at these pixels; −1 if it is outside. */
export function cellAt({ width, height }: Raster, x: number, y: number): number {
  const column = Math.min(
    Math.floor(x / cellSize.width + slack),
    x <= width * cellSize.width + slack ? width - 1 : Infinity,
  );
  const row = Math.min(
    Math.floor(y / cellSize.height + slack),
    y <= height * cellSize.height + slack ? height - 1 : Infinity,
  );
  return column < 0 || column >= width || row < 0 || row >= height ? -1 : row * width + column;
}

/** Fills cells beside each other, standing, from one eighth of the plot's height to another. */
export function fillStanding(
  raster: Raster,
  columns: readonly [from: number, to: number],
  eighths: readonly [from: number, to: number],
  paint: number,
): void {
  for (let eighth = Math.max(0, eighths[0]); eighth < Math.min(raster.height * 8, eighths[1]); eighth += 1) {
    for (let column = Math.max(0, columns[0]); column < Math.min(raster.width, columns[1]); column += 1) {
      fillEighth(raster, (eighth >> 3) * raster.width + column, eighth & 7, 0, paint);
    }
  }
}

/** Fills cells below each other, lying, from one eighth of the plot's width to another. */
export function fillLying(
  raster: Raster,
  rows: readonly [from: number, to: number],
  eighths: readonly [from: number, to: number],
  paint: number,
): void {
  for (let row = Math.max(0, rows[0]); row < Math.min(raster.height, rows[1]); row += 1) {
    for (let eighth = Math.max(0, eighths[0]); eighth < Math.min(raster.width * 8, eighths[1]); eighth += 1) {
      fillEighth(raster, row * raster.width + (eighth >> 3), eighth & 7, 1, paint);
    }
  }
}

function fillEighth(raster: Raster, cell: number, eighth: number, lying: 0 | 1, paint: number): void {
  if (raster.lying[cell] !== lying) {
    // Standing and lying parts cannot share a cell: the later ones win, on top of an even filling.
    raster.lying[cell] = lying;
    const first = raster.eighths[cell * 8] as number;
    const even = raster.eighths.subarray(cell * 8, cell * 8 + 8).every((id) => id === first);
    raster.eighths.fill(even ? first : 0, cell * 8, cell * 8 + 8);
  }
  raster.eighths[cell * 8 + eighth] = paint;
}

/**
 * Vega's pixels per cell; terminal cells are about twice as high as wide. A braille dot is four pixels square, an
 * eighth of a block one pixel wide or two high.
 */
export const cellSize = { width: 8, height: 16 } as const;

export const dotSize = 4;

/** Tolerance for rounding errors at cell borders. */
export const slack = 1e-6;
