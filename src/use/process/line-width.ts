import type { Effects } from './effects.ts';
import type { GlobalFlags } from './global-flags.ts';

/** Limits of `--width`, in cells: a narrower table does not fit, and a larger number is probably a typo. */
export const leastWidth = 20;
export const mostWidth = 1000;

/**
 * The width of a line on stdout, in cells: `--width`, else COLUMNS, else that of the terminal. COLUMNS also applies to
 * pipes, as POSIX says and `ls`, `ps` and `git` do. Undefined (no limit) on a pipe without either.
 */
export function lineWidth(
  { width }: Pick<GlobalFlags, 'width'>,
  { stdout, env }: Pick<Effects, 'stdout' | 'env'>,
): number | undefined {
  return width ?? readColumns(env['COLUMNS']) ?? (stdout.isTerminal ? stdout.columns || 80 : undefined);
}

/** Shells and programs set COLUMNS, so ignores an invalid value. */
function readColumns(text: string | undefined): number | undefined {
  const width = text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return width >= leastWidth && width <= mostWidth ? width : undefined;
}
