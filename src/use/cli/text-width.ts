import type { Sink } from './effects.ts';

/** Prose is hardest to follow in lines longer than this, and a pipe has no width of its own. */
const widest = 100;

/** Cells that lines of prose may take: the terminal's width where it is the narrower one. */
export function textWidth({ isTerminal, columns }: Sink): number {
  return isTerminal && columns ? Math.min(widest, columns) : widest;
}
