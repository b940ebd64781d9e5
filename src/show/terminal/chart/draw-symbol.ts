import { cellSize, cellAt, type Raster, setDot } from './raster.ts';
import type { Box } from './draw-rects.ts';
import { refuse } from './undrawable.ts';
import type { SceneItem } from './scene.ts';

interface Signs {
  readonly filled: string;
  readonly hollow: string;
  readonly ascii: string;
}

const shapes: Readonly<Record<string, Signs>> = {
  circle: { filled: '●', hollow: '○', ascii: 'o' },
  square: { filled: '■', hollow: '□', ascii: '#' },
  diamond: { filled: '◆', hollow: '◇', ascii: '%' },
  triangle: { filled: '▲', hollow: '△', ascii: '^' },
  'triangle-up': { filled: '▲', hollow: '△', ascii: '^' },
  'triangle-down': { filled: '▼', hollow: '▽', ascii: 'v' },
  'triangle-left': { filled: '◀', hollow: '◁', ascii: '<' },
  'triangle-right': { filled: '▶', hollow: '▷', ascii: '>' },
  cross: { filled: '✚', hollow: '✛', ascii: '+' },
  stroke: { filled: '─', hollow: '─', ascii: '-' },
};

/** The sign for a point. Throws if no sign exists for its shape. */
export function toSign(item: SceneItem, ascii: boolean): string {
  const { shape = 'circle' } = item;
  const signs = Object.hasOwn(shapes, shape) ? shapes[shape] : undefined;
  if (!signs) throw refuse('points with custom shapes');
  return ascii ? signs.ascii : isHollow(item) ? signs.hollow : signs.filled;
}

/** True if a point is an outline: it has no fill, or only one that covers what is below. */
export function isHollow({ fill, stroke }: SceneItem): boolean {
  return !isSeen(fill) || (isSeen(stroke) && fill !== stroke);
}

function isSeen(colour: unknown): boolean {
  return colour !== undefined && colour !== null && colour !== 'transparent';
}

/** Draws a point as a sign, or as a single dot if there are very many. */
export function drawSymbol(
  raster: Raster,
  item: SceneItem,
  x: number,
  y: number,
  paint: number,
  options: { readonly ascii: boolean; readonly many: boolean },
): void {
  if (options.many) return setDot(raster, x, y, paint);
  const cell = cellAt(raster, x, y);
  if (cell < 0) return;
  raster.signs[cell] = toSign(item, options.ascii);
  raster.signPaints[cell] = paint;
}

const straight = { across: ['─', '-'], down: ['│', '|'] } as const;
const broken = { across: ['╌', '-'], down: ['┊', ':'] } as const;

/** Draws a horizontal or vertical line through cells. Returns false, and draws nothing, for any other line. */
export function drawRule(
  raster: Raster,
  { x1, y1, x2, y2 }: Box,
  { dashed, ascii }: { readonly dashed: boolean; readonly ascii: boolean },
): boolean {
  const signs = dashed ? broken : straight;
  if (Math.abs(x2 - x1) < 1) {
    for (let y = Math.min(y1, y2); y < Math.max(y1, y2) - 1; y += cellSize.height)
      setRule(raster, cellAt(raster, x1, y), signs.down[ascii ? 1 : 0]);
    return true;
  }
  if (Math.abs(y2 - y1) >= 1) return false;
  for (let x = Math.min(x1, x2); x < Math.max(x1, x2) - 1; x += cellSize.width)
    setRule(raster, cellAt(raster, x, y1), signs.across[ascii ? 1 : 0]);
  return true;
}

function setRule(raster: Raster, cell: number, sign: string): void {
  if (cell >= 0) raster.rules[cell] = sign;
}
