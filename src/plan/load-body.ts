import type {
  CanonicalFilter,
  CanonicalMemberFilter,
  CanonicalQuery,
  FilterOperator,
  OrderPair,
} from '../ask/query/query.ts';
import { type BucketSize, day, hour, isCalendarUnit, minute } from '../ask/time/granularity.ts';
import { writeInstantLocal } from '../ask/time/local-time.ts';
import type { TimeRange } from '../ask/time/range.ts';
import { readDateRange } from '../ask/time/read-date-range.ts';
import { offsetAt, transitions } from '../ask/time/zone.ts';
import type { Plan } from './plan.ts';

/** The body posted to the load endpoints of the platform and of Cube. */
export interface LoadBody {
  readonly query: CanonicalQuery;
  readonly queryType: 'multi';
}

/**
 * The plan as a load body. Ranges become first and last millisecond in the body's zone, because servers differ on `last
 * 7 days`, and some read `beforeOrOnDate` of a day as its midnight. The order includes all ties, so that pages are
 * stable. The body leaves out the response format, which the backend decides, and the column order, which only display
 * needs.
 */
export function toLoadBody(plan: Plan): LoadBody {
  const { timeDimensions, columns: _columns, filters, order: _order, responseFormat: _format, ...rest } = plan.query;
  const zone = wireZone(plan);
  const times = timeDimensions?.map((time) => {
    if (time.dateRange === undefined) return time;
    const range = readRange(time.dateRange, plan);
    return range ? { ...time, dateRange: wireRange(range, zone) } : time;
  });
  // Funnels are the only analysis that servers compute, and their dates are documented as filters.
  const dates = plan.computed
    ? (times ?? []).flatMap(({ dimension, dateRange }): CanonicalFilter[] =>
        dateRange === undefined ? [] : [{ member: dimension, operator: 'inDateRange', values: [dateRange].flat() }],
      )
    : [];
  const wired = [...(filters ?? []).map((filter) => wireFilter(filter, plan)), ...dates];
  const order = wireOrder(plan);
  return {
    queryType: 'multi',
    query: {
      ...rest,
      ...(times && !plan.computed && { timeDimensions: times }),
      ...((filters || dates.length > 0) && { filters: wired }),
      ...(order.length > 0 && { order }),
      limit: plan.limit,
      timezone: zone,
    },
  };
}

/**
 * The zone of the body's times and of the answer's labels. Labels have no offset, so two hours get the same name in the
 * night when the clock goes back. Therefore buckets shorter than a day are asked for in UTC, where they cover the same
 * time. The query's own zone is used if its offset is not a whole number of buckets, and for a model's own
 * granularities.
 */
export function wireZone(plan: Plan): string {
  const sizes = plan.times.flatMap(({ granularity }) => granularity ?? []);
  const isOwn = (size: BucketSize) => typeof size !== 'string' || isCalendarUnit(size);
  if (plan.zone === 'UTC' || sizes.length === 0 || sizes.some(isOwn)) return plan.zone;
  const range = plan.times.find((time) => time.granularity !== undefined)?.range ?? {
    start: Date.UTC(2000, 0, 1),
    end: plan.now + 366 * day,
  };
  const offsets = [
    offsetAt(plan.zone, range.start),
    ...transitions(plan.zone, range.start, range.end).map(({ offset }) => offset),
  ];
  const step = sizes.includes('hour') ? hour : minute;
  return offsets.every((offset) => offset % step === 0) ? 'UTC' : plan.zone;
}

/** A bucket is named by its member if the member has only one bucket. */
function wireOrder({ order, columns }: Plan): readonly OrderPair[] {
  return order.flatMap(({ column: index, descending }): OrderPair[] => {
    const column = columns[index];
    if (!column) return [];
    const alone = columns.filter(({ member }) => member === column.member).length === 1;
    return [[alone ? column.member : column.key, descending ? 'desc' : 'asc']];
  });
}

function wireFilter(filter: CanonicalFilter, plan: Plan): CanonicalFilter {
  if ('and' in filter) return { and: filter.and.map((part) => wireFilter(part, plan)) };
  if ('or' in filter) return { or: filter.or.map((part) => wireFilter(part, plan)) };
  return isTime(filter.member, plan) ? wireTimeFilter(filter, plan) : filter;
}

/**
 * Servers compare `equals` and similar operators with midnight, and not all support `onTheDate`. Every time filter
 * therefore becomes a range or an open end.
 */
function wireTimeFilter(filter: CanonicalMemberFilter, plan: Plan): CanonicalFilter {
  const { member, operator, values = [] } = filter;
  const texts = values.filter((value) => value !== null);
  const hasNull = texts.length < values.length;
  const test = (wireOperator: FilterOperator, wireValues: readonly string[]): CanonicalFilter => ({
    member,
    operator: wireOperator,
    values: wireValues,
  });
  const span = (text: string | readonly string[]) => {
    const range = readRange(text, plan);
    return range && wireRange(range, wireZone(plan));
  };
  const open = (wireOperator: FilterOperator, end: 0 | 1): CanonicalFilter => {
    const [text] = texts;
    const ends = text === undefined ? undefined : span(text);
    return ends ? test(wireOperator, [ends[end]]) : filter;
  };
  switch (operator) {
    case 'inDateRange':
    case 'notInDateRange': {
      const ends = span(texts);
      return ends ? test(operator, ends) : filter;
    }
    case 'equals':
    case 'in':
    case 'onTheDate': {
      const days = texts.map((text) => test('inDateRange', span(text) ?? [text]));
      // Also a single day: the platform fills the days of a range that stands alone (see `serverFillColumn`).
      return { or: hasNull ? [...days, { member, operator: 'notSet' }] : days };
    }
    case 'notEquals':
    case 'notIn': {
      if (texts.length === 0) return { member, operator: 'set' };
      const others = texts.map((text) => test('notInDateRange', span(text) ?? [text]));
      const none = others.length === 1 ? others[0]! : { and: others };
      return hasNull ? none : { or: [none, { member, operator: 'notSet' }] };
    }
    case 'beforeDate':
    case 'lt':
      return open('beforeDate', 0);
    case 'beforeOrOnDate':
    case 'lte':
      return open('beforeOrOnDate', 1);
    case 'afterDate':
    case 'gt':
      return open('afterDate', 1);
    case 'afterOrOnDate':
    case 'gte':
      return open('afterOrOnDate', 0);
    default:
      return filter;
  }
}

function isTime(member: string, plan: Plan): boolean {
  const [cubeName, name] = member.split('.');
  const cube = plan.model.cubes.find((candidate) => candidate.name === cubeName);
  return cube?.dimensions.find((candidate) => candidate.name === name)?.type === 'time';
}

function readRange(text: string | readonly string[], plan: Plan): TimeRange | undefined {
  const outcome = readDateRange(text, { now: plan.now, zone: plan.zone, weekStart: plan.weekStart });
  return outcome.ok ? outcome.value : undefined;
}

/** First and last millisecond. In an empty range the last is before the first, and servers answer with no rows. */
function wireRange(range: TimeRange, zone: string): readonly [string, string] {
  return [writeInstantLocal(range.start, zone), writeInstantLocal(range.end - 1, zone)];
}
