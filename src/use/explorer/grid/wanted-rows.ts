import { blockOf, blockRows, missingColumns, withAsked } from './grid-pages.ts';
import type { GridState, RowsWanted } from './grid-state.ts';
import { layOutColumns, shownColumns, bodyHeight } from './grid-layout.ts';

/** More concurrent requests would queue in the engine and be outdated by their turn. */
const mostAsked = 2;

/** Requests for visible rows, then for rows likely to be visible next; and the state that records them. */
export function askForRows(state: GridState): { readonly state: GridState; readonly wants: readonly RowsWanted[] } {
  let asking = state;
  const wants: RowsWanted[] = [];
  for (const { block, columns } of places(state)) {
    if (blocksAsked(asking) >= mostAsked) break;
    const missing = missingColumns(asking.pages, block, columns);
    if (missing.length === 0) continue;
    asking = { ...asking, pages: withAsked(asking.pages, block, missing) };
    wants.push(rowsOf(state, block, missing));
  }
  return { state: asking, wants };
}

/** The existing rows of a block. */
function rowsOf(
  { view, rowCount }: Pick<GridState, 'view' | 'rowCount'>,
  block: number,
  columns: readonly number[],
): RowsWanted {
  const start = block * blockRows;
  return { kind: 'rows', view, start, count: Math.min(blockRows, rowCount - start), columns };
}

/** Columns to load first in a new view: the visible ones and their neighbours. */
export function firstColumns(state: GridState): readonly number[] {
  const seen = layOutColumns(state).map(({ index }) => index);
  return [...seen, ...nextColumns(state, seen)];
}

function* places(state: GridState): Generator<{ readonly block: number; readonly columns: readonly number[] }> {
  if (state.rowCount === 0) return;
  const seen = layOutColumns(state).map(({ index }) => index);
  const height = Math.max(1, bodyHeight(state));
  const first = blockOf(state.top);
  const last = blockOf(Math.min(state.top + height, state.rowCount) - 1);
  const wider = [...seen, ...nextColumns(state, seen)];
  for (let block = first; block <= last; block += 1) yield { block, columns: seen };
  for (let block = first; block <= last; block += 1) yield { block, columns: wider };
  // Prefetch a screen or two in either direction.
  const after = blockOf(Math.min(state.top + 3 * height, state.rowCount - 1));
  const before = blockOf(Math.max(0, state.top - 2 * height));
  if (after > last) yield { block: after, columns: seen };
  if (before < first) yield { block: before, columns: seen };
  // Values that a question about the cursor's row needs.
  const groups = state.columns.flatMap(({ column }, index) =>
    column.kind === 'dimension' || column.kind === 'time' ? [index] : [],
  );
  yield { block: blockOf(state.row), columns: groups.slice(0, mostGroups) };
}

const mostGroups = 24;

/** About as many columns on either side as are visible. */
function nextColumns(state: GridState, seen: readonly number[]): readonly number[] {
  const others = shownColumns(state).filter((index) => !seen.includes(index));
  const last = seen.at(-1) ?? 0;
  const after = others.filter((index) => index > last).slice(0, Math.max(4, seen.length));
  const before = others.filter((index) => index < state.left).slice(-Math.max(4, seen.length));
  return [...after, ...before];
}

function blocksAsked({ pages }: GridState): number {
  return new Set([...pages.asked].map((key) => Math.floor(key / 0x10000))).size;
}
