import { plural } from '../../../ask/text.ts';
import { formatNumber } from '../../../shape/format/format-number.ts';
import { cellWidth, padToCells, truncateToCells } from '../../../show/labels/cell-width.ts';
import { toMarkLegend } from '../../../show/labels/mark-legend.ts';
import { isFigures } from '../../../show/labels/number-tail.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { asciiGlyphs, type Glyphs, unicodeGlyphs } from '../../../show/terminal/glyphs.ts';
import { composeLine } from '../line/compose-line.ts';
import { type TextLook, paint, type Tone } from '../../../show/terminal/paint.ts';
import { completeFilter } from './read-grid-filter.ts';
import { drawCell, placeCell } from './grid-cell.ts';
import {
  bodyHeight,
  footLines,
  headLines,
  frozenColumns,
  gutter,
  headingLines,
  layOutColumns,
  type PlacedColumn,
  shownColumns,
} from './grid-layout.ts';
import { cellAt } from './grid-pages.ts';
import type { GridState } from './grid-state.ts';
import { panelLines } from './panel-lines.ts';

/**
 * Draws the grid: exactly `state.height` lines, none wider than `state.width`. The only escape sequences are the
 * colours of the look. Reads only visible rows; rows that are not loaded are drawn as `…`.
 */
export function composeGrid(state: GridState, look: TextLook): readonly string[] {
  const { width, height } = state;
  if (width <= 0) return Array.from({ length: Math.max(0, height) }, () => '');
  const glyphs = look.unicode ? unicodeGlyphs : asciiGlyphs;
  const placed = layOutColumns(state);
  const frozen = new Set(frozenColumns(state));
  // If all columns are visible, nothing scrolls, and the bar after the frozen columns is not needed.
  const moves = placed.length < shownColumns(state).length;
  const bar = moves ? placed.findLastIndex(({ index }) => frozen.has(index)) : -1;
  const drawing: Drawing = { state, look, glyphs, placed, bar };
  const head = headLines(state);
  const lines = [
    ...(head > 0 ? drawHeadings(drawing, Math.max(1, head - 1)) : []),
    ...(head > 1 ? [drawRule(drawing)] : []),
    ...drawBody(drawing),
  ];
  if (footLines(state) > 0) lines.push(drawFoot(drawing));
  return state.panel?.kind === 'filter' ? withFilter(lines, drawing) : lines;
}

interface Drawing {
  readonly state: GridState;
  readonly look: TextLook;
  readonly glyphs: Glyphs;
  readonly placed: readonly PlacedColumn[];
  /** Index of the placed column before the bar; −1: no bar. */
  readonly bar: number;
}

/** Cells at their positions, with spaces or the bar between them. */
function joinCells({ state, look, placed, bar }: Drawing, lead: string, cells: readonly string[]): string {
  let line = lead;
  let end = Math.min(gutter, Math.max(0, state.width - 1));
  for (const [index, { x, width }] of placed.entries()) {
    const space = x - end;
    line +=
      index > 0 && index === bar + 1 && space >= 2
        ? `${paint(look.unicode ? '│' : '|', 'quiet', look)}${' '.repeat(space - 1)}`
        : ' '.repeat(Math.max(0, space));
    line += cells[index] ?? '';
    end = x + width;
  }
  return line;
}

function leadOf({ state }: Drawing, sign = ''): string {
  return truncateToCells(padToCells(sign, gutter, 'left'), Math.min(gutter, Math.max(0, state.width - 1)), '');
}

/** Headings align at the bottom: shorter ones stand beside the last line of the longer ones. */
function drawHeadings(drawing: Drawing, height: number): readonly string[] {
  const { state, look, glyphs, placed } = drawing;
  const sort = state.opening?.sort ?? state.sort;
  const headings = placed.map(({ index, width }) => {
    const at = sort.findIndex(({ column }) => column === index);
    const arrow =
      at === -1 ? '' : arrowOf(sort[at]?.descending === true, look) + (sort.length > 1 ? String(at + 1) : '');
    const column = state.columns[index];
    const room = width - (arrow === '' ? 0 : cellWidth(arrow) + 1);
    if (!column || room < 1) return [truncateToCells(arrow, width, '')];
    const lines = headingLines(column, room, { most: height, ellipsis: glyphs.ellipsis });
    return arrow === '' ? lines : [...lines.slice(0, -1), `${lines.at(-1)} ${arrow}`];
  });
  return Array.from({ length: height }, (_, line) =>
    joinCells(
      drawing,
      leadOf(drawing),
      placed.map(({ index, width }, place) =>
        paint(
          padToCells(
            headings[place]?.at(line - height) ?? '',
            width,
            state.columns[index] && isFigures(state.columns[index].column) ? 'right' : 'left',
          ),
          index === state.column ? 'match' : 'heading',
          look,
        ),
      ),
    ),
  );
}

function arrowOf(descending: boolean, { unicode }: TextLook): string {
  return descending ? (unicode ? '▼' : 'v') : unicode ? '▲' : '^';
}

function drawRule({ state, look, glyphs, placed }: Drawing): string {
  const last = placed.at(-1);
  const end = last ? last.x + last.width : 0;
  return paint(glyphs.rule.repeat(Math.min(end, state.width)), 'quiet', look);
}

function drawBody(drawing: Drawing): readonly string[] {
  const { state, look } = drawing;
  const height = bodyHeight(state);
  const { panel } = state;
  if (panel && panel.kind !== 'filter')
    return fill([...panelLines(state, panel, look, height)].slice(0, height), height);
  if (state.rowCount === 0) {
    const why = state.filterText === '' ? 'No rows.' : 'No row matches the filter.';
    return fill(
      [truncateToCells(why, state.width, drawing.glyphs.ellipsis)].map((line) => paint(line, 'quiet', look)),
      height,
    );
  }
  const rows: string[] = [];
  for (let row = state.top; row < Math.min(state.top + height, state.rowCount); row += 1)
    rows.push(drawRow(drawing, row));
  return fill(rows, height);
}

function fill(lines: readonly string[], height: number): readonly string[] {
  return Array.from({ length: height }, (_, index) => lines[index] ?? '');
}

/** Signs for a plain row, the row of the cursor, a chosen row, and a row that is both. */
const rowSigns = { unicode: ['', '›', '●', '◉'], ascii: ['', '>', '*', '@'] } as const;

function drawRow(drawing: Drawing, row: number): string {
  const { state, look, glyphs, placed } = drawing;
  const isHere = row === state.row;
  const signs = look.unicode ? rowSigns.unicode : rowSigns.ascii;
  const sign = signs[(isHere ? 1 : 0) + (state.chosen.has(row) ? 2 : 0)] ?? '';
  const lead = sign === '' ? leadOf(drawing) : paint(leadOf(drawing, sign), 'accent', look);
  return joinCells(
    drawing,
    lead,
    placed.map(({ index, width }) => {
      const gridColumn = state.columns[index];
      const cell = cellAt(state, row, index);
      if (!gridColumn) return ' '.repeat(width);
      const { column, marked } = gridColumn;
      const isNumber = isFigures(column);
      const drawn = cell
        ? drawCell(cell.value, cell.flags, column, glyphs)
        : ({ text: glyphs.ellipsis, tone: 'quiet', sign: '', signTone: 'quiet' } as const);
      return placeCell(
        drawn,
        { width, isMarked: marked, isNumber, isSelected: isHere && index === state.column },
        glyphs,
        look,
      );
    }),
  );
}

/** The position of the cursor and notes about the visible rows. */
function drawFoot({ state, look, glyphs, placed }: Drawing): string {
  if (state.problem !== undefined)
    return paint(truncateToCells(sanitize(state.problem), state.width, glyphs.ellipsis), 'error', look);
  const between = ', ';
  const shown = shownColumns(state);
  const about = [
    state.rowCount === state.totalRows ? '' : `${formatNumber(state.totalRows)} in all`,
    state.isLimited ? 'limit reached' : '',
  ].filter((part) => part !== '');
  const total = about.length === 0 ? '' : ` (${about.join(', ')})`;
  const rows =
    state.rowCount === 0
      ? `0 rows${total}`
      : `row ${formatNumber(state.row + 1)} of ${formatNumber(state.rowCount)}${total}`;
  const hidden = state.hidden.length === 0 ? '' : `, ${state.hidden.length} hidden`;
  const columns =
    placed.length === shown.length && hidden === ''
      ? ''
      : `column ${shown.indexOf(state.column) + 1} of ${shown.length}` +
        ` ${plural(shown.length, 'column', 'columns')}${hidden}`;
  const waiting = state.opening
    ? state.opening.filterText === state.filterText
      ? `sorting${glyphs.ellipsis}`
      : `filtering${glyphs.ellipsis}`
    : '';
  const filter = state.filterText === '' ? '' : `filter: ${sanitize(state.filterText)}`;
  const chosen = state.chosen.size === 0 ? '' : `${state.chosen.size} chosen`;
  const text = [rows, chosen, columns, waiting, filter, ...legendOf(state, placed, glyphs)]
    .filter((part) => part !== '')
    .join(between);
  return paint(truncateToCells(text, state.width, glyphs.ellipsis), state.opening ? 'accent' : 'quiet', look);
}

function legendOf(state: GridState, placed: readonly PlacedColumn[], glyphs: Glyphs): readonly string[] {
  let flags = 0;
  for (const { index } of placed) {
    if (!state.columns[index]?.marked) continue;
    for (let row = state.top; row < Math.min(state.top + bodyHeight(state), state.rowCount); row += 1)
      flags |= (cellAt(state, row, index)?.flags ?? 0) & 15;
  }
  return toMarkLegend(flags).map(({ kind, meaning }) => `${glyphs[kind]} ${meaning}`);
}

/** Replaces the foot by the filter line, with its problem above. */
function withFilter(lines: readonly string[], { state, look, glyphs }: Drawing): readonly string[] {
  const { panel } = state;
  if (panel?.kind !== 'filter' || lines.length === 0) return lines;
  const [line = ''] = composeLine(panel.line, {
    width: state.width,
    look,
    label: '/',
    placeholder: 'text in any cell, or a condition: count > 5',
    showCursor: true,
  }).lines;
  const offered = completeFilter(panel.line.text, state);
  const said: readonly [string, Tone] =
    panel.problem === undefined
      ? [offered.length === 0 ? '' : `tab: ${offered.map((each) => each.trim()).join('   ')}`, 'quiet']
      : [panel.problem, 'error'];
  const problem =
    said[0] === '' || lines.length < 2
      ? []
      : [paint(truncateToCells(sanitize(said[0]), state.width, glyphs.ellipsis), said[1], look)];
  return [...lines.slice(0, lines.length - 1 - problem.length), ...problem, line];
}
