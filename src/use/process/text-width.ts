import type { Effects, Sink } from './effects.ts';
import type { GlobalFlags } from './global-flags.ts';
import { lineWidth } from './line-width.ts';

/** Prose is hardest to follow in lines longer than this, and a pipe has no width of its own. */
const widest = 100;

/**
 * Cells that lines of prose on stdout may take: as many as are asked for, else those of a line where they are fewer.
 */
export function textWidth({ width }: Pick<GlobalFlags, 'width'>, effects: Pick<Effects, 'stdout' | 'env'>): number {
  return width ?? Math.min(widest, lineWidth({}, effects) ?? widest);
}

/** The same where a person is asked. */
export function promptWidth({ columns }: Sink): number {
  return Math.min(widest, columns || widest);
}
