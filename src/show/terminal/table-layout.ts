import type { Result } from '../../shape/result/result.ts';
import { asciiGlyphs, unicodeGlyphs } from './glyphs.ts';
import { layOutAsides } from './table-asides.ts';
import { hasTotals, toTableColumns } from './table-columns.ts';
import type { Line } from './table-line.ts';
import type { TableOptions } from './table-options.ts';
import { withShares } from './table-shares.ts';
import { layOutRows, layOutSingleRow } from './table-rows.ts';

/**
 * A result as lines of styled text, none wider than `width` and none with a character that a terminal obeys:
 * headings, rows, and below them what the reader has to know.
 */
export function layOutTable(result: Result, options: TableOptions): readonly Line[] {
  const { rowCount, provenance } = result;
  const glyphs = options.unicode === false ? asciiGlyphs : unicodeGlyphs;
  const width = Math.max(1, options.width);
  const shownRows = Math.min(rowCount, options.maxRows ?? rowCount);
  const own = toTableColumns(result, shownRows, glyphs, {
    arrows: Number.isFinite(width),
    totals: Number.isFinite(width) && hasTotals(result),
  });
  const columns = withShares(own, result, { rowCount: shownRows, whole: true, width, glyphs });
  const isSingle = rowCount === 1 && shownRows === 1 && result.columns.every(({ kind }) => kind === 'measure');
  const body = isSingle ? layOutSingleRow(columns, width, glyphs) : layOutRows(columns, shownRows, width, glyphs);
  return [
    ...body.lines,
    ...layOutAsides(
      {
        rowCount,
        shownRows,
        howToSeeAll: options.howToSeeAll,
        shownColumns: body.columnCount,
        columns,
        provenance,
      },
      width,
      glyphs,
    ),
  ];
}
