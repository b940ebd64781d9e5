import type { CellStyle, CellValue, WriteSheet } from 'hucre';
import { SluiceError } from '../../ask/sluice-error.ts';
import { plural } from '../../ask/text.ts';
import { isCalendarUnit } from '../../ask/time/granularity.ts';
import type { Column, Value } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatValue } from '../../shape/format/format.ts';
import type { Result } from '../../shape/result/result.ts';
import type { Values } from '../../shape/values/values.ts';
import { toHeadings } from '../labels/headings.ts';
import { isFilled, isPartial, toMarkLegend, toShownFlags } from '../labels/mark-legend.ts';
import { toNotes } from '../labels/notes.ts';
import { provenanceFacts } from '../chart/provenance-facts.ts';
import { isFigures } from '../labels/number-tail.ts';
import { sanitize, sanitizeLines } from '../labels/sanitize.ts';

/** Rows and letters that Excel can hold. Source: "Excel specifications and limits" by Microsoft. */
const mostRows = 1_048_576;
const mostLetters = 32_767;

/**
 * A result as an Excel workbook: its rows with headings for people, and a sheet on where they come from and what they
 * leave out. Numbers are numbers if fifteen digits write them, which is what Excel keeps, or if they are floats that
 * were measured; otherwise they are text, which the second sheet says. Times are those of the query's zone. Text never
 * becomes a formula. Figures that were filled are grey, those of partial periods italic. Error: `too-many-rows`.
 */
export async function writeXlsx(result: Result): Promise<Uint8Array> {
  const { columns, rowCount } = result;
  if (rowCount >= mostRows)
    throw new SluiceError(
      `An Excel sheet holds ${formatNumber(mostRows - 1)} rows, and these are ${formatNumber(rowCount)}.`,
      {
        code: 'too-many-rows',
        hint: 'Write csv or parquet, or add `top 1000` to the question.',
      },
    );
  const writing = { cut: 0, long: 0, repeated: 0 };
  const cells = columns.map((column) => {
    const isFloat = column.kind === 'measure' && result.types.get(column.key)?.kind === 'double';
    return toCells(result.values(column.key), { column, isFloat, writing });
  });
  const rows = Array.from({ length: rowCount }, (_, row) => cells.map((cell) => cell(row)));
  const headings = toHeadings(columns).map(sanitize);
  const styled = new Map<string, { readonly value: CellValue; readonly style: CellStyle }>();
  headings.forEach((value, column) => styled.set(`0,${column}`, { value, style: heading(columns[column]!) }));
  const formats = columns.map((column, index) => formatOf(column, rows, index));
  let flags = 0;
  for (const [index, column] of columns.entries()) {
    const shown = toShownFlags(result, column);
    for (let row = 0; row < rowCount; row += 1) {
      const own = shown(row);
      if (own === 0) continue;
      flags |= own;
      const font = {
        ...plain,
        ...(isFilled(own) && { color: { rgb: '8A8A8A' } }),
        ...(isPartial(own) && { italic: true }),
      };
      styled.set(`${row + 1},${index}`, {
        value: rows[row]![index]!,
        style: { font, ...formats[index], ...(column.type === 'time' && leftAligned) },
      });
    }
  }
  const { writeXlsx: write } = await import('hucre/xlsx');
  return write({
    // Equal answers give equal bytes.
    properties: { modified: new Date(Date.parse(result.provenance.asOf) || 0) },
    sheets: [
      {
        name: 'Answer',
        rows: [headings, ...rows],
        columns: columns.map((column, index) => ({
          width: widthOf(headings[index]!, rows, index, formats[index]!),
          ...formats[index],
          ...(column.type === 'time' && { style: leftAligned }),
        })),
        cells: styled,
        freezePane: { rows: 1 },
      },
      toAbout(result, flags, writing),
    ],
  });
}

const plain = { name: 'Calibri', size: 11 };
const bold = { ...plain, bold: true };

function heading(column: Column): CellStyle {
  return { font: bold, alignment: { horizontal: isFigures(column) ? 'right' : 'left' } };
}

/** Where the answer comes from, and what it leaves out. */
function toAbout({ provenance }: Result, flags: number, { cut, long, repeated }: Writing): WriteSheet {
  const legend = toMarkLegend(flags, provenance).map(
    ({ kind, meaning }) => `${kind === 'partial' ? 'Italic' : 'Grey'}: ${meaning}`,
  );
  const notes = [
    ...toNotes(provenance).map(({ text }) => text),
    ...legend,
    ...(cut > 0
      ? [
          `${formatNumber(cut)} ${plural(cut, 'text is', 'texts are')} cut: ` +
            `a cell holds ${formatNumber(mostLetters)} letters.`,
        ]
      : []),
    ...(long > 0
      ? [
          `${formatNumber(long)} ${plural(long, 'number is', 'numbers are')} text, ` +
            'because Excel keeps fifteen digits: its sums leave them out.',
        ]
      : []),
    ...(repeated > 0
      ? [`${formatNumber(repeated)} ${plural(repeated, 'time is', 'times are')} text: the clock showed them twice.`]
      : []),
  ];
  const facts = [
    ...provenanceFacts(provenance),
    ...notes.map((text, index) => [index === 0 ? 'Notes' : '', text] as const),
  ];
  return {
    name: 'About',
    rows: facts.map(([name, text]) => [name, sanitize(text).slice(0, mostLetters)]),
    columns: [{ width: 14, style: { font: bold } }, { width: 100 }],
  };
}

interface Writing {
  cut: number;
  long: number;
  repeated: number;
}

function toCells(
  values: Values,
  { column, isFloat, writing }: { readonly column: Column; readonly isFloat: boolean; readonly writing: Writing },
): (row: number) => CellValue {
  const repeated = column.type === 'time' ? repeatedClocks(values) : undefined;
  return (row) => {
    const value: Value = values[row] ?? null;
    if (value === null || typeof value === 'boolean') return value;
    if (column.format === 'weekday') return formatNumber(value as number, column.format);
    if (typeof value === 'number' && Number.isFinite(value) && (isFloat || isExact(value))) return value;
    if (column.type === 'number' && Number.isFinite(Number(value))) writing.long += 1;
    if (typeof value !== 'string') return String(value);
    if (repeated?.has(wallOf(value))) {
      writing.repeated += 1;
      return formatValue(value, column);
    }
    const time = column.type === 'time' ? toExcelTime(value) : undefined;
    if (time) return time;
    if (column.kind === 'compare') return sanitize(formatValue(value, column));
    const text = sanitizeLines(value.replaceAll('\r\n', '\n'));
    if (text.length <= mostLetters) return text;
    writing.cut += 1;
    return `${text.slice(0, mostLetters - 1)}…`;
  };
}

/** Excel keeps fifteen digits. More digits of a fraction are rounding. */
function isExact(value: number): boolean {
  return !Number.isInteger(value) || Number(value.toPrecision(15)) === value;
}

/** The local times that a column has with several offsets, such as both hours of a clock that is set back. */
function repeatedClocks(values: Values): ReadonlySet<string> {
  const texts = new Map<string, string>();
  const repeated = new Set<string>();
  for (const text of values) {
    if (typeof text !== 'string') continue;
    const wall = wallOf(text);
    if ((texts.get(wall) ?? text) !== text) repeated.add(wall);
    texts.set(wall, text);
  }
  return repeated;
}

function wallOf(time: string): string {
  return time.replace(/(?<=T.*)[+-][\d:]+$/, '');
}

/** Excel's times have no zone and begin in 1900, with a day too many until March. */
function toExcelTime(text: string): Date | undefined {
  const [, wall] = /^((?:19|[2-9]\d)\d\d-\d\d-\d\dT[\d:.]+)/.exec(text) ?? [];
  return wall === undefined || wall < '1900-03-01' ? undefined : new Date(`${wall}Z`);
}

const leftAligned: CellStyle = { alignment: { horizontal: 'left' } };
const widest = 60;

function widthOf(
  heading: string,
  rows: readonly (readonly CellValue[])[],
  index: number,
  { numFmt }: { readonly numFmt?: string },
): number {
  const lengths = rows.slice(0, 1000).map((row) => lengthOf(row[index]!, numFmt));
  return Math.min(widest, Math.max(heading.length, ...lengths) + 3);
}

function lengthOf(value: CellValue, format: string | undefined): number {
  if (value === null) return 0;
  if (value instanceof Date) return format?.length ?? 0;
  return typeof value === 'number' ? formatNumber(value).length : String(value).length;
}

function formatOf(
  column: Column,
  rows: readonly (readonly CellValue[])[],
  index: number,
): { readonly numFmt?: string } {
  if (column.type === 'time') return { numFmt: timeFormat(column) };
  if (column.type !== 'number') return {};
  if (column.format === 'percent') return { numFmt: '0.00"%"' };
  if (column.format === 'currency') return { numFmt: '#,##0.00' };
  if (column.format === 'hour') return { numFmt: '00":00"' };
  if (column.format === 'id' || column.format === 'weekday') return { numFmt: '0' };
  const numbers = rows.flatMap((row) => (typeof row[index] === 'number' ? [row[index]] : []));
  if (numbers.every(Number.isInteger)) return { numFmt: '#,##0' };
  // Four decimals would show a smaller number as 0.
  return { numFmt: numbers.some((value) => value !== 0 && Math.abs(value) < 0.001) ? 'General' : '#,##0.00##' };
}

function timeFormat({ granularity }: Column): string {
  if (granularity === 'year') return 'yyyy';
  if (granularity === 'month' || granularity === 'quarter') return 'yyyy-mm';
  if (granularity !== undefined && isCalendarUnit(granularity)) return 'yyyy-mm-dd';
  return granularity === 'hour' || granularity === 'minute' ? 'yyyy-mm-dd hh:mm' : 'yyyy-mm-dd hh:mm:ss';
}
