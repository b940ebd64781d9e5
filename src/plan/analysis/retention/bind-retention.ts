import { activityPeriods, type Retention } from '../../../ask/activity/retention.ts';
import { errorIssue, type Issue } from '../../../ask/outcome.ts';
import { defaultCube } from '../../../ask/query/member-name.ts';
import { granularities } from '../../../ask/time/granularity.ts';
import type { DefinitionTools } from '../../analysis.ts';
import type { ComputedSource } from '../../model/model.ts';
import type { BoundComputation, BoundDimension, BoundMeasure, Condition, Plan } from '../../plan.ts';
import { checkComputed, isApart, isFilteredBy, isGroupedBy } from '../../computed/check-computed.ts';
import { checkRange } from '../../computed/asked-periods.ts';

/** A retention analysis with its members resolved. All conditions of a list must hold. */
export interface BoundRetention {
  readonly where: readonly Condition[];
  readonly start: readonly Condition[];
  readonly comeBack: readonly Condition[];
  /** See `Followed`. */
  readonly follow: Omit<BoundDimension, 'column'> | undefined;
  readonly breakdown: Omit<BoundDimension, 'column'> | undefined;
  /** The measure that sums the property of `value`. */
  readonly value: Omit<BoundMeasure, 'column'> | undefined;
}

const periodHint = `A period is one of ${activityPeriods.join(', ')}.`;

/** Resolves the filters, the breakdown and the value of a retention analysis. */
export function bindRetention(retention: Retention, tools: DefinitionTools): BoundRetention {
  const { where, start, comeBack, follow, breakdown, value } = retention;
  const bindStart = tools.bindFilters(start.where, ['retention', 'start', 'where']);
  return {
    where: tools.bindFilters(where, ['retention', 'where']),
    start: bindStart,
    comeBack: comeBack === start ? bindStart : tools.bindFilters(comeBack.where, ['retention', 'return', 'where']),
    follow: follow === undefined ? undefined : tools.findDimension(follow, ['retention', 'follow']),
    breakdown:
      breakdown && tools.findDimension(breakdown.dimension, ['retention', 'breakdown', 'dimension'], periodHint),
    value: value && tools.findMeasure(`${defaultCube}.sum(${value.property})`, ['retention', 'value']),
  };
}

/** The retention that a plan asks for; undefined if there is none. */
export function retentionOf({ computed }: Plan): BoundComputation<Retention, BoundRetention> | undefined {
  return computed?.analysis === 'retention' ? (computed as BoundComputation<Retention, BoundRetention>) : undefined;
}

/** True if the breakdown assigns users to groups. Otherwise each user counts once. */
export function isBrokenDown(plan: Plan): boolean {
  return isGroupedBy(plan, 'breakdown') || isFilteredBy(plan, 'breakdown');
}

export function checkRetention(plan: Plan, source: ComputedSource<Retention>, issues: Issue[]): void {
  const { definition: retention } = source;
  const { name } = plan.root;
  checkComputed(plan, source, 'cohort', issues);
  const byPeriod = plan.measures.find(({ measure }) => measure.name !== 'size');
  if (byPeriod && !isApart(plan, 'period'))
    issues.push(
      errorIssue('retention-without-period', `"${name}.${byPeriod.measure.name}" has one value per period.`, {
        path: ['measures'],
        hint: `Add the dimension "${name}.period", or filter it by one number.`,
      }),
    );
  if (isFilteredBy(plan, 'breakdown') && !isApart(plan, 'breakdown'))
    issues.push(
      errorIssue('retention-without-breakdown', `A user may have several values of "${name}.breakdown".`, {
        path: ['filters'],
        hint: `Add the dimension "${name}.breakdown", or filter it by one value.`,
      }),
    );
  for (const { granularity } of plan.times)
    if (typeof granularity === 'string' && granularities.indexOf(granularity) < granularities.indexOf(retention.period))
      issues.push(
        errorIssue('retention-granularity', `Each cohort of "${name}" covers one ${retention.period}.`, {
          path: ['timeDimensions'],
          hint: `Use the granularity ${retention.period}, or a longer one.`,
        }),
      );
  checkRange(plan, retention, retention.periods, issues);
}
