import { bodyHeight, settle, toRow } from './grid-layout.ts';
import { blockOf, blockRows, noPages, withFailed, withRows } from './grid-pages.ts';
import type { GridMessage, GridState, GridWanted } from './grid-state.ts';
import { narrow, pressInGrid } from './press-in-grid.ts';
import { askForRows } from './wanted-rows.ts';

export interface GridUpdate {
  readonly state: GridState;
  /** Requests in this order; each gives one message. */
  readonly wants: readonly GridWanted[];
  /** False if the key has no meaning here. */
  readonly handled: boolean;
}

/** The grid after a key or a message. Messages may arrive in any order; outdated ones are dropped. */
export function updateGrid(state: GridState, message: GridMessage): GridUpdate {
  if (message.kind === 'key') {
    const pressed = pressInGrid(state, message.key);
    if (!pressed) return { state, wants: [], handled: false };
    // A key retries failed requests.
    const asked = askForRows(withoutFailures(pressed.state));
    return { state: asked.state, wants: pressed.want ? [pressed.want, ...asked.wants] : asked.wants, handled: true };
  }
  if (message.kind === 'narrowed') {
    const narrowed = narrow(state, message.column, message.value);
    const asked = askForRows(withoutFailures(narrowed.state));
    return { state: asked.state, wants: narrowed.want ? [narrowed.want, ...asked.wants] : asked.wants, handled: true };
  }
  const { state: asked, wants } = askForRows(receive(state, message));
  return { state: asked, wants, handled: true };
}

function receive(state: GridState, message: Exclude<GridMessage, { kind: 'key' | 'narrowed' }>): GridState {
  switch (message.kind) {
    case 'rows-arrived':
      return message.view === state.view
        ? { ...state, pages: withRows(state.pages, message.rows, middleRow(state)) }
        : state;
    case 'rows-failed':
      if (message.view !== state.view) return state;
      return {
        ...state,
        pages: withFailed(state.pages, blockOf(message.wanted.start), message.wanted.columns),
        problem: message.why,
      };
    case 'view-opened': {
      if (message.view !== state.opening?.view) return state;
      const { sort, filters, filterText } = state.opening;
      const opened = {
        ...state,
        view: message.view,
        opening: undefined,
        sort,
        filters,
        filterText,
        rowCount: message.rowCount,
        row: 0,
        top: 0,
        pages: noPages,
        chosen: new Map(),
      };
      return settle({ ...opened, panel: withoutRow(opened), pages: withRows(noPages, message.rows, 0) });
    }
    case 'view-failed':
      return message.view === state.opening?.view ? { ...state, opening: undefined, problem: message.why } : state;
    case 'statistics-arrived':
    case 'statistics-failed': {
      const { panel } = state;
      if (message.view !== state.view || panel?.kind !== 'statistics' || panel.column !== message.column) return state;
      return {
        ...state,
        panel:
          message.kind === 'statistics-arrived'
            ? { ...panel, statistics: message.statistics }
            : { ...panel, problem: message.why },
      };
    }
    case 'row-chosen':
      return toRow(state, message.row);
    case 'resized':
      // Use additional room for columns that were scrolled out at the left.
      return settle({
        ...state,
        width: message.width,
        height: message.height,
        ...(message.width > state.width && { left: 0 }),
      });
  }
}

/** Closes panels about rows that are gone; a filter line stays. */
function withoutRow({ panel }: GridState): GridState['panel'] {
  return panel?.kind === 'filter' ? panel : undefined;
}

function withoutFailures(state: GridState): GridState {
  return state.pages.failed.size === 0 ? state : { ...state, pages: { ...state.pages, failed: new Set() } };
}

function middleRow(state: GridState): number {
  return state.top + Math.floor(Math.min(bodyHeight(state), blockRows) / 2);
}
