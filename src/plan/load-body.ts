import { dateOperators, type CanonicalFilter, type CanonicalMemberFilter, type CanonicalQuery, type FilterOperator } from '../ask/query/query.ts';
import { writeInstantLocal } from '../ask/time/local-time.ts';
import { readDateRange } from '../ask/time/read-date-range.ts';
import type { TimeRange } from '../ask/time/range.ts';
import type { Plan } from './plan.ts';

/** What is posted to the platform's and to Cube's load endpoint. */
export interface LoadBody {
  readonly query: CanonicalQuery;
  readonly queryType: 'multi';
}

/**
 * The plan as a load body. Phrases and bare days are written out as first and last millisecond in the query's zone:
 * servers differ in what they make of `last 7 days`, and some take `beforeOrOnDate` of a day for its midnight.
 */
export function toLoadBody(plan: Plan): LoadBody {
  const { timeDimensions, filters, ...rest } = plan.query;
  const times = timeDimensions?.map((time) => {
    if (time.dateRange === undefined) return time;
    const range = readRange(time.dateRange, plan);
    return range ? { ...time, dateRange: wireRange(range, plan.zone) } : time;
  });
  return {
    queryType: 'multi',
    query: {
      ...rest,
      ...(times && { timeDimensions: times }),
      ...(filters && { filters: filters.map((filter) => wireFilter(filter, plan)) }),
      limit: plan.limit,
      timezone: plan.zone,
    },
  };
}

function wireFilter(filter: CanonicalFilter, plan: Plan): CanonicalFilter {
  if ('and' in filter) return { and: filter.and.map((part) => wireFilter(part, plan)) };
  if ('or' in filter) return { or: filter.or.map((part) => wireFilter(part, plan)) };
  return { ...filter, ...wireValues(filter, plan) };
}

function wireValues(filter: CanonicalMemberFilter, plan: Plan): Pick<CanonicalMemberFilter, 'operator' | 'values'> {
  const texts = (filter.values ?? []).filter((value) => value !== null);
  const range = texts.length === 0 || !isDateOperator(filter.operator) ? undefined : readRange(texts, plan);
  if (!range) return filter;
  const [first, last] = wireRange(range, plan.zone);
  switch (filter.operator) {
    case 'inDateRange':
    case 'notInDateRange':
      return { operator: filter.operator, values: [first, last] };
    case 'onTheDate':
      // Not every server knows the operator.
      return { operator: 'inDateRange', values: [first, last] };
    case 'beforeDate':
    case 'afterOrOnDate':
      return { operator: filter.operator, values: [first] };
    case 'beforeOrOnDate':
    case 'afterDate':
      return { operator: filter.operator, values: [last] };
    default:
      return filter;
  }
}

function readRange(text: string | readonly string[], plan: Plan): TimeRange | undefined {
  const outcome = readDateRange(text, { now: plan.now, zone: plan.zone, weekStart: plan.weekStart });
  return outcome.ok ? outcome.value : undefined;
}

function wireRange(range: TimeRange, zone: string): readonly [string, string] {
  return [writeInstantLocal(range.start, zone), writeInstantLocal(Math.max(range.start, range.end - 1), zone)];
}

function isDateOperator(operator: FilterOperator): boolean {
  return (dateOperators as readonly FilterOperator[]).includes(operator);
}
