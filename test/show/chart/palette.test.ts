import { describe, expect, it } from 'vitest';
import { mixColours, type ThemeName, themes, toContrast, toInk } from '../../../src/show/chart/palette.ts';

type Rgb = readonly number[];

/** Simulated colour vision: Machado, Oliveira and Fernandes (2009), severity 1, in linear light. */
const eyes: Readonly<Record<string, readonly Rgb[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function toLinear(colour: string): Rgb {
  return [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
}

function see(colour: string, eye: readonly Rgb[]): Rgb {
  const linear = toLinear(colour);
  return eye.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, part, index) => sum + part * linear[index]!, 0),
      ),
    ),
  );
}

/** Björn Ottosson's Oklab, in which distances approximate perceived ones. */
function toOklab([r = 0, g = 0, b = 0]: Rgb): Rgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function distance(a: string, b: string, eye: readonly Rgb[]): number {
  const [x, y] = [toOklab(see(a, eye)), toOklab(see(b, eye))];
  return Math.hypot(...x.map((part, index) => part - y[index]!));
}

describe.each(['light', 'dark'] as const)('the %s palette', (name: ThemeName) => {
  const theme = themes[name];
  const all = [...theme.series, theme.other];

  it('has ten colours', () => {
    expect(new Set(theme.series).size).toBe(10);
  });

  it('contrasts with its background by 3 to 1, and texts by 4.5 to 1', () => {
    for (const colour of [...all, theme.previous, theme.annotation, theme.sequence[1], theme.below])
      expect(toContrast(colour, theme.background), colour).toBeGreaterThanOrEqual(3);
    for (const colour of [theme.text, theme.quiet])
      expect(toContrast(colour, theme.background), colour).toBeGreaterThanOrEqual(4.5);
  });

  it.each(Object.keys(eyes))('keeps any two colours distinguishable in %s vision', (kind) => {
    for (const [index, one] of all.entries())
      for (const other of all.slice(0, index))
        expect(distance(one, other, eyes[kind]!), `${one} ${other}`).toBeGreaterThan(0.08);
  });

  it('writes readable text on every shade of a heat map', () => {
    for (const end of [theme.sequence[1], theme.below]) {
      for (let share = 0; share <= 1; share += 0.01) {
        const shade = mixColours(theme.sequence[0], end, share);
        expect(toContrast(shade, toInk(shade)), shade).toBeGreaterThanOrEqual(4.5);
      }
    }
  });
});

describe('toContrast', () => {
  it('follows WCAG', () => {
    expect(toContrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(toContrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });
});
