import { SluiceError } from '../../ask/sluice-error.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { countFallen, halveAbove } from './fetch-range.ts';
import { type CountedUnit, countedUnits, type ExportSource, unitSizes as sizes } from './rows/export-source.ts';

/**
 * Knows how many events are in the parts of a stretch of time, as `halveRange` cuts it, and asks only for what it does
 * not know.
 */
export interface Tally {
  count(part: TimeRange, signal?: AbortSignal): Promise<number>;
}

/** Ends of the stretch that are no whole hours, UTC, cut the hours that they are in. */
export function openTally(source: ExportSource, stretch: TimeRange): Tally {
  /** Of each size what was asked for last: parts come in order. */
  const known = new Map<CountedUnit, { readonly range: TimeRange; readonly counts: ReadonlyMap<number, number> }>();

  let fallen: Promise<number> | undefined;

  const isEdge = (instant: number, size: number) =>
    instant % size === 0 || instant === stretch.start || instant === stretch.end;

  /**
   * The buckets of a size around a part: those of the whole stretch, or of the one larger bucket that the part is in.
   */
  const bucketsOf = async (part: TimeRange, unit: CountedUnit, signal: AbortSignal | undefined) => {
    const before = known.get(unit);
    if (before && before.range.start <= part.start && part.end <= before.range.end) return before.counts;
    const larger = unit === 'hour' ? undefined : sizes[unit === 'minute' ? 'hour' : 'minute'];
    const range =
      larger === undefined
        ? stretch
        : {
            start: Math.max(stretch.start, Math.floor(part.start / larger) * larger),
            end: Math.min(stretch.end, Math.ceil(part.end / larger) * larger),
          };
    const counts = await countBuckets(source, range, unit, signal);
    known.set(unit, { range, counts });
    return counts;
  };

  return {
    async count(part, signal) {
      const unit = countedUnits.find((each) => isEdge(part.start, sizes[each]) && isEdge(part.end, sizes[each]));
      // Otherwise no check would notice events that no window asks for.
      const beyond = part.end === stretch.end ? await (fallen ??= countFallen(source, stretch, signal)) : 0;
      if (unit === undefined) return beyond + (await source.count(part, signal));
      const counts = await bucketsOf(part, unit, signal);
      let events = beyond;
      for (let start = Math.floor(part.start / sizes[unit]) * sizes[unit]; start < part.end; start += sizes[unit])
        events += counts.get(start) ?? 0;
      return events;
    },
  };
}

/**
 * Events by bucket. They are believed only where they add up to what the source counts in the whole: it may give fewer
 * rows than it was asked for. Else each half is asked for by itself.
 */
async function countBuckets(
  source: ExportSource,
  range: TimeRange,
  unit: CountedUnit,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, number>> {
  const total = await source.count(range, signal);
  const halves = halveAbove(range, sizes[unit]);
  if (!halves) return new Map([[Math.floor(range.start / sizes[unit]) * sizes[unit], total]]);
  const counts = await countAtOnce(source, range, unit, signal);
  let sum = 0;
  for (const [start, events] of counts ?? [])
    if (start % sizes[unit] === 0 && start + sizes[unit] > range.start && start < range.end) sum += events;
  if (counts && sum === total) return counts;
  const [first, last] = [
    await countBuckets(source, halves[0], unit, signal),
    await countBuckets(source, halves[1], unit, signal),
  ];
  return new Map([...first, ...last]);
}

/** undefined: the source refuses to give so many rows. */
async function countAtOnce(
  source: ExportSource,
  range: TimeRange,
  unit: CountedUnit,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, number> | undefined> {
  try {
    return await source.countBy(range, unit, signal);
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'limit-too-high') return undefined;
    throw error;
  }
}
