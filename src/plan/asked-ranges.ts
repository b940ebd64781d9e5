import type { DateRangeText } from '../ask/query/query.ts';
import { writeInstantLocal } from '../ask/time/local-time.ts';
import type { TimeContext, TimeRange } from '../ask/time/range.ts';
import { readDateRange } from '../ask/time/read-date-range.ts';
import type { Plan } from './plan.ts';

/** The time ranges of a plan: those of its times, and those of top-level filters. */
export function askedRanges({ times, query, now, zone, weekStart }: Plan): readonly TimeRange[] {
  const filtered = (query.filters ?? []).flatMap((filter) => {
    if (!('member' in filter) || filter.operator !== 'inDateRange') return [];
    const read = readDateRange(
      (filter.values ?? []).filter((value) => value !== null),
      { now, zone, weekStart },
    );
    return read.ok ? [read.value] : [];
  });
  return [...times.flatMap(({ range }) => range ?? []), ...filtered];
}

/**
 * First and last millisecond of a range as local wall times, as the load API returns it. In an empty range, the last
 * millisecond is before the first.
 */
export function writtenEnds(written: DateRangeText, context: TimeContext): readonly [string, string] | undefined {
  const isList = typeof written !== 'string';
  const first = readDateRange(isList ? written.slice(0, 1) : written, context);
  const last = isList ? readDateRange(written.slice(-1), context) : first;
  if (!first.ok || !last.ok) return undefined;
  const end = Math.max(last.value.start, last.value.end - 1);
  return [writeInstantLocal(first.value.start, context.zone), writeInstantLocal(end, context.zone)];
}
