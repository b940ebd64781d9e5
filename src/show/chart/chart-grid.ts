import type { Column, Value } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { sumValues } from '../../shape/values/decimal.ts';
import { toDrawable } from './column-roles.ts';

/** Which of many groups are drawn by themselves, in which order. */
export interface Slots {
  /** The slot of each group; −1 where it is left out. */
  readonly slotOf: Int32Array;
  /** The groups that have slots of their own, in order. */
  readonly shown: readonly number[];
  /** The slot of all others together, if they have one. */
  readonly other: number | undefined;
  /** How many have none of their own. */
  readonly left: number;
}

/** The first `most` in the order given; the others share the last slot, or are left out. */
export function toSlots(order: readonly number[], groupCount: number, most: number, gathers: boolean): Slots {
  const slotOf = new Int32Array(groupCount).fill(-1);
  // One that would be the only other is better shown by itself.
  const shown = order.length <= most + 1 ? order : order.slice(0, most);
  const rest = order.slice(shown.length);
  shown.forEach((group, slot) => {
    slotOf[group] = slot;
  });
  const other = gathers && rest.length > 0 ? shown.length : undefined;
  if (other !== undefined) for (const group of rest) slotOf[group] = other;
  return { slotOf, shown, other, left: rest.length };
}

/**
 * Groups with the largest first: by their sum where the measure can be added up, else by their largest value; without
 * any last.
 */
export function orderBySize(
  groups: Int32Array,
  groupCount: number,
  values: ReturnType<Result['values']>,
  additive: boolean,
): readonly number[] {
  const sizes: (number | undefined)[] = new Array(groupCount).fill(undefined);
  for (let row = 0; row < groups.length; row += 1) {
    const group = groups[row] as number;
    const value = toDrawable(values[row] ?? null);
    if (value === null || group < 0) continue;
    const size = sizes[group];
    sizes[group] = size === undefined ? value : additive ? size + value : Math.max(size, value);
  }
  return Array.from(sizes.keys()).sort((a, b) =>
    (sizes[b] ?? -Infinity) === (sizes[a] ?? -Infinity) ? a - b : (sizes[b] ?? -Infinity) - (sizes[a] ?? -Infinity),
  );
}

/** What stands at one place of one series. */
export interface Cell {
  readonly value: number | null;
  readonly flags: number;
}

export interface GridParts {
  readonly result: Pick<Result, 'values' | 'marks' | 'rowCount'>;
  readonly measure: Column;
  /** By row: the place, and the series; −1 where it is in none. */
  readonly places: Int32Array;
  readonly series: Int32Array;
  readonly placeCount: number;
  readonly seriesCount: number;
}

export interface Grid {
  /** By series, then by place. */
  readonly cells: readonly (readonly Cell[])[];
  /** Values that cannot be drawn: no finite numbers. */
  readonly undrawable: number;
  /** Several rows stand at a place, and cannot be added up. */
  readonly crowded: boolean;
}

const nothing: Cell = { value: null, flags: 0 };

/**
 * The values of a measure in their places. Rows that share one are added up exactly, if the measure allows; else there
 * is none.
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

/** Of several cells together: filled where all are, partial where one is. */
function joinFlags(flags: readonly number[]): number {
  const all = flags.reduce((joined, one) => joined & one, filledFlags);
  return flags.reduce((joined, one) => joined | (one & ~filledFlags), all);
}
