import { SluiceError } from '../../ask/sluice-error.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { countFallen, halveAbove } from './fetch-range.ts';
import { type CountedUnit, countedUnits, type ExportSource, unitSizes as sizes } from './rows/export-source.ts';

/** Counts the events in parts of a range, as split by `halveRange`, and requests only unknown counts. */
export interface Tally {
  count(part: TimeRange, signal?: AbortSignal): Promise<number>;
}

/** If the range does not begin and end at whole hours (UTC), its first and last hour are cut. */
export function openTally(source: ExportSource, stretch: TimeRange): Tally {
  /** The last answer for each size, because parts are requested in order. */
  const known = new Map<CountedUnit, { readonly range: TimeRange; readonly counts: ReadonlyMap<number, number> }>();

  let fallen: Promise<number> | undefined;

  const isEdge = (instant: number, size: number) =>
    instant % size === 0 || instant === stretch.start || instant === stretch.end;

  /** The buckets around a part: those of the whole range, or of the larger bucket that contains the part. */
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
      // Without this, no check would notice events that no window requests.
      const beyond = part.end === stretch.end ? await (fallen ??= countFallen(source, stretch, signal)) : 0;
      if (unit === undefined) return beyond + (await source.count(part, signal));
      const counts = await bucketsOf(part, unit, signal);
      return beyond + eventsIn(counts, part, unit);
    },
  };
}

/** The events in a range that begins and ends with buckets, by their start. */
export function eventsIn(counts: ReadonlyMap<number, number>, { start, end }: TimeRange, unit: CountedUnit): number {
  let events = 0;
  for (let at = Math.floor(start / sizes[unit]) * sizes[unit]; at < end; at += sizes[unit])
    events += counts.get(at) ?? 0;
  return events;
}

/**
 * Events by bucket. They are used only if they add up to the source's total, because the source may return fewer rows
 * than requested. Otherwise each half is counted separately.
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

/** undefined if the source refuses to return this many rows. */
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
