import type { Point } from './draw-paths.ts';

/** A curve of d3-shape: it takes points and draws on what looks like a canvas. */
export interface Curve {
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

/** Pieces of a bend that are drawn straight. */
const pieces = 8;

/** Points so close to each other that the lines between them look like the curve. */
export function toCurvePoints(points: readonly Point[], make: CurveMaker): readonly Point[] {
  const found: Point[] = [];
  const add = (x: number, y: number) => { found.push({ x, y }); };
  const bend = (at: (share: number) => readonly [x: number, y: number]) => {
    for (let piece = 1; piece <= pieces; piece += 1) add(...at(piece / pieces));
  };
  const last = () => found.at(-1) ?? { x: 0, y: 0 };
  const curve = make({
    moveTo: add, lineTo: add, closePath: () => {},
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
