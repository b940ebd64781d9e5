import { invariant } from '../../ask/invariant.ts';
import { countBuckets } from '../../ask/time/buckets.ts';
import type { Column, Value } from '../../plan/column.ts';
import type { Plan, PlanSeries } from '../../plan/plan.ts';
import type { Codes } from '../values/codes.ts';
import { limitReached, mostFilledCells, tooMany } from './decide-fill.ts';
import { toFillKeys, toSides } from './fill-order.ts';
import { filled, toMarks, type Marks } from '../marks.ts';
import type { FilledRows } from './lay-out.ts';
import { mergeMissing } from './merge-missing.ts';
import { toPartialFlags } from './partial-buckets.ts';
import { withNote } from '../provenance.ts';
import { toResult, type Result } from '../result.ts';
import { toSeriesGrid } from './series-grid.ts';
import { toSeriesLabels } from './series-labels.ts';
import { takeCodes, takeValues } from '../values/take.ts';
import { limitRows } from '../values/take-rows.ts';

export interface FillOptions {
  /** What a missing value is; `Column.whenAbsent` where not given. 0 follows the platform to the letter. */
  readonly fillWith?: 0 | undefined;
}

/**
 * Adds the buckets that an answer lacks, for each of its series (a combination of the other dimensions).
 *
 * `result` answers the plan that `decideFill` gave to run; `plan` is the one that was decided about. First the rows get the
 * plan's limit and offset, then each series that still has a row gets the buckets that the whole answer lacks: a group that
 * the limit cut is neither a zero nor does it come back, and the limit does not count what is added. Without other
 * dimensions the whole range is filled, even of an empty answer. Rows stand in the plan's order, and real ones keep theirs.
 * Filling a filled result changes nothing.
 *
 * Source of the rule: the platform fills missing days with 0 and ignores the query's limit.
 */
export function fill<Row extends object>(result: Result<Row>, plan: Plan, options: FillOptions = {}): Result<Row> {
  if (result.provenance.filled) return result;
  if (result.provenance.truncated) return annotate(result, limitReached);
  if (!plan.series) return limitRows(result, plan.limit, plan.offset);
  return fillSeries(result, plan, plan.series, options);
}

function fillSeries<Row extends object>(result: Result<Row>, plan: Plan, axis: PlanSeries, { fillWith }: FillOptions): Result<Row> {
  const giveUp = () => annotate(limitRows(result, plan.limit, plan.offset), tooMany);
  if (countBuckets(axis.range, axis.granularity, plan.zone) > mostFilledCells) return giveUp();
  const { buckets, labels } = toSeriesLabels(axis, plan);
  const { rowCount } = result;
  const start = Math.min(plan.offset, rowCount);
  const end = plan.limit === undefined ? rowCount : Math.min(rowCount, start + plan.limit);
  const grid = toSeriesGrid(result, plan, labels, axis.column, start, end);
  if (grid.seriesCount * grid.bucketCount > mostFilledCells) return giveUp();

  const columnAt = (index: number): Column => {
    const column = plan.columns[index];
    invariant(column, `the plan has a column ${index}`);
    return column;
  };
  const absentOf = (column: Column): Value => (fillWith === undefined ? column.whenAbsent : fillWith);
  const keys = toFillKeys({
    plan,
    axisColumn: axis.column,
    codes: grid.codes,
    rowOfSeries: grid.rowOfSeries,
    sidesOf: (index, descending) => {
      const column = columnAt(index);
      return toSides(result.values(column.key).slice(start, end), absentOf(column), column.type, descending);
    },
  });
  const merged = mergeMissing(grid, keys, start, end);
  const { rows } = merged;
  if (merged.added === 0 && rows.length === rowCount) return { ...result, provenance: { ...result.provenance, filled: true } };
  const data = plan.columns.map((column, index) => {
    if (index === axis.column) return toTimes(result.codes(column.key), merged, labels);
    if (column.kind === 'measure') return takeValues(result.values(column.key), rows, absentOf(column));
    return takeCodes(takeCodes(result.codes(column.key), grid.rowOfSeries), merged.series);
  });
  const partial = toPartialFlags(plan, buckets, labels);
  return toResult<Row>({
    columns: plan.columns,
    data,
    marks: markFilled(result.marks, plan.columns, columnAt(axis.column), merged, partial),
    provenance: {
      ...result.provenance,
      rows: rows.length,
      filled: true,
      filledCells: merged.added * plan.measures.length,
      partialBuckets: countPartial(merged, partial),
      truncated: plan.limit !== undefined && end < rowCount ? { limit: plan.limit } : null,
    },
    types: result.types,
  });
}

/** Buckets that the answer holds and that are partial, each once. */
function countPartial({ buckets }: FilledRows, partial: Uint8Array): number {
  return new Set(buckets.filter((bucket) => bucket >= 0 && partial[bucket] !== 0)).size;
}

/** The buckets are codes themselves. A row that stands on none keeps its time. */
function toTimes({ codes, dictionary }: Codes, { rows, buckets }: FilledRows, labels: readonly string[]): Codes {
  if (!buckets.includes(-1)) return { codes: buckets, dictionary: labels };
  const times = buckets.map((bucket, index) => (bucket < 0 ? labels.length + (codes[rows[index] as number] as number) : bucket));
  return { codes: times, dictionary: [...labels, ...dictionary] };
}

/** Real rows keep their flags; the added ones are marked, and so are those of them whose bucket is partial. */
function markFilled(marks: Marks, columns: readonly Column[], axis: Column, { rows, buckets }: FilledRows, partial: Uint8Array): Marks {
  const before = marks.flags(axis.key);
  const flags = new Uint8Array(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    flags[index] = row < 0 ? filled | (partial[buckets[index] as number] as number) : (before?.[row] ?? 0);
  }
  return toMarks(new Map(columns.filter((column) => column.kind === 'measure' || column === axis).map((column) => [column.key, flags])));
}

function annotate<Row extends object>(result: Result<Row>, note: string): Result<Row> {
  return { ...result, provenance: withNote(result.provenance, note) };
}
