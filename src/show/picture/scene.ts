/** The part of Vega's scene graph that a picture needs: marks contain items, and group items contain marks. */
export interface SceneMark {
  readonly marktype: string;
  readonly items?: readonly SceneItem[];
  readonly clip?: unknown;
  readonly group?: SceneItem;
}

export interface SceneItem {
  readonly [property: string]: unknown;
  readonly items?: readonly SceneMark[];
}

/**
 * The path of a straight line. A single point is closed, so that its caps are visible. Undefined for curves, which Vega
 * draws, several times slower.
 */
export function drawStraightLine(items: readonly SceneItem[]): string | undefined {
  const interpolate = items[0]?.['interpolate'];
  if (interpolate !== undefined && interpolate !== null && interpolate !== 'linear') return undefined;
  let path = '';
  let points = 0;
  for (const { x, y, defined } of items) {
    if (defined === false) {
      if (points === 1) path += 'Z';
      points = 0;
      continue;
    }
    path += `${points === 0 ? 'M' : 'L'}${place(x)},${place(y)}`;
    points += 1;
  }
  return points === 1 ? `${path}Z` : path;
}

function place(position: unknown): number {
  return typeof position === 'number' ? position : 0;
}
