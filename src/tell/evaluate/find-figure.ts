import type { Column, Value } from '../../plan/column.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatValue, noValue } from '../../shape/format/format.ts';
import type { Result } from '../../shape/result/result.ts';
import { compareValues } from '../../shape/values/compare-values.ts';
import { sumValues, toDecimal } from '../../shape/values/decimal.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { escapeMarkdown } from '../../show/text/markdown-cell.ts';
import type { QuoteFilter } from '../notebook/quote.ts';
import type { BoundFigure, PreparedProse } from '../prepare/prepared.ts';
import { escapeStart } from '../report/report-to-markdown.ts';
import type { ReportFigure, ReportProse } from '../report/report.ts';
import { type AnswersByName, toReportProvenance } from './answers.ts';

/** A found figure with the format of its column, or the failure of its cell. */
type FoundFigure =
  | {
      readonly ok: true;
      readonly figure: ReportFigure;
      readonly column: Pick<Column, 'type' | 'format' | 'granularity' | 'kind'>;
      /** It is of a time that is not over, or that the range cuts. */
      readonly isPartial?: boolean;
    }
  | { readonly ok: false };

const plainNumber = { type: 'number', kind: 'measure' } as const;

/** Finds the value of a figure. Not ok if its cell failed. */
export function findFigure(bound: BoundFigure, answers: AnswersByName): FoundFigure {
  const path = bound.path.text;
  if (bound.kind === 'known')
    return {
      ok: true,
      figure: { path, text: bound.text, value: bound.value },
      column: { type: 'string', kind: 'dimension' },
    };
  const cell = answers.get(bound.cell);
  if (bound.kind === 'usage') {
    const usage = cell?.usage?.ok ? cell.usage.value : undefined;
    const figure = usage?.figures.get(bound.name);
    if (!figure) return { ok: false };
    return { ok: true, figure: { ...figure, path }, column: plainNumber, isPartial: usage?.partial?.has(bound.name) };
  }
  const own = cell?.[bound.source];
  // Truncated rows do not add up to the total.
  const isCut = bound.pick === 'total' && own?.ok && own.value.provenance.truncated !== null;
  const settled = isCut ? cell?.total : own;
  if (!settled?.ok) return { ok: false };
  const result = settled.value;
  const column = bound.column === undefined ? plainNumber : result.columns.find(({ key }) => key === bound.column);
  if (!column) return { ok: false };
  const { value, rows } =
    bound.column === undefined
      ? { value: result.rowCount, rows: [] }
      : pickValue(result, bound.column, isCut ? { ...bound, pick: 'only' } : bound);
  return {
    ok: true,
    figure: { path, text: formatValue(value, column), value, provenance: toReportProvenance(result.provenance) },
    column,
    isPartial: rows.some((row) => isPartial(result, bound.column ?? '', row)),
  };
}

/** Whether a row of a column is of a partial bucket. Changes have no marks of their own; they are of two buckets. */
function isPartial({ columns, marks }: Result, column: string, row: number): boolean {
  const times = columns.flatMap(({ kind, key }) => (kind === 'time' ? [key] : []));
  const isChange = /\.change(?:Percent)?(?:\.\d+)?$/.test(column);
  return [column, ...(isChange ? times : times.slice(0, 1))].some((key) => marks.isPartial(row, key));
}

interface PickedValue {
  readonly value: Value;
  /** The rows that it stands for. A sum stands for the range, whatever buckets the range cuts. */
  readonly rows: readonly number[];
}

function pickValue(
  result: Result,
  key: string,
  { pick, row }: Extract<BoundFigure, { readonly kind: 'column' }>,
): PickedValue {
  const values = result.values(key);
  const at = (index: number): PickedValue => ({ value: values[index] ?? null, rows: [index] });
  if (row !== undefined) return at(row);
  switch (pick) {
    case 'only':
    case 'first':
      return at(0);
    case 'last':
      return at(result.rowCount - 1);
    case 'sum':
    case 'total':
      return { value: sumValues(values), rows: [] };
    case 'mean':
      return { value: mean(Array.from(values)), rows: [...values.keys()] };
    case 'max':
      return at(extreme(values, 1));
    case 'min':
      return at(extreme(values, -1));
    default:
      return { value: null, rows: [] };
  }
}

function mean(values: readonly Value[]): Value {
  const known = values.filter((value) => value !== null);
  const sum = sumValues(known);
  return sum === null ? null : Number(sum) / known.length;
}

/** The row of the largest or smallest value. */
function extreme(values: ArrayLike<Value>, sign: 1 | -1): number {
  return Array.from(values).reduce<number>((best, value, row) => {
    const before = values[best] ?? null;
    const isBeyond = value !== null && (before === null || sign * compareValues(value, before, 'number') > 0);
    return isBeyond ? row : best;
  }, 0);
}

/** One row of a figure that covers every row. */
interface FigureRow {
  readonly value: Value;
  /** What distinguishes the row from others, formatted. */
  readonly label: string;
  /** It is of a time that is not over, or that the range cuts. */
  readonly isPartial: boolean;
}

/** Every row of a column; undefined if its cell failed. */
export function findRows(
  bound: BoundFigure,
  answers: AnswersByName,
): { readonly rows: readonly FigureRow[]; readonly column: Column } | undefined {
  if (bound.kind !== 'column' || bound.column === undefined) return undefined;
  const settled = answers.get(bound.cell)?.[bound.source];
  if (!settled?.ok) return undefined;
  const result = settled.value;
  const column = result.columns.find(({ key }) => key === bound.column);
  if (!column) return undefined;
  const labels = result.columns.filter(({ kind, key }) => kind !== 'measure' && !/\.previous(?:\.\d+)?$/.test(key));
  const values = result.values(column.key);
  const rows = Array.from(
    { length: result.rowCount },
    (_, row): FigureRow => ({
      value: values[row] ?? null,
      label: labels.map((label) => formatValue(result.values(label.key)[row] ?? null, label)).join(', '),
      isPartial: isPartial(result, column.key, row),
    }),
  );
  return { rows, column };
}

/** Replaces a figure of a failed cell. */
const notAvailable = '(not available)';

/** Fills in the quotes of a prose. Text from events is escaped: it cannot become markup or start a line. */
export function fillProse(prose: PreparedProse, answers: AnswersByName): ReportProse {
  const { text, figures } = fill(prose, answers, (quoted, before) =>
    atLineStart(before) ? escapeStart(escapeQuoted(quoted)) : escapeQuoted(quoted),
  );
  return { kind: 'prose', markdown: text, figures };
}

/** Like `fillProse`, as one line of plain text. */
export function fillLine(prose: PreparedProse, answers: AnswersByName): string {
  return sanitize(fill(prose, answers, sanitize).text).trim();
}

function fill(
  { source, quotes }: PreparedProse,
  answers: AnswersByName,
  escape: (quoted: string, before: string) => string,
): { readonly text: string; readonly figures: readonly ReportFigure[] } {
  const figures: ReportFigure[] = [];
  let filled = '';
  let end = 0;
  for (const quote of quotes) {
    const found = findFigure(quote.figure, answers);
    const text = found.ok ? writeFigure(found.figure.value, found.column, quote.filter) : notAvailable;
    figures.push(found.ok ? { ...found.figure, text } : { path: quote.path.text, text, value: null });
    filled += source.slice(end, quote.start);
    filled += escape(text, filled);
    end = quote.end;
  }
  return { text: filled + source.slice(end), figures };
}

function escapeQuoted(text: string): string {
  const clean = sanitize(text).trim();
  return clean === '' ? '""' : escapeMarkdown(clean);
}

function atLineStart(before: string): boolean {
  return /(?:^|\n)(?:[ \t>*+\-#]|\d{1,9}[.)])*$/.test(before);
}

/** Formats a value with a filter. A value that is not a number keeps its column's format. */
export function writeFigure(
  value: Value,
  column: Pick<Column, 'type' | 'format' | 'granularity' | 'kind'>,
  filter: QuoteFilter | undefined,
): string {
  if (value === null) return noValue;
  if (
    filter === undefined ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && toDecimal(value) === undefined)
  )
    return formatValue(value, column);
  switch (filter) {
    case 'number':
      return formatNumber(value);
    case 'whole':
      return formatNumber(typeof value === 'bigint' ? value : Math.round(Number(value)));
    case 'percent':
      return formatNumber(value, 'percent');
    case 'signed':
      return withSign(value, formatValue(value, column));
    case 'change':
      return withSign(value, formatNumber(value, 'percent'));
  }
}

/** Adds a plus sign to an increase. */
function withSign(value: Value, text: string): string {
  return Number(value) > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}
