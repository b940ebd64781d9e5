import { invariant } from '../ask/invariant.ts';
import { isCalendarUnit } from '../ask/time/granularity.ts';
import { toLocal } from '../ask/time/zone.ts';
import type { Plan } from '../plan/plan.ts';
import { toGroups } from './values/codes.ts';
import type { Result } from './result.ts';
import { toSeriesLabels } from './fill/series-labels.ts';

/** The rows of a comparison that belong together, because they have the same series and the same place in their range. */
export interface AlignedRows {
  /** For each range, the row of the stacked result that stands in each row of the comparison; −1 where there is none. */
  readonly rowsOfRange: readonly Int32Array[];
  /** Key of the time column that was aligned along. */
  readonly axis: string | undefined;
}

/**
 * Finds the partners. Places come from the calendar of each range, not from the rows, so that a missing day does not shift
 * the days behind it; hours and shorter go by the clock, so that a day with 23 hours does not shift the hours behind the one that
 * it lacks. Rows stand by place, then as they first appear. `labels` tell the ranges apart; two ranges of a comparison may be
 * the same days, and then need labels of their own.
 */
export function alignRanges(result: Result<object>, plans: readonly Plan[], labels: readonly (string | undefined)[] = plans.map((plan) => plan.comparison)): AlignedRows {
  const comparison = result.columns.find((column) => column.kind === 'compare');
  invariant(comparison, 'the result of a comparison tells its ranges apart');
  const rangeCodes = result.codes(comparison.key);
  const rangeOfCode = rangeCodes.dictionary.map((label) => labels.indexOf(label === null ? undefined : String(label)));
  const series = plans[0]?.series;
  const axis = series && plans[0]?.columns[series.column]?.key;
  const others = result.columns.filter((column) => column.kind !== 'measure' && column !== comparison && column.key !== axis);
  const { groups, firstRows } = toGroups(others.map((column) => result.codes(column.key)), result.rowCount);

  const places = toPlaces(plans);
  const beyond = Math.max(...places.flatMap((place) => [...place.values()]), -1) + 1;
  const times = axis === undefined ? undefined : result.values(axis);
  const cells = new Map<number, Int32Array>();
  for (let row = 0; row < result.rowCount; row += 1) {
    const range = rangeOfCode[rangeCodes.codes[row] as number] as number;
    invariant(range >= 0, 'every row is of one of the ranges');
    const time = times?.[row] ?? null;
    // A row that stands on no bucket has no place; such rows come last, together.
    const place = times ? (places[range]?.get(time) ?? beyond) : 0;
    const cell = place * firstRows.length + (groups[row] as number);
    const partners = cells.get(cell) ?? new Int32Array(plans.length).fill(-1);
    cells.set(cell, partners);
    partners[firstFree(partners, range, labels)] = row;
  }
  const placeOf = (cell: number) => Math.floor(cell / firstRows.length);
  const ordered = [...cells].sort(([a], [b]) => placeOf(a) - placeOf(b)).map(([, partners]) => partners);
  return { rowsOfRange: plans.map((_, range) => Int32Array.from(ordered, (partners) => partners[range] as number)), axis };
}

/** Of equal ranges each row stands there several times, once for each. */
function firstFree(partners: Int32Array, range: number, ranges: readonly unknown[]): number {
  for (let at = range; at !== -1; at = ranges.indexOf(ranges[range], at + 1)) if (partners[at] === -1) return at;
  return range;
}

/** For each range, the places of its buckets: which number of all, or for hours and shorter how far from the first on the clock. */
function toPlaces(plans: readonly Plan[]): readonly ReadonlyMap<unknown, number>[] {
  const found = plans.map((plan) => {
    if (!plan.series) return new Map<string, number>();
    const { buckets, labels } = toSeriesLabels(plan.series, plan);
    if (isCalendarUnit(plan.series.granularity)) return new Map(labels.map((label, place) => [label, place]));
    const walls = buckets.map(({ start }) => toLocal(start, plan.zone));
    const first = walls[0] ?? 0;
    const shown = new Map<number, number>();
    return new Map(labels.map((label, index) => {
      const wall = walls[index]!;
      const times = shown.get(wall) ?? 0;
      shown.set(wall, times + 1);
      // An hour that the clock shows twice is followed by its second.
      return [label, 2 * (wall - first) + times];
    }));
  });
  const ranks = new Map([...new Set(found.flatMap((places) => [...places.values()]))].sort((a, b) => a - b).map((place, rank) => [place, rank]));
  return found.map((places) => new Map([...places].map(([label, place]) => [label, ranks.get(place)!])));
}
