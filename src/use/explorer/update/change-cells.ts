import { quote } from '../../../ask/text.ts';
import { namePattern } from '../../../tell/notebook/cell-kinds.ts';
import type { Effect, SavedCell } from '../state/effects.ts';
import type { Ask, CellsMoment, ExplorerCell, ExplorerState, Run } from '../state/state.ts';
import { chain, currentCell, notice, say, step, type Step, withCell } from '../state/step.ts';
import type { GridUpdate } from '../grid/update-grid.ts';

/** Maximum number of undo steps. */
const mostMoments = 50;

/** Records the cells, so that the next change can be undone. */
export function remembering(state: ExplorerState, what: string): ExplorerState {
  const moment = { cells: state.cells, current: state.current, what };
  return { ...state, undo: [...state.undo.slice(1 - mostMoments), moment], redo: [] };
}

export function toCell(id: number, ask: Ask, rest: Partial<ExplorerCell> = {}): ExplorerCell {
  return {
    id,
    ask,
    source: undefined,
    run: { kind: 'none' },
    answer: undefined,
    shows: 'table',
    byItself: rest.shows === undefined,
    hidden: undefined,
    pivot: undefined,
    chart: undefined,
    told: undefined,
    grid: undefined,
    ...rest,
  };
}

/** Inserts a cell at index `at`, chooses it and runs it. */
export function addCell(
  state: ExplorerState,
  ask: Ask,
  at: number,
  looks: Pick<Partial<ExplorerCell>, 'shows' | 'pivot'> = {},
): Step {
  const id = state.nextNumber;
  const cells = state.cells.toSpliced(at, 0, toCell(id, ask, looks));
  return runCell({ ...remembering(state, 'the new cell'), cells, current: at, nextNumber: id + 1 }, id);
}

/** Changes the question of a cell and runs it. */
export function changeAsk(state: ExplorerState, id: number, ask: Ask, what = 'the edit'): Step {
  const changed = withCell(remembering(state, what), id, (cell) => ({ ...cell, ask, source: undefined }));
  return runCell(changed, id);
}

/** Runs a cell; cancels its previous run. */
export function runCell(state: ExplorerState, id: number): Step {
  const cell = state.cells.find((each) => each.id === id);
  if (!cell) return step(state);
  if (cell.ask.kind === 'text') return answerBlocks(state);
  const number = state.nextNumber;
  const running = withCell(state, id, (each) => ({
    ...each,
    run: startRun(number, state),
  }));
  const next = { ...running, nextNumber: number + 1, said: undefined };
  const begin: readonly Effect[] = [...cancelOf(cell), { kind: 'run', run: number, ask: cell.ask }];
  // A lost backend may be available again.
  return state.workspace.kind === 'lost'
    ? step({ ...next, workspace: { kind: 'opening' } }, { kind: 'open' }, ...begin)
    : step(next, ...begin);
}

export function runAll(state: ExplorerState): Step {
  const asked = state.cells.filter(({ ask }) => ask.kind !== 'text');
  return chain(
    asked.length === state.cells.length ? step(state) : answerBlocks(state),
    ...asked.map(
      ({ id }) =>
        (next: ExplorerState) =>
          runCell(next, id),
    ),
  );
}

/** Runs all blocks that are not independent questions: prose quotes cells, and checks test them. */
function answerBlocks(state: ExplorerState): Step {
  const { file, given } = state;
  if (!file) return notice(state, 'Save the notebook as a report first: its text is answered from the file.');
  const number = state.nextNumber;
  const isBlock = ({ ask }: ExplorerCell) => ask.kind === 'text';
  const before = state.cells.find((cell) => isBlock(cell) && cell.run.kind === 'running');
  const cells = state.cells.map(
    (cell): ExplorerCell => (isBlock(cell) ? { ...cell, run: startRun(number, state) } : cell),
  );
  return step({ ...state, cells, nextNumber: number + 1, said: undefined }, ...(before ? cancelOf(before) : []), {
    kind: 'answer-report',
    run: number,
    cells: toSavedCells(state.cells),
    file,
    given,
  });
}

/** The parts of cells that a notebook saves. */
export function toSavedCells(cells: readonly ExplorerCell[]): readonly SavedCell[] {
  return cells.map(({ id, ask, source, shows, pivot, own }) => ({ id, ask, source, shows, pivot, own }));
}

/** Cancels the chosen cell if it runs, else all running cells. */
export function cancelRun(state: ExplorerState): Step {
  const current = currentCell(state);
  const running = state.cells.filter(({ run }) => run.kind === 'running');
  const stopped = current?.run.kind === 'running' ? [current] : running;
  if (stopped.length === 0) return step(state);
  const ids = new Set(stopped.map(({ id }) => id));
  const cells = state.cells.map(
    (cell): ExplorerCell => (ids.has(cell.id) ? { ...cell, run: { kind: 'cancelled' } } : cell),
  );
  return step(
    {
      ...state,
      cells,
      said: { text: stopped.length === 1 ? 'Stopped.' : `${stopped.length} questions stopped.`, tone: 'plain' },
    },
    ...stopped.flatMap(cancelOf),
  );
}

/** Keeps the answer open, because the deletion may be undone. */
export function deleteCell(state: ExplorerState): Step {
  const cell = currentCell(state);
  if (!cell) return notice(state, 'There is no cell to delete.');
  const cells = state.cells.filter(({ id }) => id !== cell.id);
  const run: ExplorerCell['run'] = cell.run.kind === 'running' ? { kind: 'cancelled' } : cell.run;
  const remembered = remembering(
    withCell(state, cell.id, (each) => ({ ...each, run })),
    'the deletion',
  );
  const left = { ...remembered, cells, current: Math.max(0, Math.min(state.current, cells.length - 1)) };
  // Letters are commands among the cells only, also when none is left.
  return step({ ...say(left, 'Deleted; u brings it back.'), focus: 'cells' }, ...cancelOf(cell));
}

/** Restores earlier cells; they keep answers that arrived since. */
export function undoCells(state: ExplorerState): Step {
  const moment = state.undo.at(-1);
  if (!moment) return notice(state, 'There is nothing to undo.');
  return toMoment(
    { ...state, undo: state.undo.slice(0, -1), redo: [...state.redo, now(state, moment)] },
    moment,
    'Undone',
  );
}

export function redoCells(state: ExplorerState): Step {
  const moment = state.redo.at(-1);
  if (!moment) return notice(state, 'There is nothing to redo.');
  return toMoment(
    { ...state, redo: state.redo.slice(0, -1), undo: [...state.undo, now(state, moment)] },
    moment,
    'Redone',
  );
}

function now({ cells, current }: ExplorerState, { what }: CellsMoment): CellsMoment {
  return { cells, current, what };
}

function toMoment(state: ExplorerState, moment: CellsMoment, how: string): Step {
  const present = new Map(state.cells.map((cell) => [cell.id, cell]));
  const cells = moment.cells.map((cell) => {
    const same = present.get(cell.id);
    if (!same || same.ask !== cell.ask) return settled(cell);
    // A display chosen by an answer is not a user's change, so undo keeps it.
    const { shows } = cell.byItself && same.byItself ? same : cell;
    const { pivot, own, source, byItself } = cell;
    if (same.shows === shows && same.pivot === pivot && same.own === own) return same;
    const chart = same.shows === shows && same.pivot === pivot ? same.chart : undefined;
    return { ...same, shows, byItself, pivot, own, source, chart };
  });
  const ids = new Map(cells.map((cell) => [cell.id, cell]));
  const gone = state.cells.filter(({ id, ask }) => ids.get(id)?.ask !== ask);
  const next = { ...state, cells, current: Math.max(0, Math.min(moment.current, cells.length - 1)) };
  const focus = state.focus === 'prompt' ? 'prompt' : state.focus === 'chart' && cells.length > 0 ? 'chart' : 'cells';
  const done = step({ ...say(next, `${how}: ${moment.what}.`), focus }, ...gone.flatMap(cancelOf));
  const pivoted = cells.filter(({ id, pivot }) => present.has(id) && present.get(id)?.pivot !== pivot);
  return chain(
    done,
    ...pivoted.map(
      ({ id }) =>
        (after: ExplorerState) =>
          pivotTable(after, id),
    ),
  );
}

/** Pivots the rows of a cell by its `pivot`. */
export function pivotTable(state: ExplorerState, id: number): Step {
  const cell = state.cells.find((each) => each.id === id);
  if (!cell?.answer) return step(state);
  const run = state.nextNumber;
  const running = withCell({ ...state, nextNumber: run + 1 }, id, (each) => ({ ...each, run: startRun(run, state) }));
  return step(running, { kind: 'pivot', answer: cell.answer.number, run, key: cell.pivot });
}

export function moveCell(state: ExplorerState, by: 1 | -1): Step {
  const { cells, current } = state;
  const cell = cells[current];
  const to = current + by;
  if (!cell || !cells[to]) return notice(state, by < 0 ? 'This is the first cell.' : 'This is the last cell.');
  const moved = cells.toSpliced(current, 1).toSpliced(to, 0, cell);
  return step({ ...remembering(state, 'the move'), cells: moved, current: to });
}

/** Copies the cell below and runs it. */
export function duplicateCell(state: ExplorerState): Step {
  const cell = currentCell(state);
  return cell
    ? addCell(state, cell.ask, state.current + 1, {
        ...(!cell.byItself && { shows: cell.shows }),
        pivot: cell.pivot,
      })
    : notice(state, 'There is no cell to copy.');
}

/** Inserts several questions and runs them in order. */
export function addCells(state: ExplorerState, asks: readonly Ask[], at: number): Step {
  const added = asks.map((ask, index) => toCell(state.nextNumber + index, ask));
  const next = {
    ...remembering(state, asks.length === 1 ? 'the new cell' : `${asks.length} new cells`),
    cells: state.cells.toSpliced(at, 0, ...added),
    current: at + asks.length - 1,
    nextNumber: state.nextNumber + asks.length,
  };
  return chain(
    step(next),
    ...added.map(
      ({ id }) =>
        (after: ExplorerState) =>
          runCell(after, id),
    ),
  );
}

/** Marks a run from before as cancelled. */
function settled(cell: ExplorerCell): ExplorerCell {
  return cell.run.kind === 'running' ? { ...cell, run: { kind: 'cancelled' } } : cell;
}

function cancelOf({ run }: ExplorerCell): readonly Effect[] {
  return run.kind === 'running' ? [{ kind: 'cancel', run: run.number }] : [];
}

export function chooseCell(state: ExplorerState, index: number): ExplorerState {
  return { ...state, current: Math.max(0, Math.min(index, state.cells.length - 1)) };
}

/** Sets the title that a report shows above the answer. */
export function giveTitle(state: ExplorerState, title: string): Step {
  return callCell(state, title, 'Specify a title: `:title Pages this week`.', ({ id, ask, own }) =>
    changeCell(
      state,
      id,
      'the title',
      ask.kind === 'query' ? { ask: { ...ask, saved: { ...ask.saved, title } } } : { own: { ...own, title } },
    ),
  );
}

/** Sets the name by which text quotes figures. */
export function giveName(state: ExplorerState, name: string): Step {
  return callCell(state, name, 'Specify a name: `:name visits`.', ({ id, own }) => {
    if (!namePattern.test(name))
      return notice(
        state,
        `${quote(name)} is not a valid cell name. Use letters, digits and _, such as page_views.`,
        'alert',
      );
    const { state: named } = changeCell(state, id, 'the name', { own: { ...own, name } });
    return notice(named, `Text can show the figures of the cell: {{ ${name}.MEASURE }}.`);
  });
}

function callCell(state: ExplorerState, given: string, hint: string, give: (cell: ExplorerCell) => Step): Step {
  const cell = currentCell(state);
  if (!cell) return notice(state, 'There is no cell.');
  if (cell.ask.kind === 'text')
    return notice(state, 'Only questions have titles and names here. Press e to edit the text.');
  return given === '' ? notice(state, hint) : give(cell);
}

/** Changes a property that does not affect the answer. */
function changeCell(state: ExplorerState, id: number, what: string, change: Partial<ExplorerCell>): Step {
  const before = remembering({ ...state, said: undefined }, what);
  return step(withCell(before, id, (cell) => ({ ...cell, ...change, source: undefined })));
}

function startRun(number: number, { now: since }: ExplorerState): Run {
  return { kind: 'running', number, since, note: undefined };
}

/** Updates the grid of a cell and requests the data it wants. */
export function withGrid(state: ExplorerState, { id, answer }: ExplorerCell, { state: grid, wants }: GridUpdate): Step {
  return step(
    withCell(state, id, (each) => ({ ...each, grid })),
    ...wants.map((wanted): Effect => ({ kind: 'grid', answer: answer?.number ?? 0, wanted })),
  );
}
