import type { Column, Value } from '../plan/column.ts';
import { withNote } from './result/provenance.ts';
import { type Result, toResult } from './result/result.ts';
import { head, takeMarks } from './result/take-rows.ts';
import { sumValues } from './values/decimal.ts';
import { rowsBetween } from './values/take.ts';

/**
 * Keeps the first `count` rows and replaces the others with one row. In that row, additive measures are the exact sums
 * of the replaced rows, other measures are null with a note, the first text dimension is `label`, and every other
 * dimension is null. Returns a result with at most `count` rows unchanged.
 */
export function withOther(result: Result, count: number, label = 'Other'): Result {
  if (result.rowCount <= count) return result;
  const first = head(result, count);
  const named = result.columns.find((column) => column.kind === 'dimension' && column.type === 'string');
  const data = result.columns.map((column) => [
    ...first.values(column.key),
    restOf(result, column, count, column === named ? label : null),
  ]);
  const missing = result.columns.filter((column) => column.kind === 'measure' && !column.additive);
  const notes: string[] = [];
  if (missing.length > 0)
    notes.push(`${label} has no ${missing.map((column) => column.title).join(', ')}: it cannot be added up.`);
  if (result.provenance.truncated)
    notes.push(`${label} contains only the rows up to the limit of ${result.provenance.truncated.limit}.`);
  const rows = new Int32Array(count + 1).fill(-1);
  rows.set(rowsBetween(0, count));
  return toResult({
    columns: result.columns,
    data,
    marks: takeMarks(result.columns, result.marks, rows),
    provenance: notes.reduce(withNote, { ...result.provenance, rows: count + 1 }),
    types: result.types,
  });
}

function restOf(result: Result<object>, column: Column, from: number, label: Value): Value {
  if (column.kind !== 'measure') return label;
  return column.additive ? sumValues(result.values(column.key).slice(from)) : null;
}
