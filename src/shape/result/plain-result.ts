import type { Column, Value } from '../../plan/column.ts';
import { type Marks, filled, filledOrZero, others, partialByPresent, partialByRange } from './marks.ts';
import type { Values } from '../values/values.ts';
import { type Provenance, type SteadyProvenance, toSteadyProvenance } from './provenance.ts';

/** Rows of a column that have a mark, from 0. */
export type MarkedRows = Partial<
  Record<'filled' | 'filledOrZero' | 'partialByRange' | 'partialByPresent' | 'others', readonly number[]>
>;

/**
 * A result as plain data, for `JSON.stringify`, `structuredClone` and workers. Numbers that a double or JSON cannot
 * hold (large integers, NaN, infinities) are text. It omits fields that vary from run to run.
 */
export interface PlainResult {
  /** The columns, in the order of the query. */
  readonly columns: readonly Column[];
  /** Objects with column keys as keys. */
  readonly rows: readonly Readonly<Record<string, string | number | boolean | null>>[];
  /** Marked rows by column key; columns without marks are left out. */
  readonly marks: Readonly<Record<string, MarkedRows>>;
  /** The origin of the rows, and notes about omissions. */
  readonly provenance: SteadyProvenance;
}

export const markNames = [
  ['filled', filled],
  ['filledOrZero', filledOrZero],
  ['partialByRange', partialByRange],
  ['partialByPresent', partialByPresent],
  ['others', others],
] as const;

/** The marked rows of each column that has marks. */
export function toMarkedRows(
  columns: readonly Column[],
  marks: Marks,
  rowCount: number,
): Readonly<Record<string, MarkedRows>> {
  const all: Record<string, MarkedRows> = {};
  for (const { key } of columns) {
    const flags = marks.flags(key);
    if (!flags) continue;
    const marked: Record<string, number[]> = {};
    for (let row = 0; row < rowCount; row += 1) {
      for (const [name, flag] of markNames) if (((flags[row] ?? 0) & flag) !== 0) (marked[name] ??= []).push(row);
    }
    if (Object.keys(marked).length > 0) all[key] = marked;
  }
  return all;
}

interface Parts {
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly marks: Marks;
  readonly provenance: Provenance;
  readonly values: (key: string) => Values;
}

/** A result as plain data, copied. */
export function toPlainResult({ columns, rowCount, marks, provenance, values }: Parts): PlainResult {
  return structuredClone({
    // Plain data has times as text.
    columns: columns.map(({ times: _, ...column }) => column),
    rows: Array.from({ length: rowCount }, (_, row) =>
      Object.fromEntries(columns.map(({ key }) => [key, toPlainValue(values(key)[row] ?? null)])),
    ),
    marks: toMarkedRows(columns, marks, rowCount),
    provenance: toSteadyProvenance(provenance),
  });
}

function toPlainValue(value: Value): string | number | boolean | null {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
