import { luminanceOf } from '../../chart/palette.ts';
import type { ColourDepth } from './draw-chart-options.ts';

/** Red, green and blue, eight bits each. */
export type Rgb = number;

export function toRgb(red: number, green: number, blue: number): Rgb {
  return (clampByte(red) << 16) | (clampByte(green) << 8) | clampByte(blue);
}

/** The visible colour of a translucent colour on a background. */
export function blend(over: Rgb, ground: Rgb, opacity: number): Rgb {
  const [a, b] = [partsOf(over), partsOf(ground)];
  return toRgb(mix(a[0], b[0], opacity), mix(a[1], b[1], opacity), mix(a[2], b[2], opacity));
}

/** Perceived brightness, 0 to 1: relative luminance of WCAG 2. */
export function luminance(rgb: Rgb): number {
  return luminanceOf(partsOf(rgb));
}

/** Parameters of the control sequence that sets a text or background colour. Empty without colour. */
export function toParameters(rgb: Rgb, depth: ColourDepth, ground: boolean): string {
  if (depth === 0) return '';
  if (depth === 24) return `${ground ? 48 : 38};2;${partsOf(rgb).join(';')}`;
  if (depth === 8) return `${ground ? 48 : 38};5;${toCubeIndex(rgb)}`;
  const index = toNameIndex(rgb);
  return String((ground ? 40 : 30) + (index < 8 ? index : index + 52));
}

const cubeSteps = [0, 95, 135, 175, 215, 255] as const;

/** The nearest of the colours 16 to 255, which are the same on every terminal with 256 colours. */
function toCubeIndex(rgb: Rgb): number {
  const [red, green, blue] = partsOf(rgb);
  const steps = [red, green, blue].map((part) => nearestIndex(cubeSteps, part)) as [number, number, number];
  const cube = toRgb(...(steps.map((step) => cubeSteps[step]) as [number, number, number]));
  const grey = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const shade = 8 + grey * 10;
  if (distance(toRgb(shade, shade, shade), rgb) < distance(cube, rgb)) return 232 + grey;
  return 16 + 36 * steps[0] + 6 * steps[1] + steps[2];
}

/** The sixteen colours as xterm shows them. Other terminals use similar ones. */
const named: readonly Rgb[] = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00,
  0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];

/** The nearest named colour by hue. Greys map to greys. */
function toNameIndex(rgb: Rgb): number {
  const exact = named.indexOf(rgb);
  if (exact >= 0) return exact;
  const [hue, saturation] = toHue(rgb);
  if (saturation < 0.15)
    return nearestIndex(
      greys.map((index) => luminance(named[index] as Rgb)),
      luminance(rgb),
      greys,
    );
  const bright = luminance(rgb) > 0.2 ? 8 : 0;
  return bright + (hueNames[Math.round(hue / 60) % 6] as number);
}

/** The nearest of the sixteen colours that is not taken; the nearest of all if none is free. */
export function toFreeName(rgb: Rgb, taken: ReadonlySet<Rgb>, ground: Rgb): Rgb {
  const nearest = named[toNameIndex(rgb)] as Rgb;
  const free = (colour: Rgb | undefined): colour is Rgb =>
    colour !== undefined && !taken.has(colour) && Math.abs(luminance(colour) - luminance(ground)) > 0.05;
  if (free(nearest)) return nearest;
  const others = [...named].filter(free).sort((a, b) => distance(a, rgb) - distance(b, rgb));
  return others[0] ?? nearest;
}

const greys = [0, 8, 7, 15] as const;
/** Red, yellow, green, cyan, blue, magenta, in steps of sixty degrees. */
const hueNames = [1, 3, 2, 6, 4, 5] as const;

function toHue(rgb: Rgb): readonly [hue: number, saturation: number] {
  const [red, green, blue] = partsOf(rgb);
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (spread === 0) return [0, 0];
  const turn =
    most === red ? (green - blue) / spread : most === green ? 2 + (blue - red) / spread : 4 + (red - green) / spread;
  return [(turn * 60 + 360) % 360, spread / most];
}

function nearestIndex(values: readonly number[], wanted: number, names?: readonly number[]): number {
  let best = 0;
  values.forEach((value, index) => {
    if (Math.abs(value - wanted) < Math.abs((values[best] as number) - wanted)) best = index;
  });
  return names?.[best] ?? best;
}

function distance(a: Rgb, b: Rgb): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  return (left[0] - right[0]) ** 2 + (left[1] - right[1]) ** 2 + (left[2] - right[2]) ** 2;
}

function partsOf(rgb: Rgb): readonly [number, number, number] {
  return [rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff];
}

function mix(over: number, ground: number, opacity: number): number {
  return Math.round(over * opacity + ground * (1 - opacity));
}

function clampByte(part: number): number {
  return Math.max(0, Math.min(255, Math.round(part)));
}
