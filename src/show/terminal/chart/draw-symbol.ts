import { cellAt, setDot, type Raster } from './raster.ts';
import { refuse } from './refuse.ts';
import type { SceneItem } from './scene.ts';

interface Signs {
  readonly filled: string;
  readonly hollow: string;
  readonly ascii: string;
}

const shapes: Readonly<Record<string, Signs>> = {
  'circle': { filled: '●', hollow: '○', ascii: 'o' },
  'square': { filled: '■', hollow: '□', ascii: '#' },
  'diamond': { filled: '◆', hollow: '◇', ascii: '%' },
  'triangle': { filled: '▲', hollow: '△', ascii: '^' },
  'triangle-up': { filled: '▲', hollow: '△', ascii: '^' },
  'triangle-down': { filled: '▼', hollow: '▽', ascii: 'v' },
  'triangle-left': { filled: '◀', hollow: '◁', ascii: '<' },
  'triangle-right': { filled: '▶', hollow: '▷', ascii: '>' },
  'cross': { filled: '✚', hollow: '✛', ascii: '+' },
  'stroke': { filled: '─', hollow: '─', ascii: '-' },
};

/** The sign for a point. Throws where its shape is none that a sign stands for. */
export function toSign({ shape = 'circle', fill }: SceneItem, ascii: boolean): string {
  const signs = Object.hasOwn(shapes, shape) ? shapes[shape] : undefined;
  if (!signs) throw refuse('points of a shape of their own');
  return ascii ? signs.ascii : fill === undefined || fill === null || fill === 'transparent' ? signs.hollow : signs.filled;
}

/** A point as a sign, or, among very many, as a single dot. */
export function drawSymbol(raster: Raster, item: SceneItem, x: number, y: number, paint: number, options: { readonly ascii: boolean; readonly many: boolean }): void {
  if (options.many) return setDot(raster, x, y, paint);
  const cell = cellAt(raster, x, y);
  if (cell < 0) return;
  raster.signs[cell] = toSign(item, options.ascii);
  raster.signPaints[cell] = paint;
}
