import type { Cohort } from '../../../ask/cohort/cohort.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { countBuckets, toBuckets, writeBucketLabel } from '../../../ask/time/buckets.ts';
import type { Bucket } from '../../../ask/time/range.ts';
import type { Analysis } from '../../analysis.ts';
import { askedDates } from '../../computed/asked-dates.ts';
import { checkSpan, rangePath } from '../../computed/asked-periods.ts';
import { checkComputed, isGroupedBy } from '../../computed/check-computed.ts';
import { defineCube } from '../../model/define-cube.ts';
import { userKeyColumn } from '../../model/event-fields.ts';
import type { ComputedSource } from '../../model/model.ts';
import { userIdSql } from '../../model/user-dimensions.ts';
import type { BoundRule, Plan } from '../../plan.ts';
import { bindCohort } from './bind-cohort.ts';
import { bindCohorts } from './bind-cohorts.ts';
import { endAtPresent, isCohortCube } from './cohort-members.ts';

/** A named set of users: its size, its members and its history. */
export const cohortAnalysis: Analysis<Cohort, BoundRule> = {
  name: 'cohort',
  onServers: false,
  loadReader: async () => (await import('../../../ask/cohort/read-cohort.ts')).cohortReader,
  toCube: ({ name, title, ...rest }, place) =>
    defineCube({
      name,
      description:
        `Cohort${title === undefined ? '' : ` "${title}"`}` +
        ': its users at present, or by time at the end of each bucket. One row per user.',
      source: { kind: 'computed', analysis: cohortAnalysis, definition: { name, title, ...rest }, ...place },
      timeMember: 'date',
      measures: {
        users: {
          label: 'Users',
          description: 'Users of the cohort.',
          type: 'count_distinct',
          sql: `{CUBE}.${userKeyColumn}`,
        },
      },
      dimensions: {
        user: { label: 'User', description: 'ID of the user.', sql: userIdSql },
        date: {
          label: 'Time',
          description: 'When users were members: at the end of a bucket, or of a range.',
          type: 'time',
          sql: '{CUBE}.date',
        },
      },
      segments: {},
    }),
  bind: (cohort, tools) => bindCohort(cohort, tools),
  check: checkCohort,
  bindNeeded: (plan, named, binding) =>
    bindCohorts(plan, named, isCohortCube(plan.root) ? cohortFrames(plan).map(({ at }) => at) : [], binding),
  openPartialJudge(plan, known) {
    const column = plan.columns.find(({ kind }) => kind === 'time');
    const open = cohortFrames(plan).filter(({ bucket }) => bucket && bucket.end > known);
    const labels = new Set(
      open.map(({ bucket }) =>
        writeBucketLabel(bucket!.start, column?.granularity ?? 'day', plan.zone, plan.weekStart),
      ),
    );
    return (_, valueOf) => (column && labels.has(String(valueOf(column.key))) ? 'by-present' : undefined);
  },
};

/** An instant at which a plan needs the members of a cohort, with the bucket that ends then. */
export interface CohortFrame {
  readonly at: number;
  /** undefined if the plan has no series. */
  readonly bucket: Bucket | undefined;
}

/** Each frame reads the events once. */
const mostFrames = 400;

/** Number of days, weeks or months if the plan has no range. */
const usualFrames = 12;

/**
 * The instants to evaluate: the end of each bucket, or the end of the range if the plan has no series. None is later
 * than the end of the present; future buckets are left out.
 */
export function cohortFrames(plan: Plan): readonly CohortFrame[] {
  const granularity = granularityOf(plan);
  const present = endAtPresent(plan);
  const { from, to = present } = askedDates(plan);
  const atMost = (instant: number) => Math.min(instant, present);
  if (granularity === undefined) return [{ at: atMost(to), bucket: undefined }];
  const range = { start: from ?? startOfUsual(plan), end: Math.min(to, present) };
  if (countBuckets(range, granularity, plan.zone) > mostFrames) return [];
  return toBuckets(range, granularity, plan.zone, plan.weekStart).map((bucket) => ({ at: atMost(bucket.end), bucket }));
}

function granularityOf({ times }: Plan) {
  return times.find(({ granularity }) => granularity !== undefined)?.granularity;
}

function startOfUsual(plan: Plan): number {
  const granularity = granularityOf(plan) ?? 'day';
  let start = askedDates(plan).to ?? endAtPresent(plan);
  for (let back = 0; back < usualFrames; back++)
    start = toBuckets({ start: start - 1, end: start }, granularity, plan.zone, plan.weekStart)[0]!.start;
  return start;
}

function checkCohort(plan: Plan, source: ComputedSource<Cohort>, issues: Issue[]): void {
  const { name } = plan.root;
  checkComputed(plan, source, 'date', issues);
  if (isGroupedBy(plan, 'date'))
    issues.push(
      errorIssue('cohort-by-date', `"${name}.date" needs a granularity.`, {
        path: ['dimensions'],
        hint: `Group by "${name}.date.day", or leave it out.`,
      }),
    );
  const granularities = new Set(plan.times.flatMap(({ granularity }) => granularity ?? []));
  if (granularities.size > 1)
    issues.push(
      errorIssue('cohort-granularities', `The users of "${name}" can only be counted by one granularity.`, {
        path: ['timeDimensions'],
        hint: 'Use one granularity.',
      }),
    );
  const { from = Number.NEGATIVE_INFINITY, to = endAtPresent(plan) } = askedDates(plan);
  if (checkSpan(plan, { start: from, end: to }, 'day', issues) && cohortFrames(plan).length === 0)
    issues.push(
      errorIssue('analysis-too-large', `"${name}" would be computed for more than ${mostFrames} buckets.`, {
        path: rangePath(plan),
        hint: 'Use a shorter range or a coarser granularity.',
      }),
    );
}
