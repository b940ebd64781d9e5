import type { BoundTime, SubQuery } from '../plan.ts';

/**
 * The sub-queries of a plan for another part of it, which has these times: those that inherit the plan's times get the
 * ranges and shifts of these. `isMoved`: whether one does; by default all.
 */
export function subQueriesAt(
  subQueries: readonly SubQuery[] | undefined,
  times: readonly BoundTime[],
  isMoved: (each: SubQuery) => boolean = () => true,
): readonly SubQuery[] | undefined {
  return subQueries?.map((each): SubQuery => {
    // A sub-query inherits all times, in their order, or none.
    const own = each.plan.times.map((time, index): BoundTime => {
      const { range, shift } = isMoved(each) ? times[index]! : time;
      return { ...time, range, shift };
    });
    return {
      ...each,
      plan: { ...each.plan, times: own, subQueries: subQueriesAt(each.plan.subQueries, own, isMoved) },
    };
  });
}
