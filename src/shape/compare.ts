import { invariant } from '../ask/invariant.ts';
import { isCalendarUnit } from '../ask/time/granularity.ts';
import { writeRange } from '../ask/time/local-time.ts';
import { toLocal, toLocalEdge } from '../ask/time/zone.ts';
import { type Column, renamed, type Value } from '../plan/column.ts';
import type { Plan } from '../plan/plan.ts';
import { toSeriesLabels } from './fill/series-grid.ts';
import { formatComparison } from './format/format-time.ts';
import { dataBegin, dataEnd, isLost, openLacking } from './data-extent.ts';
import { filled, partialByPresent, toMarks } from './result/marks.ts';
import type { Provenance } from './result/provenance.ts';
import { type Result, toResult } from './result/result.ts';
import { percentOf } from './share.ts';
import { toGroups } from './values/codes.ts';
import { subtractValues } from './values/decimal.ts';
import { takeFlags, takeValues } from './values/take.ts';
import type { Values } from './values/values.ts';

/**
 * Puts the ranges of a comparison side by side. The rows that `stack` puts below one another are aligned series by
 * series and by the position of the bucket in its range (first day with first day), to the end of the longest range.
 *
 * `plans` are those of the comparison, the current range first; `rangeLabels` are the `labels` of `alignRanges`. Each
 * measure keeps its column for the current range, and gets `….previous`, `….change` (current − previous) and
 * `….changePercent`; a third range gets `….previous.2` and so on. The time column of an earlier range is `….previous`
 * too. Values outside a range are null, and so is a change without a base, or in percent of 0. `complete` tells for
 * each range whether its answer has all groups: then missing counts and sums inside the range are 0, marked as filled.
 */
export function compare(
  result: Result<object>,
  plans: readonly Plan[],
  rangeLabels?: readonly string[],
  complete: readonly boolean[] = [],
): Result {
  invariant(plans.length > 1, 'a comparison has at least two ranges');
  const aligned = alignRanges(result, plans, rangeLabels);
  const [current, ...earlier] = aligned.rowsOfRange;
  invariant(current, 'a comparison has a current range');
  // A partial range is not compared with a whole one.
  const known = plans.map((plan) => knowledgeOf(plan, result.provenance));
  const isPart = (key: string, range: number, at: number) => {
    const { endsEarly, beginsLate, isCut, isLacking } = known[range]!;
    if (aligned.axis === undefined) return endsEarly || beginsLate || isCut;
    const row = aligned.rowsOfRange[range]![at]!;
    const isLate = endsEarly && row >= 0 && (result.marks.of(key, row) & partialByPresent) !== 0;
    return isLate || isLacking?.(aligned.labelAt(range, at)) === true;
  };
  const columns: Column[] = [];
  const data: Values[] = [];
  const flags = new Map<string, Uint8Array>();
  const labels = toLabels(plans);
  let filledCells = 0;
  const add = (column: Column, values: Values, marked?: { readonly key: string; readonly rows: Int32Array }) => {
    columns.push(column);
    data.push(values);
    const before = marked && result.marks.flags(marked.key);
    if (before) flags.set(column.key, takeFlags(before, marked.rows));
  };
  const absentIn = aligned.rowsOfRange.map((rows, range) => {
    const isKnown = complete[range] === true && (aligned.axis === undefined || result.provenance.filled);
    return isKnown ? [...rows.keys()].filter((at) => (rows[at] as number) < 0 && aligned.reaches(range, at)) : [];
  });
  /** The values of a range, with zeros for groups that are known to be absent. */
  const addRange = (column: Column, key: string, whenAbsent: Column['whenAbsent'], range: number): Values => {
    const rows = aligned.rowsOfRange[range] as Int32Array;
    const taken = takeValues(result.values(key), rows);
    if (key === aligned.axis) {
      const times = Array.from(taken, (time, at) => time ?? aligned.labelAt(range, at));
      add(column, times, { key, rows });
      return times;
    }
    const absent = whenAbsent === null ? [] : (absentIn[range] ?? []);
    const values = absent.length === 0 ? taken : Array.from(taken);
    add(column, values, { key, rows });
    if (absent.length === 0) return values;
    const own = flags.get(column.key) ?? new Uint8Array(rows.length);
    for (const at of absent) {
      (values as Value[])[at] = whenAbsent;
      own[at] = (own[at] as number) | filled;
    }
    flags.set(column.key, own);
    filledCells += absent.length;
    return values;
  };
  for (const column of result.columns) {
    const values = result.values(column.key);
    if (column.kind === 'compare') continue;
    if (column.kind !== 'measure' && column.key !== aligned.axis) {
      const rows = anyRow(aligned);
      add(column, takeValues(values, rows), { key: column.key, rows });
      continue;
    }
    const absent = column.kind === 'measure' ? column.whenAbsent : null;
    /** For changes, a sum of no values is 0. */
    const valueAt = (of: Values, range: number, at: number): Value =>
      of[at] ?? ((aligned.rowsOfRange[range]![at] as number) < 0 ? null : absent);
    const own = ofRange(column, plans[0]?.comparison === undefined ? undefined : labels[0]);
    const present = addRange(own, column.key, absent, 0);
    earlier.forEach((_, index) => {
      const suffix = index === 0 ? '' : `.${index + 1}`;
      const label = labels[index + 1]!;
      const earlierColumn = {
        ...toNamed(column, `previous${suffix}`, label),
        additive: column.additive && complete[index + 1] !== false,
      };
      const previous = addRange(earlierColumn, column.key, absent, index + 1);
      if (column.kind !== 'measure' || column.type !== 'number') return;
      const changes = Array.from(current, (_, at) =>
        isPart(column.key, 0, at) || isPart(column.key, index + 1, at)
          ? null
          : subtractValues(valueAt(present, 0, at), valueAt(previous, index + 1, at)),
      );
      const against = earlier.length === 1 ? 'change' : `change vs ${label}`;
      add(toNamed(column, `change${suffix}`, against), changes);
      const percents = changes.map((change, at) => percentOf(change, magnitude(previous[at] ?? null)));
      add({ ...toNamed(column, `changePercent${suffix}`, `${against} in %`), format: 'percent' }, percents);
    });
  }
  const { beginsLate } = result.provenance;
  return toResult({
    columns,
    data,
    marks: toMarks(flags),
    provenance: {
      ...result.provenance,
      ...(beginsLate !== undefined &&
        known.slice(1).some((range) => range.beginsLate) && {
          beginsLate: beginsLate.replace(/\.$/, ', so changes from them are left out.'),
        }),
      ...(!known[0]!.isCut && { lost: undefined }),
      rows: current.length,
      filledCells: result.provenance.filledCells + filledCells,
    },
    types: result.types,
  });
}

/**
 * Whether the data ends before a range of the comparison, or begins after it, and which buckets are before the data.
 */
function knowledgeOf({ times, series, weekStart }: Plan, provenance: Provenance) {
  const asked = times.find((time) => time.range)?.range;
  const range = asked ? writeRange(asked) : null;
  const told = { ...provenance, range };
  return {
    endsEarly: dataEnd(told) !== undefined,
    beginsLate: dataBegin(told) !== undefined,
    isCut: asked !== undefined && isLost(told, asked),
    isLacking: series && openLacking(told, series.granularity, weekStart),
  };
}

/** For each row, one of its source rows: they share their dimensions. */
function anyRow({ rowsOfRange }: AlignedRows): Int32Array {
  return Int32Array.from(
    rowsOfRange[0] ?? [],
    (_, at) => rowsOfRange.find((rows) => (rows[at] as number) >= 0)?.[at] ?? -1,
  );
}

/** Adds the range to the title of a measure. The current range's column keeps its key. */
function ofRange(column: Column, label: string | undefined): Column {
  if (column.kind !== 'measure' || label === undefined) return column;
  return { ...column, ...renamed(column, (name) => `${name} (${label})`) };
}

/** Titles of the ranges. Equal ones are numbered, so that columns keep distinct titles. */
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
    ...renamed(column, (name) => `${name} (${label})`),
    additive: false,
    whenAbsent: null,
  };
}

function magnitude(value: Value): Value {
  return value === null ? null : Math.abs(Number(value));
}

/** The rows of a comparison that belong together: those of the same series and position in their range. */
interface AlignedRows {
  /** For each range, the row of the stacked result for each row of the comparison; −1 if there is none. */
  readonly rowsOfRange: readonly Int32Array[];
  /** Key of the time column of the alignment. */
  readonly axis: string | undefined;
  /** Whether a range has a bucket at the position of a row, even if it has no row there. */
  readonly reaches: (range: number, row: number) => boolean;
  /** The range's bucket at the position of a row; null if it has none. */
  readonly labelAt: (range: number, row: number) => Value;
}

/**
 * Aligns the rows of all ranges. Positions come from the calendar of each range and not from the rows, so that a
 * missing day does not shift later ones. Hours and shorter buckets go by the clock, so that a day with 23 hours does
 * not shift later hours. Rows are ordered by position, then by first appearance. `labels` distinguish the ranges: two
 * ranges of a comparison may be the same days, and then need different labels.
 */
export function alignRanges(
  result: Result<object>,
  plans: readonly Plan[],
  labels: readonly (string | undefined)[] = plans.map((plan) => plan.comparison),
): AlignedRows {
  const comparison = result.columns.find((column) => column.kind === 'compare');
  invariant(comparison, 'the result of a comparison tells its ranges apart');
  const rangeCodes = result.codes(comparison.key);
  const rangeOfCode = rangeCodes.dictionary.map((label) => labels.indexOf(label === null ? undefined : String(label)));
  const series = plans[0]?.series;
  const axis = series && plans[0]?.columns[series.column]?.key;
  const others = result.columns.filter(
    (column) => column.kind !== 'measure' && column !== comparison && column.key !== axis,
  );
  const { groups, firstRows } = toGroups(
    others.map((column) => result.codes(column.key)),
    result.rowCount,
  );

  const places = toPlaces(plans);
  const beyond = new Set(places.flatMap((place) => [...place.values()])).size;
  const times = axis === undefined ? undefined : result.values(axis);
  const cells = new Map<number, Int32Array>();
  for (let row = 0; row < result.rowCount; row += 1) {
    const range = rangeOfCode[rangeCodes.codes[row] as number] as number;
    invariant(range >= 0, 'every row is of one of the ranges');
    const time = times?.[row] ?? null;
    // A row outside all buckets has no position; such rows come last, together.
    const place = times ? (places[range]?.get(time) ?? beyond) : 0;
    const cell = place * firstRows.length + (groups[row] as number);
    const partners = cells.get(cell) ?? new Int32Array(plans.length).fill(-1);
    cells.set(cell, partners);
    partners[firstFree(partners, range, labels)] = row;
  }
  const placeOf = (cell: number) => Math.floor(cell / firstRows.length);
  const ordered = [...cells].sort(([a], [b]) => placeOf(a) - placeOf(b));
  const reached = places.map((place) => new Map([...place].map(([label, rank]) => [rank, label as Value])));
  return {
    rowsOfRange: plans.map((_, range) => Int32Array.from(ordered, ([, partners]) => partners[range] as number)),
    axis,
    reaches: (range, row) => axis === undefined || reached[range]!.has(placeOf(ordered[row]![0])),
    labelAt: (range, row) => reached[range]!.get(placeOf(ordered[row]![0])) ?? null,
  };
}

/** The first of several equal ranges without a row here. With equal ranges, each row occurs once for each of them. */
function firstFree(partners: Int32Array, range: number, ranges: readonly unknown[]): number {
  for (let at = range; at !== -1; at = ranges.indexOf(ranges[range], at + 1)) if (partners[at] === -1) return at;
  return range;
}

/**
 * For each range, the positions of its buckets: their index, or for hours and shorter buckets their distance from the
 * first on the clock.
 */
function toPlaces(plans: readonly Plan[]): readonly ReadonlyMap<unknown, number>[] {
  const found = plans.map((plan) => {
    if (!plan.series) return new Map<string, number>();
    const { buckets, labels } = toSeriesLabels(plan.series, plan);
    if (isCalendarUnit(plan.series.granularity)) return new Map(labels.map((label, place) => [label, place]));
    const walls = buckets.map(({ start }) => toLocal(start, plan.zone));
    const first = buckets[0] ? toLocalEdge(buckets[0].start, plan.zone) : 0;
    const shown = new Map<number, number>();
    return new Map(
      labels.map((label, index) => {
        const wall = walls[index]!;
        const times = shown.get(wall) ?? 0;
        shown.set(wall, times + 1);
        // If the clock shows an hour twice, the second one follows the first.
        return [label, 2 * (wall - first) + times];
      }),
    );
  });
  const ranks = new Map(
    [...new Set(found.flatMap((places) => [...places.values()]))]
      .sort((a, b) => a - b)
      .map((place, rank) => [place, rank]),
  );
  return found.map((places) => new Map([...places].map(([label, place]) => [label, ranks.get(place)!])));
}
