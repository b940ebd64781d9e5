import type { Column, Value } from '../../../plan/column.ts';
import type { ColumnStatistics, RowFilter, RowSort } from '../../../run/stored-view.ts';
import type { LineState } from '../line/line-state.ts';
import type { Key } from '../terminal/key.ts';
import type { GridPages, GridRows } from './grid-pages.ts';

export type { GridRows } from './grid-pages.ts';

/** A column of the grid: what is known of it before any row is seen. */
export interface GridColumn {
  readonly column: Column;
  /** Harmless already. */
  readonly heading: string;
  /** Cells that its values need, as far as they are known; the heading not counted. */
  readonly need: number;
  /** Whether its cells may bear signs for filled or partial figures. */
  readonly marked: boolean;
}

/**
 * Rows that the grid asks for. `view` is the one that was open when it asked: rows of another are not wanted any more.
 */
export interface RowsWanted {
  readonly kind: 'rows';
  readonly view: number;
  readonly start: number;
  readonly count: number;
  readonly columns: readonly number[];
}

/** Other rows, or another order. The answer is `view-opened`, with the first rows, or `view-failed`. */
export interface ViewWanted {
  readonly kind: 'view';
  readonly view: number;
  readonly sort: readonly RowSort[];
  readonly filters: readonly RowFilter[];
  /** What was typed for the filters. */
  readonly filterText: string;
  /** To be read at once, so that nothing is drawn empty. */
  readonly rows: Omit<RowsWanted, 'kind' | 'view'>;
}

export interface StatisticsWanted {
  readonly kind: 'statistics';
  readonly view: number;
  readonly column: number;
}

export type GridWanted = RowsWanted | ViewWanted | StatisticsWanted;

export type GridMessage =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'rows-arrived'; readonly view: number; readonly rows: GridRows }
  | { readonly kind: 'rows-failed'; readonly view: number; readonly wanted: RowsWanted; readonly why: string }
  | { readonly kind: 'view-opened'; readonly view: number; readonly rowCount: number; readonly rows: GridRows }
  | { readonly kind: 'view-failed'; readonly view: number; readonly why: string }
  | {
      readonly kind: 'statistics-arrived';
      readonly view: number;
      readonly column: number;
      readonly statistics: ColumnStatistics;
    }
  | { readonly kind: 'statistics-failed'; readonly view: number; readonly column: number; readonly why: string }
  /** Only rows with this value of the column. */
  | { readonly kind: 'narrowed'; readonly column: number; readonly value: Value }
  /** The cursor goes to a row, by its place. */
  | { readonly kind: 'row-chosen'; readonly row: number }
  /** The room changed, in cells. */
  | { readonly kind: 'resized'; readonly width: number; readonly height: number };

/** What stands over the rows: nothing, the line of a filter, the statistics of a column, one cell. */
export type GridPanel =
  | {
      readonly kind: 'filter';
      readonly line: LineState;
      readonly problem: string | undefined;
      /** What is filtered by if nothing comes of it. */
      readonly before: { readonly text: string; readonly filters: readonly RowFilter[] };
    }
  | {
      readonly kind: 'statistics';
      readonly column: number;
      readonly statistics: ColumnStatistics | undefined;
      readonly problem: string | undefined;
      readonly scroll: number;
    }
  | { readonly kind: 'cell'; readonly row: number; readonly column: number; readonly scroll: number };

/** The grid: plain data. Rows and columns count from 0; columns are indexes into `columns`. */
export interface GridState {
  readonly columns: readonly GridColumn[];
  readonly rowCount: number;
  /** Rows without any filter. */
  readonly totalRows: number;
  readonly width: number;
  readonly height: number;
  /** The view whose rows are drawn, and the one that is being opened. */
  readonly view: number;
  readonly opening: ViewWanted | undefined;
  /** The number that was given to a view last. */
  readonly lastView: number;
  readonly sort: readonly RowSort[];
  readonly filters: readonly RowFilter[];
  readonly filterText: string;
  /** The first row and the first unfrozen column that are drawn. */
  readonly top: number;
  readonly left: number;
  readonly row: number;
  readonly column: number;
  /** So many columns at the left stay where they are. */
  readonly frozen: number;
  readonly hidden: readonly number[];
  /** Rows that were chosen together, by their place in the view: their values by column key. */
  readonly chosen: ReadonlyMap<number, ReadonlyMap<string, Value>>;
  /** Of columns that somebody resized. */
  readonly widths: Readonly<Record<number, number>>;
  readonly panel: GridPanel | undefined;
  /** Something that went wrong. */
  readonly problem: string | undefined;
  readonly pages: GridPages;
}
