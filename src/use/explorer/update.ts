import { cellHeight } from './compose/cell-lines.ts';
import { settleScroll } from './compose/overlay-lines.ts';
import { updateGrid } from './grid/update-grid.ts';
import { oneLine, replaceText } from './line/edit-line.ts';
import { lineOf } from './line/line-state.ts';
import { commandOf } from './state/commands.ts';
import type { Effect } from './state/effects.ts';
import type { Message } from './state/message.ts';
import { bodyRows, chartRoom, gridRoom } from './state/screen-rooms.ts';
import { showsBetterAsChart } from './state/says-more-drawn.ts';
import type { ChartSize, DrawnChart, ExplorerCell, ExplorerState, Failure, Size } from './state/state.ts';
import { chain, currentCell, say, step, type Step, withCell } from './state/step.ts';
import { type Key, nameOfKey } from './terminal/key.ts';
import { changeAsk, chooseCell, deleteCell, runAll, toCell, turnTable } from './update/change-cells.ts';
import { settleCursor } from './update/chart-cursor.ts';
import { pressInChart } from './update/press-in-chart.ts';
import { pressInOverlay } from './update/overlays.ts';
import { pasteCells, pressInPrompt, suggest, typed, withPrompt } from './update/prompt.ts';
import { runCommand } from './update/run-command.ts';
import { isUnsaved, keepDraft } from './update/save-notebook.ts';
import { takeEdited, takeMarkdown } from './update/write-markdown.ts';

/** The explorer before anything has happened: the prompt is ready. */
export function startState(size: Size, now: number): ExplorerState {
  return {
    size,
    now,
    workspace: { kind: 'opening' },
    cells: [],
    current: 0,
    top: 0,
    focus: 'prompt',
    over: undefined,
    prompt: { line: lineOf(), editing: undefined, below: false, completion: undefined, issues: [] },
    nextNumber: 1,
    undo: [],
    redo: [],
    deleting: undefined,
    said: undefined,
    file: undefined,
    given: new Map(),
    params: [],
    annotations: [],
    draft: undefined,
    leaving: undefined,
    mouse: true,
    theme: 'auto',
    cursor: { place: 0, series: 0, mark: undefined },
  };
}

/**
 * What a message makes of the state, and what is to be done. Pure; whatever comes, in whatever order, gives a state
 * that can be drawn.
 */
export function update(before: ExplorerState, message: Message, now: number): Step {
  const done = react({ ...before, now }, message);
  const fitted = fitGrid(settleScroll(settleTop(done.state)));
  const drawn = wantCharts(settleCursor(fitted.state));
  return {
    state: drawn.state,
    effects: [...done.effects, ...fitted.effects, ...drawn.effects, ...keepDraft(before, drawn.state)],
  };
}

function react(state: ExplorerState, message: Message): Step {
  switch (message.kind) {
    case 'key':
      return press(state, message.key);
    case 'resized':
      return step({ ...state, size: message.size });
    case 'tick':
      return step(state);
    default:
      return receive(state, message);
  }
}

function press(state: ExplorerState, key: Key): Step {
  const name = nameOfKey(key);
  // Nothing that was written is lost by a key that leads elsewhere.
  if (state.over?.kind === 'markdown' && (name === 'ctrl-c' || name === 'ctrl-s' || name === 'ctrl-z')) {
    const { state: taken, effects } = takeMarkdown(state, state.over);
    if (taken.over || name === 'ctrl-c') return step(taken, ...effects);
    return chain(step(taken, ...effects), (next) => press(next, key));
  }
  if (name === 'ctrl-c') return interrupt(state);
  if (name === 'ctrl-z') return step(state, { kind: 'suspend' });
  const { deleting } = state;
  const calm: ExplorerState = {
    ...state,
    leaving: undefined,
    deleting: undefined,
    said: state.over ? state.said : undefined,
  };
  if (deleting !== undefined && name === 'enter' && state.focus === 'cells' && currentCell(state)?.id === deleting)
    return deleteCell(calm);
  // Everywhere, whatever stands over the cells.
  if (name === 'f1' && state.over?.kind !== 'keys' && state.over?.kind !== 'markdown') return runCommand(calm, 'keys');
  if (name === 'ctrl-s') return runCommand({ ...calm, over: undefined }, 'save');
  if (state.over) return pressInOverlay(calm, state.over, key);
  switch (state.focus) {
    case 'prompt': {
      const command = commandOf(name, 'prompt');
      return command ? runCommand(calm, command) : (pressInPrompt(calm, key) ?? pressWheel(calm, name) ?? step(state));
    }
    case 'cells':
      return (
        pressInCells(calm, name) ?? (name === 'paste' ? pasteCells(calm, key) : undefined) ?? step(strange(calm, key))
      );
    case 'grid':
      return pressInGridOf(calm, key);
    case 'chart':
      return pressInChart(calm, name);
  }
}

/**
 * Stops what runs, or empties the line; the second time in a row it leaves, for as long as it stands there that it
 * will.
 */
function interrupt(state: ExplorerState): Step {
  if (state.leaving !== undefined && state.leaving === state.said) return step(state, { kind: 'leave' });
  const { state: said, effects } = settle({ ...state, over: undefined });
  return step({ ...said, leaving: said.said }, ...effects);
}

function settle(state: ExplorerState): Step {
  if (state.cells.some(({ run }) => run.kind === 'running')) {
    const { state: stopped, effects } = runCommand(state, 'cancel');
    return step(say(stopped, 'Stopped. Press ctrl-c again to quit.'), ...effects);
  }
  const kept = isUnsaved(state) ? ' Unsaved changes are kept for the next session.' : '';
  const { line } = state.prompt;
  if (state.focus === 'prompt' && line.text !== '') {
    return step(
      say(
        withPrompt(state, { line: lineOf('', [...line.history, line.text]), completion: undefined, issues: [] }),
        'Cleared. Press up to restore it, ctrl-c again to quit.',
      ),
    );
  }
  return step(say(state, `Press ctrl-c again to quit.${kept}`));
}

const pasteHint = 'Paste text into the prompt: press o for a new question, then paste.';

/** Letters are commands here: whoever types a question is told where. */
function strange(state: ExplorerState, { name, text }: Key): ExplorerState {
  if (name === 'paste') return say(state, pasteHint, 'alert');
  return text.trim() === ''
    ? state
    : say(state, 'Letters are commands here. Press o to type a question, ? for the keys.');
}

function pressInCells(state: ExplorerState, name: string): Step | undefined {
  const command = commandOf(name, 'cells');
  if (command === 'cancel' && !state.cells.some(({ run }) => run.kind === 'running'))
    return step({ ...state, focus: 'prompt' });
  if (command) return runCommand(state, command);
  const { current, cells } = state;
  const last = cells.length - 1;
  switch (name) {
    case 'd': {
      const cell = currentCell(state);
      return cell
        ? step({
            ...say(state, `Delete cell ${current + 1}? Enter deletes it, any other key keeps it.`, 'alert'),
            deleting: cell.id,
          })
        : step(say(state, 'There is no cell to delete.'));
    }
    case 'up':
    case 'k':
      return step(scrollCell(state, -1) ?? chooseCell(state, current - 1));
    // Behind the last cell lies the prompt.
    case 'down':
    case 'j':
      return step(
        scrollCell(state, 1) ?? (current >= last ? { ...state, focus: 'prompt' } : chooseCell(state, current + 1)),
      );
    case 'home':
    case 'g':
      return step(chooseCell(state, 0));
    case 'end':
    case 'G':
      return step(chooseCell(state, last));
    case 'pageup':
      return step(scrollCell(state, 1 - bodyRows(state)) ?? chooseCell(state, current - 3));
    case 'pagedown':
      return step(scrollCell(state, bodyRows(state) - 1) ?? chooseCell(state, current + 3));
    default:
      return pressWheel(state, name);
  }
}

function pressWheel(state: ExplorerState, name: string): Step | undefined {
  if (name !== 'wheelup' && name !== 'wheeldown') return undefined;
  const by = name === 'wheeldown' ? 1 : -1;
  return step(scrollCell(state, by * wheelLines) ?? chooseCell(state, state.current + by));
}

function pressInGridOf(state: ExplorerState, key: Key): Step {
  const cell = currentCell(state);
  if (!cell?.grid || !cell.answer) return step({ ...state, focus: 'cells' });
  const name = nameOfKey(key);
  const { number: answer } = cell.answer;
  const command = cell.grid.panel ? undefined : commandOf(name, 'grid');
  if (command) return runCommand(state, command);
  if (!cell.grid.panel && (name === 'y' || name === 't' || name === 'x'))
    return runCommand(state, name === 'y' ? 'copy' : name === 't' ? 'chart' : 'turn');
  const { state: grid, wants, handled } = updateGrid(cell.grid, { kind: 'key', key });
  if (!handled && name === 'paste') return step(say(state, pasteHint, 'alert'));
  if (!handled && (name === 'escape' || name === 'tab' || name === 'q')) return step({ ...state, focus: 'cells' });
  return step(
    withCell(state, cell.id, (each) => ({ ...each, grid })),
    ...wants.map((wanted): Effect => ({ kind: 'grid', answer, wanted })),
  );
}

/** The grid that is looked at gets the room that there is. */
function fitGrid(state: ExplorerState): Step {
  const cell = currentCell(state);
  const room = gridRoom(state);
  if (state.focus !== 'grid' || !cell?.grid || !cell.answer) return step(state);
  if (cell.grid.width === room.width && cell.grid.height === room.height) return step(state);
  const { number: answer } = cell.answer;
  const { state: grid, wants } = updateGrid(cell.grid, { kind: 'resized', ...room });
  return step(
    withCell(state, cell.id, (each) => ({ ...each, grid })),
    ...wants.map((wanted): Effect => ({ kind: 'grid', answer, wanted })),
  );
}

/** Charts are drawn for the room that there is, once for each. */
function wantCharts(state: ExplorerState): Step {
  const room = chartRoom(state);
  const effects: Effect[] = [];
  const cells = state.cells.map((cell): ExplorerCell => {
    const { answer, chart } = cell;
    if (cell.shows !== 'chart' || !answer) return cell;
    const of: ChartSize = { answer: answer.number, ...room, hidden: cell.hidden, theme: state.theme };
    if (chart && isSameChart(chart, of)) return cell;
    effects.push({ kind: 'draw-chart', of, annotations: state.annotations });
    // Without a series, or in other colours, the one of before stands there until the other has come.
    const before = chart && isSameChart({ ...chart, hidden: cell.hidden, theme: of.theme }, of) ? chart : undefined;
    const { lines, words, reading } = before ?? {};
    return { ...cell, chart: { ...of, lines, words, reading, problem: undefined } };
  });
  return effects.length === 0 ? step(state) : step({ ...state, cells }, ...effects);
}

function isSameChart(one: ChartSize, other: ChartSize): boolean {
  return (
    one.answer === other.answer &&
    one.width === other.width &&
    one.height === other.height &&
    one.hidden === other.hidden &&
    one.theme === other.theme
  );
}

const wheelLines = 3;

/** The lines of a cell, without the blank one at its end, which nobody needs to see. */
function heightSeen(cell: ExplorerCell, state: ExplorerState): number {
  return cellHeight(cell, state) - 1;
}

/** Further in a cell that is higher than the screen; undefined: there is no further. */
function scrollCell(state: ExplorerState, by: number): ExplorerState | undefined {
  const cell = currentCell(state);
  if (!cell) return undefined;
  const room = bodyRows(state);
  const start = state.cells.slice(0, state.current).reduce((sum, each) => sum + cellHeight(each, state), 0);
  const height = heightSeen(cell, state);
  if (height <= room) return undefined;
  const top = Math.max(start, Math.min(state.top + by, start + height - room));
  return top === state.top ? undefined : { ...state, top };
}

/** The state with its cells scrolled so that the chosen one is in sight, and no further than that takes. */
function settleTop(state: ExplorerState): ExplorerState {
  const heights = state.cells.map((cell) => cellHeight(cell, state));
  const start = heights.slice(0, state.current).reduce((sum, height) => sum + height, 0);
  const cell = currentCell(state);
  const end = start + (cell ? heightSeen(cell, state) : 0);
  const all = heights.reduce((sum, height) => sum + height, 0);
  const room = bodyRows(state);
  const seen = end > state.top + room ? end - room : state.top;
  // What is higher than the screen can be scrolled, from its beginning to its end.
  const most = end - start > room ? Math.max(start, Math.min(state.top, end - room)) : Math.min(seen, start);
  const top = Math.max(0, Math.min(most, Math.max(0, all - room)));
  return top === state.top ? state : { ...state, top };
}

/** What came of an effect. What nobody waits for any more is dropped, whenever it comes. */
function receive(state: ExplorerState, message: Exclude<Message, { readonly kind: 'key' | 'resized' | 'tick' }>): Step {
  switch (message.kind) {
    case 'opened': {
      const [note] = message.workspace.notes;
      const opened = {
        ...state,
        workspace: message.workspace,
        said: note === undefined ? state.said : { text: note, tone: 'plain' as const },
      };
      return state.focus === 'prompt' && state.prompt.line.text !== '' ? suggest(opened) : step(opened);
    }
    case 'open-failed':
      return step({ ...state, workspace: { kind: 'lost', failure: message.failure } });
    case 'answered':
      return answered(state, message);
    case 'report-answered':
      return step({
        ...state,
        params: message.params,
        annotations: message.annotations,
        cells: withoutCharts(state, message.annotations).map((cell) =>
          cell.run.kind === 'running' && cell.run.number === message.run
            ? { ...cell, told: message.told.get(cell.id), run: { kind: 'done', elapsedMs: message.elapsedMs } }
            : cell,
        ),
      });
    case 'run-failed':
      return failed(state, message.run, message.failure);
    case 'run-cancelled':
      return step(mapRun(state, message.run, (cell) => ({ ...cell, run: { kind: 'cancelled' } })));
    case 'run-waits':
      return step(
        mapRun(state, message.run, (cell) =>
          cell.run.kind === 'running' ? { ...cell, run: { ...cell.run, note: message.note } } : cell,
        ),
      );
    case 'first-rows':
      return step(
        mapRun(state, message.run, (cell) =>
          cell.run.kind === 'running' ? { ...cell, run: { ...cell.run, first: message.first } } : cell,
        ),
      );
    case 'grid':
      return gridMessage(state, message);
    case 'values-counted': {
      const { over } = state;
      if (over?.kind !== 'frequencies' || over.run !== message.run) return step(state);
      return step({ ...state, over: { ...over, counted: message.counted, problem: message.problem } });
    }
    case 'values-found': {
      if (state.workspace.kind !== 'open') return step(state);
      const known = {
        ...state,
        workspace: {
          ...state.workspace,
          values: new Map([...state.workspace.values, [message.member, message.values]]),
        },
      };
      return state.focus === 'prompt' && state.prompt.line.text !== ''
        ? keepChoice(state, suggest(known))
        : step(known);
    }
    case 'empty-found':
      return state.workspace.kind === 'open'
        ? step({
            ...state,
            workspace: { ...state.workspace, empty: message.empty },
            // Other things stand in its list now.
            over: state.over?.kind === 'catalog' ? { ...state.over, chosen: 0 } : state.over,
          })
        : step(state);
    case 'chart-drawn':
      return step(
        withChart(state, message.of, {
          lines: message.lines,
          words: message.words,
          reading: message.reading,
          problem: undefined,
        }),
      );
    case 'chart-failed':
      return step(
        withChart(state, message.of, { lines: undefined, words: undefined, reading: undefined, problem: message.why }),
      );
    case 'saved': {
      // What was changed while it was written is not in the file.
      const written = (cell: ExplorerCell) =>
        message.cells.find(
          ({ id, ask, shows, pivot }) =>
            id === cell.id && ask === cell.ask && shows === cell.shows && pivot === cell.pivot,
        );
      const cells = state.cells.map((cell) => {
        const source = written(cell)?.source;
        return source === undefined ? cell : { ...cell, source, byItself: false };
      });
      return step(
        say(
          { ...state, cells, file: message.file },
          `Saved as ${message.file.shown}.${message.note === undefined ? '' : ` ${message.note}`}`,
          message.note === undefined ? 'plain' : 'alert',
        ),
      );
    }
    case 'notebook-opened':
      return notebookOpened(state, message);
    case 'edited':
      return message.ask === undefined || !state.cells.some(({ id }) => id === message.cell)
        ? step(say(state, 'Nothing was changed.'))
        : message.ask.kind === 'text'
          ? takeEdited(state, message.cell, message.ask.source)
          : changeAsk(state, message.cell, message.ask);
    case 'typed-edited': {
      const line = message.text === undefined ? undefined : oneLine(message.text).trim();
      if (line === undefined) return step(say(state, 'Nothing was changed.'));
      return typed({ ...state, focus: 'prompt' }, replaceText(state.prompt.line, line, line.length));
    }
    case 'edit-refused':
      return step({
        ...say(state, 'The edited text has errors. It was kept.', 'alert'),
        over: {
          kind: 'text',
          title: 'The edited text',
          text: `${message.message}\n\n${message.text}`,
          scroll: 0,
        },
      });
    case 'turned':
      return step({ ...state, over: { kind: 'text', title: message.title, text: message.text, scroll: 0 } });
    case 'exported':
      return step(say(state, message.said));
    case 'copied':
      return step(say(state, `Copied ${message.what}, if the terminal allows it.`));
    case 'history-read': {
      const { line } = state.prompt;
      return step(withPrompt(state, { line: { ...line, history: [...message.lines, ...line.history] } }));
    }
    case 'drafts-found':
      return message.drafts.length === 0
        ? step(say(state, 'No other session left anything unsaved.'))
        : step({ ...state, over: { kind: 'drafts', drafts: message.drafts, line: lineOf(''), chosen: 0 } });
    case 'draft-found':
      return step({ ...state, draft: message.draft });
    case 'effect-failed': {
      const [, ...more] = message.failure.message.split('\n');
      const failed: ExplorerState =
        more.length === 0
          ? state
          : { ...state, over: { kind: 'text', title: message.what, text: message.failure.message, scroll: 0 } };
      return step(
        say(
          failed,
          `${message.what}: ${message.failure.message.split('\n')[0] ?? ''}${message.failure.hint === undefined ? '' : ` ${message.failure.hint}`}`,
          'error',
        ),
      );
    }
  }
}

/** Other marks need other charts. */
function withoutCharts(
  { cells, annotations }: ExplorerState,
  found: ExplorerState['annotations'],
): readonly ExplorerCell[] {
  return JSON.stringify(found) === JSON.stringify(annotations)
    ? cells
    : cells.map((cell) => ({ ...cell, chart: undefined }));
}

function mapRun(state: ExplorerState, number: number, change: (cell: ExplorerCell) => ExplorerCell): ExplorerState {
  // The blocks of a report are answered by one run.
  const isAsked = ({ run }: ExplorerCell) => run.kind === 'running' && run.number === number;
  return state.cells.some(isAsked)
    ? { ...state, cells: state.cells.map((cell) => (isAsked(cell) ? change(cell) : cell)) }
    : state;
}

function answered(
  state: ExplorerState,
  { run, answer, grid, elapsedMs, pivot }: Message & { readonly kind: 'answered' },
): Step {
  const cell = state.cells.find((each) => each.run.kind === 'running' && each.run.number === run);
  if (!cell) return step(state, { kind: 'release', answer: answer.number });
  const before =
    cell.answer && !isRemembered(state, cell.answer.number, cell.id)
      ? [{ kind: 'release' as const, answer: cell.answer.number }]
      : [];
  const next = withCell(
    state,
    cell.id,
    (each): ExplorerCell => ({
      ...each,
      answer,
      grid,
      chart: undefined,
      hidden: undefined,
      shows: each.byItself ? (showsBetterAsChart(answer, chartRoom(state)) ? 'chart' : 'table') : each.shows,
      run: { kind: 'done', elapsedMs },
    }),
  );
  if (cell.pivot === undefined || pivot === cell.pivot) return step(next, ...before);
  // Its table has a pivot: the new rows get it, too, unless they have no such column any more or are too many.
  const isThere = answer.drill.columns.some(({ key, kind }) => key === cell.pivot && kind !== 'measure');
  if (!isThere || answer.head.rowCount < answer.rowCount)
    return step(
      withCell(next, cell.id, (each) => ({ ...each, pivot: undefined })),
      ...before,
    );
  const { state: turning, effects } = turnTable(next, cell.id);
  return step(turning, ...before, ...effects);
}

/** Whether an undo could bring it back. */
function isRemembered({ undo, redo, cells }: ExplorerState, answer: number, id: number): boolean {
  return (
    [...undo, ...redo].some((moment) => moment.cells.some((cell) => cell.answer?.number === answer)) ||
    cells.some((cell) => cell.id !== id && cell.answer?.number === answer)
  );
}

/** An answer of before would look as if it were that of the question that failed. */
function failed(state: ExplorerState, run: number, failure: Failure): Step {
  let isFirst = true;
  const next = mapRun(state, run, (cell) => {
    const ended: ExplorerCell['run'] = isFirst ? { kind: 'failed', failure } : { kind: 'cancelled' };
    isFirst = false;
    return { ...cell, answer: undefined, grid: undefined, chart: undefined, told: undefined, run: ended };
  });
  if (next === state) return step(state);
  const lost: ExplorerState = failure.lost ? { ...next, workspace: { kind: 'lost', failure } } : next;
  return step(lost.focus === 'grid' && !lost.cells[lost.current]?.grid ? { ...lost, focus: 'cells' } : lost);
}

function gridMessage(state: ExplorerState, { answer, message }: Message & { readonly kind: 'grid' }): Step {
  const cell = state.cells.find((each) => each.answer?.number === answer);
  if (!cell?.grid) return step(state);
  const { state: grid, wants } = updateGrid(cell.grid, message);
  return step(
    withCell(state, cell.id, (each) => ({ ...each, grid })),
    ...wants.map((wanted): Effect => ({ kind: 'grid', answer, wanted })),
  );
}

function withChart(state: ExplorerState, of: ChartSize, drawn: Omit<DrawnChart, keyof ChartSize>): ExplorerState {
  const cell = state.cells.find(({ chart }) => chart && isSameChart(chart, of));
  if (!cell) return state;
  // Where nobody asked for a chart, the table says it all.
  const shows = drawn.problem !== undefined && cell.byItself ? 'table' : cell.shows;
  return withCell(state, cell.id, (each) => ({ ...each, shows, chart: { ...of, ...drawn } }));
}

function keepChoice(before: ExplorerState, { state, effects }: Step): Step {
  const chosen = before.prompt.completion?.candidates[before.prompt.completion.chosen]?.text;
  const { completion } = state.prompt;
  const index =
    chosen === undefined || !completion ? -1 : completion.candidates.findIndex(({ text }) => text === chosen);
  return { state: completion ? withPrompt(state, { completion: { ...completion, chosen: index } }) : state, effects };
}

function notebookOpened(
  state: ExplorerState,
  { file, cells: opened, given = new Map(), typed, restored, note }: Message & { readonly kind: 'notebook-opened' },
): Step {
  const running = state.cells.flatMap(({ run }): readonly Effect[] =>
    run.kind === 'running' ? [{ kind: 'cancel', run: run.number }] : [],
  );
  const answers = [...state.cells, ...[...state.undo, ...state.redo].flatMap(({ cells }) => cells)].flatMap(
    ({ answer }) => answer?.number ?? [],
  );
  const cells = opened.map(({ ask, source, shows, pivot, own }, index) =>
    toCell(state.nextNumber + index, ask, { source, shows, pivot, own }),
  );
  const history = state.prompt.line.history;
  const next: ExplorerState = {
    ...state,
    cells,
    current: 0,
    top: 0,
    file,
    given,
    params: [],
    annotations: [],
    undo: [],
    redo: [],
    deleting: undefined,
    nextNumber: state.nextNumber + cells.length,
    focus: cells.length === 0 ? 'prompt' : 'cells',
    over: undefined,
    prompt: { line: lineOf(typed, history), editing: undefined, below: false, completion: undefined, issues: [] },
    said: undefined,
    draft: state.draft?.id === restored ? undefined : state.draft,
  };
  const asked = chain(
    step(next, ...running, ...[...new Set(answers)].map((answer): Effect => ({ kind: 'release', answer }))),
    runAll,
  );
  return note === undefined ? asked : { ...asked, state: say(asked.state, note, 'alert') };
}
