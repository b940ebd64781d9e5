import { invariant } from '../ask/invariant.ts';
import { writeUtc } from '../ask/time/local-time.ts';
import type { Column, Value } from '../plan/column.ts';
import type { Plan } from '../plan/plan.ts';
import { alignRanges, type AlignedRows } from './align-ranges.ts';
import { formatComparison } from './format/format-comparison.ts';
import { dataEnd } from './mark-stale.ts';
import { partialByPresent, toMarks } from './marks.ts';
import { toResult, type Result } from './result.ts';
import { percentOf } from './share.ts';
import { subtractValues } from './values/subtract-values.ts';
import { takeFlags, takeValues } from './values/take.ts';
import type { Values } from './values/values.ts';

/**
 * Lays the ranges of a comparison side by side: what `stack` put below one another, aligned by the position of the bucket
 * in its range (first day with first day), series by series, to the end of the longest range.
 *
 * `plans` are those of the comparison, the current range first; `rangeLabels` as `labels` of `alignRanges`. Each measure keeps its column for the current range, and
 * gets `….previous`, `….change` (current − previous) and `….changePercent`; a third range gets `….previous.2` and so on.
 * The time column of an earlier range is `….previous` too. What a range does not reach is null, and so is a change
 * without a base, or in percent of 0.
 */
export function compare(result: Result<object>, plans: readonly Plan[], rangeLabels?: readonly string[]): Result {
  invariant(plans.length > 1, 'a comparison has at least two ranges');
  const aligned = alignRanges(result, plans, rangeLabels);
  const [current, ...earlier] = aligned.rowsOfRange;
  invariant(current, 'a comparison has a current range');
  // A part of a range is not set against a whole one.
  const asked = plans[0]?.times.find(({ range }) => range)?.range;
  const range = asked ? { start: writeUtc(asked.start), end: writeUtc(asked.end) } : null;
  const isStale = dataEnd({ ...result.provenance, range }) !== undefined;
  const isPart = (key: string, row: number) =>
    isStale && (aligned.axis === undefined || (result.marks.of(key, row) & partialByPresent) !== 0);
  const columns: Column[] = [];
  const data: Values[] = [];
  const flags = new Map<string, Uint8Array>();
  const labels = toLabels(plans);
  const add = (column: Column, values: Values, marked?: { readonly key: string; readonly rows: Int32Array }) => {
    columns.push(column);
    data.push(values);
    const before = marked && result.marks.flags(marked.key);
    if (before) flags.set(column.key, takeFlags(before, marked.rows));
  };
  for (const column of result.columns) {
    const values = result.values(column.key);
    if (column.kind === 'compare') continue;
    if (column.kind !== 'measure' && column.key !== aligned.axis) {
      add(column, takeValues(values, anyRow(aligned)));
      continue;
    }
    add(ofRange(column, plans[0]?.comparison === undefined ? undefined : labels[0]), takeValues(values, current), { key: column.key, rows: current });
    earlier.forEach((rows, index) => {
      const suffix = index === 0 ? '' : `.${index + 1}`;
      const label = labels[index + 1]!;
      const previous = takeValues(values, rows);
      add(toNamed(column, `previous${suffix}`, label), previous, { key: column.key, rows });
      if (column.kind !== 'measure' || column.type !== 'number') return;
      const changes = Array.from(rows, (row, at) => (row < 0 || (current[at] as number) < 0 || isPart(column.key, current[at] as number) ? null : subtractValues(values[current[at] as number] ?? null, values[row] ?? null)));
      const against = earlier.length === 1 ? 'change' : `change vs ${label}`;
      add(toNamed(column, `change${suffix}`, against), changes);
      const percents = changes.map((change, at) => percentOf(change, magnitude(previous[at] ?? null)));
      add({ ...toNamed(column, `changePercent${suffix}`, `${against} in %`), format: 'percent' }, percents);
    });
  }
  return toResult({ columns, data, marks: toMarks(flags), provenance: { ...result.provenance, rows: current.length }, types: result.types });
}

/** For each row, one of the rows that it is made of: they share their dimensions. */
function anyRow({ rowsOfRange }: AlignedRows): Int32Array {
  return Int32Array.from(rowsOfRange[0] ?? [], (_, at) => rowsOfRange.find((rows) => (rows[at] as number) >= 0)?.[at] ?? -1);
}

/** The current range's own column keeps its key; only people need to be told which range it is. */
function ofRange(column: Column, label: string | undefined): Column {
  if (column.kind !== 'measure' || label === undefined) return column;
  return { ...column, title: `${column.title} (${label})`, shortTitle: `${column.shortTitle} (${label})` };
}

/** What people call the ranges. Equal ones are told apart, so that columns keep their titles. */
function toLabels(plans: readonly Plan[]): readonly string[] {
  const labels = plans.map(({ comparison }) => formatComparison(comparison ?? 'previous'));
  return labels.map((label, index) => {
    const before = labels.slice(0, index).filter((other) => other === label).length;
    return before === 0 ? label : `${label}, again${before === 1 ? '' : ` ${before}`}`;
  });
}

function toNamed(column: Column, suffix: string, label: string): Column {
  return {
    ...column,
    key: `${column.key}.${suffix}`,
    title: `${column.title} (${label})`,
    shortTitle: `${column.shortTitle} (${label})`,
    additive: column.additive && suffix.startsWith('previous'),
    whenAbsent: null,
  };
}

function magnitude(value: Value): Value {
  return value === null ? null : Math.abs(Number(value));
}
