import { cellWidth, truncateToCells } from '../../../show/labels/cell-width.ts';
import { wrapWords } from '../../../show/labels/wrap-words.ts';
import { signRoom } from './grid-cell.ts';
import type { GridColumn, GridState } from './grid-state.ts';

/** A column where it stands on the screen. */
export interface PlacedColumn {
  readonly index: number;
  /** From the left edge of the grid. */
  readonly x: number;
  readonly width: number;
}

/** Left of the first column: the mark of the row where one stands. */
export const gutter = 2;
const gap = 2;
const widest = 40;
const narrowest = 4;
/** The arrow of a sort, with its distance. */
const headingRoom = 2;
const mostHeadingLines = 3;
/** Less room says nothing. */
const leastPart = 8;

/** The columns that are there to be seen, by index. */
export function shownColumns({ columns, hidden }: Pick<GridState, 'columns' | 'hidden'>): readonly number[] {
  return columns.flatMap((_, index) => (hidden.includes(index) ? [] : [index]));
}

/** Cells of a column where there is room for them. */
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

// Both are looked at for every frame, and change with the columns and their room alone.
const headingWidths = new WeakMap<GridColumn, Map<number, number>>();
const heights = new WeakMap<readonly GridColumn[], { readonly key: string; readonly lines: number }>();

/** The least room in which a heading takes so many lines, and the arrow of a sort; none is wider than the widest. */
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

/** The lines of a column's heading, in the room that is left beside the arrow of a sort. */
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
 * Lines of the headings, as few as let all columns stand side by side; where they do not, as many as the height allows,
 * so that as many columns as can be are in sight.
 */
export function headingHeight(state: GridState): number {
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

/**
 * The columns that fit, from the left: those that are frozen, then from `left` on. At least one, as much of it as fits.
 */
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
    // A text may be cut at the edge; a number that is cut is not to be read.
    const cut = isFirst || (state.columns[index]?.column.type !== 'number' && room >= leastPart);
    if (room <= 0 || (wanted > room && !cut)) break;
    placed.push({ index, x, width: Math.min(wanted, room) });
    x += wanted + gap;
  }
  return placed;
}

/** Columns that stay: as many of them as leave room for others. */
export function frozenColumns(state: GridState, shown = shownColumns(state)): readonly number[] {
  const frozen: number[] = [];
  let used = gutter;
  for (const index of shown) {
    if (index >= state.frozen) break;
    used += widthOfColumn(state, index) + gap;
    if (used + leastPart > state.width) break;
    frozen.push(index);
  }
  // All columns frozen are none that scroll.
  return frozen.length === shown.length ? frozen.slice(0, -1) : frozen;
}

/**
 * The state with its columns scrolled so far that the one where the cursor stands is seen whole, if there is room for
 * it.
 */
export function showColumn(state: GridState): GridState {
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
