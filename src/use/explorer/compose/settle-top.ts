import { bodyRows } from '../screen-rooms.ts';
import type { ExplorerState } from '../state.ts';
import { cellHeight } from './cell-lines.ts';

/** The state with its cells scrolled so that the chosen one is in sight, and no further than that takes. */
export function settleTop(state: ExplorerState): ExplorerState {
  const heights = state.cells.map((cell) => cellHeight(cell, state));
  const start = heights.slice(0, state.current).reduce((sum, height) => sum + height, 0);
  const end = start + (heights[state.current] ?? 0);
  const all = heights.reduce((sum, height) => sum + height, 0);
  const room = bodyRows(state);
  const seen = end > state.top + room ? end - room : state.top;
  // Of what is higher than the screen, the beginning.
  const top = Math.max(0, Math.min(seen, start, Math.max(0, all - room)));
  return top === state.top ? state : { ...state, top };
}
