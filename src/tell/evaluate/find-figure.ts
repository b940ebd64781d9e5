import type { Column, Value } from '../../plan/column.ts';
import { compareValues } from '../../shape/values/compare-values.ts';
import { formatValue } from '../../shape/format/format.ts';
import { partialByPresent } from '../../shape/marks.ts';
import { toSteadyProvenance } from '../../shape/provenance.ts';
import type { Result } from '../../shape/result.ts';
import { sumValues } from '../../shape/values/sum-values.ts';
import type { BoundFigure } from '../prepare/prepared.ts';
import type { ReportFigure } from '../report/report.ts';
import type { AnswersByName } from './answers.ts';

/** A figure, found: how its column reads it, or that its cell failed. */
export type FoundFigure =
  | { readonly ok: true; readonly figure: ReportFigure; readonly column: Pick<Column, 'type' | 'format' | 'granularity' | 'kind'> }
  | { readonly ok: false };

const plainNumber = { type: 'number', kind: 'measure' } as const;

/** The value that a figure means. Not ok: its cell failed. */
export function findFigure(bound: BoundFigure, answers: AnswersByName): FoundFigure {
  const path = bound.path.text;
  if (bound.kind === 'known') return { ok: true, figure: { path, text: bound.text, value: bound.value }, column: { type: 'string', kind: 'dimension' } };
  const cell = answers.get(bound.cell);
  if (bound.kind === 'usage') {
    const figure = cell?.usage?.ok ? cell.usage.value.figures.get(bound.name) : undefined;
    return figure ? { ok: true, figure: { ...figure, path }, column: plainNumber } : { ok: false };
  }
  const own = cell?.[bound.source];
  // Rows that are cut do not make up the total.
  const isCut = bound.pick === 'total' && own?.ok && own.value.provenance.truncated !== null;
  const settled = isCut ? cell?.total : own;
  if (!settled?.ok) return { ok: false };
  const result = settled.value;
  const column = bound.column === undefined ? plainNumber : result.columns.find(({ key }) => key === bound.column);
  if (!column) return { ok: false };
  const value = bound.column === undefined ? result.rowCount : pickValue(result, bound.column, isCut ? { ...bound, pick: 'only' } : bound);
  return { ok: true, figure: { path, text: formatValue(value, column), value, provenance: toSteadyProvenance(result.provenance) }, column };
}

function pickValue(result: Result, key: string, { pick, row }: Extract<BoundFigure, { readonly kind: 'column' }>): Value {
  const values = result.values(key);
  const at = (index: number) => values[index] ?? null;
  if (row !== undefined) return at(row);
  switch (pick) {
    case 'only':
    case 'first':
      return at(0);
    case 'last':
      return at(result.rowCount - 1);
    case 'sum':
    case 'total':
      return sumValues(values);
    case 'mean':
      return mean(Array.from(values));
    case 'max':
      return extreme(Array.from(values), 1);
    case 'min':
      return extreme(Array.from(values), -1);
    default:
      return null;
  }
}

function mean(values: readonly Value[]): Value {
  const known = values.filter((value) => value !== null);
  const sum = sumValues(known);
  return sum === null ? null : Number(sum) / known.length;
}

function extreme(values: readonly Value[], sign: 1 | -1): Value {
  return values.reduce((best, value) => (value !== null && (best === null || sign * compareValues(value, best, 'number') > 0) ? value : best), null);
}

/** One row of a figure that is about every row. */
export interface FigureRow {
  readonly value: Value;
  /** What tells the row from others, as people read it. */
  readonly label: string;
  /** Its bucket of time is not over yet. */
  readonly open: boolean;
}

/** Every row of a column. Undefined: its cell failed. */
export function findRows(bound: BoundFigure, answers: AnswersByName): { readonly rows: readonly FigureRow[]; readonly column: Column } | undefined {
  if (bound.kind !== 'column' || bound.column === undefined) return undefined;
  const settled = answers.get(bound.cell)?.[bound.source];
  if (!settled?.ok) return undefined;
  const result = settled.value;
  const column = result.columns.find(({ key }) => key === bound.column);
  if (!column) return undefined;
  const labels = result.columns.filter(({ kind, key }) => kind !== 'measure' && !/\.previous(?:\.\d+)?$/.test(key));
  const values = result.values(column.key);
  const rows = Array.from({ length: result.rowCount }, (_, row): FigureRow => ({
    value: values[row] ?? null,
    label: labels.map((label) => formatValue(result.values(label.key)[row] ?? null, label)).join(', '),
    open: (result.marks.of(column.key, row) & partialByPresent) !== 0,
  }));
  return { rows, column };
}
