import { cellHeight } from './compose/cell-lines.ts';
import { settleScroll } from './compose/overlay-lines.ts';
import { updateGrid } from './grid/update-grid.ts';
import { lineOf } from './line/line-state.ts';
import { type CommandName, commandOf } from './state/commands.ts';
import type { Effect } from './state/effects.ts';
import type { Message } from './state/message.ts';
import { bodyRows, chartRoom, gridRoom } from './state/screen-rooms.ts';
import { type ChartSize, type ExplorerCell, type ExplorerState, type Size, isSameChart } from './state/state.ts';
import { chain, currentCell, say, step, type Step, notice } from './state/step.ts';
import { type Key, nameOfKey } from './terminal/key.ts';
import { chooseCell, deleteCell, withGrid } from './update/change-cells.ts';
import { settleCursor } from './update/chart-cursor.ts';
import { pressInChart } from './update/press-in-chart.ts';
import { pressInOverlay } from './update/overlays.ts';
import { pasteCells, pressInPrompt, withPrompt } from './update/prompt.ts';
import { runCommand } from './update/run-command.ts';
import { isUnsaved, keepDraft } from './update/save-notebook.ts';
import { takeMarkdown } from './update/write-markdown.ts';
import { receive } from './update/receive.ts';

/** The initial state, with the prompt ready. */
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

/** Computes the next state and the effects of a message. Pure; messages in any order give a state that can be drawn. */
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
  // These keys leave the editor, so keep its text first.
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
  // These keys work in every focus and in most overlays.
  if (name === 'f1' && state.over?.kind !== 'keys' && state.over?.kind !== 'markdown') return runCommand(calm, 'keys');
  if (name === 'ctrl-s') return runCommand({ ...calm, over: undefined }, 'save');
  if (state.over) return pressInOverlay(calm, state.over, key);
  switch (state.focus) {
    case 'prompt': {
      const word = name === 'enter' ? commandTyped(state) : undefined;
      if (word) return runCommand(withLineCleared(calm), word);
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

/** The command that a word of shells means; undefined if a saved query has that name, or a cell is edited. */
function commandTyped({ prompt, workspace }: ExplorerState): CommandName | undefined {
  const { line, editing, completion } = prompt;
  const word = line.text.trim().toLowerCase();
  const isSaved = workspace.kind === 'open' && workspace.savedQueries.some(({ name }) => name === word);
  if (isSaved || line.search || editing !== undefined || (completion && completion.chosen >= 0)) return undefined;
  return word === 'help' ? 'keys' : word === 'quit' || word === 'exit' ? 'quit' : undefined;
}

function withLineCleared(state: ExplorerState): ExplorerState {
  const line = lineOf('', state.prompt.line.history);
  return withPrompt(state, { line, completion: undefined, issues: [] });
}

/** Cancels running cells, or clears the line. Again, while the message about leaving is shown, leaves the explorer. */
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
    return notice(
      withPrompt(state, { line: lineOf('', [...line.history, line.text]), completion: undefined, issues: [] }),
      'Cleared. Press up to restore it, ctrl-c again to quit.',
    );
  }
  return notice(state, `Press ctrl-c again to quit.${kept}`);
}

const pasteHint = 'Paste text into the prompt: press o for a new question, then paste.';

/** Letters are commands here, so tell a typing user where to type a question. */
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
        : notice(state, 'There is no cell to delete.');
    }
    case 'up':
    case 'k':
      return step(scrollCell(state, -1) ?? chooseCell(state, current - 1));
    // The prompt follows the last cell.
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
  const command = cell.grid.panel ? undefined : commandOf(name, 'grid');
  if (command) return runCommand(state, command);
  if (!cell.grid.panel && (name === 'y' || name === 't' || name === 'x'))
    return runCommand(state, name === 'y' ? 'copy' : name === 't' ? 'chart' : 'turn');
  const pressed = updateGrid(cell.grid, { kind: 'key', key });
  if (pressed.handled) return withGrid(state, cell, pressed);
  if (name === 'paste') return notice(state, pasteHint, 'alert');
  return step(name === 'escape' || name === 'tab' || name === 'q' ? { ...state, focus: 'cells' } : state);
}

/** Resizes the focused grid to its room. */
function fitGrid(state: ExplorerState): Step {
  const cell = currentCell(state);
  const room = gridRoom(state);
  if (state.focus !== 'grid' || !cell?.grid || !cell.answer) return step(state);
  if (cell.grid.width === room.width && cell.grid.height === room.height) return step(state);
  return withGrid(state, cell, updateGrid(cell.grid, { kind: 'resized', ...room }));
}

/** Requests charts for the current size, each once. */
function wantCharts(state: ExplorerState): Step {
  const room = chartRoom(state);
  const effects: Effect[] = [];
  const cells = state.cells.map((cell): ExplorerCell => {
    const { answer, chart } = cell;
    if (cell.shows !== 'chart' || !answer) return cell;
    const of: ChartSize = { answer: answer.number, ...room, hidden: cell.hidden, theme: state.theme };
    if (chart && isSameChart(chart, of)) return cell;
    const { notes } = answer.head.provenance;
    effects.push({ kind: 'draw-chart', of, notes, annotations: state.annotations });
    // When only series or colours change, show the previous chart until the new one is ready.
    const before = chart && isSameChart({ ...chart, hidden: cell.hidden, theme: of.theme }, of) ? chart : undefined;
    const { lines, words, reading } = before ?? {};
    return { ...cell, chart: { ...of, lines, words, reading, problem: undefined } };
  });
  return effects.length === 0 ? step(state) : step({ ...state, cells }, ...effects);
}

const wheelLines = 3;

/** Height of a cell without the blank line at its end, which need not be visible. */
function heightSeen(cell: ExplorerCell, state: ExplorerState): number {
  return cellHeight(cell, state) - 1;
}

/** Scrolls within a cell that is higher than the screen; undefined at its end. */
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

/** Scrolls just enough to make the chosen cell visible. */
function settleTop(state: ExplorerState): ExplorerState {
  const heights = state.cells.map((cell) => cellHeight(cell, state));
  const start = heights.slice(0, state.current).reduce((sum, height) => sum + height, 0);
  const cell = currentCell(state);
  const end = start + (cell ? heightSeen(cell, state) : 0);
  const all = heights.reduce((sum, height) => sum + height, 0);
  const room = bodyRows(state);
  const seen = end > state.top + room ? end - room : state.top;
  // A cell higher than the screen can scroll between its first and last lines.
  const most = end - start > room ? Math.max(start, Math.min(state.top, end - room)) : Math.min(seen, start);
  const top = Math.max(0, Math.min(most, Math.max(0, all - room)));
  return top === state.top ? state : { ...state, top };
}
