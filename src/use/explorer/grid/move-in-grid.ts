import { bodyHeight, showColumn, shownColumns } from './grid-layout.ts';
import type { GridState } from './grid-state.ts';

/** The state with the cursor in this row, or the nearest that there is, and in sight. */
export function toRow(state: GridState, row: number): GridState {
  const to = clamp(row, 0, Math.max(0, state.rowCount - 1));
  const height = Math.max(1, bodyHeight(state));
  const top = to < state.top ? to : to >= state.top + height ? to - height + 1 : state.top;
  return { ...state, row: to, top: clampTop(state, top) };
}

/** A whole screen, or half of one, at once: what is seen moves as far as the cursor does. */
export function byRows(state: GridState, rows: number): GridState {
  return toRow({ ...state, top: clampTop(state, state.top + rows) }, state.row + rows);
}

/** What is seen moves, the cursor only as far as it has to, so as to stay in sight. */
export function scrollRows(state: GridState, rows: number): GridState {
  const top = clampTop(state, state.top + rows);
  const height = Math.max(1, bodyHeight(state));
  return { ...state, top, row: clamp(state.row, top, Math.max(top, Math.min(top + height, state.rowCount) - 1)) };
}

/** The state with the cursor so many columns further on. */
export function byColumns(state: GridState, count: number): GridState {
  const shown = shownColumns(state);
  const at = shown.indexOf(state.column);
  const to = shown[clamp((at === -1 ? 0 : at) + count, 0, shown.length - 1)];
  return to === undefined ? state : showColumn({ ...state, column: to });
}

/** The state after its room, its rows or its columns have changed: what was in sight stays so where it can. */
export function settle(state: GridState): GridState {
  return showColumn(toRow({ ...state, top: clampTop(state, state.top) }, state.row));
}

function clampTop(state: GridState, top: number): number {
  return clamp(top, 0, Math.max(0, state.rowCount - Math.max(1, bodyHeight(state))));
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
