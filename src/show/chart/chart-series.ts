import { type Column, labelOf, type Value } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { toGroups } from '../../shape/values/codes.ts';
import { compareInColumn } from '../../shape/values/compare-values.ts';
import { describeCut, nameOthers } from './axis-places.ts';
import { orderBySize, toSlots, withoutOthers } from './chart-grid.ts';
import type { ChartSeries } from './chart.ts';
import { toDistinct, toName } from './names.ts';

/** The most lines or colours that can be told apart. */
const mostSeries = 10;

/** The series that each row belongs to. */
export interface SeriesNames {
  readonly labels: readonly string[];
  /** By row; −1 if omitted. */
  readonly series: Int32Array;
  /** The series of all others, if any. */
  readonly other: number | undefined;
  readonly notes: readonly string[];
}

interface SeriesOptions {
  readonly measure: Column;
  readonly gathers: boolean;
  /** `size`: the largest first. `value`: sorted by value. `given`: by first appearance. */
  readonly order: 'size' | 'value' | 'given';
  readonly most?: number | undefined;
  /** Its value follows each name, in brackets. */
  readonly aside?: Column | undefined;
}

/** One series per combination of values, up to `most`. The others are gathered into one, or omitted with a note. */
export function toSeriesNames(
  result: Result<object>,
  columns: readonly Column[],
  { measure, gathers, order: by, most = mostSeries, aside }: SeriesOptions,
): SeriesNames {
  const { groups: all, firstRows } = toGroups(
    columns.map(({ key }) => result.codes(key)),
    result.rowCount,
  );
  const rowGroups = withoutOthers(result, columns, all);
  const { groups, used, othersRow } = rowGroups;
  const count = firstRows.length;
  const given = [...used].sort((a, b) => a - b);
  const valueIn = (column: Column, group: number): Value =>
    result.values(column.key)[firstRows[group] as number] ?? null;
  // Values with a usual order have the same places and colours in every chart.
  const isOrdered = columns.length === 1 && columns[0]!.values !== undefined;
  const compareGroups = (a: number, b: number) =>
    columns.reduce((order, column) => order || compareInColumn(valueIn(column, a), valueIn(column, b), column), 0);
  const { order, hasNegative = false } =
    by === 'given'
      ? { order: given }
      : by === 'value' || isOrdered
        ? { order: given.sort(compareGroups) }
        : orderBySize(rowGroups, result.values(measure.key), { groupCount: count, additive: measure.additive, most });
  const slots = toSlots(order, count, most, { gathers, hasOthers: othersRow !== undefined });
  const asideOf = (group: number) => (aside ? ` (${toName(valueIn(aside, group), aside)})` : '');
  const names = slots.shown.map(
    (group) => `${columns.map((column) => toName(valueIn(column, group), column)).join(' · ')}${asideOf(group)}`,
  );
  const other = nameOthers(result, columns, othersRow);
  return {
    labels: toDistinct(slots.other === undefined ? names : [...names, other]),
    series: Int32Array.from(groups, (group) => (group < 0 ? slots.other : slots.slotOf[group]) ?? -1),
    other: slots.other,
    notes: describeCut(slots, {
      title: columns.map(labelOf).join(' · '),
      gathers,
      added: othersRow !== undefined && gathers ? other : undefined,
      which: by === 'size' ? 'largest' : 'first',
      hasNegative,
    }),
  };
}

/**
 * Start and end of each value in a stack, by series and place. The first series starts at 0. Negative values stack
 * below 0. Missing values have no height.
 */
export function stackValues(
  series: readonly Pick<ChartSeries, 'values'>[],
): readonly (readonly (readonly [start: number, end: number])[])[] {
  const above = (series[0]?.values ?? []).map(() => 0);
  const below = above.slice();
  return series.map(({ values }) =>
    values.map((value, place) => {
      const ends = (value ?? 0) < 0 ? below : above;
      const start = ends[place] ?? 0;
      const end = start + (value ?? 0);
      ends[place] = end;
      return [start, end] as const;
    }),
  );
}
