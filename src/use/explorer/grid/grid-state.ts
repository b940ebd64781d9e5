import type { Column, Value } from '../../../plan/column.ts';
import type { ColumnStatistics, RowFilter, RowSort } from '../../../run/stored-view.ts';
import type { LineState } from '../line/line-state.ts';
import type { Key } from '../terminal/key.ts';
import type { GridPages, GridRows } from './grid-pages.ts';

export type { GridRows } from './grid-pages.ts';

/** A column of the grid, as known before any row is loaded. */
export interface GridColumn {
  readonly column: Column;
  /** Sanitized. */
  readonly heading: string;
  /** Cells that its known values need, without the heading. */
  readonly need: number;
  /** True if its cells can have signs for filled or partial figures. */
  readonly marked: boolean;
}

/** A request for rows. `view` is the view open at the request; rows of another view are dropped. */
export interface RowsWanted {
  readonly kind: 'rows';
  readonly view: number;
  readonly start: number;
  readonly count: number;
  readonly columns: readonly number[];
}

/** A request for another filter or order. The answer is `view-opened` with the first rows, or `view-failed`. */
export interface ViewWanted {
  readonly kind: 'view';
  readonly view: number;
  readonly sort: readonly RowSort[];
  readonly filters: readonly RowFilter[];
  /** The text of the filters as typed. */
  readonly filterText: string;
  /** Rows to read at once, so that no empty grid is drawn. */
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
  /** Keep only rows with this value of the column. */
  | { readonly kind: 'narrowed'; readonly column: number; readonly value: Value }
  /** Moves the cursor to a row, by its index. */
  | { readonly kind: 'row-chosen'; readonly row: number }
  /** New size, in cells. */
  | { readonly kind: 'resized'; readonly width: number; readonly height: number };

/** A panel over the rows: a filter line, the statistics of a column, or one cell. */
export type GridPanel =
  | {
      readonly kind: 'filter';
      readonly line: LineState;
      readonly problem: string | undefined;
      /** The filter to restore if this one is cancelled. */
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

/** The state of a grid: plain data. Rows and columns count from 0; columns are indexes into `columns`. */
export interface GridState {
  readonly columns: readonly GridColumn[];
  readonly rowCount: number;
  /** Number of rows without filters. */
  readonly totalRows: number;
  /** True if the answer reached its limit, so that there may be rows that the grid lacks. */
  readonly isLimited: boolean;
  readonly width: number;
  readonly height: number;
  /** The view that is drawn, and the one that is opening. */
  readonly view: number;
  readonly opening: ViewWanted | undefined;
  /** The last number given to a view. */
  readonly lastView: number;
  readonly sort: readonly RowSort[];
  readonly filters: readonly RowFilter[];
  readonly filterText: string;
  /** The first drawn row and the first drawn column that is not frozen. */
  readonly top: number;
  readonly left: number;
  readonly row: number;
  readonly column: number;
  /** Number of frozen columns at the left. */
  readonly frozen: number;
  readonly hidden: readonly number[];
  /** Chosen rows, by index in the view: their values by column key. */
  readonly chosen: ReadonlyMap<number, ReadonlyMap<string, Value>>;
  /** Widths of columns that the user resized. */
  readonly widths: Readonly<Record<number, number>>;
  readonly panel: GridPanel | undefined;
  /** The last error. */
  readonly problem: string | undefined;
  readonly pages: GridPages;
}
