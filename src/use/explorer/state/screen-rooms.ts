import type { ExplorerState } from './state.ts';

// The layout of the screen in cells: title, body, prompt, help, from top to bottom.

export interface Room {
  readonly width: number;
  readonly height: number;
}

/** The title line at the top and the help line at the bottom. */
export const fixedLines = 2;

/** The prompt and two lines for messages, reserved so that nothing moves when a message appears. */
export const promptLines = 3;

/** Number of lines for cells. */
export function bodyRows({ size }: Pick<ExplorerState, 'size'>): number {
  return Math.max(0, size.rows - fixedLines - promptLines);
}

/** Room for the rows of one answer, below the line of its question. */
export function gridRoom({ size }: Pick<ExplorerState, 'size'>): Room {
  return { width: Math.max(1, size.columns), height: Math.max(1, size.rows - fixedLines - 1) };
}

/** Room for a chart in its cell. */
export function chartRoom({ size }: Pick<ExplorerState, 'size'>): Room {
  return {
    width: Math.max(1, size.columns - indent),
    height: Math.max(4, Math.min(size.rows - 8, Math.max(16, Math.floor(size.rows * 0.7)))),
  };
}

/** Number of table rows in a cell. */
export function tableRows({ size }: Pick<ExplorerState, 'size'>): number {
  return Math.max(3, Math.min(size.rows - 12, Math.max(12, Math.floor(size.rows * 0.5))));
}

/** Indent of the lines below a question, in cells. */
export const indent = 2;
