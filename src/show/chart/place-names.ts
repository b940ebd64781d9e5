import { textWidth } from '../fonts/text-width.ts';

/** Name of the layers that hold the names of points. A terminal may omit them if they do not fit. */
export const pointNames = 'point_names';

interface NamedPoint {
  readonly x: number;
  readonly y: number | null;
  readonly label: string;
}

interface NamesRoom {
  /** Pixels, for the plot and its labels. */
  readonly width: number;
  readonly height: number;
  /** True if the scale begins at 0. */
  readonly fromZero: { readonly x: boolean; readonly y: boolean };
}

/** The most points with names. In a larger cloud, names would hide its form. */
const mostNamed = 30;
/** Approximate width of the labels of the vertical axis. */
const axisRoom = 50;
/**
 * Distance from the centre of a point to its name, size of a point, and half the height of a line. Generous, because
 * positions are estimated.
 */
const distance = 6;
const pointSize = 6;
const halfLine = 9;

interface LabelPosition {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/**
 * Chooses a side of its point for each name so that it covers no other point or name; undefined if there is no room.
 */
export function placeNames(
  points: readonly NamedPoint[],
  { width, height, fromZero }: NamesRoom,
): readonly ('left' | 'right' | undefined)[] {
  if (points.length > mostNamed) return points.map(() => undefined);
  const room = Math.max(0, width - axisRoom);
  const [across, up] = [
    toPixels(
      points.map(({ x }) => x),
      room,
      fromZero.x,
    ),
    toPixels(
      points.map(({ y }) => y ?? 0),
      height,
      fromZero.y,
    ),
  ];
  const taken: LabelPosition[] = points.map((_, index) => ({
    left: (across[index] ?? 0) - pointSize,
    right: (across[index] ?? 0) + pointSize,
    y: up[index] ?? 0,
  }));
  return points.map(({ label, y }, index) => {
    const at = across[index] ?? 0;
    const cells = textWidth(label, { size: 11 }) + distance;
    const sides = [
      ['right', { left: at + distance, right: at + distance + cells, y: up[index] ?? 0 }],
      ['left', { left: at - distance - cells, right: at - distance, y: up[index] ?? 0 }],
    ] as const;
    const free =
      y === null || label === ''
        ? undefined
        : sides.find(
            ([, place]) =>
              place.left >= 0 &&
              place.right <= room &&
              taken.every((other, each) => each === index || !isOver(place, other)),
          );
    if (free) taken.push(free[1]);
    return free?.[0];
  });
}

function isOver(one: LabelPosition, other: LabelPosition): boolean {
  return one.left < other.right && other.left < one.right && Math.abs(one.y - other.y) < 2 * halfLine;
}

/** Halve first: the difference of two large numbers can overflow. */
function toPixels(values: readonly number[], length: number, fromZero: boolean): readonly number[] {
  const least = values.reduce((a, b) => Math.min(a, b), fromZero ? 0 : Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), fromZero ? 0 : -Infinity);
  const span = most / 2 - least / 2;
  return values.map((value) => (span === 0 ? length / 2 : ((value / 2 - least / 2) / span) * length));
}
