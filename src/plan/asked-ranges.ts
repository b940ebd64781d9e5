import { readDateRange } from '../ask/time/read-date-range.ts';
import type { TimeRange } from '../ask/time/range.ts';
import type { Plan } from './plan.ts';

/** The stretches of time that a plan asks about: the ranges of its times, and those of its filters that always hold. */
export function askedRanges({ times, query, now, zone, weekStart }: Plan): readonly TimeRange[] {
  const filtered = (query.filters ?? []).flatMap((filter) => {
    if (!('member' in filter) || filter.operator !== 'inDateRange') return [];
    const read = readDateRange((filter.values ?? []).filter((value) => value !== null), { now, zone, weekStart });
    return read.ok ? [read.value] : [];
  });
  return [...times.flatMap(({ range }) => range ?? []), ...filtered];
}
