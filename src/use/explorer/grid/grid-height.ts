import type { GridState } from './grid-state.ts';
import { headingHeight } from './lay-out-columns.ts';

/** Lines that are not rows: headings and their rule above, the line that tells where one stands below. */
export function headLines(state: GridState): number {
  const { height } = state;
  return height >= 5 ? headingHeight(state) + 1 : height >= 2 ? 1 : 0;
}

export function footLines({ height }: Pick<GridState, 'height'>): number {
  return height >= 4 ? 1 : 0;
}

/** Rows that are in sight at once. */
export function bodyHeight(state: GridState): number {
  return Math.max(0, state.height - headLines(state) - footLines(state));
}
