import { invariant } from '../../../ask/invariant.ts';
import { toBucketStart, writeBucketLabel } from '../../../ask/time/buckets.ts';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import { writeLocal } from '../../../ask/time/local-time.ts';
import type { PartialJudge } from '../../analysis.ts';
import type { Plan } from '../../plan.ts';
import { onlyValue } from '../../computed/check-computed.ts';
import { retentionOf } from './bind-retention.ts';
import { type CohortFrame, toRetentionFrame } from './retention-frame.ts';

/** A figure is partial if it is of a period that is not over, or reaches beyond the range. */
export function judgeRetention(plan: Plan): PartialJudge {
  const { definition: retention } = retentionOf(plan) ?? {};
  invariant(retention, 'the plan asks a retention');
  const { cohorts, window } = toRetentionFrame(plan, retention);
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
  const beyond = window.end >= plan.now ? 'by-present' : 'by-range';
  const judge = ({ lastOver }: CohortFrame, period: number) => (period <= lastOver ? undefined : beyond);
  return (measure, valueOf) => {
    const among = byLabel.get(column ? String(valueOf(column.key)) : '') ?? [];
    const period = measure === 'size' ? 0 : Number(valueOf(`${plan.root.name}.period`) ?? fixed ?? 0);
    const judged = among.map((cohort) => judge(cohort, period));
    // A rate of several cohorts is of those whose period is over.
    if (measure === 'rate' && judged.includes(undefined)) return undefined;
    return judged.find((one) => one !== undefined);
  };
}
