import type { Effects } from './effects.ts';
import type { GlobalFlags } from './global-flags.ts';

/** Cells of a line. Fewer hold no table, and more are a slip of the hand. */
export const leastWidth = 20;
export const mostWidth = 1000;

/**
 * The cells of a line of stdout: as `--width` says, else the variable COLUMNS, which goes before the terminal and holds
 * on a pipe, too (POSIX, and so `ls`, `ps` and `git`), else as many as the terminal has. Undefined on a pipe where
 * nobody says
 * anything: no bound.
 */
export function lineWidth(
  { width }: Pick<GlobalFlags, 'width'>,
  { stdout, env }: Pick<Effects, 'stdout' | 'env'>,
): number | undefined {
  return width ?? readColumns(env['COLUMNS']) ?? (stdout.isTerminal ? stdout.columns || 80 : undefined);
}

/** Shells and programs set it; what is no width is nobody's mistake here, and says nothing. */
function readColumns(text: string | undefined): number | undefined {
  const width = text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return width >= leastWidth && width <= mostWidth ? width : undefined;
}
