import { pathToFileURL } from 'node:url';
import { sayIssue } from '../../../ask/outcome.ts';
import type { RowView } from '../../../run/stored-view.ts';
import { formatValue } from '../../../shape/format/format.ts';
import { cellAt } from '../grid/grid-pages.ts';
import { updateGrid } from '../grid/update-grid.ts';
import { lineOf } from '../line/line-state.ts';
import { readAsOf } from '../../process/read-as-of.ts';
import type { CommandName } from '../state/commands.ts';
import { type Conversion, conversions } from '../state/effects.ts';
import { type ExplorerCell, type ExplorerState, themes } from '../state/state.ts';
import { chain, currentCell, openingSaid, say, step, type Step, withCell, notice } from '../state/step.ts';
import {
  askArranged,
  compareCell,
  compareRows,
  countFrequencies,
  drillCell,
  keepChosen,
  pivotCell,
} from './follow-up.ts';
import {
  cancelRun,
  deleteCell,
  duplicateCell,
  moveCell,
  redoCells,
  remembering,
  runAll,
  runCell,
  undoCells,
  giveName,
  giveTitle,
  withGrid,
} from './change-cells.ts';
import { readCell, readingOf, toggleSeries, zoomChart } from './chart-cursor.ts';
import { correct } from './apply-suggestion.ts';
import { openPrompt } from './prompt.ts';
import { isUnsaved, restoreDraft, saveNotebook } from './save-notebook.ts';
import { writeBelow, writeChosen } from './write-markdown.ts';

const actions: Readonly<Record<CommandName, (state: ExplorerState, argument: string) => Step>> = {
  run: (state) => {
    const cell = currentCell(state);
    return cell ? runCell(state, cell.id) : notice(state, 'There is no cell to run.');
  },
  'run-all': runAll,
  new: (state) => openPrompt(state, 'below'),
  edit: (state) => writeChosen(state) ?? openPrompt(state, 'edit'),
  markdown: writeBelow,
  editor: editOutside,
  delete: deleteCell,
  undo: undoCells,
  redo: redoCells,
  title: (state, argument) => giveTitle(state, argument.trim()),
  name: (state, argument) => giveName(state, argument.trim()),
  duplicate: duplicateCell,
  'move-up': (state) => moveCell(state, -1),
  'move-down': (state) => moveCell(state, 1),
  chart: toggleChart,
  read: (state) => readCell(state) ?? lookAtRows(state),
  zoom: zoomChart,
  series: toggleSeries,
  look: lookAtRows,
  turn: convert,
  copy,
  export: exportRows,
  catalog: (state) =>
    state.workspace.kind === 'open'
      ? step(
          { ...state, over: { kind: 'catalog', line: lineOf(''), chosen: 0, all: false } },
          ...(state.workspace.empty ? [] : [{ kind: 'find-empty' as const }]),
        )
      : notice(state, 'The data is not open yet.'),
  cancel: cancelRun,
  drill: drillCell,
  compare: compareCell,
  frequencies: countFrequencies,
  ask: askArranged,
  keep: keepChosen,
  together: compareRows,
  pivot: pivotCell,
  save: saveNotebook,
  open: openNotebook,
  set: setParameter,
  params: openParams,
  history: (state) =>
    state.prompt.line.history.length === 0
      ? notice(state, 'No question was asked here before.')
      : step({ ...state, over: { kind: 'history', line: lineOf(''), chosen: 0 } }),
  correct,
  drafts: (state) => step(state, { kind: 'list-drafts' }),
  theme: setTheme,
  restore: (state) => (state.draft ? restoreDraft(state, state.draft) : notice(state, 'There is nothing to restore.')),
  discard: (state) =>
    state.draft
      ? step(say({ ...state, draft: undefined }, 'Dropped.'), { kind: 'discard-draft', id: state.draft.id })
      : notice(state, 'There is nothing to discard.'),
  reconnect: (state) => step(say({ ...state, workspace: { kind: 'opening' } }, openingSaid), { kind: 'open' }),
  'as-of': setAsOf,
  mouse: setMouse,
  palette: (state) => step({ ...state, over: { kind: 'palette', line: lineOf(''), chosen: 0 } }),
  keys: (state) => step({ ...state, over: { kind: 'keys', scroll: 0 } }),
  quit: (state) => step(state, { kind: 'leave' }),
};

/** Runs a command, from a key or the palette. */
export function runCommand(state: ExplorerState, name: CommandName, argument = ''): Step {
  return actions[name](state, argument);
}

/** Opens the rows. From a chart, goes to the row of the figure unless the rows are sorted, filtered or pivoted. */
function lookAtRows(state: ExplorerState): Step {
  const cell = currentCell(state);
  if (cell?.ask.kind === 'text' && !cell.answer && cell.run.kind !== 'running')
    return notice(state, 'This block has no rows to look at: only questions with a table or a chart have.');
  if (!cell?.grid || !cell.answer) return notice(state, 'There are no rows to show yet.');
  const looking: ExplorerState = { ...state, focus: 'grid', said: undefined };
  const row = readingOf(state)?.series[state.cursor.series]?.rows[state.cursor.place] ?? -1;
  const { sort, filters } = cell.grid;
  if (state.focus !== 'chart' || row < 0 || sort.length + filters.length > 0 || cell.pivot !== undefined)
    return step(looking);
  return withGrid(looking, cell, updateGrid(cell.grid, { kind: 'row-chosen', row }));
}

function editOutside(state: ExplorerState): Step {
  const { text } = state.prompt.line;
  if (state.focus === 'prompt' && text.trim() !== '') return step(state, { kind: 'edit-typed', text });
  const cell = currentCell(state);
  if (!cell) return notice(state, 'There is no cell to edit.');
  return step(state, { kind: 'edit', cell: cell.id, ask: cell.ask });
}

function toggleChart(state: ExplorerState): Step {
  const cell = currentCell(state);
  if (!cell) return notice(state, 'There is no answer to draw.');
  if (cell.ask.kind === 'text')
    return notice(state, 'The report decides what this block shows: press i to edit it, such as `chart: line`.');
  const shows: ExplorerCell['shows'] = cell.shows === 'table' ? 'chart' : 'table';
  // The file stores table or chart, so the cell's text is outdated.
  return step(
    withCell(
      remembering(
        { ...state, said: undefined, focus: state.focus === 'grid' ? 'cells' : state.focus },
        'table or chart',
      ),
      cell.id,
      (each) => ({
        ...each,
        shows,
        byItself: false,
        source: undefined,
        chart: undefined,
      }),
    ),
  );
}

function convert(state: ExplorerState, argument: string): Step {
  const cell = currentCell(state);
  if (!cell || cell.ask.kind === 'text') return notice(state, 'There is no question to convert.');
  if (argument === '') return step({ ...state, over: { kind: 'turn', chosen: 0 } });
  const into = conversions.find((name) => name === argument.toLowerCase());
  return into
    ? convertTo(state, into)
    : notice(state, `A question can be converted to ${conversions.join(', ')}.`, 'alert');
}

export function convertTo(state: ExplorerState, into: Conversion): Step {
  const cell = currentCell(state);
  return cell && cell.ask.kind !== 'text'
    ? step({ ...state, over: undefined }, { kind: 'turn', into, ask: cell.ask })
    : step({ ...state, over: undefined });
}

function exportRows(state: ExplorerState, into: string): Step {
  const cell = currentCell(state);
  if (!cell?.answer) return notice(state, 'Run the cell before you export its rows.');
  if (into === '') return notice(state, 'Specify a format: `:export csv`, `:export parquet visits.parquet`.');
  return step(say(state, 'Exporting …'), {
    kind: 'export',
    answer: cell.answer.number,
    ask: cell.ask,
    into,
    view: viewOf(cell),
  });
}

/** The filter and order of its rows. */
function viewOf({ grid }: ExplorerCell): RowView {
  return { sort: grid?.sort ?? [], filters: grid?.filters ?? [] };
}

/** Copies the named thing; by default the value at the grid's cursor, else the question. */
function copy(state: ExplorerState, what: string): Step {
  const cell = currentCell(state);
  if (what === 'link')
    return state.file
      ? step(state, { kind: 'copy', text: pathToFileURL(state.file.path).href, what: 'the link' })
      : notice(state, 'Save the report first: `:save name`. Then it has a link.');
  if (what === 'table')
    return cell?.answer
      ? step(state, { kind: 'copy-table', answer: cell.answer.number, view: viewOf(cell) })
      : notice(state, 'Run the cell before you copy its table.');
  if (what === 'command')
    return cell && cell.ask.kind !== 'text'
      ? step(state, { kind: 'copy-command', ask: cell.ask })
      : notice(state, 'There is no question to copy.');
  if (!['', 'value', 'question'].includes(what))
    return notice(state, 'Copy one of question, table, value, command, link.', 'alert');
  if (what !== 'question' && (state.focus === 'grid' || what === 'value') && cell?.grid) {
    const { grid } = cell;
    const found = cellAt(grid, grid.row, grid.column);
    const column = grid.columns[grid.column]?.column;
    if (!found || !column) return notice(state, 'There is no value to copy yet.');
    return step(state, {
      kind: 'copy',
      text: typeof found.value === 'string' ? found.value : formatValue(found.value, column),
      what: 'the value',
    });
  }
  if (!cell) return notice(state, 'There is nothing to copy.');
  const read =
    state.focus === 'chart' && what !== 'question' ? readingOf(state)?.series[state.cursor.series] : undefined;
  if (read) {
    const text = read.texts[state.cursor.place] ?? '';
    return step(state, { kind: 'copy', text, what: 'the value' });
  }
  if (cell.ask.kind === 'query')
    return step(state, { kind: 'copy', text: JSON.stringify(cell.ask.saved.query), what: 'the query' });
  return step(state, {
    kind: 'copy',
    text: cell.ask.kind === 'line' ? cell.ask.line : cell.ask.source,
    what: 'the question',
  });
}

/** Refuses if there are unsaved changes, which would be lost. */
function openNotebook(state: ExplorerState, name: string): Step {
  if (name === '') return notice(state, 'Specify a report: `:open weekly`.');
  if (isUnsaved(state))
    return notice(
      state,
      'The notebook has unsaved changes. Save them with `:save`, or undo them, before you open another report.',
      'alert',
    );
  return step(say(state, openingSaid), { kind: 'open-notebook', name });
}

/** Reads the report again, because its questions contain parameters. */
function setParameter(state: ExplorerState, argument: string): Step {
  const [, name, value] = /^([a-z][a-z0-9_]*)\s*(?:=\s*|\s)(.*)$/i.exec(argument) ?? [];
  const names = state.params.map((param) => param.name);
  if (!state.file || names.length === 0) return withoutParams(state);
  if (name === undefined || value === undefined)
    return notice(state, `Specify a parameter and its value: \`:set ${names[0] ?? ''}=…\`.`);
  if (!names.includes(name))
    return notice(state, `There is no parameter "${name}". The report has ${names.join(', ')}.`, 'alert');
  if (isUnsaved(state)) return notice(state, 'Save the changes first, with `:save`.', 'alert');
  return step(say(state, openingSaid), {
    kind: 'open-notebook',
    name: state.file.path,
    given: new Map([...state.given, [name, value.trim()]]),
  });
}

function withoutParams(state: ExplorerState): Step {
  const isAsked = state.cells.some(({ ask, run }) => ask.kind === 'text' && run.kind === 'running');
  return notice(
    state,
    state.file && isAsked
      ? 'The report is still being answered. Its parameters are known then.'
      : 'Open a report that has parameters first: `:open weekly`.',
  );
}

/** With a single parameter, opens its value directly. */
function openParams(state: ExplorerState): Step {
  const [first, ...others] = state.params;
  if (!state.file || !first) return withoutParams(state);
  const only = others.length === 0 ? first : undefined;
  return step({ ...state, over: { kind: 'params', name: only?.name, line: lineOf(only?.text), chosen: 0 } });
}

function setTheme(state: ExplorerState, argument: string): Step {
  const theme = themes.find((each) => each === argument.toLowerCase());
  if (theme === undefined)
    return notice(state, `Specify a theme: ${themes.map((each) => `\`:theme ${each}\``).join(', ')}.`, 'alert');
  return step(say({ ...state, theme }, `Theme: ${theme}.`), { kind: 'set-theme', theme });
}

/** Reopens the data as of another time, and asks all questions again. */
function setAsOf(state: ExplorerState, argument: string): Step {
  const asOf = argument.trim();
  const read = asOf === '' ? undefined : asOf.toLowerCase() === 'now' || readAsOf(asOf, ':as-of');
  if (read === undefined)
    return notice(state, 'Specify a date, such as `:as-of 2024-03-08`, or `:as-of now`.', 'alert');
  if (read !== true && !read.ok) return notice(state, read.issues.map(sayIssue).join(' '), 'alert');
  const waiting: ExplorerState = { ...state, workspace: { kind: 'opening' } };
  return chain(step(say(waiting, openingSaid), { kind: 'open', asOf }), runAll);
}

function setMouse(state: ExplorerState, argument: string): Step {
  const on = argument === '' ? !state.mouse : argument === 'on';
  return step(say({ ...state, mouse: on }, on ? 'The wheel scrolls.' : 'The mouse selects text.'), {
    kind: 'set-mouse',
    on,
  });
}
