type Rgb = readonly [red: number, green: number, blue: number];

/** Black or white, whichever can be read better on a colour: one of them always has a contrast of 4.5 to 1. */
export function toInk(colour: string): string {
  return toContrast(colour, '#000000') >= toContrast(colour, '#ffffff') ? '#000000' : '#ffffff';
}

/** How well two colours, `#rrggbb`, stand out from one another: 1 to 21. Source: WCAG 2.2, contrast ratio. */
export function toContrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [toLuminance(one), toLuminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** A colour between two, as Vega's scales have it: 0 is the first, 1 the second. */
export function mixColours(first: string, second: string, share: number): string {
  const [a, b] = [toRgb(first), toRgb(second)];
  return `#${a.map((part, index) => Math.round(part + ((b[index] ?? 0) - part) * Math.min(1, Math.max(0, share))).toString(16).padStart(2, '0')).join('')}`;
}

function toLuminance(colour: string): number {
  const [red, green, blue] = toRgb(colour).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function toRgb(colour: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb;
}
