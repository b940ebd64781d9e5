import { invariant } from '../ask/invariant.ts';
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
 * the days behind it. Rows stand by place, then as they first appear. `labels` tell the ranges apart; two ranges of a
 * comparison may be the same days, and then need labels of their own.
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

  const places = plans.map(toPlaces);
  const beyond = Math.max(...places.map((place) => place.size));
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
    partners[range] = row;
  }
  const placeOf = (cell: number) => Math.floor(cell / firstRows.length);
  const ordered = [...cells].sort(([a], [b]) => placeOf(a) - placeOf(b)).map(([, partners]) => partners);
  return { rowsOfRange: plans.map((_, range) => Int32Array.from(ordered, (partners) => partners[range] as number)), axis };
}

function toPlaces(plan: Plan): ReadonlyMap<unknown, number> {
  return new Map(plan.series && toSeriesLabels(plan.series, plan).labels.map((label, place) => [label, place]));
}
