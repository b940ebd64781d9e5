import { dotSize, slack, type Raster, setDot, setDotAt } from './raster.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Dots on and off along a dashed line. */
const dash = { on: 2, off: 2 } as const;

/** Draws a line through points, one dot wide. The points themselves are exact. */
export function drawLine(raster: Raster, points: readonly Point[], paint: number, dashed: boolean): void {
  const [first] = points;
  if (first && points.length === 1) setDot(raster, first.x, first.y, paint);
  let step = 0;
  for (let index = 1; index < points.length; index += 1) {
    const [from, to] = [points[index - 1] as Point, points[index] as Point];
    const count = Math.max(1, Math.ceil(Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y)) / dotSize));
    for (let part = index === 1 ? 0 : 1; part <= count; part += 1) {
      const share = part / count;
      if (!dashed || step % (dash.on + dash.off) < dash.on)
        setDot(raster, from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share, paint);
      step += 1;
    }
  }
}

/** The dots of an area that are set, so that areas differ without colour. Their edge is always set. */
export type Texture = (column: number, row: number) => boolean;

export interface PixelRun {
  /** Position along the base, in pixels. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Fills the dots between two edges: `from` is the base, `to` the value. `lying` if the base runs down, not across. */
export function drawArea(
  raster: Raster,
  spans: readonly PixelRun[],
  paint: number,
  lying: boolean,
  texture: Texture,
): void {
  const [first] = spans;
  if (first && spans.length === 1)
    fillSpan(raster, first, Math.floor(first.at / dotSize + slack), paint, lying, texture);
  for (let index = 1; index < spans.length; index += 1) {
    const [a, b] = [spans[index - 1] as PixelRun, spans[index] as PixelRun].sort((one, other) => one.at - other.at) as [
      PixelRun,
      PixelRun,
    ];
    const start = Math.floor(a.at / dotSize + slack);
    const end = Math.floor(b.at / dotSize + slack);
    for (let dot = start; dot <= end; dot += 1) {
      const at = Math.min(b.at, Math.max(a.at, (dot + 0.5) * dotSize));
      const share = b.at - a.at < slack ? 0 : (at - a.at) / (b.at - a.at);
      fillSpan(
        raster,
        { at, from: a.from + (b.from - a.from) * share, to: a.to + (b.to - a.to) * share },
        dot,
        paint,
        lying,
        texture,
      );
    }
  }
}

function fillSpan(
  raster: Raster,
  { from, to }: PixelRun,
  along: number,
  paint: number,
  lying: boolean,
  texture: Texture,
): void {
  const [wide, high] = [raster.width * 2, raster.height * 4];
  const place = Math.min(along, (lying ? high : wide) - 1);
  const most = lying ? wide : high;
  const start = Math.max(0, Math.round(Math.min(from, to) / dotSize));
  const end = Math.min(most, Math.round(Math.max(from, to) / dotSize));
  const edge = to <= from ? start : end - 1;
  for (let dot = start; dot < end; dot += 1) {
    const [column, row] = lying ? [dot, place] : [place, dot];
    if (dot === edge || texture(column, row)) setDotAt(raster, column, row, paint);
  }
}

/** A curve of d3-shape, which takes points and draws on a canvas-like context. */
interface Curve {
  readonly lineStart: () => void;
  readonly lineEnd: () => void;
  readonly point: (x: number, y: number) => void;
}

export type CurveMaker = (context: CurveContext) => Curve;

interface CurveContext {
  moveTo: (x: number, y: number) => void;
  lineTo: (x: number, y: number) => void;
  bezierCurveTo: (x1: number, y1: number, x2: number, y2: number, x: number, y: number) => void;
  quadraticCurveTo: (x1: number, y1: number, x: number, y: number) => void;
  closePath: () => void;
}

/** Number of straight pieces per curve segment. */
const pieces = 8;

/** Points so close together that straight lines between them look like the curve. */
export function toCurvePoints(points: readonly Point[], make: CurveMaker): readonly Point[] {
  const found: Point[] = [];
  const add = (x: number, y: number) => {
    found.push({ x, y });
  };
  const bend = (at: (share: number) => readonly [x: number, y: number]) => {
    for (let piece = 1; piece <= pieces; piece += 1) add(...at(piece / pieces));
  };
  const last = () => found.at(-1) ?? { x: 0, y: 0 };
  const curve = make({
    moveTo: add,
    lineTo: add,
    closePath: () => {},
    bezierCurveTo: (x1, y1, x2, y2, x, y) => {
      const from = last();
      bend((t) => [cubic(from.x, x1, x2, x, t), cubic(from.y, y1, y2, y, t)]);
    },
    quadraticCurveTo: (x1, y1, x, y) => {
      const from = last();
      bend((t) => [quadratic(from.x, x1, x, t), quadratic(from.y, y1, y, t)]);
    },
  });
  curve.lineStart();
  for (const { x, y } of points) curve.point(x, y);
  curve.lineEnd();
  return found;
}

function cubic(a: number, b: number, c: number, d: number, t: number): number {
  return (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
}

function quadratic(a: number, b: number, c: number, t: number): number {
  return (1 - t) ** 2 * a + 2 * (1 - t) * t * b + t ** 2 * c;
}
