import { writeInstantLocal } from '../../ask/time/local-time.ts';
import type { Column } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import { serverFillColumn } from '../../plan/server-fill.ts';
import { filledOrZero, toMarks } from '../result/marks.ts';
import { withNote } from '../result/provenance.ts';
import { type Result, toResult } from '../result/result.ts';
import { sort } from '../result/sort.ts';
import { takeRows } from '../result/take-rows.ts';
import { rowsBetween } from '../values/take.ts';
import { withParts } from '../../ask/cloneable.ts';

/**
 * Finds rows that the platform filled, so that `fill` does not fill them again. The platform appends days of zeros to
 * daily answers with an `inDateRange` filter, without the other dimensions and beyond the limit.
 *
 * With other dimensions (or buckets of another size), these rows lack all of them and belong to no series, so they are
 * removed. Without, they look like counted zeros: zeros at the end of the answer are marked `filledOrZero`, and all
 * rows are sorted by the plan's order. The limit counts only the rows before them. `appended` is their number, if the
 * wire rows showed it.
 */
export function markServerFill(given: Result, plan: Plan, appended?: number): Result {
  const days = serverFillColumn(plan);
  if (!days) return given;
  const keys = plan.columns.filter((column) => column.kind !== 'measure' && column !== days);
  const real = appended === undefined ? countReal(given, keys) : given.rowCount - appended;
  if (real === given.rowCount) return given;
  const truncated = plan.limit !== undefined && real >= plan.limit ? { limit: plan.limit } : null;
  if (keys.length > 0) {
    const kept = takeRows(given, rowsBetween(0, real));
    return withParts(kept, {
      provenance: withNote(
        { ...kept.provenance, truncated },
        'The server filled whole days with rows that lack their dimensions; these rows are left out.',
      ),
    });
  }
  const result = takeRows(given, rowsInside(given, real, days, plan));
  const measures = result.columns.filter((column) => column.kind === 'measure');
  const marked = new Uint8Array(result.rowCount).fill(filledOrZero, real);
  const flags = new Map<string, Uint8Array>();
  for (const { key } of result.columns) {
    const before = result.marks.flags(key);
    if (before) flags.set(key, before);
  }
  const before = measures[0] && result.marks.flags(measures[0].key);
  if (before)
    for (let row = 0; row < marked.length; row += 1) marked[row] = (marked[row] as number) | (before[row] as number);
  for (const { key } of measures) flags.set(key, marked);
  const withMarks = toResult({
    columns: result.columns,
    data: result.columns.map((column) => result.values(column.key)),
    marks: toMarks(flags),
    provenance: { ...result.provenance, truncated },
    types: result.types,
  });
  return sort(
    withMarks,
    plan.order.flatMap(({ column, descending }) =>
      plan.columns[column] ? [{ key: plan.columns[column].key, descending }] : [],
    ),
  );
}

/** The counted rows, and the filled days in the range: the filter may extend beyond another range of the same time. */
function rowsInside(result: Result<object>, real: number, days: Column, { series, zone }: Plan): Int32Array {
  const dateOf = (instant: number) => writeInstantLocal(instant, zone).slice(0, 10);
  const first = series && dateOf(series.range.start);
  const last = series && dateOf(series.range.end - 1);
  const labels = result.values(days.key);
  return rowsBetween(0, result.rowCount).filter((row) => {
    const date = String(labels[row]).slice(0, 10);
    return row < real || first === undefined || last === undefined || (date >= first && date <= last);
  });
}

/** The number of rows before the trailing rows that have no key and only zeros. */
function countReal(result: Result<object>, keys: readonly Column[]): number {
  const lacked = keys.map((column) => result.values(column.key));
  const measures = result.columns
    .filter((column) => column.kind === 'measure')
    .map((column) => result.values(column.key));
  let row = result.rowCount;
  while (
    row > 0 &&
    lacked.every((values) => values[row - 1] === null) &&
    measures.every((values) => values[row - 1] === 0)
  )
    row -= 1;
  return row;
}
