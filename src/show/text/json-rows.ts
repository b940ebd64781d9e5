import type { Column } from '../../plan/column.ts';
import type { Result } from '../../shape/result.ts';
import { toJsonNumber, toJsonNumeric, toJsonValue, toSafeJson } from './json-value.ts';
import { remember } from './remember.ts';

/** One row as a JSON object, keyed by column key, without a line break. */
export function toJsonRows(result: Result): (row: number) => string {
  const cells = result.columns.map((column) => toJsonCells(result, column));
  const labels = result.columns.map((column, index) => `${index === 0 ? '{' : ','}${toSafeJson(column.key)}:`);
  return (row) => {
    let text = '';
    for (let index = 0; index < cells.length; index += 1) text += (labels[index] as string) + (cells[index] as (row: number) => string)(row);
    return text === '' ? '{}' : `${text}}`;
  };
}

function toJsonCells(result: Result, column: Column): (row: number) => string {
  const values = result.values(column.key);
  if (values instanceof Float64Array) return (row) => toJsonNumber(values[row] as number);
  if (column.type === 'number') return (row) => toJsonNumeric(values[row] ?? null);
  const toString = remember(toSafeJson);
  return (row) => {
    const value = values[row] ?? null;
    return typeof value === 'string' ? toString(value) : toJsonValue(value);
  };
}
