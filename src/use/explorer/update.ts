import { commandOf } from './commands.ts';
import type { Effect } from './effects.ts';
import { updateGrid } from './grid/update-grid.ts';
import { nameOfKey, type Key } from './key.ts';
import { lineOf } from './line/line-state.ts';
import type { Message } from './message.ts';
import { chartRoom, gridRoom } from './screen-rooms.ts';
import { settleScroll } from './compose/overlay-lines.ts';
import { settleTop } from './compose/settle-top.ts';
import type { ExplorerCell, ExplorerState, Size } from './state.ts';
import { currentCell, say, step, withCell, type Step } from './step.ts';
import { chooseCell } from './update/change-cells.ts';
import { pressInOverlay } from './update/overlays.ts';
import { pressInPrompt, withPrompt } from './update/prompt.ts';
import { receive } from './update/receive.ts';
import { runCommand } from './update/run-command.ts';
import { isUnsaved, keepDraft } from './update/save-notebook.ts';

/** The explorer before anything has happened: the prompt is ready. */
export function startState(size: Size, now: number): ExplorerState {
  return {
    size, now, workspace: { kind: 'opening' }, cells: [], current: 0, top: 0, focus: 'prompt', over: undefined,
    prompt: { line: lineOf(), editing: undefined, below: false, completion: undefined, issues: [] },
    nextNumber: 1, undo: [], said: undefined, file: undefined, draft: undefined, leaving: undefined, mouse: true,
  };
}

/**
 * What a message makes of the state, and what is to be done. Pure; whatever comes, in whatever order, gives a state that
 * can be drawn.
 */
export function update(before: ExplorerState, message: Message, now: number): Step {
  const done = react({ ...before, now }, message);
  const fitted = fitGrid(settleScroll(settleTop(done.state)));
  const drawn = wantCharts(fitted.state);
  return { state: drawn.state, effects: [...done.effects, ...fitted.effects, ...drawn.effects, ...keepDraft(before, drawn.state)] };
}

function react(state: ExplorerState, message: Message): Step {
  switch (message.kind) {
    case 'key': return press(state, message.key);
    case 'resized': return step({ ...state, size: message.size });
    case 'tick': return step(state);
    default: return receive(state, message);
  }
}

function press(state: ExplorerState, key: Key): Step {
  const name = nameOfKey(key);
  if (name === 'ctrl-c') return interrupt(state);
  if (name === 'ctrl-z' && !state.prompt.line.search && (state.focus !== 'prompt' || state.prompt.line.text === '')) return step(state, { kind: 'suspend' });
  const calm: ExplorerState = { ...state, leaving: undefined, said: state.over ? state.said : undefined };
  if (state.over) return pressInOverlay(calm, state.over, key);
  switch (state.focus) {
    case 'prompt': {
      const command = commandOf(name, 'prompt');
      return command ? runCommand(calm, command) : pressInPrompt(calm, key) ?? pressWheel(calm, name) ?? step(state);
    }
    case 'cells': return pressInCells(calm, name) ?? step(name === 'paste' ? say(calm, pasteHint, 'alert') : calm);
    case 'grid': return pressInGridOf(calm, key);
  }
}

/** Stops what runs, or empties the line; the second time in a row it leaves, for as long as it stands there that it will. */
function interrupt(state: ExplorerState): Step {
  if (state.leaving !== undefined && state.leaving === state.said) return step(state, { kind: 'leave' });
  const { state: said, effects } = settle({ ...state, over: undefined });
  return step({ ...said, leaving: said.said }, ...effects);
}

function settle(state: ExplorerState): Step {
  if (state.cells.some(({ run }) => run.kind === 'running')) {
    const { state: stopped, effects } = runCommand(state, 'cancel');
    return step(say(stopped, 'Stopped; ctrl-c once more leaves.'), ...effects);
  }
  const kept = isUnsaved(state) ? ' What is not saved is kept, and offered the next time.' : '';
  const { line } = state.prompt;
  if (state.focus === 'prompt' && line.text !== '') {
    return step(say(withPrompt(state, { line: lineOf('', [...line.history, line.text]), completion: undefined, issues: [] }), 'Emptied; up brings it back. ctrl-c once more leaves.'));
  }
  return step(say(state, `ctrl-c once more leaves.${kept}`));
}

const pasteHint = 'Text can be pasted into the prompt: press o for a new question, then paste.';

function pressInCells(state: ExplorerState, name: string): Step | undefined {
  const command = commandOf(name, 'cells');
  if (command === 'cancel' && !state.cells.some(({ run }) => run.kind === 'running')) return step({ ...state, focus: 'prompt' });
  if (command) return runCommand(state, command);
  const { current, cells } = state;
  const last = cells.length - 1;
  switch (name) {
    case 'up': case 'k': return step(chooseCell(state, current - 1));
    // Behind the last cell lies the prompt.
    case 'down': case 'j': return step(current >= last ? { ...state, focus: 'prompt' } : chooseCell(state, current + 1));
    case 'home': case 'g': return step(chooseCell(state, 0));
    case 'end': case 'G': return step(chooseCell(state, last));
    case 'pageup': return step(chooseCell(state, current - 3));
    case 'pagedown': return step(chooseCell(state, current + 3));
    default: return pressWheel(state, name);
  }
}

function pressWheel(state: ExplorerState, name: string): Step | undefined {
  if (name !== 'wheelup' && name !== 'wheeldown') return undefined;
  return step(chooseCell(state, state.current + (name === 'wheeldown' ? 1 : -1)));
}

function pressInGridOf(state: ExplorerState, key: Key): Step {
  const cell = currentCell(state);
  if (!cell?.grid || !cell.answer) return step({ ...state, focus: 'cells' });
  const name = nameOfKey(key);
  const { number: answer } = cell.answer;
  const command = cell.grid.panel ? undefined : commandOf(name, 'grid');
  if (command) return runCommand(state, command);
  if (!cell.grid.panel && (name === 'y' || name === 't' || name === 'x')) return runCommand(state, name === 'y' ? 'copy' : name === 't' ? 'chart' : 'turn');
  const { state: grid, wants, handled } = updateGrid(cell.grid, { kind: 'key', key });
  if (!handled && name === 'paste') return step(say(state, pasteHint, 'alert'));
  if (!handled && (name === 'escape' || name === 'tab' || name === 'q')) return step({ ...state, focus: 'cells' });
  return step(withCell(state, cell.id, (each) => ({ ...each, grid })), ...wants.map((wanted): Effect => ({ kind: 'grid', answer, wanted })));
}

/** The grid that is looked at gets the room that there is. */
function fitGrid(state: ExplorerState): Step {
  const cell = currentCell(state);
  const room = gridRoom(state);
  if (state.focus !== 'grid' || !cell?.grid || !cell.answer) return step(state);
  if (cell.grid.width === room.width && cell.grid.height === room.height) return step(state);
  const { number: answer } = cell.answer;
  const { state: grid, wants } = updateGrid(cell.grid, { kind: 'resized', ...room });
  return step(withCell(state, cell.id, (each) => ({ ...each, grid })), ...wants.map((wanted): Effect => ({ kind: 'grid', answer, wanted })));
}

/** Charts are drawn for the room that there is, once for each. */
function wantCharts(state: ExplorerState): Step {
  const room = chartRoom(state);
  const effects: Effect[] = [];
  const cells = state.cells.map((cell): ExplorerCell => {
    const { answer, chart } = cell;
    if (cell.shows !== 'chart' || !answer) return cell;
    if (chart?.answer === answer.number && chart.width === room.width && chart.height === room.height) return cell;
    effects.push({ kind: 'draw-chart', answer: answer.number, ...room });
    return { ...cell, chart: { answer: answer.number, ...room, lines: undefined, problem: undefined } };
  });
  return effects.length === 0 ? step(state) : step({ ...state, cells }, ...effects);
}
