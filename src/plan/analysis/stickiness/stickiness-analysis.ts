import { followedWords } from '../../../ask/analysis/followed.ts';
import type { Stickiness } from '../../../ask/activity/stickiness.ts';
import { invariant } from '../../../ask/invariant.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import type { Bucket } from '../../../ask/time/range.ts';
import type { Analysis } from '../../analysis.ts';
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

/** The number of periods in which users are active. */
export const stickinessAnalysis: Analysis<Stickiness, BoundActive> = {
  name: 'stickiness',
  onServers: false,
  loadReader: async () => (await import('../../../ask/activity/stickiness.ts')).stickinessReader,
  toCube(stickiness, place) {
    const { name, period, every, cumulative } = stickiness;
    const { many, title } = followedWords(stickiness);
    const slots = every === 1 ? `${period}s` : `stretches of ${every} ${period}s`;
    return defineCube({
      name,
      description: `Stickiness: ${many} by the number of ${slots} of the range in which they were active.`,
      source: { kind: 'computed', analysis: stickinessAnalysis, definition: stickiness, ...place },
      timeMember: 'date',
      measures: {
        users: {
          label: title,
          description: `${title} who were active in this many ${slots}${cumulative ? ', or more' : ''}.`,
          type: 'number',
          sql: 'CAST(sum({CUBE}.users) AS BIGINT)',
        },
        total: {
          description: `${title} who were active at all.`,
          type: 'max',
          sql: '{CUBE}.total',
        },
      },
      dimensions: {
        periods: { description: `Number of ${slots}.`, type: 'number', sql: '{CUBE}.periods' },
        date: {
          description: `When the events happened, in whole ${period}s. For filters only.`,
          type: 'time',
          sql: '{CUBE}.date',
        },
      },
      segments: {},
    });
  },
  toUsualQuestion: ({ name }) => ({
    query: {
      measures: [`${name}.users`],
      dimensions: [`${name}.periods`],
      order: [[`${name}.periods`, 'asc']],
    },
    chart: 'column',
  }),
  bind: (stickiness, tools) => bindActive(stickiness, tools, 'stickiness'),
  check: checkStickiness,
  rangeOf: (plan, { definition: { period } }) => askedRange(plan, { period, periods: defaultPeriods }),
  openPartialJudge(plan, known) {
    const { definition } = stickinessOf(plan) ?? {};
    invariant(definition, 'the plan asks a stickiness');
    const isOpen = stickinessPeriods(plan, definition).at(-1)!.end > known;
    return () => (isOpen ? 'by-present' : undefined);
  },
};

/** The stickiness that a plan asks for; undefined if there is none. */
export function stickinessOf({ computed }: Plan): BoundComputation<Stickiness, BoundActive> | undefined {
  return computed?.analysis === 'stickiness' ? (computed as BoundComputation<Stickiness, BoundActive>) : undefined;
}

export function stickinessPeriods(plan: Plan, { period }: Stickiness): readonly Bucket[] {
  return askedPeriods(plan, { period, periods: defaultPeriods });
}

function checkStickiness(plan: Plan, source: ComputedSource<Stickiness>, issues: Issue[]): void {
  const { name } = plan.root;
  checkComputed(plan, source, 'date', issues);
  checkRange(plan, { period: source.definition.period, periods: defaultPeriods }, 1, issues);
  if (isGroupedBy(plan, 'date') || plan.times.some(({ granularity }) => granularity !== undefined))
    issues.push(
      errorIssue('stickiness-by-time', `"${name}.date" can only filter: the rows of a stickiness have no date.`, {
        path: ['timeDimensions'],
        hint: `Group by "${name}.periods".`,
      }),
    );
  if (plan.measures.some(({ measure }) => measure.name === 'users') && !isApart(plan, 'periods'))
    issues.push(
      errorIssue('stickiness-without-periods', `"${name}.users" has one value per number of periods.`, {
        path: ['measures'],
        hint: `Add the dimension "${name}.periods", or filter it by one number; "${name}.total" is all users.`,
      }),
    );
}
