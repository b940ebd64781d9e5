import { errorIssue, type Issue } from '../../ask/outcome.ts';
import type { Filter, FilterValue } from '../../ask/query/query.ts';
import { day } from '../../ask/time/granularity.ts';
import { writeLocal } from '../../ask/time/local-time.ts';
import type { WireRow } from './envelope-data.ts';

interface WireFillQuery {
  readonly measures?: readonly string[] | undefined;
  readonly filters?: readonly Filter[] | undefined;
  readonly timeDimensions?:
    | readonly { readonly dimension: string; readonly granularity?: string | undefined }[]
    | undefined;
}

/** The most days to fill: a hundred years. */
const mostDays = 36_600;

/**
 * The platform's own fill, exactly: for each top-level `inDateRange` filter with two dates, appends the days in it that
 * no row of the answer has, in ascending order. Each measure is '0', and other dimensions are absent. This happens only
 * if the first row has the member's day, or if there are no rows and the query asks for days. Other granularities and
 * totals stay unchanged, and the limit is ignored. Source: the platform's transformation of load answers; for empty
 * answers, its API documentation.
 */
export function fillOnWire(rows: readonly WireRow[], query: WireFillQuery): readonly WireRow[] {
  const measures = query.measures ?? [];
  const [first] = rows;
  if (measures.length === 0) return rows;
  const hasDays = (member: string) =>
    first
      ? Object.hasOwn(first, `${member}.day`)
      : (query.timeDimensions ?? []).some(
          ({ dimension, granularity }) => dimension === member && granularity === 'day',
        );
  let filled = rows;
  for (const { member, start, end } of rangesOf(query)) {
    if (!hasDays(member)) continue;
    const present = new Set(rows.map((row) => row[member]));
    const zeros = Object.fromEntries(measures.map((measure) => [measure, '0']));
    const added: WireRow[] = [];
    for (let at = start; at <= end; at += day) {
      const date = writeLocal(at);
      if (!present.has(date)) added.push({ [`${member}.day`]: date, [member]: date, ...zeros });
    }
    filled = [...filled, ...added];
  }
  return filled;
}

/** Whether this fill may append days to an answer to the query. */
export function fillsOnWire({ filters = [] }: WireFillQuery): boolean {
  return filters.some((filter) => 'member' in filter && filter.operator === 'inDateRange');
}

interface DayRange {
  readonly member: string;
  readonly start: number;
  readonly end: number;
}

function rangesOf({ filters = [] }: WireFillQuery): readonly DayRange[] {
  return filters.flatMap((filter) => {
    if (!('member' in filter) || filter.operator !== 'inDateRange') return [];
    const [start, end] = (filter.values ?? []).map(toDay);
    return start === undefined || end === undefined ? [] : [{ member: filter.member, start, end }];
  });
}

/** The issue with a query whose ranges have too many days to fill. */
export function tooManyDays(query: WireFillQuery): Issue | undefined {
  const days = rangesOf(query).reduce((sum, { start, end }) => sum + Math.max(0, (end - start) / day + 1), 0);
  return days <= mostDays
    ? undefined
    : errorIssue(
        'too-many-days',
        `The ranges of "inDateRange" cover more than ${mostDays} days, and every day would be filled.`,
        {
          path: ['filters'],
          hint: 'Use a shorter range, or put it in "dateRange".',
        },
      );
}

/** The date of a written time, without its clock; undefined if it is no date. */
function toDay(value: FilterValue): number | undefined {
  const date = /^\s*(\d{4}-\d\d-\d\d)/.exec(String(value))?.[1];
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : at;
}
