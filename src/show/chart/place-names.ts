import { textWidth } from '../fonts/text-width.ts';

/** What the layers are called that hold names of points, which are left out where there is no room for them. */
export const pointNames = 'point_names';

export interface NamedPoint {
  readonly x: number;
  readonly y: number | null;
  readonly label: string;
}

export interface NamesRoom {
  /** Pixels, for the plot and its labels. */
  readonly width: number;
  readonly height: number;
  /** Whether the scales begin at 0. */
  readonly fromZero: { readonly x: boolean; readonly y: boolean };
}

/** More points than these are a cloud, in which names would hide what it looks like. */
const mostNamed = 30;
/** What the labels of the upward axis take, about. */
const axisRoom = 50;
/**
 * From the middle of a point to its name, and what a point and a line of text take; a little more, because where they
 * stand is an estimate.
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
 * On which side of its point each name stands so that it lies on no other point or name; undefined where there is no
 * room.
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

/** Halves of the largest numbers are as far apart as a number can be. */
function toPixels(values: readonly number[], length: number, fromZero: boolean): readonly number[] {
  const least = values.reduce((a, b) => Math.min(a, b), fromZero ? 0 : Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), fromZero ? 0 : -Infinity);
  const span = most / 2 - least / 2;
  return values.map((value) => (span === 0 ? length / 2 : ((value / 2 - least / 2) / span) * length));
}
