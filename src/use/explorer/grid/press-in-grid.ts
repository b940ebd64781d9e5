import type { Issue } from '../../../ask/outcome.ts';
import type { Value } from '../../../plan/column.ts';
import type { RowFilter, RowSort } from '../../../run/stored-view.ts';
import { editLine, lineLimits, replaceText } from '../line/edit-line.ts';
import { lineOf } from '../line/line-state.ts';
import { type Key, nameOfKey } from '../terminal/key.ts';
import { cellAt, blockRows } from './grid-pages.ts';
import { completeFilter, readGridFilter } from './read-grid-filter.ts';
import {
  bodyHeight,
  headLines,
  layOutColumns,
  shownColumns,
  widthOfColumn,
  byColumns,
  byRows,
  scrollRows,
  settle,
  toRow,
} from './grid-layout.ts';
import type { GridPanel, GridState, StatisticsWanted, ViewWanted } from './grid-state.ts';
import { clampScroll } from './panel-lines.ts';
import { firstColumns } from './wanted-rows.ts';

/** The effect of a key: the next state, and a request for something other than rows. */
interface Pressed {
  readonly state: GridState;
  readonly want?: ViewWanted | StatisticsWanted | undefined;
}

type Press = (state: GridState, key: Key) => GridState | Pressed;

/** The keys of the grid, for the list of keys. */
export const gridKeys: readonly (readonly [keys: string, what: string])[] = [
  ['↑ ↓ ← →', 'move (also h j k l)'],
  ['pgup pgdn', 'a screen up, down'],
  ['g G', 'first, last row'],
  ['home end', 'first, last column'],
  ['s', 'sort by this column: ascending, descending, off'],
  ['S', 'add this column to the sort order'],
  ['/', 'filter as you type: text, or `column > 5`; tab completes, esc takes it back'],
  ['space', 'choose this row, too'],
  ['f', 'freeze columns up to this one'],
  ['< >', 'narrower, wider'],
  ['=', 'fit to content'],
  ['-', 'hide this column'],
  ['+', 'show hidden columns'],
  ['i', 'describe this column'],
  ['v', 'show the full cell'],
];

const wheelRows = 3;
const widthStep = 2;
const widest = 400;

const presses: Readonly<Record<string, Press>> = {
  up: (state) => toRow(state, state.row - 1),
  down: (state) => toRow(state, state.row + 1),
  left: (state) => byColumns(state, -1),
  right: (state) => byColumns(state, 1),
  pageup: (state) => byRows(state, -screen(state)),
  pagedown: (state) => byRows(state, screen(state)),
  'ctrl-u': (state) => byRows(state, -Math.ceil(screen(state) / 2)),
  'ctrl-d': (state) => byRows(state, Math.ceil(screen(state) / 2)),
  g: (state) => toRow(state, 0),
  G: (state) => toRow(state, state.rowCount - 1),
  home: (state) => byColumns(state, -state.columns.length),
  end: (state) => byColumns(state, state.columns.length),
  wheelup: (state) => scrollRows(state, -wheelRows),
  wheeldown: (state) => scrollRows(state, wheelRows),
  wheelleft: (state) => byColumns(state, -1),
  wheelright: (state) => byColumns(state, 1),
  click: (state, { at }) => (at ? clickAt(state, at.column, at.row) : state),
  s: (state) => sortBy(state, (sort, column) => nextSort(sort.length === 1 ? sort : [], column)),
  S: (state) => sortBy(state, nextSort),
  '/': (state) => ({
    ...state,
    problem: undefined,
    panel: {
      kind: 'filter',
      line: lineOf(state.opening?.filterText ?? state.filterText),
      problem: undefined,
      before: filterOf(state),
    },
  }),
  f: (state) => settle({ ...state, frozen: state.frozen === state.column + 1 ? 0 : state.column + 1 }),
  '<': (state) => toWidth(state, widthOfColumn(state, state.column) - widthStep),
  '>': (state) => toWidth(state, widthOfColumn(state, state.column) + widthStep),
  '=': (state) => settle({ ...state, widths: without(state.widths, state.column) }),
  '-': hideColumn,
  '+': (state) => settle({ ...state, hidden: [], left: 0 }),
  i: (state) => ({
    state: {
      ...state,
      panel: { kind: 'statistics', column: state.column, statistics: undefined, problem: undefined, scroll: 0 },
    },
    want: { kind: 'statistics', view: state.view, column: state.column },
  }),
  space: (state) => (state.rowCount === 0 ? state : chooseRow(state)),
  v: (state) =>
    state.rowCount === 0
      ? state
      : { ...state, panel: { kind: 'cell', row: state.row, column: state.column, scroll: 0 } },
};

const others: Readonly<Record<string, string>> = {
  k: 'up',
  j: 'down',
  h: 'left',
  l: 'right',
  'ctrl-p': 'up',
  'ctrl-n': 'down',
  'ctrl-b': 'pageup',
  'ctrl-f': 'pagedown',
  'ctrl-home': 'g',
  'ctrl-end': 'G',
  0: 'home',
  $: 'end',
  'shift-wheelup': 'wheelleft',
  'shift-wheeldown': 'wheelright',
  'alt-up': 'g',
  'alt-down': 'G',
};

/** Returns undefined if the key has no meaning here. */
export function pressInGrid(state: GridState, key: Key): Pressed | undefined {
  if (state.panel) return pressInPanel(state, state.panel, key);
  const name = nameOfKey(key);
  const press = presses[others[name] ?? name];
  if (name === 'escape' && state.problem !== undefined) return { state: { ...state, problem: undefined } };
  if (!press || state.columns.length === 0) return undefined;
  const pressed = press(state.problem === undefined ? state : { ...state, problem: undefined }, key);
  return 'columns' in pressed ? { state: pressed } : pressed;
}

function screen(state: GridState): number {
  return Math.max(1, bodyHeight(state) - 1);
}

/** A click on a heading sorts by its column; a click on a cell selects it. */
function clickAt(state: GridState, x: number, y: number): GridState | Pressed {
  const chosen = toCell(state, x, y);
  const isHeading =
    y >= 0 &&
    y < headLines(state) &&
    layOutColumns(state).some((placed) => x >= placed.x && x < placed.x + placed.width);
  return isHeading ? sortBy(chosen, (sort, column) => nextSort(sort.length === 1 ? sort : [], column)) : chosen;
}

function toCell(state: GridState, x: number, y: number): GridState {
  const row = state.top + y - headLines(state);
  const column =
    layOutColumns(state).find((placed) => x >= placed.x && x < placed.x + placed.width + 2)?.index ?? state.column;
  const isRow = y >= headLines(state) && y < headLines(state) + bodyHeight(state) && row < state.rowCount;
  return settle({ ...state, column, row: isRow ? row : state.row });
}

function sortBy(state: GridState, next: (sort: readonly RowSort[], column: number) => readonly RowSort[]): Pressed {
  return openView(state, { sort: next(state.opening?.sort ?? state.sort, state.column) });
}

/** Cycles: ascending, descending, off. */
function nextSort(sort: readonly RowSort[], column: number): readonly RowSort[] {
  const present = sort.find((one) => one.column === column);
  if (!present) return [...sort, { column, descending: false }];
  return present.descending
    ? sort.filter((one) => one !== present)
    : sort.map((one) => (one === present ? { column, descending: true } : one));
}

function toWidth(state: GridState, width: number): GridState {
  return settle({ ...state, widths: { ...state.widths, [state.column]: Math.max(3, Math.min(widest, width)) } });
}

function without(widths: GridState['widths'], column: number): GridState['widths'] {
  return Object.fromEntries(Object.entries(widths).filter(([index]) => Number(index) !== column));
}

/** The last column cannot be hidden: a grid without columns shows nothing. */
function hideColumn(state: GridState): GridState {
  const shown = shownColumns(state);
  if (shown.length < 2) return state;
  const at = shown.indexOf(state.column);
  const column = shown[at + 1] ?? shown[at - 1] ?? 0;
  return settle({ ...state, hidden: [...state.hidden, state.column], column });
}

/** The effect of a key while a panel is open. A panel handles every key. */
function pressInPanel(
  state: GridState,
  panel: GridPanel,
  key: Key,
): { readonly state: GridState; readonly want?: ViewWanted | undefined } {
  const name = nameOfKey(key);
  if (panel.kind === 'filter') return pressInFilter(state, panel, key);
  if (name === 'escape' || name === 'ctrl-g' || /^(?:q|i|v|enter)$/.test(name))
    return { state: { ...state, panel: undefined } };
  const page = Math.max(1, bodyHeight(state) - 1);
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    wheelup: -3,
    down: 1,
    j: 1,
    wheeldown: 3,
    pageup: -page,
    pagedown: page,
    space: page,
    g: -Infinity,
    home: -Infinity,
  };
  const step = steps[name];
  if (step === undefined) return { state };
  return {
    state: {
      ...state,
      panel: { ...panel, scroll: clampScroll(state, panel, bodyHeight(state), Math.max(0, panel.scroll + step)) },
    },
  };
}

/** Rows follow the typed filter whenever it is readable; Escape restores the previous ones. */
function pressInFilter(
  state: GridState,
  panel: Extract<GridPanel, { kind: 'filter' }>,
  key: Key,
): { readonly state: GridState; readonly want?: ViewWanted | undefined } {
  const name = nameOfKey(key);
  const closed = { ...state, panel: undefined };
  if (name === 'escape' || name === 'ctrl-g') return toFilter(closed, panel.before);
  if (name === 'enter') {
    const read = readGridFilter(panel.line.text, state.columns);
    return read.ok
      ? toFilter(closed, { text: panel.line.text.trim(), filters: read.value })
      : { state: { ...state, panel: { ...panel, problem: problemOf(read.issues) } } };
  }
  const [completed] = name === 'tab' ? completeFilter(panel.line.text, state) : [];
  const { state: line, refused } =
    completed === undefined
      ? editLine(panel.line, key, lineLimits.name)
      : { state: replaceText(panel.line, completed, completed.length), refused: undefined };
  const read = readGridFilter(line.text, state.columns);
  const problem = refused ?? (read.ok || line.text === panel.line.text ? undefined : problemOf(read.issues));
  const typing: GridState = { ...state, panel: { ...panel, line, problem } };
  // After an operator a value follows, and the start of a column's name may become a condition.
  const mayGoOn =
    /[=<>~]\s*$/.test(line.text) ||
    (read.ok && read.value.some(({ kind }) => kind === 'anywhere') && completeFilter(line.text, state).length > 0);
  const isWhole = read.ok && !mayGoOn;
  return toFilter(typing, isWhole ? whileTyped(line.text.trim(), read.value) : panel.before);
}

/** The last value may be incomplete: filter by prefix until Enter completes it. */
function whileTyped(text: string, filters: readonly RowFilter[]): ReturnType<typeof filterOf> {
  const last = filters.at(-1);
  if (last?.kind !== 'test' || last.operator !== '=' || /["']$/.test(text)) return { text, filters };
  return { text: `${text}…`, filters: filters.with(-1, { ...last, operator: '^=' }) };
}

function problemOf(issues: readonly Issue[]): string {
  const [issue] = issues;
  return [issue?.message, issue?.hint].filter((part) => part !== undefined).join(' ');
}

function filterOf({ opening, filterText, filters }: GridState): { text: string; filters: readonly RowFilter[] } {
  return opening ? { text: opening.filterText, filters: opening.filters } : { text: filterText, filters };
}

/** Opens a view for a filter that differs from the current one. */
function toFilter(
  state: GridState,
  filter: ReturnType<typeof filterOf>,
): { readonly state: GridState; readonly want?: ViewWanted | undefined } {
  return filter.text === filterOf(state).text ? { state } : openView(state, { filter });
}

/** Toggles the choice of the cursor's row. */
function chooseRow(state: GridState): GridState {
  const chosen = new Map(state.chosen);
  if (!chosen.delete(state.row)) {
    if (chosen.size >= mostChosen) return { ...state, problem: `At most ${mostChosen} rows can be chosen.` };
    const values = new Map<string, Value>();
    for (const [index, { column }] of state.columns.entries()) {
      if (column.kind !== 'dimension' && column.kind !== 'time') continue;
      const found = cellAt(state, state.row, index);
      if (!found) return { ...state, problem: 'The row is still being read.' };
      values.set(column.key, found.value);
    }
    chosen.set(state.row, values);
  }
  return toRow({ ...state, chosen }, state.row + 1);
}

/** Maximum number of chosen rows. */
const mostChosen = 50;

/** Adds the condition that a column has this value to the current filters. */
export function narrow(
  state: GridState,
  column: number,
  value: Value,
): { readonly state: GridState; readonly want?: ViewWanted | undefined } {
  const { column: known, heading = '' } = state.columns[column] ?? {};
  if (!known) return { state };
  const text = known.type === 'time' ? String(value).slice(0, 19).replace('T', ' ') : String(value);
  const filter: RowFilter =
    value === null ? { kind: 'missing', column } : { kind: 'test', column, operator: '=', text };
  const before = state.opening ?? state;
  const said =
    value === null ? `${heading} is not set` : `${heading} = ${/[\s'"]/.test(text) ? JSON.stringify(text) : text}`;
  return openView(state, {
    filter: {
      text: before.filterText === '' ? said : `${before.filterText} and ${said}`,
      filters: [...before.filters, filter],
    },
  });
}

interface ViewChange {
  readonly sort?: readonly RowSort[] | undefined;
  readonly filter?: { readonly text: string; readonly filters: readonly RowFilter[] } | undefined;
}

/** Requests a view. The current rows stay visible until it opens. */
function openView(state: GridState, change: ViewChange): { readonly state: GridState; readonly want: ViewWanted } {
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
