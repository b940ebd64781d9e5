import type { Column } from '../../plan/column.ts';
import { filled, filledOrZero, partialByPresent, partialByRange } from '../../shape/marks.ts';
import { toSteadyProvenance } from '../../shape/provenance.ts';
import type { Result } from '../../shape/result.ts';
import { toSafeJson } from './json-value.ts';
import { writeJson } from './write-json.ts';

const markNames = [
  ['filled', filled],
  ['filledOrZero', filledOrZero],
  ['partialByRange', partialByRange],
  ['partialByPresent', partialByPresent],
] as const;

type MarkedRows = Partial<Record<(typeof markNames)[number][0], readonly number[]>>;

/**
 * `{columns, rows, marks, provenance}`. Rows as in `writeJson`; `marks` names the marked rows of a column, from 0:
 * `{"TrackedEvents.count": {"filled": [3, 4], "partialByPresent": [9]}}`. Leaves out what varies from run to run.
 */
export function* writeJsonWithProvenance(result: Result): Generator<string> {
  yield `{"columns":${toSafeJson(result.columns)},\n"rows":`;
  yield* writeJson(result);
  const marks = Object.fromEntries(result.columns.map((column) => [column.key, toMarkedRows(result, column)] as const).filter(([, rows]) => rows));
  yield `,"marks":${toSafeJson(marks)},\n"provenance":${toSafeJson(toSteadyProvenance(result.provenance))}}\n`;
}

function toMarkedRows(result: Result, column: Column): MarkedRows | undefined {
  const flags = result.marks.flags(column.key);
  if (!flags) return undefined;
  const marked: Record<string, number[]> = {};
  for (let row = 0; row < result.rowCount; row += 1) {
    for (const [name, flag] of markNames) if (((flags[row] ?? 0) & flag) !== 0) (marked[name] ??= []).push(row);
  }
  return Object.keys(marked).length === 0 ? undefined : marked;
}
