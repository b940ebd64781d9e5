import type { Effect } from '../effects.ts';
import { updateGrid } from '../grid/update-grid.ts';
import { lineOf } from '../line/line-state.ts';
import type { Message } from '../message.ts';
import type { ExplorerCell, ExplorerState, Failure } from '../state.ts';
import { chain, say, step, withCell, type Step } from '../step.ts';
import { changeAsk, runAll, toCell } from './change-cells.ts';
import { look, withPrompt } from './prompt.ts';

/** What came of an effect. What nobody waits for any more is dropped, whenever it comes. */
export function receive(state: ExplorerState, message: Exclude<Message, { readonly kind: 'key' | 'resized' | 'tick' }>): Step {
  switch (message.kind) {
    case 'opened': {
      const [note] = message.workspace.notes;
      const opened = { ...state, workspace: message.workspace, said: note === undefined ? state.said : { text: note, tone: 'plain' as const } };
      return state.focus === 'prompt' && state.prompt.line.text !== '' ? look(opened) : step(opened);
    }
    case 'open-failed': return step({ ...state, workspace: { kind: 'lost', failure: message.failure } });
    case 'answered': return answered(state, message);
    case 'run-failed': return failed(state, message.run, message.failure);
    case 'run-cancelled': return step(mapRun(state, message.run, (cell) => ({ ...cell, run: { kind: 'cancelled' } })));
    case 'run-waits': return step(mapRun(state, message.run, (cell) => (cell.run.kind === 'running' ? { ...cell, run: { ...cell.run, note: message.note } } : cell)));
    case 'grid': return gridMessage(state, message);
    case 'values-found': {
      if (state.workspace.kind !== 'open') return step(state);
      const known = { ...state, workspace: { ...state.workspace, values: new Map([...state.workspace.values, [message.member, message.values]]) } };
      return state.focus === 'prompt' && state.prompt.line.text !== '' ? keepChoice(state, look(known)) : step(known);
    }
    case 'chart-drawn': return step(withChart(state, message, { lines: message.lines, problem: undefined }));
    case 'chart-failed': return step(withChart(state, message, { lines: undefined, problem: message.why }));
    case 'saved': {
      // What was changed while it was written is not in the file.
      const written = (cell: ExplorerCell) => message.cells.find(({ id, ask, shows }) => id === cell.id && ask === cell.ask && shows === cell.shows);
      const cells = state.cells.map((cell) => ({ ...cell, source: written(cell)?.source ?? cell.source }));
      return step(say({ ...state, cells, file: message.file }, `Saved as ${message.file.shown}.${message.note === undefined ? '' : ` ${message.note}`}`, message.note === undefined ? 'plain' : 'alert'));
    }
    case 'notebook-opened': return notebookOpened(state, message);
    case 'edited': return message.ask === undefined || !state.cells.some(({ id }) => id === message.cell) ? step(say(state, 'Nothing was changed.')) : changeAsk(state, message.cell, message.ask);
    case 'edit-refused': return step({ ...say(state, 'The text of the editor cannot be used; it was kept.', 'alert'), over: { kind: 'text', title: 'What was typed in the editor', text: `${message.message}\n\n${message.text}`, scroll: 0 } });
    case 'turned': return step({ ...state, over: { kind: 'text', title: message.title, text: message.text, scroll: 0 } });
    case 'copied': return step(say(state, `Copied ${message.what}, if the terminal allows it.`));
    case 'history-read': {
      const { line } = state.prompt;
      return step(withPrompt(state, { line: { ...line, history: [...message.lines, ...line.history] } }));
    }
    case 'draft-found': return step({ ...state, draft: message.draft });
    case 'effect-failed': return step(say(state, `${message.what}: ${message.failure.message.split('\n')[0] ?? ''}${message.failure.hint === undefined ? '' : ` ${message.failure.hint}`}`, 'error'));
  }
}

function mapRun(state: ExplorerState, number: number, change: (cell: ExplorerCell) => ExplorerCell): ExplorerState {
  const cell = state.cells.find(({ run }) => run.kind === 'running' && run.number === number);
  return cell ? withCell(state, cell.id, change) : state;
}

function answered(state: ExplorerState, { run, answer, grid, elapsedMs }: Message & { readonly kind: 'answered' }): Step {
  const cell = state.cells.find((each) => each.run.kind === 'running' && each.run.number === run);
  if (!cell) return step(state, { kind: 'release', answer: answer.number });
  const before = cell.answer && !isRemembered(state, cell.answer.number, cell.id) ? [{ kind: 'release' as const, answer: cell.answer.number }] : [];
  return step(withCell(state, cell.id, (each) => ({ ...each, answer, grid, chart: undefined, run: { kind: 'done', elapsedMs } })), ...before);
}

/** Whether an undo could bring it back. */
function isRemembered({ undo, cells }: ExplorerState, answer: number, id: number): boolean {
  return undo.some((moment) => moment.cells.some((cell) => cell.answer?.number === answer)) || cells.some((cell) => cell.id !== id && cell.answer?.number === answer);
}

/** An answer of before would look as if it were that of the question that failed. */
function failed(state: ExplorerState, run: number, failure: Failure): Step {
  const next = mapRun(state, run, (cell) => ({ ...cell, answer: undefined, grid: undefined, chart: undefined, run: { kind: 'failed', failure } }));
  if (next === state) return step(state);
  const lost: ExplorerState = failure.lost ? { ...next, workspace: { kind: 'lost', failure } } : next;
  return step(lost.focus === 'grid' && !lost.cells[lost.current]?.grid ? { ...lost, focus: 'cells' } : lost);
}

function gridMessage(state: ExplorerState, { answer, message }: Message & { readonly kind: 'grid' }): Step {
  const cell = state.cells.find((each) => each.answer?.number === answer);
  if (!cell?.grid) return step(state);
  const { state: grid, wants } = updateGrid(cell.grid, message);
  return step(withCell(state, cell.id, (each) => ({ ...each, grid })), ...wants.map((wanted): Effect => ({ kind: 'grid', answer, wanted })));
}

function withChart(state: ExplorerState, { answer, width, height }: { readonly answer: number; readonly width: number; readonly height: number }, drawn: { readonly lines: readonly string[] | undefined; readonly problem: string | undefined }): ExplorerState {
  const cell = state.cells.find(({ chart }) => chart?.answer === answer && chart.width === width && chart.height === height);
  return cell ? withCell(state, cell.id, (each) => ({ ...each, chart: { answer, width, height, ...drawn } })) : state;
}

function keepChoice(before: ExplorerState, { state, effects }: Step): Step {
  const chosen = before.prompt.completion?.candidates[before.prompt.completion.chosen]?.text;
  const { completion } = state.prompt;
  const index = chosen === undefined || !completion ? -1 : completion.candidates.findIndex(({ text }) => text === chosen);
  return { state: completion ? withPrompt(state, { completion: { ...completion, chosen: index } }) : state, effects };
}

function notebookOpened(state: ExplorerState, { file, cells: opened, typed }: Message & { readonly kind: 'notebook-opened' }): Step {
  const running = state.cells.flatMap(({ run }): readonly Effect[] => (run.kind === 'running' ? [{ kind: 'cancel', run: run.number }] : []));
  const answers = [...state.cells, ...state.undo.flatMap(({ cells }) => cells)].flatMap(({ answer }) => answer?.number ?? []);
  const cells = opened.map(({ ask, source, shows }, index) => toCell(state.nextNumber + index, ask, { source, shows }));
  const history = state.prompt.line.history;
  const next: ExplorerState = {
    ...state, cells, current: 0, top: 0, file, undo: [], nextNumber: state.nextNumber + cells.length, focus: cells.length === 0 ? 'prompt' : 'cells', over: undefined,
    prompt: { line: lineOf(typed, history), editing: undefined, below: false, completion: undefined, issues: [] }, said: undefined,
  };
  return chain(step(next, ...running, ...[...new Set(answers)].map((answer): Effect => ({ kind: 'release', answer }))), runAll);
}
