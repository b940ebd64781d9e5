import type { Effects, Sink } from './effects.ts';
import type { GlobalFlags } from './global-flags.ts';
import { lineWidth } from './line-width.ts';

/** Longer lines of prose are hard to read, and a pipe has no width. */
const widest = 100;

/** The width of prose on stdout, in cells: `--width`, else that of a line, but at most `widest`. */
export function textWidth({ width }: Pick<GlobalFlags, 'width'>, effects: Pick<Effects, 'stdout' | 'env'>): number {
  return width ?? Math.min(widest, lineWidth({}, effects) ?? widest);
}

/** The width of help, which is 80 on a pipe, as that of other tools. */
export function helpWidth(effects: Pick<Effects, 'stdout' | 'env'>): number {
  return Math.min(widest, lineWidth({}, effects) ?? 80);
}

/** The width of prompts. */
export function promptWidth({ columns }: Sink): number {
  return Math.min(widest, columns || widest);
}
