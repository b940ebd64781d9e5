import { invariant } from '../ask/invariant.ts';
import type { Column, Value } from '../plan/column.ts';
import type { Plan } from '../plan/plan.ts';
import { formatNumber } from './format/format-number.ts';
import { others as othersMark, toMarks } from './result/marks.ts';
import { withNote } from './result/provenance.ts';
import { type Result, toResult } from './result/result.ts';
import { joinValues } from './values/join-values.ts';
import { rowsBetween, takeFlags, takeValues } from './values/take.ts';
import { head, takeMarks } from './result/take-rows.ts';
import { sumValues } from './values/decimal.ts';

/** The groups of an answer, in order: the values of its dimensions. */
export function groupsOf(result: Result<object>, plan: Plan): readonly (readonly Value[])[] {
  const keys = plan.dimensions.map(({ column }) => plan.columns[column]!.key);
  const columns = keys.map((key) => result.values(key));
  const groups = new Map<string, readonly Value[]>();
  for (let row = 0; row < result.rowCount; row += 1) {
    if (keys.some((key) => (result.marks.of(key, row) & othersMark) !== 0)) continue;
    const values = columns.map((column) => column[row] ?? null);
    groups.set(groupKey(values), values);
  }
  return [...groups.values()];
}

/** The same text for equal groups; null and `null` differ, and so do 1 and `1`. */
export function groupKey(values: readonly Value[]): string {
  return JSON.stringify(values.map((value) => [typeof value, String(value)]));
}

/** The plan of an earlier range, with the groups of the current answer. */
export function withGroupsOf(plan: Plan, current: Result<object>): Plan {
  invariant(plan.others, 'a plan with others');
  return { ...plan, others: { ...plan.others, groups: groupsOf(current, plan) } };
}

/** Whether all figures of an answer equal those of an empty one. */
export function holdsNothing(result: Result<object>): boolean {
  return result.columns.every(
    ({ key, kind, whenAbsent }) =>
      kind !== 'measure' || Array.from(result.values(key)).every((value) => value === null || value === whenAbsent),
  );
}

/**
 * Adds rows for all other groups to the rows of the first groups: at the end of their bucket if time comes first in the
 * order, or else at the end. `rest` has the same columns without dimensions. Its rows are labelled *Other* in the first
 * text dimension; the other dimensions are null. All these cells are marked.
 */
export function addOthers(first: Result, rest: Result, plan: Plan, groups: readonly (readonly Value[])[]): Result {
  const dimensions = plan.dimensions.map(({ column }) => plan.columns[column]!);
  const named = dimensions.find(({ type }) => type === 'string');
  const label = named ? freeLabel(groups.map((group) => group[dimensions.indexOf(named)] ?? null)) : null;
  const rows = place(first, rest, plan);
  const flags = new Map<string, Uint8Array>();
  const data = plan.columns.map((column) => {
    const { key } = column;
    const isDimension = dimensions.includes(column);
    const values = isDimension
      ? new Array<Value>(rest.rowCount).fill(column === named ? label : null)
      : rest.values(key);
    const own = isDimension ? new Uint8Array(rest.rowCount).fill(othersMark) : rest.marks.flags(key);
    const before = first.marks.flags(key);
    if (own || before) {
      const joined = new Uint8Array(first.rowCount + rest.rowCount);
      if (before) joined.set(before);
      if (own) joined.set(own, first.rowCount);
      flags.set(key, takeFlags(joined, rows));
    }
    return takeValues(joinValues([first.values(key), values]), rows);
  });
  const { provenance } = first;
  const said = label === null ? 'A row without names' : `"${label}"`;
  const limit = formatNumber(plan.limit ?? 0);
  const note = `${said} stands for all groups but the first ${limit}; its figures are computed over all of their rows.`;
  return toResult({
    columns: plan.columns,
    data,
    marks: toMarks(flags),
    provenance: withNote(
      {
        ...provenance,
        rows: rows.length,
        filledCells: provenance.filledCells + rest.provenance.filledCells,
        elapsedMs: provenance.elapsedMs + rest.provenance.elapsedMs,
      },
      note,
    ),
    types: first.types,
  });
}

/** A label that no group has. */
function freeLabel(values: readonly Value[]): string {
  const taken = new Set(values);
  let label = 'Other';
  while (taken.has(label)) label = `(${label})`;
  return label;
}

/** The order of both results' rows; rows of `rest` are numbered after those of `first`. */
function place(first: Result, rest: Result, { columns, order }: Plan): Int32Array {
  const leading = order[0] && columns[order[0].column];
  const ends = (result: Result) => (leading?.kind === 'time' ? result.values(leading.key) : undefined);
  const [times, restTimes] = [ends(first), ends(rest)];
  const rows: number[] = [];
  const left = new Map(Array.from({ length: rest.rowCount }, (_, row) => [row, restTimes?.[row] ?? null] as const));
  for (let row = 0; row < first.rowCount; row += 1) {
    rows.push(row);
    if (!times || times[row + 1] === times[row]) continue;
    for (const [other, time] of left)
      if (time === times[row]) {
        rows.push(first.rowCount + other);
        left.delete(other);
      }
  }
  return Int32Array.from([...rows, ...[...left.keys()].map((row) => first.rowCount + row)]);
}

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
