import { analysisOfLine } from '../../../ask/analysis-line/read-analysis-line.ts';
import { writeNotation } from '../../../ask/notation/write-notation.ts';
import { cubeOf } from '../../../ask/query/member-name.ts';
import { rowColumns } from '../../../ask/query/member-catalog.ts';
import { quote } from '../../../ask/text.ts';
import { type Issue, type Outcome, sayIssue } from '../../../ask/outcome.ts';
import type { CanonicalQuery, Filter } from '../../../ask/query/query.ts';
import type { SavedQuery } from '../../../ask/query/saved-query.ts';
import type { Value } from '../../../plan/column.ts';
import { cellAt } from '../grid/grid-pages.ts';
import {
  compareWithPrevious,
  askChosen,
  type ChosenRows,
  compareChosen,
  askFrequencies,
  askAsArranged,
} from '../question/follow-up-queries.ts';
import { type DrillBy, drillDown } from '../../answer/drill-down.ts';
import type { GridState } from '../grid/grid-state.ts';
import type { Ask, CellAnswer, ExplorerCell, ExplorerState } from '../state/state.ts';
import { currentCell, say, step, type Step, withCell, notice } from '../state/step.ts';
import { lineOf } from '../line/line-state.ts';
import { countedRows, drillChoices } from '../question/drill-choices.ts';
import { addCell, changeAsk, remembering, pivotTable } from './change-cells.ts';

/** Asks how to drill into the row of the grid or the figure of the chart, unless `name` answers it. */
export function drillCell(state: ExplorerState, name = ''): Step {
  const cell = currentCell(state);
  const answer = cell?.answer;
  if (!answer || !cell?.grid) return notice(state, 'Run the cell before you drill down.');
  if (cell.pivot !== undefined)
    return notice(state, 'A row of a pivot covers several rows. Press p to undo the pivot, then drill down.', 'alert');
  if (state.focus !== 'chart' && cell.grid.rowCount === 0)
    return notice(state, 'The answer has no row to drill down into.');
  if (state.workspace.kind !== 'open') return notice(state, 'The data is not open yet.');
  if (name === '')
    return step(
      { ...state, over: { kind: 'drill', line: lineOf(''), chosen: 0 } },
      ...(state.workspace.kind === 'open' && state.workspace.empty ? [] : [{ kind: 'find-empty' as const }]),
    );
  const choice = drillChoices(answer.drill, state.workspace.catalog, name).find((each) => each.name === name);
  return choice
    ? drillBy(state, choice.by)
    : notice(state, `There is no ${quote(name)} to drill down by. Press o to choose.`, 'alert');
}

/** A row to drill into: its values by column key, and the key of the figure's column. */
interface Figure {
  readonly values: ReadonlyMap<string, Value>;
  readonly key: string | undefined;
}

/** The row at the grid's cursor, or a message if there is none. */
function figureInGrid(grid: GridState): Figure | string {
  const values = new Map<string, Value>();
  for (const [index, { column }] of grid.columns.entries()) {
    const found = cellAt(grid, grid.row, index);
    const isGroup = column.kind === 'dimension' || column.kind === 'time';
    if (!found && isGroup) return 'The row is still being read.';
    if (found) values.set(column.key, found.value);
  }
  return { values, key: grid.columns[grid.column]?.column.key };
}

/** The row of the figure at the chart's cursor. An answer with a chart has all its rows in `head`. */
function figureInChart({ cursor }: ExplorerState, { answer, chart }: ExplorerCell): Figure | string {
  const row = chart?.reading?.series[cursor.series]?.rows[cursor.place] ?? -1;
  if (!answer || row < 0 || row >= answer.head.rowCount)
    return 'No single row stands behind this figure. Choose another one, or press tab for the rows.';
  const { head } = answer;
  return { values: new Map(head.columns.map(({ key }) => [key, head.values(key)[row] ?? null])), key: undefined };
}

/** Drills into the figure at the cursor, in a new cell below. */
export function drillBy(state: ExplorerState, by: DrillBy): Step {
  const cell = currentCell(state);
  const { answer, grid } = cell ?? {};
  if (!cell || !answer || !grid) return notice(state, 'Run the cell before you drill down.');
  const figure = state.focus === 'chart' ? figureInChart(state, cell) : figureInGrid(grid);
  if (typeof figure === 'string') return notice(state, figure, 'alert');
  const { values, key } = figure;
  const { workspace } = state;
  if (by.kind !== 'rows' || workspace.kind !== 'open')
    return addBelow(
      state,
      drillDown(answer.drill, (each) => values.get(each) ?? null, { by }, key),
      answer.saved,
    );
  const { query } = answer.drill;
  const cube = cubeOf((query.measures ?? query.dimensions ?? [])[0] ?? `${workspace.home}.`);
  const counted = countedRows(query, workspace.catalog);
  const rows = {
    columns: (filters: readonly Filter[]) => rowColumns(cube, workspace.catalog, filters),
    counted: counted ?? [],
  };
  const added = addBelow(
    state,
    drillDown(answer.drill, (each) => values.get(each) ?? null, { by, rows }, key),
    answer.saved,
  );
  return counted === undefined && query.measures
    ? {
        ...added,
        state: say(added.state, 'All events of this row: what the measure leaves out is among them.', 'alert'),
      }
    : added;
}

/** Compares the question with the preceding range, in a new cell below. */
export function compareCell(state: ExplorerState): Step {
  const { ask, answer } = currentCell(state) ?? {};
  if (!answer) return notice(state, 'Run the cell before you compare.');
  const compared = compareWithPrevious(answer.drill);
  const { workspace } = state;
  const isAnalysis =
    ask?.kind === 'line' && workspace.kind === 'open' && analysisOfLine(ask.line, workspace.catalog) !== undefined;
  // No other line can express the definition of an analysis.
  return compared.ok && isAnalysis
    ? addCell(
        { ...state, focus: 'cells' },
        { kind: 'line', line: `${ask.line} compare with previous` },
        state.current + 1,
      )
    : addBelow(state, compared, answer.saved);
}

function addBelow(
  state: ExplorerState,
  further: Outcome<CanonicalQuery>,
  { define, fill, fillWith }: SavedQuery,
): Step {
  if (!further.ok) return refused(state, further.issues);
  const saved: SavedQuery = {
    query: further.value,
    ...(define && { define }),
    ...(fill && { fill }),
    ...(fillWith !== undefined && { fillWith }),
  };
  return addCell({ ...state, focus: 'cells' }, toAsk(saved, state), state.current + 1);
}

/** Opens the counts of all values of the grid's column. */
export function countFrequencies(state: ExplorerState): Step {
  const cell = currentCell(state);
  const { answer, grid } = cell ?? {};
  const column = grid?.columns[grid.column]?.column;
  if (!answer || !grid || !column) return notice(state, 'Run the cell before you count values.');
  if (state.workspace.kind !== 'open') return notice(state, 'The data is not open yet.');
  if (!answer.drill.columns.some(({ key }) => key === column.key))
    return notice(state, 'This column is computed from the answer. Count the values of another one.', 'alert');
  const asked = askFrequencies(answer.drill, column, state.workspace.catalog);
  if (!asked.ok) return refused(state, asked.issues);
  const run = state.nextNumber;
  return step(
    {
      ...state,
      nextNumber: run + 1,
      over: {
        kind: 'frequencies',
        run,
        column: grid.column,
        counted: undefined,
        problem: undefined,
        line: lineOf(''),
        chosen: 0,
      },
    },
    { kind: 'count-values', run, saved: { query: asked.value, define: answer.saved.define } },
  );
}

/**
 * Questions of cells with the filter and order of their rows added. `left`: messages for what no question can express.
 */
export function asArranged(state: ExplorerState): {
  readonly asks: ReadonlyMap<number, Ask>;
  readonly left: readonly string[];
} {
  const asks = new Map<number, Ask>();
  const left: string[] = [];
  for (const [index, { id, ask, answer, grid }] of state.cells.entries()) {
    // The blocks of a report stay as they are written.
    if (ask.kind === 'text' || !answer || !grid || (grid.filters.length === 0 && grid.sort.length === 0)) continue;
    const asked = askAsArranged(answer.drill, grid);
    if (asked.ok) asks.set(id, toAsk({ ...answer.saved, query: asked.value }, state));
    else left.push(`Cell ${index + 1}: ${asked.issues[0]?.message ?? ''}`);
  }
  return { asks, left };
}

/** Adds the filter and order of the rows to the question of the chosen cell. */
export function askArranged(state: ExplorerState): Step {
  const cell = currentCell(state);
  const { answer, grid } = cell ?? {};
  if (!cell || !answer || !grid) return notice(state, 'Run the cell first.');
  if (grid.filters.length === 0 && grid.sort.length === 0)
    return notice(state, 'The rows are neither filtered nor sorted: press / or s first.');
  const asked = askAsArranged(answer.drill, grid);
  if (!asked.ok) return refused(state, asked.issues);
  return askInstead(state, cell, toAsk({ ...answer.saved, query: asked.value }, state));
}

/** Changes the question of a cell; below the block of a report, which may depend on parameters, in a new cell. */
function askInstead(state: ExplorerState, cell: ExplorerCell, ask: Ask): Step {
  return cell.ask.kind === 'text'
    ? addCell({ ...state, focus: 'cells' }, ask, state.current + 1)
    : changeAsk(state, cell.id, ask);
}

/** The chosen rows, or the row at the cursor; a message if there are none. */
function chosenRows(state: ExplorerState): { readonly answer: CellAnswer; readonly rows: ChosenRows } | string {
  const cell = currentCell(state);
  const { answer, grid } = cell ?? {};
  if (!cell || !answer || !grid || grid.rowCount === 0) return 'There are no rows to choose from.';
  if (cell.pivot !== undefined) return 'A row of a pivot covers several rows. Press p to undo the pivot first.';
  if (grid.chosen.size > 0) return { answer, rows: [...grid.chosen.values()] };
  const figure = figureInGrid(grid);
  return typeof figure === 'string' ? figure : { answer, rows: [figure.values] };
}

/** Restricts the question to the chosen rows. */
export function keepChosen(state: ExplorerState): Step {
  const cell = currentCell(state);
  const chosen = chosenRows(state);
  if (!cell || typeof chosen === 'string') return notice(state, String(chosen), 'alert');
  const asked = askChosen(chosen.answer.drill, chosen.rows);
  if (!asked.ok) return refused(state, asked.issues);
  return askInstead(state, cell, toAsk({ ...chosen.answer.saved, query: asked.value }, state));
}

/** Compares the chosen rows over time, in a new cell below. */
export function compareRows(state: ExplorerState): Step {
  const chosen = chosenRows(state);
  if (typeof chosen === 'string') return notice(state, chosen, 'alert');
  const { answer, rows } = chosen;
  return addBelow(state, compareChosen(answer.drill, rows), answer.saved);
}

export function refused(state: ExplorerState, issues: readonly Issue[]): Step {
  return notice(state, issues.map(sayIssue).join(' '), 'alert');
}

/** A line of notation if it can express the whole query. */
export function toAsk(saved: SavedQuery, { workspace }: Pick<ExplorerState, 'workspace'>): Ask {
  const { query, ...rest } = saved;
  if (workspace.kind !== 'open' || Object.values(rest).some((part) => part !== undefined))
    return { kind: 'query', saved };
  const line = writeNotation(query, { members: workspace.catalog, defaultCube: workspace.home });
  return line === undefined ? { kind: 'query', saved } : { kind: 'line', line };
}

/** Pivots by the grid's column, or undoes the pivot. */
export function pivotCell(state: ExplorerState): Step {
  const cell = currentCell(state);
  const { answer, grid } = cell ?? {};
  if (!cell || !answer || !grid) return notice(state, 'Run the cell before you pivot.');
  if (cell.ask.kind === 'text')
    return notice(state, 'The report decides how this block is pivoted. Press esc and i to edit it.');
  if (answer.drill.columns.length > 0 && answer.head.rowCount < answer.rowCount)
    return notice(state, 'There are too many rows to turn into columns.', 'alert');
  const column = grid.columns[grid.column]?.column;
  if (cell.pivot === undefined && (!column || column.kind === 'measure'))
    return notice(state, 'Only a dimension or time column can be pivoted. Move to one of them.', 'alert');
  const key = cell.pivot === undefined ? column?.key : undefined;
  const turned = withCell(remembering(state, 'the pivot'), cell.id, (each) => ({
    ...each,
    pivot: key,
    source: undefined,
  }));
  return pivotTable(turned, cell.id);
}
