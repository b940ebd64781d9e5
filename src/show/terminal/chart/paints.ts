import { blend, toFreeName, type Rgb } from './colour.ts';
import type { ColourDepth } from './draw-chart-options.ts';
import { refuse } from './undrawable.ts';

/** How something is painted. */
export interface Paint {
  readonly rgb: Rgb;
  /** Number of the colour, counted from 0 in the order of the legend. */
  readonly series: number;
  /** Translucent. */
  readonly faint: boolean;
  /** If the colour stands for a number: its position on the scale, 0 to 1. */
  readonly shade: number | undefined;
}

/** The paints of a chart by number; 0 means none. */
export interface Paints {
  /** The number of a Vega colour with its opacity; 0 if it is invisible. */
  readonly of: (colour: unknown, opacity?: number, shade?: number) => number;
  readonly at: (id: number) => Paint;
  readonly seriesCount: () => number;
}

interface Ground {
  readonly depth: ColourDepth;
  readonly dark: boolean;
}

/** A paint with less opacity is faint. */
const faintBelow = 0.65;

/** The format of colours from scales. */
const written = /^rgba?\(\d+, \d+, \d+(?:, [\d.]+)?\)$/;

function readHex(colour: string): readonly number[] | undefined {
  if (!/^#[\da-f]{6}$/i.test(colour)) return undefined;
  const rgb = Number.parseInt(colour.slice(1), 16);
  return [rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff];
}

/** `read` converts a CSS colour to `rgb(1, 2, 3)` or `rgba(1, 2, 3, 0.5)`. */
export function openPaints(read: (colour: string) => string, { depth, dark }: Ground): Paints {
  const ids = new Map<string, number>();
  const paints: Paint[] = [];
  const series = new Map<string, number>();
  const names = new Map<string, Rgb>();
  const ground = dark ? 0x000000 : 0xffffff;

  function toPaint(colour: string, opacity: number, shade: number | undefined): Paint | undefined {
    const [red = 0, green = 0, blue = 0, alpha = 1] =
      readHex(colour) ?? ((written.test(colour) ? colour : read(colour)).match(/[\d.]+/g) ?? []).map(Number);
    const seen = alpha * opacity;
    if (!(seen > 0)) return undefined;
    const number = series.get(colour) ?? series.size;
    if (shade === undefined) series.set(colour, number);
    const rgb = (red << 16) | (green << 8) | blue;
    if (depth === 4 && shade === undefined) {
      const name = names.get(colour) ?? toFreeName(rgb, new Set(names.values()), ground);
      names.set(colour, name);
      return { rgb: name, series: number, faint: seen < faintBelow, shade };
    }
    return { rgb: blend(rgb, ground, seen), series: number, faint: seen < faintBelow, shade };
  }

  return {
    of: (colour, opacity = 1, shade) => {
      if (colour === undefined || colour === null || colour === '' || colour === 'none') return 0;
      if (typeof colour !== 'string') throw refuse('gradients');
      const key = `${colour} ${opacity} ${shade ?? ''}`;
      const known = ids.get(key);
      if (known !== undefined) return known;
      const paint = toPaint(colour, opacity, shade);
      const id = paint ? paints.push(paint) : 0;
      ids.set(key, id);
      return id;
    },
    at: (id) => paints[id - 1] as Paint,
    seriesCount: () => series.size,
  };
}
