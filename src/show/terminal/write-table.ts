import { blankColumns, type Result } from '../../shape/result/result.ts';
import { asciiGlyphs, unicodeGlyphs } from './glyphs.ts';
import { layOutNotes } from './table-notes.ts';
import { hasTotals, toTableColumns } from './table-columns.ts';
import { type Line, toPlainText } from './table-line.ts';
import { layOutRows, layOutSingleRow } from './table-rows.ts';
import { withShares } from './table-shares.ts';

export interface TableOptions {
  /** Cells per line. Infinity on a pipe: no column is omitted, no text is cut. */
  readonly width: number;
  /** Limit of rows (default: all). */
  readonly maxRows?: number | undefined;
  /** Rows of the whole answer, if the result has only its first rows. */
  readonly answerRows?: number | undefined;
  /** How to see the other rows, such as `--all prints all`. */
  readonly howToSeeAll?: string | undefined;
  /** If false, draw with ASCII signs. Values stay unchanged. */
  readonly unicode?: boolean | undefined;
}

export interface WriteTableOptions extends TableOptions {
  /** If false, the text contains no escape sequences. */
  readonly colour: boolean;
}

/** A result as a table for people. Every line ends with a line feed. */
export async function writeTable(result: Result, options: WriteTableOptions): Promise<string> {
  return writeLines(layOutTable(result, options), options.colour);
}

/** Joins lines to text. The colour library is loaded only if needed. */
export async function writeLines(lines: readonly Line[], colour: boolean): Promise<string> {
  const paintLine = colour ? (await import('./paint.ts')).paintLine : toPlainText;
  return lines.map((line) => `${paintLine(line, { depth: 'colour' })}\n`).join('');
}

/** Lays out a result as lines of styled, sanitized text, none wider than `width`: headings, rows, and notes below. */
export function layOutTable(result: Result, options: TableOptions): readonly Line[] {
  const { unicode, howToSeeAll, answerRows: rowCount = result.rowCount } = options;
  const glyphs = unicode === false ? asciiGlyphs : unicodeGlyphs;
  const width = Math.max(1, options.width);
  const shownRows = Math.min(result.rowCount, options.maxRows ?? result.rowCount);
  const whole = rowCount === result.rowCount;
  const own = toTableColumns(result, shownRows, glyphs, {
    arrows: Number.isFinite(width),
    totals: Number.isFinite(width) && hasTotals(result, whole),
  });
  const blank = blankColumns(result);
  const columns = withShares(own, result, { rowCount: shownRows, whole, width, glyphs }).filter(
    (_, index) => !blank.has(index),
  );
  const isSingle = rowCount === 1 && shownRows === 1 && result.columns.every(({ kind }) => kind === 'measure');
  const body = isSingle ? layOutSingleRow(columns, width, glyphs) : layOutRows(columns, shownRows, width, glyphs);
  const { columnCount: shownColumns, lines } = body;
  const { provenance } = result;
  return [
    ...lines,
    ...layOutNotes(
      {
        rowCount,
        shownRows,
        howToSeeAll,
        shownColumns,
        columns,
        blank: { columns: own.filter((_, index) => blank.has(index)), rows: whole ? undefined : result.rowCount },
        provenance,
      },
      width,
      glyphs,
    ),
  ];
}
