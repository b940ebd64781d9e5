import { formatNumber } from '../../../shape/format/format-number.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../../show/terminal/glyphs.ts';
import { layOutAsides } from '../../../show/terminal/table-asides.ts';
import { toTableColumns } from '../../../show/terminal/table-columns.ts';
import { layOutRows, layOutSingleRow } from '../../../show/terminal/table-rows.ts';
import { truncateToCells } from '../../../show/terminal/cell-width.ts';
import { paint, type Look } from '../paint.ts';
import type { CellAnswer } from '../state.ts';
import { ellipsisOf, paintLine } from './paint-line.ts';

/** The first rows of an answer as the tables of all commands are drawn, and how to see the others. */
export function previewTable({ head, rowCount }: Pick<CellAnswer, 'head' | 'rowCount'>, width: number, rows: number, look: Look): readonly string[] {
  const glyphs = look.unicode ? unicodeGlyphs : asciiGlyphs;
  const shown = Math.min(rows, head.rowCount);
  const columns = toTableColumns(head, shown, glyphs);
  const isSingle = rowCount === 1 && head.columns.every(({ kind }) => kind === 'measure');
  const body = isSingle ? layOutSingleRow(columns, width, glyphs) : layOutRows(columns, shown, width, glyphs);
  const asides = layOutAsides({ rowCount: shown, shownRows: shown, shownColumns: body.columnCount, columns, provenance: head.provenance }, width, glyphs);
  const more = shown === rowCount ? [] : [paint(truncateToCells(`${ellipsisOf(look)} ${formatNumber(shown)} of ${formatNumber(rowCount)} rows shown; tab looks at all`, width, ellipsisOf(look)), 'quiet', look)];
  return [...body.lines.map((line) => paintLine(line, look)), ...more, ...asides.map((line) => paintLine(line, look))];
}
