import type { Column, Value } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatValue, noValue } from '../../shape/format/format.ts';
import type { Result } from '../../shape/result/result.ts';
import { toShownFlags, type MarkKind, toMarkLegend } from '../labels/mark-legend.ts';
import { toShownXml } from '../labels/escape-xml.ts';
import { toHeadings } from '../labels/headings.ts';
import { isFigures, numberTail } from '../labels/number-tail.ts';
import { remember } from '../text/chunks.ts';

export interface HtmlTableOptions {
  /** The topic of the table, as plain text. */
  readonly caption?: string | undefined;
  /** Limit of rows; a line below tells the total (default: all rows). */
  readonly most?: number | undefined;
  /** Indexes of the columns to show (default: all). */
  readonly only?: readonly number[] | undefined;
  /** Aligns decimals with the rules of `roomStyle` (default: true). */
  readonly aligned?: boolean | undefined;
}

const signs: Readonly<Record<MarkKind, string>> = { filled: '·', filledOrZero: '?', partial: '~' };

/** Prevents line breaks within dates in HTML. */
export function keepDates(html: string): string {
  return html.replace(/<[^>]*>|\b\d{4}-(?:\d\d(?:-\d\d)?|W\d\d)\b/g, (found) =>
    found.startsWith('<') ? found : `<span class="date">${found}</span>`,
  );
}

/**
 * A result as an HTML table. Values are formatted, numbers have the class `number`, times the class `date`, and column
 * names and the first dimension are headers. Below it are the meaning of signs and the number of omitted rows. Text
 * from events is escaped.
 */
export function writeHtmlTable(
  result: Result<object>,
  { caption, most = Infinity, only, aligned = true }: HtmlTableOptions = {},
): string {
  const columns = only?.map((index) => result.columns[index]!) ?? result.columns;
  const rowCount = Math.min(result.rowCount, most);
  const named = columns.findIndex(({ kind }) => kind === 'time' || kind === 'dimension');
  const seen = { flags: 0 };
  const cells = columns.map((column, index) =>
    toCells(result, column, { header: index === named, rowCount, aligned, seen }),
  );
  const heads = toHeadings(columns)
    .map(
      (heading, index) => `<th scope="col"${classOf(columns[index] as Column)}>${keepDates(toShownXml(heading))}</th>`,
    )
    .join('');
  const rows: string[] = [];
  for (let row = 0; row < rowCount; row += 1) rows.push(`<tr>${cells.map((cell) => cell(row)).join('')}</tr>\n`);
  const asides = toMarkLegend(seen.flags, result.provenance).map(({ kind, meaning }) => `${signs[kind]} ${meaning}`);
  if (rowCount < result.rowCount)
    asides.push(`The first ${formatNumber(rowCount)} of ${formatNumber(result.rowCount)} rows.`);
  if (result.rowCount === 0) asides.push('No rows.');
  return (
    `<table>\n${caption === undefined ? '' : `<caption>${toShownXml(caption)}</caption>\n`}<thead><tr>${heads}</tr></thead>\n<tbody>\n${rows.join('')}</tbody>\n</table>\n` +
    asides.map((aside) => `<p class="aside">${toShownXml(aside)}</p>\n`).join('')
  );
}

function classOf(column: Column): string {
  return isFigures(column) ? ' class="number"' : column.type === 'time' ? ' class="date"' : '';
}

interface CellOptions {
  readonly header: boolean;
  readonly rowCount: number;
  readonly aligned: boolean;
  readonly seen: { flags: number };
}

function toCells(
  result: Result<object>,
  column: Column,
  { header, rowCount, aligned, seen }: CellOptions,
): (row: number) => string {
  const values = result.values(column.key);
  const shown = toShownFlags(result, column);
  const toText = remember((text) => (text === '' ? '""' : toShownXml(formatValue(text, column))));
  const room = aligned && isFigures(column) ? toRoom(values, column, rowCount) : () => '';
  const start = header ? `<th scope="row"${classOf(column)}>` : `<td${classOf(column)}>`;
  const isChange = column.kind === 'measure' && /\.change(?:Percent)?(?:\.\d+)?$/.test(column.key);
  const end = header ? '</th>' : '</td>';
  return (row) => {
    const value = values[row] ?? null;
    const flags = shown(row);
    seen.flags |= flags;
    const sign =
      flags === 0
        ? ''
        : ` <span class="sign">${toMarkLegend(flags)
            .map(({ kind }) => signs[kind])
            .join('')}</span>`;
    const cell = isChange && value !== null && Number(value) !== 0 ? toTrendCell(Number(value)) : start;
    const text =
      value === null ? noValue : typeof value === 'string' ? toText(value) : toShownXml(formatValue(value, column));
    return `${cell}${text}${sign}${room(text)}${end}`;
  };
}

/** Decimals beyond these are not aligned: their room would be wider than the numbers. */
const mostDecimals = 8;

/** Room after a number in place of the decimals that others of its column have, in halves of a digit. */
function toRoom(values: ArrayLike<Value>, column: Column, rowCount: number): (text: string) => string {
  let longest = 0;
  for (let row = 0; row < rowCount; row += 1)
    longest = Math.max(longest, tailWidth(formatValue(values[row] ?? null, column)));
  if (longest > widthOf.point + mostDecimals * widthOf.digit + widthOf.percent) return () => '';
  return (text) => {
    const room = longest - tailWidth(text);
    return room === 0 ? '' : `<span class="room room-${room}"></span>`;
  };
}

/** In halves of a digit. */
const widthOf = { point: 1, digit: 2, percent: 3 };

function tailWidth(text: string): number {
  const tail = numberTail(text);
  const digits = tail.replace(/\D/g, '').length;
  return (
    (tail.startsWith('.') ? widthOf.point : 0) + digits * widthOf.digit + (tail.endsWith('%') ? widthOf.percent : 0)
  );
}

/** Style rules for the room after numbers. */
export const roomStyle = [
  '.number .sign { display: inline-block; width: 0; margin-left: -.278em; }',
  '.room { display: inline-block; }',
  ...Array.from(
    { length: widthOf.point + mostDecimals * widthOf.digit + widthOf.percent },
    (_, index) => `.room-${index + 1} { width: ${(index + 1) / 2}ch; }`,
  ),
].join('\n');

/** Shows a change with an arrow, which a page may colour. */
function toTrendCell(change: number): string {
  return `<td class="number ${change > 0 ? 'up' : 'down'}"><span class="arrow" aria-hidden="true">${change > 0 ? '▲' : '▼'}</span> `;
}
