import type { Retention } from '../../../ask/activity/retention.ts';
import { invariant } from '../../../ask/invariant.ts';
import { toBucketStart, writeBucketLabel } from '../../../ask/time/buckets.ts';
import { day, isCalendarUnit } from '../../../ask/time/granularity.ts';
import { writeLocal } from '../../../ask/time/local-time.ts';
import type { Bucket, TimeRange } from '../../../ask/time/range.ts';
import type { PartialJudge } from '../../analysis.ts';
import { askedPeriods } from '../../computed/asked-periods.ts';
import { onlyValue } from '../../computed/check-computed.ts';
import type { Plan } from '../../plan.ts';
import { retentionOf } from './bind-retention.ts';

/** A figure is partial if its period is not over or extends beyond the range. */
export function judgeRetention(plan: Plan, known: number): PartialJudge {
  const { definition: retention } = retentionOf(plan) ?? {};
  invariant(retention, 'the plan asks a retention');
  const { cohorts, window } = toRetentionFrame(plan, retention, known);
  const column = plan.columns.find(({ member }) => member === `${plan.root.name}.cohort`);
  const labelOf = ({ bucket }: CohortFrame): string => {
    if (!column) return '';
    if (column.granularity === undefined)
      return isCalendarUnit(retention.period) ? bucket.label : writeLocal(bucket.start);
    const start = toBucketStart(bucket.start, column.granularity, plan.zone, plan.weekStart);
    return writeBucketLabel(start, column.granularity, plan.zone, plan.weekStart);
  };
  const byLabel = Map.groupBy(cohorts, labelOf);
  const fixed = onlyValue(plan, 'period');
  const beyond = window.end >= known ? 'by-present' : 'by-range';
  const judge = ({ lastOver }: CohortFrame, period: number) => (period <= lastOver ? undefined : beyond);
  return (measure, valueOf) => {
    const among = byLabel.get(column ? String(valueOf(column.key)) : '') ?? [];
    const period = measure === 'size' ? 0 : Number(valueOf(`${plan.root.name}.period`) ?? fixed ?? 0);
    const judged = among.map((cohort) => judge(cohort, period));
    // A rate over several cohorts uses only cohorts whose period is over.
    if (measure === 'rate' && judged.includes(undefined)) return undefined;
    return judged.find((one) => one !== undefined);
  };
}

/** The cohorts of a plan, and how far their periods extend. */
interface RetentionFrame {
  /** From the start of the first cohort's period to the end of the last one's. */
  readonly window: TimeRange;
  /** One for each cohort, earliest first. */
  readonly cohorts: readonly CohortFrame[];
  /** How many of each cohort's periods are shown: those that have begun for some cohort, inside of the window. */
  readonly periods: number;
}

export interface CohortFrame {
  readonly bucket: Bucket;
  /** Index of the last period that begins inside the window, counted from 0. */
  readonly lastInside: number;
  /** Index of the last period that is over and entirely inside the window; -1 if not even period 0 is. */
  readonly lastOver: number;
}

/** The range must not be empty. No period is over that ends after `known`. */
export function toRetentionFrame(plan: Plan, retention: Retention, known = plan.now): RetentionFrame {
  const buckets = askedPeriods(plan, retention);
  const window = { start: buckets[0]!.start, end: buckets.at(-1)!.end };
  const end = Math.min(window.end, known);
  const over = buckets.filter((bucket) => bucket.end <= known).length;
  const toCohort = (bucket: Bucket, index: number): CohortFrame => {
    if (retention.window === 'calendar')
      return { bucket, lastInside: buckets.length - 1 - index, lastOver: Math.max(-1, over - 1 - index) };
    // Users who start at the end of the bucket finish each period last.
    const lastOver = bucket.end > known ? -1 : Math.max(0, Math.floor((end - bucket.end) / day) - 1);
    return { bucket, lastInside: Math.ceil((window.end - bucket.start) / day) - 1, lastOver };
  };
  const begun = retention.window === 'calendar' ? buckets.length : Math.max(1, Math.ceil((end - window.start) / day));
  return { window, cohorts: buckets.map(toCohort), periods: Math.min(retention.periods, begun) };
}
