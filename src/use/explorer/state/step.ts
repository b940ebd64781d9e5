import type { Effect } from './effects.ts';
import type { ExplorerCell, ExplorerState, Said } from './state.ts';

/** The next state, and the effects to perform. */
export interface Step {
  readonly state: ExplorerState;
  readonly effects: readonly Effect[];
}

export function step(state: ExplorerState, ...effects: readonly Effect[]): Step {
  return { state, effects };
}

/** Applies steps in sequence, each to the state of the previous one. */
export function chain(first: Step, ...rest: readonly ((state: ExplorerState) => Step)[]): Step {
  return rest.reduce((done, next) => {
    const { state, effects } = next(done.state);
    return { state, effects: [...done.effects, ...effects] };
  }, first);
}

/** Said until the workspace is open again. */
export const openingSaid = 'Opening …';

export function say(state: ExplorerState, text: string, tone: Said['tone'] = 'plain'): ExplorerState {
  return { ...state, said: { text, tone } };
}

/** Adds a message to the state. */
export function notice(state: ExplorerState, text: string, tone?: Said['tone']): Step {
  return step(say(state, text, tone));
}

export function currentCell({ cells, current }: ExplorerState): ExplorerCell | undefined {
  return cells[current];
}

/** Replaces the cell with this ID. */
export function withCell(
  state: ExplorerState,
  id: number,
  change: (cell: ExplorerCell) => ExplorerCell,
): ExplorerState {
  return { ...state, cells: state.cells.map((cell) => (cell.id === id ? change(cell) : cell)) };
}
