import type { Column } from '../../plan/column.ts';
import { toMarkedRows } from '../../shape/result/plain-result.ts';
import { toSteadyProvenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import type { Values } from '../../shape/values/values.ts';
import { type RowForm, toChunks, toBatch, remember } from './chunks.ts';
import { toJsonNumber, toJsonNumeric, toJsonValue, toSafeJson } from './json-value.ts';

/**
 * An array of row objects keyed by column key, one row per line:
 * `[{"TrackedEvents.eventType":"pageview","TrackedEvents.count":4080}]`.
 * Integers and decimals that a double cannot represent are number literals with all their digits.
 */
export function toJsonForm(columns: readonly Column[]): RowForm {
  return { head: '[', between: ',\n', tail: ']\n', rows: toJsonRows(columns) };
}

/** Writes a result in the form of `toJsonForm`. */
export function writeJson(result: Result): Generator<string> {
  return toChunks(toJsonForm(result.columns), toBatch(result));
}

/** Rows as JSON objects, keyed by column key, without line breaks. */
function toJsonRows(columns: readonly Column[]): RowForm['rows'] {
  const openCells = columns.map(toJsonCells);
  const labels = columns.map((column, index) => `${index === 0 ? '{' : ','}${toSafeJson(column.key)}:`);
  return (data) => {
    const cells = openCells.map((open, index) => open(data[index] as Values));
    return (row) => {
      let text = '';
      for (let index = 0; index < cells.length; index += 1)
        text += (labels[index] as string) + (cells[index] as (row: number) => string)(row);
      return text === '' ? '{}' : `${text}}`;
    };
  };
}

function toJsonCells({ type }: Column): (values: Values) => (row: number) => string {
  const toString = remember(toSafeJson);
  return (values) => {
    if (values instanceof Float64Array) return (row) => toJsonNumber(values[row] as number);
    if (type === 'number') return (row) => toJsonNumeric(values[row] ?? null);
    return (row) => {
      const value = values[row] ?? null;
      return typeof value === 'string' ? toString(value) : toJsonValue(value);
    };
  };
}

/**
 * `{columns, rows, marks, provenance}`. Rows as in `writeJson`; `marks` names the marked rows of a column, from 0:
 * `{"TrackedEvents.count": {"filled": [3, 4], "partialByPresent": [9]}}`. Omits what varies between runs.
 */
export function* writeJsonWithProvenance(result: Result): Generator<string> {
  yield `{"columns":${toSafeJson(result.columns.map(({ label: _, ...column }) => column))},\n"rows":`;
  yield* writeJson(result);
  const marks = toMarkedRows(result.columns, result.marks, result.rowCount);
  yield `,"marks":${toSafeJson(marks)},\n"provenance":${toSafeJson(toSteadyProvenance(result.provenance))}}\n`;
}

/** One row object per line, keyed by column key; empty if there are no rows. Values as in `toJsonForm`. */
export function toNdjsonForm(columns: readonly Column[]): RowForm {
  const rows = toJsonRows(columns);
  return {
    head: '',
    between: '',
    tail: '',
    rows(data) {
      const writeRow = rows(data);
      return (row) => `${writeRow(row)}\n`;
    },
  };
}

/** Writes a result in the form of `toNdjsonForm`. */
export function writeNdjson(result: Result): Generator<string> {
  return toChunks(toNdjsonForm(result.columns), toBatch(result));
}
