import type { Column } from '../../plan/column.ts';
import { rowsBetween, takeFlags, takeValues } from '../values/take.ts';
import { type Marks, toMarks } from './marks.ts';
import { type Result, toResult } from './result.ts';
import { withParts } from '../../ask/cloneable.ts';

/** A result of the chosen rows, in the order of `rows`, with their marks. */
export function takeRows(result: Result, rows: Int32Array): Result {
  return toResult({
    columns: result.columns,
    data: result.columns.map((column) => takeValues(result.values(column.key), rows)),
    marks: takeMarks(result.columns, result.marks, rows),
    provenance: { ...result.provenance, rows: rows.length },
    types: result.types,
  });
}

/** The first `count` rows of a result. */
export function head(result: Result, count: number): Result {
  return count >= result.rowCount ? result : takeRows(result, rowsBetween(0, count));
}

/** Applies offset and limit to the rows, and notes the limit in the provenance. */
export function limitRows(result: Result, limit: number | undefined, offset: number): Result {
  const end = limit === undefined ? result.rowCount : Math.min(result.rowCount, offset + limit);
  if (offset === 0 && end === result.rowCount) return result;
  const kept = takeRows(result, rowsBetween(Math.min(offset, end), end));
  const truncated = limit !== undefined && end < result.rowCount ? { limit } : null;
  return withParts(kept, { provenance: { ...kept.provenance, truncated } });
}

/** Selects the marks of rows. Columns that share their flags still share them in the result. */
export function takeMarks(columns: readonly Column[], marks: Marks, rows: Int32Array): Marks {
  const taken = new Map<Uint8Array, Uint8Array>();
  const byKey = new Map<string, Uint8Array>();
  for (const { key } of columns) {
    const flags = marks.flags(key);
    if (!flags) continue;
    const chosen = taken.get(flags) ?? takeFlags(flags, rows);
    taken.set(flags, chosen);
    byKey.set(key, chosen);
  }
  return toMarks(byKey);
}
