/**
 * Vega lays a plot out in pixels; a terminal has cells, about twice as high as wide. So many pixels a cell make a
 * braille dot four pixels square and an eighth of a block one pixel wide or two high.
 */
export const cellSize = { width: 8, height: 16 } as const;

export const dotSize = 4;

/** Room for floating point where a position falls on the border of two cells. */
export const slack = 1e-6;
