import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import { duckDb, toDuckDbLocalTime } from '../../../plan/sql/duckdb.ts';
import { trusted } from '../../../plan/sql/expression.ts';
import { printStatement } from '../../../plan/sql/print-statement.ts';
import { unusualText } from '../engine/json-expression.ts';
import type { StoredColumn } from './stored-column.ts';

/** SQL for a stored column's values for sorting and counting: values that read as null are null. */
export function comparable({ column, kind, fromStored }: StoredColumn, name: string): string {
  const value = fromStored(name);
  if (kind === 'double')
    return column.type === 'string'
      ? `CASE WHEN isfinite(${value}) THEN CAST(${value} AS VARCHAR) ELSE ${unusualText(value)} END`
      : value;
  if (kind === 'text' && column.type === 'number') return `TRY_CAST(${value} AS DOUBLE)`;
  return column.type === 'string' && kind !== 'text' && kind !== 'instant' ? `CAST(${value} AS VARCHAR)` : value;
}

/** The same without NaN and infinities. */
export function measurable(stored: StoredColumn, name: string): string {
  const value = comparable(stored, name);
  return stored.kind === 'double' && stored.column.type === 'number'
    ? `CASE WHEN isfinite(${value}) THEN ${value} END`
    : value;
}

/**
 * The same as text for filters: plain numbers, and times as `YYYY-MM-DD HH:MM:SS` in the zone in which they are shown.
 */
export function searchable(stored: StoredColumn, zone: string, name: string): string {
  const { column, kind, fromStored } = stored;
  const value = fromStored(name);
  if (kind === 'instant' || (kind === 'date' && column.type === 'time')) {
    const utc = `CAST(${value} AS TIMESTAMP)`;
    const isInstant = column.kind === 'time' && column.granularity !== undefined && !isCalendarUnit(column.granularity);
    return `strftime(${isInstant ? localTime(utc, zone) : utc}, '%Y-%m-%d %H:%M:%S')`;
  }
  if (kind === 'text') return value;
  const text = `CAST(${comparable(stored, name)} AS VARCHAR)`;
  return kind === 'double' || kind === 'decimal'
    ? `CASE WHEN contains(${text}, '.') AND NOT contains(${text}, 'e') THEN rtrim(rtrim(${text}, '0'), '.') ELSE ${text} END`
    : text;
}

function localTime(instant: string, zone: string): string {
  return printStatement(toDuckDbLocalTime(trusted(instant), zone), duckDb).text;
}
