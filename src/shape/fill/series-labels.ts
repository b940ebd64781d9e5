import { toBuckets, writeBucketLabel } from '../../ask/time/buckets.ts';
import { isCalendarUnit } from '../../ask/time/granularity.ts';
import type { Bucket } from '../../ask/time/range.ts';
import type { Plan, PlanSeries } from '../../plan/plan.ts';

/** The buckets of a series in order, each with the label that an answer gives it. */
export interface SeriesLabels {
  readonly buckets: readonly Bucket[];
  readonly labels: readonly string[];
}

export function toSeriesLabels(
  { range, granularity }: PlanSeries,
  { zone, weekStart }: Pick<Plan, 'zone' | 'weekStart'>,
): SeriesLabels {
  const buckets = toBuckets(range, granularity, zone, weekStart);
  const labels = isCalendarUnit(granularity)
    ? buckets.map((bucket) => bucket.label)
    : buckets.map((bucket) => writeBucketLabel(bucket.start, granularity, zone));
  return { buckets, labels };
}
