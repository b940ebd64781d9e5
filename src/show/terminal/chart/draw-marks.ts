import { pointNames } from '../../chart/place-names.ts';
import { type CellStyle, toLetter } from './cell-style.ts';
import { cellSize, type Raster } from './raster.ts';
import { drawArea, drawLine, type Point, type PixelRun, type Texture, toCurvePoints } from './draw-paths.ts';
import { type Box, type CellBox, drawRect } from './draw-rects.ts';
import { drawRule, drawSymbol, isHollow } from './draw-symbol.ts';
import type { PlotMark, SceneItem, SceneMark } from './scene.ts';
import type { PlotView } from './open-plot-view.ts';
import type { Paints } from './paints.ts';
import { type PlotText, toPlotTexts } from './plot-text.ts';
import { beyondNumbers, refuse } from './undrawable.ts';
import { signLines } from './write-titles.ts';

export interface Drawing {
  readonly raster: Raster;
  readonly view: PlotView;
  readonly paints: Paints;
  readonly look: CellStyle;
  /** Collects the bars and parts of bars that are drawn. */
  readonly bars: DrawnBar[];
}

export interface DrawnBar extends CellBox {
  readonly paint: number;
  readonly lying: boolean;
}

/** Marks that cells cannot show, by Vega's names. */
const undrawable: Readonly<Record<string, string>> = {
  arc: 'arcs',
  shape: 'maps',
  image: 'pictures',
  path: 'paths',
  trail: 'trails',
};

/** If points exceed this fraction of the cells, they are drawn as dots. */
const crowd = 0.2;

/** Draws a mark of the plot, and returns its texts, which are written on top. */
export function drawMark({ mark, dx, dy, clipped }: PlotMark, drawing: Drawing): readonly PlotText[] {
  const { raster, paints, look } = drawing;
  const name = Object.hasOwn(undrawable, mark.marktype) ? undrawable[mark.marktype] : undefined;
  if (name !== undefined) throw refuse(name);
  const seen = mark.items.filter(({ opacity }) => opacity !== 0);
  const inside = (box: Box) => {
    checkInside(raster, box, clipped);
  };
  switch (mark.marktype) {
    case 'text':
      return seen.flatMap((item) => toPlotTexts(item, dx, dy, isOptional(mark)));
    case 'rect': {
      const role = drawing.view.rects.get(mark.name ?? '') ?? { x: 'values', y: 'values' };
      for (const item of seen) {
        const box = moved(boxOf(item), dx, dy);
        if (role.x === 'value' || role.y === 'value') {
          const [x, y] = [(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2];
          drawRule(raster, role.x === 'value' ? { ...box, x1: x, x2: x } : { ...box, y1: y, y2: y }, {
            dashed: false,
            ascii: look.ascii,
          });
          continue;
        }
        const paint = paintOf(item, drawing, shadeOf(item, mark.name, drawing));
        if (paint === 0) continue;
        inside(box);
        if (box.x2 <= box.x1 || box.y2 <= box.y1) continue;
        const cells = drawRect(raster, box, role, paint);
        if (role.x === 'values' || role.y === 'values')
          drawing.bars.push({ ...cells, paint, lying: role.y !== 'values' });
      }
      return [];
    }
    case 'rule':
      for (const item of seen) {
        const { x = 0, y = 0, x2 = x, y2 = y, strokeDash, stroke } = item;
        if (stroke === undefined || stroke === null || stroke === 'transparent') continue;
        const box = { x1: x + dx, y1: y + dy, x2: x2 + dx, y2: y2 + dy };
        inside(orderly(box));
        const dashed = strokeDash !== undefined && strokeDash.length > 0;
        if (!drawRule(raster, box, { dashed, ascii: look.ascii }))
          drawLine(
            raster,
            [
              { x: box.x1, y: box.y1 },
              { x: box.x2, y: box.y2 },
            ],
            paints.of(stroke, opacityOf(item, 'stroke')),
            dashed,
          );
      }
      return [];
    case 'symbol': {
      const many = seen.length > raster.width * raster.height * crowd;
      for (const item of seen) {
        const [x, y] = [(item.x ?? 0) + dx, (item.y ?? 0) + dy];
        inside({ x1: x, y1: y, x2: x, y2: y });
        const paint = isHollow(item) ? paints.of(item.stroke, opacityOf(item, 'stroke')) : paintOf(item, drawing);
        if (paint !== 0) drawSymbol(raster, item, x, y, paint, { ascii: look.ascii, many });
      }
      return [];
    }
    case 'line':
      for (const part of splitDefined(seen)) {
        const first = part[0] as SceneItem;
        const paint = paints.of(first.stroke, opacityOf(first, 'stroke'));
        const points = part.map(({ x = 0, y = 0 }) => ({ x: x + dx, y: y + dy }));
        for (const { x, y } of points) inside({ x1: x, y1: y, x2: x, y2: y });
        if (paint !== 0)
          drawLine(raster, bent(points, first, drawing.view), paint, (first.strokeDash?.length ?? 0) > 0);
        if (paint !== 0 && look.apart && look.depth === 0 && !look.ascii)
          signLines(raster, points, paint, toLetter(paints.at(paint).series), paints.at(paint).series);
      }
      return [];
    case 'area':
      for (const part of splitDefined(seen)) fillArea(part, { dx, dy, inside }, drawing);
      return [];
    default:
      throw refuse(`marks of the kind ${mark.marktype}`);
  }
}

/** Names of points are optional: no room is reserved for them. */
export function isOptional({ name }: SceneMark): boolean {
  return name !== undefined && name.startsWith(pointNames);
}

function fillArea(
  part: readonly SceneItem[],
  { dx, dy, inside }: { readonly dx: number; readonly dy: number; readonly inside: (box: Box) => void },
  drawing: Drawing,
): void {
  const first = part[0] as SceneItem;
  const { raster, paints, view, look } = drawing;
  const paint = paints.of(first.fill, opacityOf(first, 'fill'));
  if (paint === 0) return;
  const lying = first.orient === 'horizontal';
  const values = part.map(({ x = 0, y = 0 }) => ({ x: x + dx, y: y + dy }));
  const bases = part.map(({ x = 0, y = 0, x2 = x, y2 = y }) =>
    lying ? { x: x2 + dx, y: y + dy } : { x: x + dx, y: y2 + dy },
  );
  for (const { x, y } of [...values, ...bases]) inside({ x1: x, y1: y, x2: x, y2: y });
  const [upper, base] = [bent(values, first, view), bent(bases, first, view)];
  const spans = upper.map((point, index): PixelRun => {
    const below = base[index] as Point;
    return lying ? { at: point.y, from: below.x, to: point.x } : { at: point.x, from: below.y, to: point.y };
  });
  const { series, faint } = paints.at(paint);
  // With few colours, faint areas are thinner.
  const texture = look.ascii
    ? full
    : faint && look.depth < 8
      ? sparse
      : look.apart && look.depth === 0
        ? (textures[series % textures.length] as Texture)
        : full;
  drawArea(raster, spans, paint, lying, texture);
}

const full: Texture = () => true;

const sparse: Texture = (column, row) => row % 2 === 0 && column % 2 === 0;

/** Neighbouring textures can be told apart. */
export const textures: readonly Texture[] = [
  full,
  (column, row) => (column + row) % 2 === 0,
  () => false,
  (column) => column % 2 === 0,
  sparse,
  (_, row) => row % 2 === 0,
];

function bent(
  points: readonly Point[],
  { interpolate = 'linear', tension, orient }: SceneItem,
  view: PlotView,
): readonly Point[] {
  if (interpolate === 'linear' || points.length < 2) return points;
  const curve = view.curve(interpolate, orient === 'horizontal', tension);
  if (!curve) throw refuse(`lines of the kind ${interpolate}`);
  return toCurvePoints(points, curve);
}

/** Splits a line at missing values. */
function splitDefined(items: readonly SceneItem[]): readonly (readonly SceneItem[])[] {
  const parts: SceneItem[][] = [[]];
  for (const item of items) {
    if (item.defined === false) parts.push([]);
    else parts.at(-1)?.push(item);
  }
  return parts.filter((part) => part.length > 0);
}

function paintOf(item: SceneItem, { paints }: Drawing, shade?: number): number {
  return (
    paints.of(item.fill, opacityOf(item, 'fill'), shade) || paints.of(item.stroke, opacityOf(item, 'stroke'), shade)
  );
}

function opacityOf({ opacity = 1, fillOpacity = 1, strokeOpacity = 1 }: SceneItem, part: 'fill' | 'stroke'): number {
  return opacity * (part === 'fill' ? fillOpacity : strokeOpacity);
}

/**
 * The position of a colour's value on its scale, from 0 to 1. If the terminal has many colours, always 0, which only
 * says that the colour is a shade.
 */
function shadeOf(item: SceneItem, name: string | undefined, { view, look }: Drawing): number | undefined {
  const found = view.shades.get(name ?? '');
  if (!found) return undefined;
  if (look.depth >= 8) return 0;
  const domain = (view.scale(found.scale)?.domain() ?? []).map(Number);
  const value = item.datum?.[found.field.replaceAll('\\', '')];
  const [from = 0, to = 1] = [domain[0], domain.at(-1)];
  if (typeof value !== 'number') return undefined;
  // There are only four shades. Halve first: the difference of two large numbers can overflow.
  const share = (value / 2 - from / 2) / (to / 2 - from / 2);
  return to === from ? 1 : Math.floor(Math.min(0.99, Math.max(0, share)) * 4) / 4;
}

function boxOf({ x = 0, y = 0, width = 0, height = 0 }: SceneItem): Box {
  return { x1: x, y1: y, x2: x + width, y2: y + height };
}

function moved({ x1, y1, x2, y2 }: Box, dx: number, dy: number): Box {
  return { x1: x1 + dx, y1: y1 + dy, x2: x2 + dx, y2: y2 + dy };
}

function orderly({ x1, y1, x2, y2 }: Box): Box {
  return { x1: Math.min(x1, x2), x2: Math.max(x1, x2), y1: Math.min(y1, y2), y2: Math.max(y1, y2) };
}

/** Refuses what exceeds the axes: a picture would show it, but here it would be cut and look smaller than it is. */
function checkInside({ width, height }: Raster, { x1, y1, x2, y2 }: Box, clipped: boolean): void {
  if (!Number.isFinite(x1 + y1 + x2 + y2)) throw beyondNumbers();
  const { width: wide, height: high } = cellSize;
  if (!clipped && (x1 < -wide || y1 < -high || x2 > (width + 1) * wide || y2 > (height + 1) * high))
    throw refuse('values outside its axes', 'Widen the scale, or set `clip: true` for the mark.');
}
