import type { CanonicalFilter, CanonicalMemberFilter } from '../../ask/query/query.ts';
import type { BoundTime } from '../plan.ts';
import type { Binding } from './bind-context.ts';
import { bindTest } from './bind-test.ts';

export interface RangeFilterTaken {
  readonly times: readonly BoundTime[];
  readonly filters: readonly { readonly filter: CanonicalFilter; readonly index: number }[];
  /** The time dimension that got its range from a filter. */
  readonly byFilter: BoundTime | undefined;
}

/**
 * A series whose range is given by a top-level `inDateRange` filter has that range, just as if the time dimension
 * bore it: the platform's own way to ask for a range, and the only one that it fills. So has one whose range stands
 * on the same time, named once more.
 */
export function takeRangeFilter(times: readonly BoundTime[], filters: readonly CanonicalFilter[], binding: Binding): RangeFilterTaken {
  const kept = filters.map((filter, index) => ({ filter, index }));
  const axis = times.find((time) => time.granularity !== undefined);
  if (!axis || axis.range) return { times, filters: kept, byFilter: undefined };
  const elsewhere = times.find((time) => time.range && time.cube === axis.cube && time.dimension === axis.dimension);
  if (elsewhere) return { times: times.map((time) => (time === axis ? { ...axis, range: elsewhere.range } : time)), filters: kept, byFilter: undefined };
  const member = `${axis.cube.name}.${axis.dimension.name}`;
  const found = kept.find((entry) => isRangeFilter(entry.filter, member));
  if (!found) return { times, filters: kept, byFilter: undefined };
  const test = bindTest(found.filter as CanonicalMemberFilter, 'time', ['filters', found.index], binding);
  const range = test?.kind === 'within' ? test.ranges[0] : undefined;
  const byFilter = { ...axis, range: range && { start: range.start!, end: range.end! } };
  return { times: times.map((time) => (time === axis ? byFilter : time)), filters: kept.filter((entry) => entry !== found), byFilter };
}

function isRangeFilter(filter: CanonicalFilter, member: string): boolean {
  return 'member' in filter && filter.member === member && filter.operator === 'inDateRange';
}
