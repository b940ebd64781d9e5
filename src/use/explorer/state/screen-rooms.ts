import type { ExplorerState } from './state.ts';

// How the screen is shared out, in cells: a line at the top, one at the bottom, the prompt above that, the rest between
// them.

export interface Room {
  readonly width: number;
  readonly height: number;
}

/** Lines that are always there: the title at the top, the help at the bottom. */
export const fixedLines = 2;

/** The line that is typed, and two for what is to be said about it, so that nothing moves when it is said. */
export const promptLines = 3;

/** Lines for the cells. */
export function bodyRows({ size }: Pick<ExplorerState, 'size'>): number {
  return Math.max(0, size.rows - fixedLines - promptLines);
}

/** Where the rows of one answer are looked at, the line of its question standing above. */
export function gridRoom({ size }: Pick<ExplorerState, 'size'>): Room {
  return { width: Math.max(1, size.columns), height: Math.max(1, size.rows - fixedLines - 1) };
}

/** Of a chart in its cell. */
export function chartRoom({ size }: Pick<ExplorerState, 'size'>): Room {
  return {
    width: Math.max(1, size.columns - indent),
    height: Math.max(4, Math.min(size.rows - 8, Math.max(16, Math.floor(size.rows * 0.7)))),
  };
}

/** Rows of a table in its cell. */
export function tableRows({ size }: Pick<ExplorerState, 'size'>): number {
  return Math.max(3, Math.min(size.rows - 12, Math.max(12, Math.floor(size.rows * 0.5))));
}

/** What stands below the line of a question is moved in by so many cells. */
export const indent = 2;
