import type { Column, Value } from '../../../plan/column.ts';
import { formatValue } from '../../../shape/format/format.ts';
import { cellWidth } from '../../../show/labels/cell-width.ts';
import { toHeadings } from '../../../show/labels/headings.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { unicodeGlyphs } from '../../../show/terminal/glyphs.ts';
import { textOfValue } from './grid-cell.ts';
import { noPages, withRows } from './grid-pages.ts';
import type { GridSource, GridView } from './grid-source.ts';
import type { GridColumn, GridMessage, GridRows, GridState, GridWanted } from './grid-state.ts';

/** Fetches rows and statistics for a grid, and answers with messages. */
export interface GridFeed extends AsyncDisposable {
  /** The initial grid, with its first rows loaded. */
  readonly opening: GridState;
  /** Never rejects: failures are messages. */
  fetch(wanted: GridWanted, signal?: AbortSignal): Promise<GridMessage>;
}

/** Number of rows that are measured for the widths of texts. */
const firstRows = 256;

/** Opens a grid over a source. Rejects as reading rows does. `why` turns an error into a message for people. */
export async function openGridFeed(
  source: GridSource,
  room: Pick<GridState, 'width' | 'height'>,
  why: (error: unknown) => string,
): Promise<GridFeed> {
  const whole = await source.open({ sort: [], filters: [] });
  const all = source.columns.map((_, index) => index);
  const [first, extremes] = await Promise.all([whole.read(0, firstRows, all), source.extremes()]);
  const views = new Map<number, Promise<GridView>>([[0, Promise.resolve(whole)]]);
  let current = 0;
  let closed = false;
  // A newer view aborts the opening of the previous one.
  let overtaken = new AbortController();

  const viewOf = async (id: number): Promise<GridView> => {
    const view = views.get(id);
    if (!view || closed) throw new Error('The grid has been closed.');
    return view;
  };
  const forget = async (id: number) => {
    const view = views.get(id);
    views.delete(id);
    await (await view?.catch(() => undefined))?.[Symbol.asyncDispose]();
  };

  const openView = async (
    wanted: Extract<GridWanted, { kind: 'view' }>,
    signal: AbortSignal | undefined,
  ): Promise<GridMessage> => {
    const { view: id, sort, filters, rows } = wanted;
    overtaken.abort();
    overtaken = new AbortController();
    const stop = signal ? AbortSignal.any([signal, overtaken.signal]) : overtaken.signal;
    const opening = source.open({ sort, filters }, stop);
    views.set(id, opening);
    try {
      const view = await opening;
      const read = await view.read(rows.start, rows.count, rows.columns, stop);
      if (id === Math.max(...views.keys())) {
        // Keep the previous view open: the grid draws it until it learns of this one.
        const kept = [0, current, id];
        current = id;
        await Promise.all([...views.keys()].filter((one) => !kept.includes(one)).map(forget));
      }
      return { kind: 'view-opened', view: id, rowCount: view.rowCount, rows: read };
    } catch (error) {
      await forget(id);
      throw error;
    }
  };

  const fetch = async (wanted: GridWanted, signal: AbortSignal | undefined): Promise<GridMessage> => {
    switch (wanted.kind) {
      case 'view':
        return openView(wanted, signal);
      case 'rows':
        return {
          kind: 'rows-arrived',
          view: wanted.view,
          rows: await (await viewOf(wanted.view)).read(wanted.start, wanted.count, wanted.columns, signal),
        };
      case 'statistics':
        return {
          kind: 'statistics-arrived',
          view: wanted.view,
          column: wanted.column,
          statistics: await (await viewOf(wanted.view)).statistics(wanted.column, signal),
        };
    }
  };

  return {
    opening: openGrid(source, first, extremes, room),
    fetch: (wanted, signal) => fetch(wanted, signal).catch((error: unknown) => toFetchFailure(wanted, why(error))),
    async [Symbol.asyncDispose]() {
      closed = true;
      overtaken.abort();
      await Promise.all([...views.keys()].map(forget));
    },
  };
}

/** The message for a failed fetch. */
export function toFetchFailure(wanted: GridWanted, why: string): GridMessage {
  if (wanted.kind === 'rows') return { kind: 'rows-failed', view: wanted.view, wanted, why };
  if (wanted.kind === 'view') return { kind: 'view-failed', view: wanted.view, why };
  return { kind: 'statistics-failed', view: wanted.view, column: wanted.column, why };
}

type Extremes = readonly [least: Value, greatest: Value] | undefined;

/** The initial grid with its first rows. */
function openGrid(
  source: Pick<GridSource, 'columns' | 'rowCount' | 'isLimited' | 'marked'>,
  first: GridRows,
  extremes: readonly Extremes[],
  { width, height }: Pick<GridState, 'width' | 'height'>,
): GridState {
  const headings = toHeadings(source.columns);
  const columns = source.columns.map(
    (column, index): GridColumn => ({
      column,
      heading: sanitize(headings[index] ?? ''),
      need: needOf(column, first.batch.columns[index] ?? [], extremes[index]),
      marked: source.marked[index] === true,
    }),
  );
  return {
    columns,
    rowCount: source.rowCount,
    totalRows: source.rowCount,
    isLimited: source.isLimited,
    width,
    height,
    view: 0,
    opening: undefined,
    lastView: 0,
    sort: [],
    filters: [],
    filterText: '',
    top: 0,
    left: 0,
    row: 0,
    column: 0,
    // Keep the first dimension visible during horizontal scrolling, so that figures stay labelled.
    frozen: columns[0]?.column.kind === 'measure' ? 0 : 1,
    hidden: [],
    chosen: new Map(),
    widths: {},
    panel: undefined,
    problem: undefined,
    pages: withRows(noPages, first, 0),
  };
}

/**
 * Width in cells that the values of a column need. Numbers are never cut, so all must fit: apart from decimals, none is
 * longer than the least or the greatest.
 */
function needOf(column: Column, values: ArrayLike<Value>, extremes: Extremes): number {
  let need = 0;
  let hasDecimals = false;
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] ?? null;
    need = Math.max(need, cellWidth(textOfValue(value, column, unicodeGlyphs)));
    if (typeof value === 'number' && !Number.isInteger(value)) hasDecimals = true;
  }
  for (const value of extremes ?? []) {
    if (value === null) continue;
    const text = formatValue(value, column);
    const decimals = /\.\d+/.exec(text)?.[0].length ?? 0;
    need = Math.max(need, cellWidth(text) + (hasDecimals ? Math.max(0, 3 - decimals) : 0));
  }
  return need;
}
