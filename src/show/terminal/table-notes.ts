import { plural } from '../../ask/text.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import { toMarkLegend } from '../labels/mark-legend.ts';
import { toNotes } from '../labels/notes.ts';
import { sanitize } from '../labels/sanitize.ts';
import { wrapWords } from '../labels/wrap-words.ts';
import type { Glyphs } from './glyphs.ts';
import type { TableColumn } from './table-columns.ts';
import { type Line, type TextRun, toLine } from './table-line.ts';

interface TableFacts {
  readonly rowCount: number;
  /** Number of rows in the table, from the first. */
  readonly shownRows: number;
  readonly howToSeeAll?: string | undefined;
  /** Number of columns in the table, from the left. */
  readonly shownColumns: number;
  readonly columns: readonly TableColumn[];
  /** Columns that are left out because no row has a value. `rows`: of the first rows, if that many were searched. */
  readonly blank: { readonly columns: readonly TableColumn[]; readonly rows: number | undefined };
  readonly provenance: SteadyProvenance;
}

/** The notes for a reader, as lines below the rows. */
export function layOutNotes(facts: TableFacts, width: number, glyphs: Glyphs): readonly Line[] {
  const { columns, shownColumns, blank, provenance } = facts;
  const asides: readonly TextRun[] = [
    ...aboutColumns(columns.slice(shownColumns)),
    ...aboutBlank(blank),
    ...aboutMarks(columns.slice(0, shownColumns), provenance, glyphs),
    ...toNotes(provenance).map(
      ({ text, alert }): TextRun => ({ text: sanitize(text), style: alert ? 'alert' : 'quiet' }),
    ),
  ];
  const draw = ({ text, style }: TextRun) =>
    wrapWords(text, width, glyphs).map((line) => toLine([{ text: line, style }]));
  return [...aboutRows(facts, glyphs).flatMap(draw), ...(asides.length > 0 ? [[]] : []), ...asides.flatMap(draw)];
}

function aboutRows({ rowCount, shownRows, howToSeeAll }: TableFacts, glyphs: Glyphs): readonly TextRun[] {
  if (rowCount === 0) return [{ text: 'No rows.', style: 'quiet' }];
  if (shownRows === rowCount) return [];
  const text =
    `${glyphs.ellipsis} ${formatNumber(shownRows)} of ${formatNumber(rowCount)} rows shown` +
    (howToSeeAll === undefined ? '' : `; ${howToSeeAll}`);
  return [{ text, style: 'quiet' }];
}

function aboutColumns(dropped: readonly TableColumn[]): readonly TextRun[] {
  if (dropped.length === 0) return [];
  const many = `${dropped.length} ${plural(dropped.length, 'column does', 'columns do')}`;
  return [{ text: `${many} not fit: ${dropped.map(({ heading }) => heading).join(', ')}`, style: 'alert' }];
}

function aboutBlank({ columns, rows }: TableFacts['blank']): readonly TextRun[] {
  if (columns.length === 0) return [];
  const who = rows === undefined ? 'No row has' : `None of the first ${formatNumber(rows)} rows has`;
  return [{ text: `${who} a value for: ${columns.map(({ heading }) => heading).join(', ')}`, style: 'quiet' }];
}

function aboutMarks(columns: readonly TableColumn[], provenance: SteadyProvenance, glyphs: Glyphs): readonly TextRun[] {
  const flags = columns.reduce((all, column) => all | column.flags, 0);
  return toMarkLegend(flags, provenance).map(({ kind, meaning }) => ({
    text: `${glyphs[kind]} ${meaning}`,
    style: 'quiet',
  }));
}
