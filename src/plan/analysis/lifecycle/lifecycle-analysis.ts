import { followedWords } from '../../../ask/analysis/followed.ts';
import { type Lifecycle, lifecycleStatuses } from '../../../ask/activity/lifecycle.ts';
import { invariant } from '../../../ask/invariant.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { writeBucketLabel } from '../../../ask/time/buckets.ts';
import { isCalendarUnit } from '../../../ask/time/granularity.ts';
import { writeLocal } from '../../../ask/time/local-time.ts';
import type { Bucket } from '../../../ask/time/range.ts';
import type { Analysis, PartialJudge } from '../../analysis.ts';
import {
  askedPeriods,
  askedRange,
  bindActive,
  type BoundActive,
  checkRange,
  defaultPeriods,
} from '../../computed/asked-periods.ts';
import { checkComputed, isApart, isGroupedBy } from '../../computed/check-computed.ts';
import { defineCube } from '../../model/define-cube.ts';
import type { ComputedSource } from '../../model/model.ts';
import type { BoundComputation, Plan } from '../../plan.ts';

/** Users who are new, returning, resurrecting or dormant in each period. */
export const lifecycleAnalysis: Analysis<Lifecycle, BoundActive> = {
  name: 'lifecycle',
  onServers: false,
  loadReader: async () => (await import('../../../ask/activity/read-lifecycle.ts')).lifecycleReader,
  toCube(lifecycle, place) {
    const { many, title } = followedWords(lifecycle);
    return defineCube({
      name: lifecycle.name,
      description: `Lifecycle: ${many} by ${lifecycle.period} who are new, returning, resurrecting or dormant.`,
      source: { kind: 'computed', analysis: lifecycleAnalysis, definition: lifecycle, ...place },
      timeMember: 'time',
      measures: {
        users: {
          label: title,
          description: `${title} with the status in the period. Dormant ones are a negative number.`,
          type: 'number',
          disjoint: true,
          sql: 'CAST(sum({CUBE}.users) AS BIGINT)',
        },
      },
      dimensions: {
        time: { description: `The ${lifecycle.period}.`, type: 'time', sql: '{CUBE}.time' },
        status: {
          description: `${lifecycleStatuses.join(', ')}.`,
          sql: '{CUBE}.status',
          values: lifecycleStatuses,
        },
      },
      segments: {},
    });
  },
  toUsualQuestion({ name, period }) {
    const [time, status, users] = [`${name}.time.${period}`, `${name}.status`, `${name}.users`];
    return {
      query: {
        measures: [users],
        dimensions: [status],
        timeDimensions: [{ dimension: `${name}.time`, granularity: period }],
        order: [
          [time, 'asc'],
          [status, 'asc'],
        ],
      },
      chart: 'stacked',
      table: { rows: [time], across: status, values: [users] },
    };
  },
  bind: (lifecycle, tools) => bindActive(lifecycle, tools, 'lifecycle'),
  check: checkLifecycle,
  rangeOf: (plan, { definition: { period } }) => askedRange(plan, { period, periods: defaultPeriods }),
  openPartialJudge: judgeLifecycle,
};

/** The lifecycle that a plan asks for; undefined if there is none. */
export function lifecycleOf({ computed }: Plan): BoundComputation<Lifecycle, BoundActive> | undefined {
  return computed?.analysis === 'lifecycle' ? (computed as BoundComputation<Lifecycle, BoundActive>) : undefined;
}

export function lifecyclePeriods(plan: Plan, { period }: Lifecycle): readonly Bucket[] {
  return askedPeriods(plan, { period, periods: defaultPeriods });
}

function checkLifecycle(plan: Plan, source: ComputedSource<Lifecycle>, issues: Issue[]): void {
  const { period } = source.definition;
  const { name } = plan.root;
  checkComputed(plan, source, 'time', issues);
  checkRange(plan, { period, periods: defaultPeriods }, lifecycleStatuses.length, issues);
  const isByTime = isGroupedBy(plan, 'time') || plan.times.some(({ granularity }) => granularity === period);
  if (plan.measures.length > 0 && !(isByTime && isApart(plan, 'status')))
    issues.push(
      errorIssue('lifecycle-apart', `"${name}.users" has one value per ${period} and status.`, {
        path: ['measures'],
        hint: `Group by "${name}.time" and "${name}.status", or filter by one status instead.`,
      }),
    );
  if (plan.times.some(({ granularity }) => granularity !== undefined && granularity !== period))
    issues.push(
      errorIssue('lifecycle-granularity', `Each row of "${name}" covers one ${period}.`, {
        path: ['timeDimensions'],
        hint: `Use the granularity ${period}, or set another period in the file.`,
      }),
    );
}

/** Figures of a period that is not over are partial. */
function judgeLifecycle(plan: Plan, known: number): PartialJudge {
  const { definition } = lifecycleOf(plan) ?? {};
  invariant(definition, 'the plan asks a lifecycle');
  const column = plan.columns.find(({ member }) => member === `${plan.root.name}.time`);
  const open = lifecyclePeriods(plan, definition).filter(({ end }) => end > known);
  const labels = new Set(
    open.map(({ start, label }) => {
      if (column?.granularity !== undefined)
        return writeBucketLabel(start, column.granularity, plan.zone, plan.weekStart);
      return isCalendarUnit(definition.period) ? label : writeLocal(start);
    }),
  );
  return (_, valueOf) => (labels.has(String(column && valueOf(column.key))) ? 'by-present' : undefined);
}
