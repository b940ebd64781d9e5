import { cellWidth, truncateToCells } from '../../../show/labels/cell-width.ts';
import { wrapWords } from '../../../show/labels/wrap-words.ts';
import { signRoom } from './grid-cell.ts';
import type { GridColumn, GridState } from './grid-state.ts';

/** A column with its position on the screen. */
export interface PlacedColumn {
  readonly index: number;
  /** Cells from the left edge of the grid. */
  readonly x: number;
  readonly width: number;
}

/** Width left of the first column, for the marker of the cursor's row. */
export const gutter = 2;
const gap = 2;
const widest = 40;
const narrowest = 4;
/** Room for the sort arrow and its space. */
const headingRoom = 2;
const mostHeadingLines = 3;
/** A column cut to fewer cells is unreadable. */
const leastPart = 8;

/** Indexes of the columns that are not hidden. */
export function shownColumns({ columns, hidden }: Pick<GridState, 'columns' | 'hidden'>): readonly number[] {
  return columns.flatMap((_, index) => (hidden.includes(index) ? [] : [index]));
}

/** Preferred width of a column, in cells. */
export function widthOfColumn(state: GridState, index: number): number {
  return state.widths[index] ?? widthAt(state.columns[index], headingHeight(state));
}

function widthAt(column: GridColumn | undefined, lines: number): number {
  if (!column) return narrowest;
  const isNumber = column.column.type === 'number';
  const values = column.need + (column.marked ? signRoom(isNumber) : 0);
  const needed = Math.max(narrowest, values, Math.min(headingWidth(column, lines), widest));
  return isNumber ? needed : Math.min(widest, needed);
}

// Cached because every frame reads both; they change only with the columns and their room.
const headingWidths = new WeakMap<GridColumn, Map<number, number>>();
const heights = new WeakMap<readonly GridColumn[], { readonly key: string; readonly lines: number }>();

/** The smallest width in which a heading fits into `lines` lines with a sort arrow, at most `widest`. */
function headingWidth(column: GridColumn, lines: number): number {
  const known = headingWidths.get(column) ?? new Map<number, number>();
  headingWidths.set(column, known);
  let width = known.get(lines);
  if (width !== undefined) return width;
  const heading = truncateToCells(column.heading, lines * widest, '');
  width = lines === 1 ? cellWidth(heading) : Math.max(...heading.split(' ').map(cellWidth));
  while (lines > 1 && width < widest && wrapWords(heading, width).length > lines) width += 1;
  known.set(lines, width + headingRoom);
  return width + headingRoom;
}

/** The lines of a column's heading, beside the sort arrow. */
export function headingLines(
  { heading }: GridColumn,
  width: number,
  { most, ellipsis }: { readonly most: number; readonly ellipsis: string },
): readonly string[] {
  return most === 1
    ? [truncateToCells(heading, width, ellipsis)]
    : wrapWords(heading, width, { mostLines: most, ellipsis });
}

/**
 * Number of heading lines: the fewest that fit all columns side by side. If none does, the most that the height allows,
 * so that more columns are visible.
 */
function headingHeight(state: GridState): number {
  const { columns, height, width, hidden, widths } = state;
  const most = height < 10 ? 1 : height < 14 ? 2 : mostHeadingLines;
  const key = JSON.stringify([most, width, hidden, widths]);
  const known = heights.get(columns);
  if (known?.key === key) return known.lines;
  const shown = shownColumns(state);
  const fits = (lines: number) =>
    gutter - gap + shown.reduce((sum, index) => sum + gap + (widths[index] ?? widthAt(columns[index], lines)), 0) <=
    width;
  const wanted = [1, 2, mostHeadingLines].find((lines) => lines >= most || fits(lines)) ?? most;
  const used = shown.map((index) => {
    const room = (widths[index] ?? widthAt(columns[index], wanted)) - headingRoom;
    return wanted === 1 ? 1 : wrapWords(columns[index]?.heading ?? '', room, { mostLines: wanted }).length;
  });
  const lines = Math.max(1, ...used);
  heights.set(columns, { key, lines });
  return lines;
}

/** The columns that fit, from the left: frozen ones, then from `left` on. Always at least one, cut if needed. */
export function layOutColumns(state: GridState): readonly PlacedColumn[] {
  const shown = shownColumns(state);
  const frozen = frozenColumns(state, shown);
  const rest = shown.filter((index) => !frozen.includes(index) && index >= state.left);
  const placed: PlacedColumn[] = [];
  let x = Math.min(gutter, Math.max(0, state.width - 1));
  for (const index of [...frozen, ...rest]) {
    const room = state.width - x;
    const wanted = widthOfColumn(state, index);
    const isFirst = placed.length === frozen.length;
    // Text may be cut at the edge; a cut number would be misread.
    const cut = isFirst || (state.columns[index]?.column.type !== 'number' && room >= leastPart);
    if (room <= 0 || (wanted > room && !cut)) break;
    placed.push({ index, x, width: Math.min(wanted, room) });
    x += wanted + gap;
  }
  return placed;
}

/** The frozen columns, as many as leave room for others. */
export function frozenColumns(state: GridState, shown = shownColumns(state)): readonly number[] {
  const frozen: number[] = [];
  let used = gutter;
  for (const index of shown) {
    if (index >= state.frozen) break;
    used += widthOfColumn(state, index) + gap;
    if (used + leastPart > state.width) break;
    frozen.push(index);
  }
  // At least one column must scroll.
  return frozen.length === shown.length ? frozen.slice(0, -1) : frozen;
}

/** Scrolls columns so that the cursor's column is fully visible, if it fits. */
function showColumn(state: GridState): GridState {
  const shown = shownColumns(state);
  const frozen = frozenColumns(state, shown);
  const first = shown.find((index) => !frozen.includes(index)) ?? 0;
  if (frozen.includes(state.column)) return { ...state, left: Math.max(state.left, first) };
  let moved = { ...state, left: Math.max(first, Math.min(state.left, state.column)) };
  while (moved.left < state.column && !isWhole(moved, state.column)) {
    const next = shown.find((index) => index > moved.left);
    if (next === undefined || next > state.column) break;
    moved = { ...moved, left: next };
  }
  return moved;
}

function isWhole(state: GridState, column: number): boolean {
  const placed = layOutColumns(state).find(({ index }) => index === column);
  return placed !== undefined && placed.width >= widthOfColumn(state, column);
}

/** Height of the headings and the rule below them. */
export function headLines(state: GridState): number {
  const { height } = state;
  return height >= 5 ? headingHeight(state) + 1 : height >= 2 ? 1 : 0;
}

export function footLines({ height }: Pick<GridState, 'height'>): number {
  return height >= 4 ? 1 : 0;
}

/** Number of visible rows. */
export function bodyHeight(state: GridState): number {
  return Math.max(0, state.height - headLines(state) - footLines(state));
}

/** Moves the cursor to this row, or the nearest existing one, and scrolls it into view. */
export function toRow(state: GridState, row: number): GridState {
  const to = clamp(row, 0, Math.max(0, state.rowCount - 1));
  const height = Math.max(1, bodyHeight(state));
  const top = to < state.top ? to : to >= state.top + height ? to - height + 1 : state.top;
  return { ...state, row: to, top: clampTop(state, top) };
}

/** Moves by a screen or half of one: the rows scroll as far as the cursor moves. */
export function byRows(state: GridState, rows: number): GridState {
  return toRow({ ...state, top: clampTop(state, state.top + rows) }, state.row + rows);
}

/** Scrolls the rows; the cursor moves only as far as needed to stay visible. */
export function scrollRows(state: GridState, rows: number): GridState {
  const top = clampTop(state, state.top + rows);
  const height = Math.max(1, bodyHeight(state));
  return { ...state, top, row: clamp(state.row, top, Math.max(top, Math.min(top + height, state.rowCount) - 1)) };
}

/** Moves the cursor by `count` columns. */
export function byColumns(state: GridState, count: number): GridState {
  const shown = shownColumns(state);
  const at = shown.indexOf(state.column);
  const to = shown[clamp((at === -1 ? 0 : at) + count, 0, shown.length - 1)];
  return to === undefined ? state : showColumn({ ...state, column: to });
}

/** Adjusts the state to changed room, rows or columns; keeps visible rows in place if possible. */
export function settle(state: GridState): GridState {
  return showColumn(toRow({ ...state, top: clampTop(state, state.top) }, state.row));
}

function clampTop(state: GridState, top: number): number {
  return clamp(top, 0, Math.max(0, state.rowCount - Math.max(1, bodyHeight(state))));
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
