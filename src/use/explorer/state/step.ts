import type { Effect } from './effects.ts';
import type { ExplorerCell, ExplorerState, Said } from './state.ts';

/** What comes of a message: the next state, and what is to be done. */
export interface Step {
  readonly state: ExplorerState;
  readonly effects: readonly Effect[];
}

export function step(state: ExplorerState, ...effects: readonly Effect[]): Step {
  return { state, effects };
}

/** One after the other: each goes on from the state that the one before left. */
export function chain(first: Step, ...rest: readonly ((state: ExplorerState) => Step)[]): Step {
  return rest.reduce((done, next) => {
    const { state, effects } = next(done.state);
    return { state, effects: [...done.effects, ...effects] };
  }, first);
}

export function say(state: ExplorerState, text: string, tone: Said['tone'] = 'plain'): ExplorerState {
  return { ...state, said: { text, tone } };
}

/** The state as it is, and something said about it. */
export function notice(state: ExplorerState, text: string, tone?: Said['tone']): Step {
  return step(say(state, text, tone));
}

export function currentCell({ cells, current }: ExplorerState): ExplorerCell | undefined {
  return cells[current];
}

/** The cells with another one for the one of this id. */
export function withCell(
  state: ExplorerState,
  id: number,
  change: (cell: ExplorerCell) => ExplorerCell,
): ExplorerState {
  return { ...state, cells: state.cells.map((cell) => (cell.id === id ? change(cell) : cell)) };
}
