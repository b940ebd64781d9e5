import { wrongArgument } from '../../ask/document/check-argument.ts';
import type { Column } from '../../plan/column.ts';
import { type Result, toResult } from '../../shape/result/result.ts';
import type { RowOptions } from './options.ts';

/** Throws `InvalidInputError` if `times` is `temporal` and the runtime has no `Temporal`. */
export function checkTimes(called: string, { times }: RowOptions): void {
  if (times === 'temporal' && !('Temporal' in globalThis))
    throw wrongArgument(
      called,
      '`times` is "temporal", and this runtime has no Temporal.',
      'Load a polyfill, start Node with its flag harmony-temporal, or use `times: "date"`.',
    );
}

/** The column, marked with what rows have as its times. */
export function withTimes(column: Column, { times }: RowOptions): Column {
  return column.type === 'time' && (times === 'date' || times === 'temporal') ? { ...column, times } : column;
}

/** A result whose rows, and those of all results made from it, have other times. */
export function resultWithTimes(result: Result, options: RowOptions): Result {
  const columns = result.columns.map((column) => withTimes(column, options));
  if (columns.every((column, index) => column === result.columns[index])) return result;
  const { marks, provenance, types } = result;
  return toResult({ columns, data: columns.map(({ key }) => result.values(key)), marks, provenance, types });
}
