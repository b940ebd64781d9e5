import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { themes } from '../../../../src/show/chart/palette.ts';
import { blend, luminance, toFreeName, toParameters, toRgb } from '../../../../src/show/terminal/chart/colour.ts';

const byte = fc.nat(255);
const rgb = (text: string) => Number.parseInt(text.slice(1), 16);
const steps = [0, 95, 135, 175, 215, 255];
const shown = (index: number) =>
  index >= 232
    ? [0, 1, 2].map(() => 8 + (index - 232) * 10)
    : [Math.floor((index - 16) / 36), Math.floor((index - 16) / 6) % 6, (index - 16) % 6].map((step) => steps[step]!);

describe('terminal colours', () => {
  it('are written unchanged with true colour, and not at all without colours', () => {
    expect(toParameters(0x0072b2, 24, false)).toBe('38;2;0;114;178');
    expect(toParameters(0x0072b2, 24, true)).toBe('48;2;0;114;178');
    expect(toParameters(0x0072b2, 0, false)).toBe('');
  });

  it('become one of 256 that is hardly further away than the nearest of all', () => {
    fc.assert(
      fc.property(byte, byte, byte, (red, green, blue) => {
        const distance = (index: number) =>
          Math.hypot(...shown(index).map((part, at) => part - [red, green, blue][at]!));
        const index = Number(toParameters(toRgb(red, green, blue), 8, false).split(';')[2]);
        const best = Math.min(...Array.from({ length: 240 }, (_, at) => distance(at + 16)));
        expect(distance(index)).toBeLessThanOrEqual(best + 20);
      }),
    );
  });

  it.each([
    ['red', 0xd01010, /^(?:31|91)$/],
    ['green', 0x20a020, /^(?:32|92)$/],
    ['blue', 0x2040d0, /^(?:34|94)$/],
    ['grey', 0x808080, /^90$/],
    ['white', 0xffffff, /^97$/],
    ['black', 0x000000, /^30$/],
  ])('keep their hue among sixteen: %s', (_, colour, parameters) => {
    expect(toParameters(colour, 4, false)).toMatch(parameters);
  });

  it.each(['light', 'dark'] as const)(
    'of sixteen belong to one series each, and stand out from the %s background',
    (name) => {
      const { series, background } = themes[name];
      const taken = new Set<number>();
      for (const colour of series) {
        const free = toFreeName(rgb(colour), taken, rgb(background));
        expect(taken.has(free)).toBe(false);
        expect(Math.abs(luminance(free) - luminance(rgb(background)))).toBeGreaterThan(0.03);
        taken.add(free);
      }
    },
  );

  it('blend with the background by their opacity', () => {
    expect(blend(0xffffff, 0x000000, 0.5)).toBe(0x808080);
    expect(blend(0x123456, 0xffffff, 1)).toBe(0x123456);
  });
});
