import type { Condition, OpenRange, Plan } from './plan.ts';

/** The events that the plan's dates let in: all of its ranges hold. */
export function funnelRange(plan: Plan): { readonly from: number | undefined; readonly to: number | undefined } {
  const ranges: readonly OpenRange[] = [...plan.times.flatMap(({ range }) => range ?? []), ...plan.rowConditions.flatMap(dateRanges)];
  const starts = ranges.flatMap(({ start }) => start ?? []);
  const ends = ranges.flatMap(({ end }) => end ?? []);
  return { from: starts.length === 0 ? undefined : Math.max(...starts), to: ends.length === 0 ? undefined : Math.min(...ends) };
}

function dateRanges(condition: Condition): readonly OpenRange[] {
  if (condition.kind === 'and') return condition.conditions.flatMap(dateRanges);
  return condition.kind === 'test' && isDateTest(condition) && condition.test.kind === 'within' ? condition.test.ranges : [];
}

/** Whether a condition of a funnel's plan is about its date. */
export function isDateTest({ operand }: Extract<Condition, { kind: 'test' }>): boolean {
  return operand.kind === 'dimension' && operand.dimension.type === 'time';
}
