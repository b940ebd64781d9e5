import type { Plan } from '../plan/plan.ts';
import { filledOrZero, toMarks } from './marks.ts';
import { withNote } from './provenance.ts';
import { toResult, type Result } from './result.ts';
import { sort } from './sort.ts';
import { rowsBetween } from './take.ts';
import { takeRows } from './take-rows.ts';

/**
 * Recognises what the platform filled on its side, so that `fill` does not fill it again. It appends days of zeros to daily
 * answers whose range is given by `inDateRange`, without the other dimensions and whatever the limit.
 *
 * With other dimensions such rows lack all of them: they are taken out, since they belong to no series. Without, they
 * cannot be told from counted zeros: zeros at the end of the answer are marked `filledOrZero`, and all rows are put into the
 * plan's order. The limit only counts the rows before them.
 */
export function markServerFill<Row extends object>(result: Result<Row>, plan: Plan): Result<Row> {
  if (!plan.series?.byFilter || plan.series.granularity !== 'day' || plan.measures.length === 0) return result;
  const real = countReal(result, plan);
  if (real === result.rowCount) return result;
  const truncated = plan.limit !== undefined && real >= plan.limit ? { limit: plan.limit } : null;
  if (plan.dimensions.length > 0) {
    const { provenance, ...kept } = takeRows(result, rowsBetween(0, real));
    return { ...kept, provenance: withNote({ ...provenance, truncated }, 'The server filled whole days without their dimensions; these rows are left out.') };
  }
  const measures = result.columns.filter((column) => column.kind === 'measure');
  const marked = new Uint8Array(result.rowCount).fill(filledOrZero, real);
  const flags = new Map<string, Uint8Array>();
  for (const { key } of result.columns) {
    const before = result.marks.flags(key);
    if (before) flags.set(key, before);
  }
  const before = measures[0] && result.marks.flags(measures[0].key);
  if (before) for (let row = 0; row < marked.length; row += 1) marked[row] = (marked[row] as number) | (before[row] as number);
  for (const { key } of measures) flags.set(key, marked);
  const withMarks = toResult<Row>({
    columns: result.columns,
    data: result.columns.map((column) => result.values(column.key)),
    marks: toMarks(flags),
    provenance: { ...result.provenance, truncated },
  });
  return sort(withMarks, plan.order.flatMap(({ column, descending }) => (plan.columns[column] ? [{ key: plan.columns[column].key, descending }] : [])));
}

/** How many rows stand before the run of rows at the end that have no dimension and nothing but zeros. */
function countReal(result: Result<object>, plan: Plan): number {
  const columnsOf = (indexes: readonly { readonly column: number }[]) => indexes.flatMap(({ column }) => result.columns[column] ?? []);
  const dimensions = columnsOf(plan.dimensions).map((column) => result.values(column.key));
  const measures = columnsOf(plan.measures).map((column) => result.values(column.key));
  let row = result.rowCount;
  while (row > 0 && dimensions.every((values) => values[row - 1] === null) && measures.every((values) => values[row - 1] === 0)) row -= 1;
  return row;
}
