import { errorIssue, type Issue } from '../../ask/outcome.ts';
import { hasGrid, isCalendarUnit, sizeTitle } from '../../ask/time/granularity.ts';
import { toBucketStart } from '../../ask/time/buckets.ts';
import type { Measure } from '../model/model.ts';
import type { Condition, Plan } from '../plan.ts';
import { isApart, leafMeasures, overGroups } from '../sql/leaf-measures.ts';
import { fullName, innerPlan } from '../sql/stage-part.ts';

/** Refuses measures of several stages where their figures would not be what the model means. */
export function checkStages(plan: Plan, issues: Issue[]): void {
  const windows = overGroups(plan);
  const apart = leafMeasures(plan).filter(({ measure }) => isApart(measure));
  const refuse = (code: string, message: string, hint: string) =>
    issues.push(errorIssue(code, message, { path: ['measures'], hint }));
  if (plan.ungrouped && windows.length + apart.length > 0)
    refuse(
      'ungrouped-stage',
      'A multi-stage measure is computed from groups, and the query is ungrouped.',
      'Leave "ungrouped" out.',
    );
  const nested = windows.find((measure) => windows.some((other) => other !== measure && uses(measure, other)));
  if (nested)
    refuse(
      'nested-stages',
      `"${nested.name}" uses a measure that is itself computed from several groups.`,
      'Query each of its parts separately.',
    );
  for (const leaf of apart) {
    const { measure } = leaf;
    const inner = innerPlan(plan, leaf);
    const shifted = inner.times.filter(({ shift }) => shift !== undefined);
    if (shifted.length === 0) continue;
    const parts = leafMeasures(inner).map((each) => each.measure);
    if (overGroups(inner).length > 0 || parts.some((part) => part.rollingWindow ?? part.stage))
      refuse(
        'shifted-window',
        `"${measure.name}" shifts a measure that has its own window or stages.`,
        'Query the measure itself for the other range.',
      );
    for (const time of shifted) {
      const { granularity, range } = time;
      if (granularity !== undefined && !isCalendarUnit(granularity))
        refuse(
          'shifted-hours',
          `"${measure.name}" shifts by whole days, and the query groups by ${sizeTitle(granularity)}.`,
          'Group by day or longer.',
        );
      if (granularity !== undefined && !hasGrid(granularity))
        refuse(
          'shifted-buckets',
          `"${measure.name}" shifts times, and only the model's SQL says where "${sizeTitle(granularity)}" begins.`,
          'Use a standard granularity.',
        );
      const isWhole = (instant: number) => toBucketStart(instant, 'day', plan.zone) === instant;
      if (range && !(isWhole(range.start) && isWhole(range.end)))
        refuse(
          'shifted-hours',
          `"${measure.name}" shifts by whole days, and the range contains part of a day.`,
          'Use a range of whole days.',
        );
      const name = fullName(time);
      if (
        plan.dimensions.some((each) => fullName(each) === name) ||
        plan.rowConditions.some((each) => isAbout(each, name))
      )
        refuse(
          'shifted-filter',
          `"${measure.name}" shifts "${name}", which the query also uses as a dimension or filter.`,
          'Put the range in "timeDimensions".',
        );
    }
  }

  function uses(measure: Measure, other: Measure): boolean {
    const within = {
      ...plan,
      groupConditions: [],
      measures: [{ cube: plan.root, measure: { ...measure, stage: undefined, type: 'number' as const }, column: 0 }],
    };
    return overGroups(within).includes(other);
  }
}

function isAbout(condition: Condition, name: string): boolean {
  if (condition.kind !== 'test') return condition.conditions.some((each) => isAbout(each, name));
  return condition.operand.kind === 'dimension' && fullName(condition.operand) === name;
}
