import type { Column, Value } from '../../plan/column.ts';
import { others } from '../../shape/result/marks.ts';
import type { Result } from '../../shape/result/result.ts';
import { sumValues } from '../../shape/values/decimal.ts';
import { toDrawable } from './column-roles.ts';

/** Which groups get their own slot, in which order. */
export interface Slots {
  /** The slot of each group; −1 if omitted. */
  readonly slotOf: Int32Array;
  /** Groups with their own slot, in order. */
  readonly shown: readonly number[];
  /** The slot that all others share, if any. */
  readonly other: number | undefined;
  /** Number of groups without their own slot. */
  readonly left: number;
}

/** The group of each row, and the groups that have rows. */
export interface RowGroups {
  /** −1 if the row stands for all groups beyond the limit of the answer. */
  readonly groups: Int32Array;
  readonly used: ReadonlySet<number>;
  /** The first row that stands for the others, if there is one. */
  readonly othersRow: number | undefined;
}

/** Takes the rows that stand for all other groups out of their groups: one without a name would join the nulls. */
export function withoutOthers(
  { marks }: Pick<Result, 'marks'>,
  columns: readonly Column[],
  all: Int32Array,
): RowGroups {
  const flags = columns.flatMap(({ key }) => marks.flags(key) ?? []);
  let othersRow: number | undefined;
  const groups = all.map((group, row) => {
    if (!flags.some((own) => ((own[row] ?? 0) & others) !== 0)) return group;
    othersRow ??= row;
    return -1;
  });
  return { groups, used: new Set(groups.filter((group) => group >= 0)), othersRow };
}

/**
 * Gives the first `most` groups a slot each, in the given order. The rest share the last slot, or are omitted. If the
 * answer has others, they have the last slot in any case.
 */
export function toSlots(
  order: readonly number[],
  groupCount: number,
  most: number,
  { gathers, hasOthers }: { readonly gathers: boolean; readonly hasOthers: boolean },
): Slots {
  const slotOf = new Int32Array(groupCount).fill(-1);
  // If only one group would remain, it gets its own slot.
  const shown = order.length <= most + 1 ? order : order.slice(0, most);
  const rest = order.slice(shown.length);
  shown.forEach((group, slot) => {
    slotOf[group] = slot;
  });
  const other = hasOthers || (gathers && rest.length > 0) ? shown.length : undefined;
  if (other !== undefined && gathers) for (const group of rest) slotOf[group] = other;
  return { slotOf, shown, other, left: rest.length };
}

/**
 * Sorts groups, the largest first: by sum if the measure is additive, else by largest value. Groups without values come
 * last. If there are negative sizes and more than `most` groups, those nearest to 0 come behind the others.
 */
export function orderBySize(
  { groups, used }: RowGroups,
  values: ReturnType<Result['values']>,
  { groupCount, additive, most }: { readonly groupCount: number; readonly additive: boolean; readonly most: number },
): { readonly order: readonly number[]; readonly hasNegative: boolean } {
  const sizes: (number | undefined)[] = new Array(groupCount).fill(undefined);
  for (let row = 0; row < groups.length; row += 1) {
    const group = groups[row] as number;
    const value = toDrawable(values[row] ?? null);
    if (value === null || group < 0) continue;
    const size = sizes[group];
    sizes[group] = size === undefined ? value : additive ? size + value : Math.max(size, value);
  }
  const sortedBy = (sizeOf: (size: number) => number) => {
    const sizeAt = (group: number) => (sizes[group] === undefined ? -Infinity : sizeOf(sizes[group]));
    return [...used].sort((a, b) => (sizeAt(b) === sizeAt(a) ? a - b : sizeAt(b) - sizeAt(a)));
  };
  const order = sortedBy((size) => size);
  const hasNegative = order.some((group) => (sizes[group] ?? 0) < 0);
  if (!hasNegative || order.length <= most + 1) return { order, hasNegative };
  const far = new Set(sortedBy(Math.abs).slice(0, most));
  return {
    order: [...order.filter((group) => far.has(group)), ...order.filter((group) => !far.has(group))],
    hasNegative,
  };
}

/** The value of one series at one place. */
export interface Cell {
  readonly value: number | null;
  readonly flags: number;
}

interface GridParts {
  readonly result: Pick<Result, 'values' | 'marks' | 'rowCount'>;
  readonly measure: Column;
  /** By row: its place and its series; −1 if it has none. */
  readonly places: Int32Array;
  readonly series: Int32Array;
  readonly placeCount: number;
  readonly seriesCount: number;
}

interface Grid {
  /** By series, then by place. */
  readonly cells: readonly (readonly Cell[])[];
  /** Number of cells whose values are not finite numbers. */
  readonly undrawable: number;
  /** Several rows share a place, and the measure is not additive. */
  readonly crowded: boolean;
}

const nothing: Cell = { value: null, flags: 0 };

/**
 * Puts the values of a measure in their places. Rows that share a place are summed exactly if the measure is additive;
 * otherwise the cell is null.
 */
export function toGrid({ result, measure, places, series, placeCount, seriesCount }: GridParts): Grid {
  const values = result.values(measure.key);
  const flags = result.marks.flags(measure.key);
  const rowsAt = new Map<number, number[]>();
  for (let row = 0; row < result.rowCount; row += 1) {
    const place = places[row] as number;
    const one = series[row] as number;
    if (place < 0 || one < 0) continue;
    const at = one * placeCount + place;
    const there = rowsAt.get(at);
    if (there) there.push(row);
    else rowsAt.set(at, [row]);
  }
  let undrawable = 0;
  let crowded = false;
  const cells = Array.from({ length: seriesCount }, (_, one) =>
    Array.from({ length: placeCount }, (__, place): Cell => {
      const rows = rowsAt.get(one * placeCount + place);
      if (!rows) return nothing;
      const found = rows.map((row): Value => values[row] ?? null);
      if (rows.length > 1 && !measure.additive) crowded = true;
      const value = rows.length === 1 ? (found[0] ?? null) : measure.additive ? sumValues(found) : null;
      const drawn = toDrawable(value);
      if (drawn === null && found.some((each) => each !== null && toDrawable(each) === null)) undrawable += 1;
      return { value: drawn, flags: joinFlags(rows.map((row) => flags?.[row] ?? 0)) };
    }),
  );
  return { cells, undrawable, crowded };
}

const filledFlags = 3;

/** Combines the flags of several cells: filled if all are, partial if one is. */
function joinFlags(flags: readonly number[]): number {
  const all = flags.reduce((joined, one) => joined & one, filledFlags);
  return flags.reduce((joined, one) => joined | (one & ~filledFlags), all);
}
