import type { Retention } from '../../../ask/activity/retention.ts';
import { day } from '../../../ask/time/granularity.ts';
import type { Bucket, TimeRange } from '../../../ask/time/range.ts';
import type { Plan } from '../../plan.ts';
import { askedPeriods } from '../../computed/asked-periods.ts';

/** The cohorts of a plan, and how far their periods reach. */
export interface RetentionFrame {
  /** From the start of the first cohort's period to the end of the last one's. */
  readonly window: TimeRange;
  /** One for each cohort, earliest first. */
  readonly cohorts: readonly CohortFrame[];
}

export interface CohortFrame {
  readonly bucket: Bucket;
  /** The last of its periods that begins inside of the window; they count from 0. */
  readonly lastInside: number;
  /** The last of its periods that is over, and inside of the window to its end; -1: not even its own is. */
  readonly lastOver: number;
}

/** The range must hold some time. */
export function toRetentionFrame(plan: Plan, retention: Retention): RetentionFrame {
  const buckets = askedPeriods(plan, retention);
  const window = { start: buckets[0]!.start, end: buckets.at(-1)!.end };
  const end = Math.min(window.end, plan.now);
  const over = buckets.filter((bucket) => bucket.end <= plan.now).length;
  const toCohort = (bucket: Bucket, index: number): CohortFrame => {
    if (retention.window === 'calendar')
      return { bucket, lastInside: buckets.length - 1 - index, lastOver: Math.max(-1, over - 1 - index) };
    // The last to start has the latest periods.
    const lastOver = bucket.end > plan.now ? -1 : Math.max(0, Math.floor((end - bucket.end) / day) - 1);
    return { bucket, lastInside: Math.ceil((window.end - bucket.start) / day) - 1, lastOver };
  };
  return { window, cohorts: buckets.map(toCohort) };
}
