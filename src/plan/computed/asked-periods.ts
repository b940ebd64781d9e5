import type { ActivityPeriod } from '../../ask/activity/retention.ts';
import { type Issue, errorIssue } from '../../ask/outcome.ts';
import { countBuckets, toBucketStart, toBuckets } from '../../ask/time/buckets.ts';
import type { Bucket, TimeRange } from '../../ask/time/range.ts';
import type { Condition, Plan } from '../plan.ts';
import { askedDates } from './asked-dates.ts';
import type { Filter } from '../../ask/query/query.ts';
import type { DefinitionTools } from '../analysis.ts';

/** In what periods activity is counted, and how many there are if a query does not say from when. */
interface PeriodsWanted {
  readonly period: ActivityPeriod;
  readonly periods: number;
}

/** Where a file does not say how many. */
export const defaultPeriods = 11;

/**
 * The range of a plan on a computed cube. Without a start, so many periods, the last of which holds the end; without an
 * end, up to the present.
 */
function askedRange(plan: Plan, { period, periods }: PeriodsWanted): TimeRange {
  const { from, to = plan.now + 1 } = askedDates(plan);
  if (from !== undefined) return { start: from, end: to };
  let start = toBucketStart(to - 1, period, plan.zone, plan.weekStart);
  for (let back = 1; back < periods; back++) start = toBucketStart(start - 1, period, plan.zone, plan.weekStart);
  return { start, end: to };
}

/** The periods that the range touches and that have begun, whole, earliest first. */
export function askedPeriods(plan: Plan, wanted: PeriodsWanted): readonly Bucket[] {
  const range = askedRange(plan, wanted);
  const begun = { start: range.start, end: Math.min(range.end, plan.now + 1) };
  return toBuckets(begun, wanted.period, plan.zone, plan.weekStart);
}

/** Rows of an analysis: more than these are a mistake. */
const mostRows = 1_000_000;

/** Issues of a range that holds no time, lies in the future, or is too long. `rows`: of each period. */
export function checkRange(plan: Plan, wanted: PeriodsWanted, rows: number, issues: Issue[]): void {
  const range = askedRange(plan, wanted);
  if (checkSpan(plan, range, wanted.period, issues) && countBuckets(range, wanted.period, plan.zone) * rows > mostRows)
    issues.push(
      errorIssue(
        'analysis-too-large',
        `"${plan.root.name}" would have more than ${mostRows} rows, by ${wanted.period}.`,
        {
          path: rangePath(plan),
          hint: 'Ask for a shorter range, or set a longer period or fewer periods in the file.',
        },
      ),
    );
}

/** Whether a range holds some time, and begins in the past; if not, that is an issue. */
export function checkSpan(plan: Plan, range: TimeRange, period: ActivityPeriod, issues: Issue[]): boolean {
  const { name } = plan.root;
  const path = rangePath(plan);
  if (range.start > plan.now) {
    issues.push(
      errorIssue('range-in-future', `The range of "${name}" begins in the future.`, {
        path,
        hint: `Use a range in the past, such as "last 8 ${period}s".`,
      }),
    );
    return false;
  }
  if (range.start >= range.end) {
    issues.push(
      errorIssue('range-empty', `The range of "${name}" is empty: it ends before it begins.`, {
        path,
        hint: 'Give one range, with its first day first.',
      }),
    );
    return false;
  }
  return true;
}

/** Where the range stands in a query. */
export function rangePath({ times }: Plan): readonly (string | number)[] {
  return times.some(({ range }) => range) ? ['timeDimensions', 0, 'dateRange'] : ['filters'];
}

/** The filters of an analysis of one kind of event. All conditions of a list hold. */
export interface BoundActive {
  readonly active: readonly Condition[];
  readonly where: readonly Condition[];
}

/** `key`: that of the analysis in its file. */
export function bindActive(
  { active, where }: { readonly active: { readonly where: readonly Filter[] }; readonly where: readonly Filter[] },
  tools: DefinitionTools,
  key: string,
): BoundActive {
  return {
    active: tools.bindFilters(active.where, [key, 'active', 'where']),
    where: tools.bindFilters(where, [key, 'where']),
  };
}
