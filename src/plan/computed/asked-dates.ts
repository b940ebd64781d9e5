import type { Condition, OpenRange, Plan } from '../plan.ts';

/** The intersection of all date ranges of a plan on a computed cube, in epoch milliseconds. */
export function askedDates(plan: Plan): { readonly from: number | undefined; readonly to: number | undefined } {
  const ranges: readonly OpenRange[] = [
    ...plan.times.flatMap(({ range }) => range ?? []),
    ...plan.rowConditions.flatMap(dateRanges),
  ];
  const starts = ranges.flatMap(({ start }) => start ?? []);
  const ends = ranges.flatMap(({ end }) => end ?? []);
  return {
    from: starts.length === 0 ? undefined : Math.max(...starts),
    to: ends.length === 0 ? undefined : Math.min(...ends),
  };
}

function dateRanges(condition: Condition): readonly OpenRange[] {
  if (condition.kind === 'and') return condition.conditions.flatMap(dateRanges);
  return condition.kind === 'test' && isDateTest(condition) && condition.test.kind === 'within'
    ? condition.test.ranges
    : [];
}

/** True if a condition on a computed cube tests its date. */
function isDateTest({ operand }: Extract<Condition, { kind: 'test' }>): boolean {
  return operand.kind === 'dimension' && operand.dimension.type === 'time';
}

/** The plan without its dates, for rows that are already limited by them. */
export function withoutDates(plan: Plan): Plan {
  return { ...plan, times: [], rowConditions: plan.rowConditions.flatMap(undated) };
}

function undated(condition: Condition): readonly Condition[] {
  if (condition.kind === 'and') return [{ ...condition, conditions: condition.conditions.flatMap(undated) }];
  return condition.kind === 'test' && isDateTest(condition) ? [] : [condition];
}
