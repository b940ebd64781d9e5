import type { Result } from '../../shape/result/result.ts';
import { asciiGlyphs, unicodeGlyphs } from './glyphs.ts';
import { layOutAsides } from './table-asides.ts';
import { toTableColumns } from './table-columns.ts';
import type { Line } from './table-line.ts';
import { layOutRows, layOutSingleRow } from './table-rows.ts';

export interface TableOptions {
  /** Cells of a line. Infinity on a pipe: no column is left out, no text is cut. */
  readonly width: number;
  /** Rows to show at most; undefined: all. */
  readonly maxRows?: number | undefined;
  /** Draw with ASCII signs where false. The values stay as they are. */
  readonly unicode?: boolean | undefined;
}

/** Cells between two columns. */
export const gap = 2;

/**
 * A result as lines of styled text, none wider than `width` and none with a character that a terminal obeys:
 * headings, rows, and below them what the reader has to know.
 */
export function layOutTable(result: Result, options: TableOptions): readonly Line[] {
  const { rowCount, provenance } = result;
  const glyphs = options.unicode === false ? asciiGlyphs : unicodeGlyphs;
  const width = Math.max(1, options.width);
  const shownRows = Math.min(rowCount, options.maxRows ?? rowCount);
  const columns = toTableColumns(result, shownRows, glyphs);
  const isSingle = rowCount === 1 && shownRows === 1 && result.columns.every(({ kind }) => kind === 'measure');
  const body = isSingle ? layOutSingleRow(columns, width, glyphs) : layOutRows(columns, shownRows, width, glyphs);
  return [
    ...body.lines,
    ...layOutAsides({ rowCount, shownRows, shownColumns: body.columnCount, columns, provenance }, width, glyphs),
  ];
}
