import type { Column } from '../../plan/column.ts';
import { formatValue, noValue } from '../../shape/format/format.ts';
import type { Result } from '../../shape/result/result.ts';
import { toShownFlags, type MarkKind, toMarkLegend } from '../labels/mark-legend.ts';
import { toHeadings } from '../labels/headings.ts';
import { toNotes } from '../labels/notes.ts';
import { isFigures } from '../labels/number-tail.ts';
import { sanitize } from '../labels/sanitize.ts';
import { toChunks, remember } from './chunks.ts';
import { escapeMarkdown } from './markdown-cell.ts';

const signs: Readonly<Record<MarkKind, string>> = { filled: '·', filledOrZero: '?', partial: '\\~' };

const toMarkdown = (text: string) => escapeMarkdown(sanitize(text));

/**
 * A GitHub-flavoured table with right-aligned numbers and formatted values, and the notes as a list below. Text from
 * events is escaped: it cannot leave its cell or become a link, HTML or a mention. An empty answer still has its
 * header.
 */
export function* writeMarkdown(result: Result): Generator<string> {
  const { columns, rowCount } = result;
  const cells = columns.map((column) => toMarkdownCells(result, column));
  const heading = toHeadings(columns).map(toMarkdown).join(' | ');
  const rule = columns.map((column) => (isFigures(column) ? '---:' : '---')).join(' | ');
  const writeRow = (row: number) => `| ${cells.map((cell) => cell(row)).join(' | ')} |\n`;
  yield* toChunks(
    { head: `| ${heading} |\n| ${rule} |\n`, between: '', tail: '', rows: () => writeRow },
    { rowCount, columns: [] },
  );
  const asides = [
    ...toMarkLegend(allFlags(result), result.provenance).map(({ kind, meaning }) => `${signs[kind]} ${meaning}`),
    ...toNotes(result.provenance).map(({ text }) => toMarkdown(text)),
  ];
  if (asides.length > 0) yield `\n${asides.map((aside) => `- ${aside}\n`).join('')}`;
}

function allFlags(result: Result): number {
  let flags = 0;
  for (const column of result.columns) {
    const shown = toShownFlags(result, column);
    for (let row = 0; row < result.rowCount; row += 1) flags |= shown(row);
  }
  return flags;
}

function toMarkdownCells(result: Result, column: Column): (row: number) => string {
  const values = result.values(column.key);
  const shown = toShownFlags(result, column);
  const toText = remember((text) => (text === '' ? '""' : toMarkdown(formatValue(text, column))));
  return (row) => {
    const value = values[row] ?? null;
    const sign = toMarkLegend(shown(row))
      .map(({ kind }) => signs[kind])
      .join('');
    const text = value === null ? noValue : typeof value === 'string' ? toText(value) : formatValue(value, column);
    return sign === '' ? text : `${text} ${sign}`;
  };
}
