import type { Result } from '../../shape/result/result.ts';
import { asciiGlyphs, unicodeGlyphs } from './glyphs.ts';
import { layOutNotes } from './table-notes.ts';
import { hasTotals, toTableColumns } from './table-columns.ts';
import { type Line, toPlainText } from './table-line.ts';
import { layOutRows, layOutSingleRow } from './table-rows.ts';
import { withShares } from './table-shares.ts';

export interface TableOptions {
  /** Cells of a line. Infinity on a pipe: no column is left out, no text is cut. */
  readonly width: number;
  /** Rows to show at most; undefined: all. */
  readonly maxRows?: number | undefined;
  /** Rows of the whole answer, if the result has only the first of them. */
  readonly answerRows?: number | undefined;
  /** How to see the other rows: `--all prints all`. */
  readonly howToSeeAll?: string | undefined;
  /** Draw with ASCII signs where false. The values stay as they are. */
  readonly unicode?: boolean | undefined;
}

export interface WriteTableOptions extends TableOptions {
  /** Without colour the text holds no escape sequence at all. */
  readonly colour: boolean;
}

/**
 * A result as a table for people, every line ended by a line feed.
 */
export async function writeTable(result: Result, options: WriteTableOptions): Promise<string> {
  return writeLines(layOutTable(result, options), options.colour);
}

/** Lines as one text. What colours them is loaded only if colour is wanted. */
export async function writeLines(lines: readonly Line[], colour: boolean): Promise<string> {
  const paintLine = colour ? (await import('./paint.ts')).paintLine : toPlainText;
  return lines.map((line) => `${paintLine(line, { depth: 'colour' })}\n`).join('');
}

/**
 * A result as lines of styled text, none wider than `width` and none with a character that a terminal obeys:
 * headings, rows, and below them what the reader has to know.
 */
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
  const columns = withShares(own, result, { rowCount: shownRows, whole, width, glyphs });
  const isSingle = rowCount === 1 && shownRows === 1 && result.columns.every(({ kind }) => kind === 'measure');
  const body = isSingle ? layOutSingleRow(columns, width, glyphs) : layOutRows(columns, shownRows, width, glyphs);
  const { columnCount: shownColumns, lines } = body;
  const { provenance } = result;
  return [
    ...lines,
    ...layOutNotes({ rowCount, shownRows, howToSeeAll, shownColumns, columns, provenance }, width, glyphs),
  ];
}
