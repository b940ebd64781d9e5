import type { Value } from '../../../plan/column.ts';
import { cellOf } from './grid-pages.ts';
import type { GridState } from './grid-state.ts';

/**
 * A cell with its flags (see `GridRows`); undefined where its row is not at hand. Of the row where the cursor is, the
 * first 24 dimensions and times are fetched even where they are out of sight.
 */
export function cellAt(
  { pages }: Pick<GridState, 'pages'>,
  row: number,
  column: number,
): { readonly value: Value; readonly flags: number } | undefined {
  return cellOf(pages, row, column);
}
