import type { Column } from '../../plan/column.ts';
import type { Values } from '../../shape/values/values.ts';
import type { RowForm } from './chunks.ts';
import { toJsonNumber, toJsonNumeric, toJsonValue, toSafeJson } from './json-value.ts';
import { remember } from './remember.ts';

/** Rows as JSON objects, keyed by column key, without line breaks. */
export function toJsonRows(columns: readonly Column[]): RowForm['rows'] {
  const openCells = columns.map(toJsonCells);
  const labels = columns.map((column, index) => `${index === 0 ? '{' : ','}${toSafeJson(column.key)}:`);
  return (data) => {
    const cells = openCells.map((open, index) => open(data[index] as Values));
    return (row) => {
      let text = '';
      for (let index = 0; index < cells.length; index += 1) text += (labels[index] as string) + (cells[index] as (row: number) => string)(row);
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
