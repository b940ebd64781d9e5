import { invariant } from '../../ask/invariant.ts';
import { countBuckets, readBucketLabel } from '../../ask/time/buckets.ts';
import type { Column, Value } from '../../plan/column.ts';
import type { Plan, PlanSeries } from '../../plan/plan.ts';
import { filled, type Marks, toMarks } from '../result/marks.ts';
import { withNote } from '../result/provenance.ts';
import { type Result, toResult } from '../result/result.ts';
import { limitRows } from '../result/take-rows.ts';
import type { Codes } from '../values/codes.ts';
import { takeCodes, takeValues } from '../values/take.ts';
import { limitReached, mostFilledCells, mostUnasked, tooMany, tooManyUnasked } from './decide-fill.ts';
import { type FillKey, toFillKeys, toSides } from './fill-order.ts';
import { toPartialFlags } from './partial-buckets.ts';
import { type FilledRows, layOut, type SeriesGrid, toSeriesGrid, toSeriesLabels, walkGrid } from './series-grid.ts';
import { withParts } from '../../ask/cloneable.ts';

interface FillOptions {
  /** The value of missing cells; defaults to `Column.whenAbsent`. 0 follows the platform exactly. */
  readonly fillWith?: 0 | undefined;
}

/**
 * Adds the missing buckets to each series of an answer. A series is a combination of the other dimensions.
 *
 * `result` answers the plan to run from `decideFill`; `plan` is the original one. The plan's limit and offset are
 * applied first. Each series that still has a row then gets the buckets that the whole answer lacks. A group beyond the
 * limit therefore becomes no zero and does not return, and the limit ignores added rows. Without other dimensions, the
 * whole range is filled, even for an empty answer. Without a range, the series ends with its first and last row. Rows
 * follow the plan's order, and existing rows keep theirs. Idempotent.
 *
 * Source of the rule: the platform fills missing days with 0 and ignores the query's limit.
 */
export function fill(result: Result, plan: Plan, options: FillOptions = {}): Result {
  if (result.provenance.filled) return result;
  if (!plan.series) return fillBetween(result, plan, options);
  if (result.provenance.truncated) return annotate(result, limitReached);
  return fillSeries(result, plan, plan.series, options);
}

/** Fills the only series of a plan without a range between its first and last row. */
function fillBetween(result: Result, plan: Plan, options: FillOptions): Result {
  const time = plan.times.find(({ granularity }) => granularity !== undefined);
  if (result.provenance.truncated || !time?.granularity || time.column === undefined) return result;
  const { granularity, column } = time;
  const labels = Array.from<Value>(result.values(plan.columns[column]!.key)).filter((label) => label !== null);
  if (labels.length === 0) return result;
  const range = labels
    .map((label) => readBucketLabel(String(label), granularity, plan))
    .reduce((all, { start, end }) => ({ start: Math.min(all.start, start), end: Math.max(all.end, end) }));
  if (countBuckets(range, granularity, plan.zone) > mostUnasked) return annotate(result, tooManyUnasked);
  return fillSeries(result, plan, { column, granularity, range }, options);
}

function fillSeries(result: Result, plan: Plan, axis: PlanSeries, { fillWith }: FillOptions): Result {
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
  if (merged.added === 0 && rows.length === rowCount)
    return withParts(result, { provenance: { ...result.provenance, filled: true } });
  const data = plan.columns.map((column, index) => {
    if (index === axis.column) return toTimes(result.codes(column.key), merged, labels);
    if (column.kind === 'measure') return takeValues(result.values(column.key), rows, absentOf(column));
    return takeCodes(takeCodes(result.codes(column.key), grid.rowOfSeries), merged.series);
  });
  const partial = toPartialFlags(plan, buckets, labels);
  return toResult({
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

/** The number of distinct buckets in the answer that are partial. */
function countPartial({ buckets }: FilledRows, partial: Uint8Array): number {
  return new Set(buckets.filter((bucket) => bucket >= 0 && partial[bucket] !== 0)).size;
}

/** Uses the buckets as codes. A row outside all buckets keeps its time. */
function toTimes({ codes, dictionary }: Codes, { rows, buckets }: FilledRows, labels: readonly string[]): Codes {
  if (!buckets.includes(-1)) return { codes: buckets, dictionary: labels };
  const times = buckets.map((bucket, index) =>
    bucket < 0 ? labels.length + (codes[rows[index] as number] as number) : bucket,
  );
  return { codes: times, dictionary: [...labels, ...dictionary] };
}

/** Existing rows keep their flags. Added rows are marked as filled, and as partial if their bucket is. */
function markFilled(
  marks: Marks,
  columns: readonly Column[],
  axis: Column,
  { rows, buckets }: FilledRows,
  partial: Uint8Array,
): Marks {
  const before = marks.flags(axis.key);
  const flags = new Uint8Array(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    flags[index] = row < 0 ? filled | (partial[buckets[index] as number] as number) : (before?.[row] ?? 0);
  }
  return toMarks(
    new Map(
      columns.filter((column) => column.kind === 'measure' || column === axis).map((column) => [column.key, flags]),
    ),
  );
}

function annotate(result: Result, note: string): Result {
  return withParts(result, { provenance: withNote(result.provenance, note) });
}

/** The remaining rows in their order, with the cells between them that the whole answer lacks. */
function mergeMissing(grid: SeriesGrid, keys: readonly FillKey[], start: number, end: number): FilledRows {
  return layOut(grid, keys, start, end) ?? merge(grid, keys, start, end);
}

/** The general case: merges two ordered lists. */
function merge(grid: SeriesGrid, keys: readonly FillKey[], start: number, end: number): FilledRows {
  const missing = findMissing(grid, keys);
  const compare = toComparer(grid, keys, missing, start);
  const added = missing.length;
  const size = end - start + added;
  const rows = new Int32Array(size);
  const series = new Int32Array(size);
  const buckets = new Int32Array(size);
  let row = start;
  let next = 0;
  for (let index = 0; index < size; index += 1) {
    if (next === added || (row < end && compare(row, next) <= 0)) {
      rows[index] = row;
      series[index] = grid.seriesOf[row] as number;
      buckets[index] = grid.bucketOf[row] as number;
      row += 1;
    } else {
      rows[index] = -1;
      series[index] = missing[next]?.series ?? 0;
      buckets[index] = missing[next]?.bucket ?? 0;
      next += 1;
    }
  }
  return { rows, series, buckets, added };
}

interface Cell {
  readonly series: number;
  readonly bucket: number;
}

/** The missing cells in their order. They tie in all measures, so measures do not affect their order. */
function findMissing(grid: SeriesGrid, keys: readonly FillKey[]): readonly Cell[] {
  const { seriesCount, bucketCount, seriesOf, bucketOf } = grid;
  const present = new Uint8Array(seriesCount * bucketCount);
  seriesOf.forEach((series, row) => {
    const bucket = bucketOf[row] as number;
    if (series >= 0 && bucket >= 0) present[series * bucketCount + bucket] = 1;
  });
  const missing: Cell[] = [];
  walkGrid(grid, keys, (series, bucket) => {
    if (!present[series * bucketCount + bucket]) missing.push({ series, bucket });
  });
  return missing;
}

type Compare = (row: number, missing: number) => number;

/** Compares a remaining row with a missing cell, key by key. A row outside all buckets comes after them. */
function toComparer(
  { bucketCount, seriesOf, bucketOf }: SeriesGrid,
  keys: readonly FillKey[],
  cells: readonly Cell[],
  start: number,
): Compare {
  const steps = keys.map((key): Compare => {
    if (key.by === 'measure') return (row) => key.sides[row - start] as number;
    if (key.by === 'series')
      return (row, missing) =>
        (key.ranks[seriesOf[row] as number] as number) - (key.ranks[cells[missing]?.series ?? 0] as number);
    const sign = key.descending ? -1 : 1;
    return (row, missing) => {
      const bucket = bucketOf[row] as number;
      return bucket < 0 ? bucketCount : (bucket - (cells[missing]?.bucket ?? 0)) * sign;
    };
  });
  return (row, missing) => {
    for (const step of steps) {
      const difference = step(row, missing);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}
