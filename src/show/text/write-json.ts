import type { Column } from '../../plan/column.ts';
import { filled, filledOrZero, others, partialByPresent, partialByRange } from '../../shape/result/marks.ts';
import { toSteadyProvenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import type { Values } from '../../shape/values/values.ts';
import { type RowForm, toChunks } from './chunks.ts';
import { toJsonNumber, toJsonNumeric, toJsonValue, toSafeJson } from './json-value.ts';
import { remember } from './remember.ts';
import { toBatch } from './to-batch.ts';

/**
 * An array of row objects keyed by column key, a row a line:
 * `[{"TrackedEvents.eventType":"pageview","TrackedEvents.count":4080}]`.
 * Integers and decimals that a double would bend stand as number literals in all their digits.
 */
export function toJsonForm(columns: readonly Column[]): RowForm {
  return { head: '[', between: ',\n', tail: ']\n', rows: toJsonRows(columns) };
}

/** A result in the form of `toJsonForm`. */
export function writeJson(result: Result): Generator<string> {
  return toChunks(toJsonForm(result.columns), toBatch(result));
}

/** Rows as JSON objects, keyed by column key, without line breaks. */
export function toJsonRows(columns: readonly Column[]): RowForm['rows'] {
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

const markNames = [
  ['filled', filled],
  ['filledOrZero', filledOrZero],
  ['partialByRange', partialByRange],
  ['partialByPresent', partialByPresent],
  ['others', others],
] as const;

type MarkedRows = Partial<Record<(typeof markNames)[number][0], readonly number[]>>;

/**
 * `{columns, rows, marks, provenance}`. Rows as in `writeJson`; `marks` names the marked rows of a column, from 0:
 * `{"TrackedEvents.count": {"filled": [3, 4], "partialByPresent": [9]}}`. Leaves out what varies from run to run.
 */
export function* writeJsonWithProvenance(result: Result): Generator<string> {
  yield `{"columns":${toSafeJson(result.columns.map(({ label: _, ...column }) => column))},\n"rows":`;
  yield* writeJson(result);
  const marks = Object.fromEntries(
    result.columns.map((column) => [column.key, toMarkedRows(result, column)] as const).filter(([, rows]) => rows),
  );
  yield `,"marks":${toSafeJson(marks)},\n"provenance":${toSafeJson(toSteadyProvenance(result.provenance))}}\n`;
}

function toMarkedRows(result: Result, column: Column): MarkedRows | undefined {
  const flags = result.marks.flags(column.key);
  if (!flags) return undefined;
  const marked: Record<string, number[]> = {};
  for (let row = 0; row < result.rowCount; row += 1) {
    for (const [name, flag] of markNames) if (((flags[row] ?? 0) & flag) !== 0) (marked[name] ??= []).push(row);
  }
  return Object.keys(marked).length === 0 ? undefined : marked;
}
