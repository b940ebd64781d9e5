import type { Column } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatValue } from '../../shape/format/format.ts';
import { blankColumns, type Result } from '../../shape/result/result.ts';
import { select } from '../../shape/select.ts';
import { textWidth } from '../fonts/text-width.ts';
import { toShownXml } from '../labels/escape-xml.ts';
import { toHeadings } from '../labels/headings.ts';
import { type HtmlTableOptions, writeHtmlTable } from './html-table.ts';

/** The room of media that do not scroll, in pixels. */
export interface TableRoom {
  readonly width: number;
  /** Size of the text of tables. */
  readonly size: number;
  /** Beside the text of a cell. */
  readonly padding: number;
}

/** Leaves out the columns that `blankColumns` names, with a line that says so. */
export function withoutBlank(whole: Result<object>): { readonly result: Result<object>; readonly aside: string } {
  const blank = blankColumns(whole);
  if (blank.size === 0) return { result: whole, aside: '' };
  const headings = toHeadings(whole.columns.filter((_, index) => blank.has(index)));
  return {
    result: select(
      whole,
      whole.columns.flatMap(({ key }, index) => (blank.has(index) ? [] : [[key, key] as const])),
    ),
    aside: `<p class="aside">No row has a value for: ${toShownXml(headings.join(', '))}</p>\n`,
  };
}

/** Longer texts are wrapped. */
const widestText = 200;
/** The least width of text, see `toPageStyle` and `emailStyle`. */
const leastText = 96;

/** A result as one table, or as several below each other if its columns do not fit. */
export function writeSplitTables(
  result: Result<object>,
  room: TableRoom,
  options: HtmlTableOptions,
): readonly string[] {
  const groups = splitColumns(result, room, Math.min(result.rowCount, options.most ?? Infinity));
  if (groups.length === 1) return [writeHtmlTable(result, options)];
  return groups.map((only, index) => {
    const [first, last] = [groups[index - 1], only].map((group) => (group?.at(-1) ?? -1) + 1);
    const end = formatNumber(last!);
    const which = first! + 1 === last ? `Column ${end}` : `Columns ${formatNumber(first! + 1)} to ${end}`;
    const order = index === 0 ? '' : ', rows in the same order';
    const heading = `<p class="aside">${which} of ${formatNumber(result.columns.length)}${order}</p>`;
    return `${heading}\n${writeHtmlTable(result, { ...options, only })}`;
  });
}

/**
 * Splits the columns of a table into groups, by index, that fit. The leading columns that name a row are in every
 * group, as far as any other column fits beside them.
 */
export function splitColumns(
  result: Result<object>,
  { width, size, padding }: TableRoom,
  rowCount: number,
): readonly (readonly number[])[] {
  const { columns } = result;
  const headings = toHeadings(columns);
  const widthOf = (text: string) => textWidth(text, { size, weight: 'bold' });
  const widths = columns.map((column, index) => {
    const words = (headings[index] ?? '').split(/(?<=\s|\D-)/);
    return Math.max(0, ...words.map(widthOf), widestValue(result, column, rowCount, widthOf)) + padding;
  });
  const measured = columns.findIndex(({ kind }) => kind === 'measure');
  // Listed events have only dimensions. The first one, their time, names the row.
  const naming = measured === -1 ? 1 : measured;
  const others = width - Math.max(0, ...widths.slice(naming));
  if (widths.slice(0, naming).reduce((sum, own) => sum + own, 0) > Math.min(others, width / 2))
    for (const [index, { type }] of columns.slice(0, naming).entries())
      if (type === 'string') widths[index] = Math.min(widths[index]!, leastText + padding);
  const names: number[] = [];
  let named = 0;
  for (let index = 0; index < naming && named + widths[index]! <= others; index += 1) {
    names.push(index);
    named += widths[index]!;
  }
  const groups: number[][] = [];
  let left = 0;
  for (let index = names.length; index < columns.length; index += 1) {
    const own = widths[index]!;
    if (groups.length === 0 || own > left) {
      groups.push([...names]);
      left = width - named;
    }
    groups.at(-1)!.push(index);
    left -= own;
  }
  return groups.length === 0 ? [names] : groups;
}

function widestValue(
  result: Result<object>,
  column: Column,
  rowCount: number,
  widthOf: (text: string) => number,
): number {
  const values = result.values(column.key);
  let widest = 0;
  for (let row = 0; row < rowCount; row += 1)
    widest = Math.max(widest, widthOf(formatValue(values[row] ?? null, column)));
  return column.type === 'string' ? Math.min(Math.max(widest, leastText), widestText) : widest;
}
