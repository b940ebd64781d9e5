import { wrongArgument } from '../../ask/document/check-argument.ts';
import type { Column } from '../../plan/column.ts';
import { type Result, toResult } from '../../shape/result/result.ts';
import { isInstant } from '../../ask/time/range.ts';
import type { Cell } from '../users/list-users.ts';
import type { RowOptions, ZonedTime } from './options.ts';

/** A row of an analysis, or the values that identify its cell, by column name. Times may be as `rows()` made them. */
export type GivenCell = Readonly<Record<string, Cell[string] | Date | ZonedTime>>;

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

/** The cell of an analysis, in which times that `rows()` made are text again. */
export function cellInText(cell: GivenCell): Cell {
  const inText = (value: GivenCell[string]): Cell[string] =>
    typeof value !== 'object' || value === null ? value : isTime(value) ? writeTime(value) : String(value);
  return Object.fromEntries(Object.entries(cell).map(([key, value]) => [key, inText(value)]));
}

/**
 * A `Date` or a `Temporal.ZonedDateTime`. No `instanceof`, because test runners and browsers have their own classes.
 */
type Time = Date | { readonly epochMilliseconds: number };

function isTime(value: object): value is Time {
  return 'getTime' in value || 'epochMilliseconds' in value;
}

function writeTime(time: Time): string {
  const instant = 'getTime' in time ? time.getTime() : time.epochMilliseconds;
  return isInstant(instant) ? new Date(instant).toISOString() : String(time);
}
