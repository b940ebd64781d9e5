import type { Column, Value } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatValue } from '../../shape/format/format.ts';
import { subtractValues, sumValues } from '../../shape/values/decimal.ts';
import type { Result } from '../../shape/result/result.ts';
import { percentOf } from '../../shape/share.ts';
import { toShownFlags, isFilled, isPartial, toMarkLegend } from '../labels/mark-legend.ts';
import { cellWidth } from '../labels/cell-width.ts';
import { toHeadings } from '../labels/headings.ts';
import { isFigures, numberTail } from '../labels/number-tail.ts';
import { sanitize } from '../labels/sanitize.ts';
import type { Glyphs } from './glyphs.ts';
import type { TextRun } from './table-line.ts';

/** Pads right-aligned numbers with spaces so that their units line up. */
function alignPoints(values: readonly TextRun[]): readonly TextRun[] {
  const tails = values.map(({ text }) => numberTail(text).length);
  const longest = tails.reduce((most, length) => Math.max(most, length), 0);
  if (longest === 0) return values;
  return values.map((value, index) => ({
    ...value,
    text: value.text + ' '.repeat(longest - (tails[index] as number)),
  }));
}

/** A column ready to be drawn. All texts are sanitized. */
export interface TableColumn {
  readonly heading: string;
  /** The part of its heading that neighbours share, and the heading without it. */
  readonly group: { readonly title: string; readonly heading: string } | undefined;
  readonly align: 'left' | 'right';
  /** Values may be cut: texts may, numbers may not. */
  readonly shrinks: boolean;
  readonly values: readonly TextRun[];
  /** Cells needed to tell the values apart, if they are few; only for text. */
  readonly least: number | undefined;
  /** Cells of the widest value. */
  readonly valueWidth: number;
  /** The signs after values: filled or partial. */
  readonly signs: readonly TextRun[];
  /** Cells of the widest sign; 0 if there are none. */
  readonly signWidth: number;
  /** The flags of all cells combined. */
  readonly flags: number;
  /** Its cell in the row of totals; undefined if there is no such row. */
  readonly total?: TextRun | undefined;
}

/** Even with unlimited width, a long text must not push the others out of sight. */
const longestText = 1000;

const noSign: TextRun = { text: '', style: 'plain' };

/** The first `rowCount` rows of each column. */
export function toTableColumns(
  result: Result,
  rowCount: number,
  glyphs: Glyphs,
  { arrows = false, totals = false }: { readonly arrows?: boolean; readonly totals?: boolean },
): readonly TableColumn[] {
  const headings = toHeadings(result.columns).map(sanitize);
  const groups = toHeadingGroups(headings);
  const name = rowCount === result.rowCount ? 'Total' : `Total of ${formatNumber(result.rowCount)}`;
  return result.columns.map((column, index) => {
    const total = totals
      ? index === 0
        ? { text: name, style: 'heading' as const }
        : toTotal(result, column, glyphs)
      : undefined;
    const heading = headings[index] as string;
    return { ...toTableColumn(result, column, heading, { rowCount, glyphs, arrows, total }), group: groups[index] };
  });
}

/**
 * True if a row of totals follows: the rows are the complete answer, and some measure is additive. `whole`: the result
 * has all rows of its answer.
 */
export function hasTotals({ columns, rowCount, provenance }: Result, whole: boolean): boolean {
  const { query, truncated } = provenance;
  return (
    whole &&
    rowCount > 1 &&
    !truncated &&
    query.limit === undefined &&
    query.offset === undefined &&
    columns[0]?.kind !== 'measure' &&
    columns.every(({ kind }) => kind !== 'compare') &&
    columns.some(({ kind, additive }) => kind === 'measure' && additive)
  );
}

/** Totals of additive measures only: rows do not determine the total of users, rates and averages. */
function toTotal(result: Result, column: Column, glyphs: Glyphs): TextRun {
  if (column.kind !== 'measure') return noSign;
  const total = sumOf(result, column.key) ?? changeOfTotals(result, column.key);
  return { text: toCell(total, column, glyphs).text, style: total === null ? 'quiet' : 'heading' };
}

function sumOf(result: Result, key: string | undefined): Value {
  const column = result.columns.find((each) => each.key === key);
  return column?.additive ? sumValues(Array.from(result.values(column.key))) : null;
}

/** The change between the totals of two ranges; null if a row has none, because its bucket is not comparable. */
function changeOfTotals(result: Result, key: string): Value {
  const [, measure, percent, number = ''] = change.exec(key) ?? [];
  if (measure === undefined) return null;
  const [now, before] = [sumOf(result, measure), sumOf(result, `${measure}.previous${number}`)];
  const changes = result.columns.find((column) => column.key === `${measure}.change${number}`);
  const isKnown = changes !== undefined && !Array.from(result.values(changes.key)).includes(null);
  const difference = isKnown ? subtractValues(now, before) : null;
  return percent === undefined ? difference : percentOf(difference, before === null ? null : Math.abs(Number(before)));
}

/** Groups neighbours whose headings differ only in brackets: `Events (May)`, `Events (June)`. */
function toHeadingGroups(headings: readonly string[]): readonly TableColumn['group'][] {
  const parts = headings.map((text) => {
    const [, title, heading] = /^(.+?) \(([^()]+)\)$/.exec(text) ?? [];
    return title === undefined || heading === undefined ? undefined : { title, heading };
  });
  return parts.map((part, index) =>
    part && [parts[index - 1], parts[index + 1]].some((beside) => beside?.title === part.title) ? part : undefined,
  );
}

/** Cells for the signs of a column. After text there is a space before them. */
export function signRoom({ align, signWidth }: Pick<TableColumn, 'align' | 'signWidth'>): number {
  return signWidth === 0 ? 0 : signWidth + (align === 'left' ? 1 : 0);
}

/** Columns of changes that `compare` added. */
const change = /^(.+)\.change(Percent)?(\.\d+)?$/;

function toTableColumn(
  result: Result,
  column: Column,
  heading: string,
  {
    rowCount,
    glyphs,
    arrows,
    total,
  }: {
    readonly rowCount: number;
    readonly glyphs: Glyphs;
    readonly arrows: boolean;
    readonly total: TextRun | undefined;
  },
): Omit<TableColumn, 'group'> {
  const isChange = arrows && column.kind === 'measure' && change.test(column.key);
  const data = result.values(column.key);
  const marks = result.marks.flags(column.key);
  const shownFlags = toShownFlags(result, column);
  const isNumber = isFigures(column);
  const values: TextRun[] = [];
  const signs: TextRun[] = [];
  let flags = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const cell = toCell(data[row] ?? null, column, glyphs);
    const shown = isChange ? withArrow(cell, Number(data[row] ?? 0), glyphs) : cell;
    values.push(isFilled(marks?.[row] ?? 0) ? { ...shown, style: 'quiet' } : shown);
    flags |= shownFlags(row);
    signs.push(toSign(shownFlags(row), glyphs));
  }
  const all = total ? [...values, total] : values;
  const aligned = isNumber ? alignPoints(all) : all;
  return {
    heading,
    align: isNumber ? 'right' : 'left',
    // A cut time says nothing.
    shrinks: !isNumber && !(column.kind === 'dimension' && column.type === 'time'),
    values: aligned.slice(0, rowCount),
    ...(total && { total: aligned[rowCount] }),
    least: isNumber ? undefined : leastToTell(aligned, cellWidth(glyphs.ellipsis)),
    valueWidth: widest(aligned),
    signs,
    signWidth: widest(signs),
    flags,
  };
}

/** A larger minimum would push out too many columns. */
const mostToTell = 24;

/**
 * Cells needed to distinguish cut texts: one more than the longest prefix that two of them share, plus the ellipsis.
 */
function leastToTell(values: readonly TextRun[], ellipsis: number): number | undefined {
  const texts = [...new Set(values.map(({ text }) => text))].sort();
  let shared = 0;
  for (const [index, text] of texts.entries()) {
    const next = texts[index + 1];
    if (next === undefined) break;
    let same = 0;
    while (same < mostToTell && text[same] !== undefined && text[same] === next[same]) same += 1;
    shared = Math.max(shared, same);
  }
  const least = shared + 1 + ellipsis;
  return least > mostToTell ? undefined : least;
}

/** Shows the direction of a change in addition to its sign. */
function withArrow({ text, style }: TextRun, value: number, { up, down }: Glyphs): TextRun {
  if (value > 0) return { text: `${up} ${text}`, style: 'gain' };
  return value < 0 ? { text: `${down} ${text}`, style: 'loss' } : { text, style };
}

function toCell(value: Value, column: Column, glyphs: Glyphs): TextRun {
  if (value === null) return { text: glyphs.nothing, style: 'quiet' };
  if (value === '') return { text: '""', style: 'quiet' };
  const text = formatValue(value, column);
  if (typeof value === 'number') return { text, style: 'plain' };
  return {
    text: sanitize(text.length > longestText ? `${text.slice(0, longestText)}${glyphs.ellipsis}` : text),
    style: 'plain',
  };
}

function toSign(flags: number, glyphs: Glyphs): TextRun {
  if (flags === 0) return noSign;
  const text = toMarkLegend(flags)
    .map(({ kind }) => glyphs[kind])
    .join('');
  return { text, style: isPartial(flags) ? 'alert' : 'quiet' };
}

function widest(spans: readonly TextRun[]): number {
  return spans.reduce((width, { text }) => Math.max(width, cellWidth(text)), 0);
}
