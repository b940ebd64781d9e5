export type ThemeName = 'light' | 'dark';

/** The colours of a picture. */
export interface Theme {
  readonly background: string;
  readonly text: string;
  /** Axes, notes and other secondary parts. */
  readonly quiet: string;
  readonly grid: string;
  /** Used in this order. */
  readonly series: readonly string[];
  /** The series of all others. */
  readonly other: string;
  /** The previous range. */
  readonly previous: string;
  readonly annotation: string;
  /** From low to high. */
  readonly sequence: readonly [string, string];
  /** Negative values. */
  readonly below: string;
}

/**
 * The first two are Okabe and Ito's (their blue becomes sky blue on dark). A search found the others: any two of the
 * ten and the grey differ in normal sight and as protan, deutan and tritan eyes see them (Machado, Oliveira and
 * Fernandes, 2009). Each has a contrast of at least 3 to 1 with the background (WCAG 1.4.11).
 */
export const themes: Readonly<Record<ThemeName, Theme>> = {
  light: {
    background: '#ffffff',
    text: '#1f2328',
    quiet: '#59636e',
    grid: '#e3e6ea',
    series: [
      '#0072b2',
      '#d55e00',
      '#00604a',
      '#a03f81',
      '#0098f3',
      '#72130b',
      '#6114c1',
      '#264056',
      '#b01003',
      '#7d2386',
    ],
    other: '#8c8c8c',
    previous: '#8c8c8c',
    annotation: '#59636e',
    sequence: ['#e4eef7', '#00406b'],
    below: '#8a3b00',
  },
  dark: {
    background: '#14171c',
    text: '#e6e8eb',
    quiet: '#a3abb5',
    grid: '#2b3038',
    series: [
      '#56b4e9',
      '#e69f00',
      '#f0ef84',
      '#be1274',
      '#2c67fc',
      '#b5c8a7',
      '#8c5a00',
      '#9cfbfe',
      '#715aaf',
      '#b47d06',
    ],
    other: '#8c8f94',
    previous: '#8c8f94',
    annotation: '#a3abb5',
    sequence: ['#1d2a38', '#8fd0f7'],
    below: '#f2b56b',
  },
};

type Rgb = readonly [red: number, green: number, blue: number];

/** Black or white, whichever has more contrast with the colour: always at least 4.5 to 1. */
export function toInk(colour: string): string {
  return toContrast(colour, '#000000') >= toContrast(colour, '#ffffff') ? '#000000' : '#ffffff';
}

/** The contrast ratio of two colours (`#rrggbb`), from 1 to 21. Source: WCAG 2.2, contrast ratio. */
export function toContrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [toLuminance(one), toLuminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Interpolates between two colours as Vega's scales do: 0 is the first, 1 the second. */
export function mixColours(first: string, second: string, share: number): string {
  const [a, b] = [toRgb(first), toRgb(second)];
  return `#${a
    .map((part, index) =>
      Math.round(part + ((b[index] ?? 0) - part) * Math.min(1, Math.max(0, share)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

function toLuminance(colour: string): number {
  return luminanceOf(toRgb(colour));
}

/** Perceived brightness, 0 to 1: relative luminance of WCAG 2. Red, green and blue have eight bits each. */
export function luminanceOf(parts: Rgb): number {
  const [red, green, blue] = parts.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function toRgb(colour: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb;
}
