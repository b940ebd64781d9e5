import type { RowFilter, RowSort } from '../../../run/stored-view.ts';
import { blockRows } from './grid-pages.ts';
import type { GridState, ViewWanted } from './grid-state.ts';
import { firstColumns } from './wanted-rows.ts';

export interface ViewChange {
  readonly sort?: readonly RowSort[] | undefined;
  readonly filter?: { readonly text: string; readonly filters: readonly RowFilter[] } | undefined;
}

/** Asks for other rows. Until they are there, those that are drawn stay. */
export function openView(state: GridState, change: ViewChange): { readonly state: GridState; readonly want: ViewWanted } {
  const view = state.lastView + 1;
  const want: ViewWanted = {
    kind: 'view',
    view,
    sort: change.sort ?? state.opening?.sort ?? state.sort,
    filters: change.filter?.filters ?? state.opening?.filters ?? state.filters,
    filterText: change.filter?.text ?? state.opening?.filterText ?? state.filterText,
    rows: { start: 0, count: blockRows, columns: firstColumns(state) },
  };
  return { state: { ...state, opening: want, lastView: view, problem: undefined }, want };
}
