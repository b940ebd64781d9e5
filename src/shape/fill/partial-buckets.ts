import { toBucketEnd, toBucketStart, writeBucketLabel } from '../../ask/time/buckets.ts';
import { type BucketSize, hasGrid } from '../../ask/time/granularity.ts';
import type { Bucket } from '../../ask/time/range.ts';
import type { Value } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import { partialByPresent, partialByRange } from '../result/marks.ts';
import { compareValues } from '../values/compare-values.ts';

/** The flags of a bucket by its label: whether it extends beyond the plan's range, and whether it is still open. */
type BucketFlags = (label: Value) => number;

/**
 * Makes the marker for buckets of a plan's time axis, which is the first time column with a granularity. Undefined if
 * there is none.
 */
export function toBucketFlags(plan: Plan): BucketFlags | undefined {
  const axis = plan.times.find((time) => time.granularity !== undefined);
  if (!axis?.granularity || !hasGrid(axis.granularity)) return undefined;
  const present = labelAt(plan, axis.granularity, plan.now);
  const cut = toCutLabels(plan);
  return (label) => {
    if (label === null) return 0;
    return (cut.has(label) ? partialByRange : 0) | (compareValues(label, present, 'time') >= 0 ? partialByPresent : 0);
  };
}

/** The number of partial buckets in an answer; `labels` are its distinct labels. */
export function countPartial(plan: Plan, labels: readonly Value[]): number {
  const flagsOf = toBucketFlags(plan);
  return flagsOf ? labels.filter((label) => flagsOf(label) !== 0).length : 0;
}

/** The last bucket that begins after the present one, by its label; undefined if none does. */
export function lastAhead(plan: Plan, labels: readonly Value[]): string | undefined {
  const axis = plan.times.find((time) => time.granularity !== undefined);
  if (!axis?.granularity || !hasGrid(axis.granularity)) return undefined;
  const present = labelAt(plan, axis.granularity, plan.now);
  return labels
    .filter((label) => typeof label === 'string')
    .filter((label) => compareValues(label, present, 'time') > 0)
    .sort((a, b) => compareValues(a, b, 'time'))
    .at(-1);
}

/** The flags of known buckets. */
export function toPartialFlags(plan: Plan, buckets: readonly Bucket[], labels: readonly string[]): Uint8Array {
  const cut = toCutLabels(plan);
  return Uint8Array.from(buckets, (bucket, index) => {
    const label = labels[index] ?? null;
    return (cut.has(label) ? partialByRange : 0) | (bucket.end > plan.now ? partialByPresent : 0);
  });
}

function toCutLabels({ times, zone, weekStart }: Plan): ReadonlySet<Value> {
  const axis = times.find((time) => time.granularity !== undefined);
  const cut = new Set<Value>();
  if (!axis?.granularity || !hasGrid(axis.granularity) || !axis.range || axis.range.start >= axis.range.end) return cut;
  const { granularity, range } = axis;
  const last = range.end - 1;
  if (toBucketStart(range.start, granularity, zone, weekStart) < range.start)
    cut.add(labelAt({ zone, weekStart }, granularity, range.start));
  if (toBucketEnd(last, granularity, zone, weekStart) > range.end)
    cut.add(labelAt({ zone, weekStart }, granularity, last));
  return cut;
}

function labelAt(
  { zone, weekStart }: Pick<Plan, 'zone' | 'weekStart'>,
  granularity: BucketSize,
  instant: number,
): string {
  return writeBucketLabel(toBucketStart(instant, granularity, zone, weekStart), granularity, zone, weekStart);
}
