import type { ActivityPeriod } from '../../ask/activity/retention.ts';
import { type Issue, errorIssue } from '../../ask/outcome.ts';
import { countBuckets, toBucketStart, toBuckets } from '../../ask/time/buckets.ts';
import type { Bucket, TimeRange } from '../../ask/time/range.ts';
import type { BoundDimension, Condition, Plan } from '../plan.ts';
import { askedDates } from './asked-dates.ts';
import type { ActiveUsers } from '../../ask/activity/lifecycle.ts';
import type { DefinitionTools } from '../analysis.ts';

/** The period in which activity is counted, and the number of periods if a query has no start. */
interface PeriodsWanted {
  readonly period: ActivityPeriod;
  readonly periods: number;
}

/** The number of periods if a file does not specify it. */
export const defaultPeriods = 11;

/**
 * The range of a plan on a computed cube. Without a start, it covers the wanted number of periods up to the one that
 * contains the end. Without an end, it ends at the present.
 */
export function askedRange(plan: Plan, { period, periods }: PeriodsWanted): TimeRange {
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

/** The most rows of an analysis; more are probably a mistake. */
const mostRows = 1_000_000;

/** Adds issues for a range that is empty, in the future, or too long. `rows`: rows per period. */
export function checkRange(plan: Plan, wanted: PeriodsWanted, rows: number, issues: Issue[]): void {
  const range = askedRange(plan, wanted);
  if (checkSpan(plan, range, wanted.period, issues) && countBuckets(range, wanted.period, plan.zone) * rows > mostRows)
    issues.push(
      errorIssue(
        'analysis-too-large',
        `"${plan.root.name}" would have more than ${mostRows} rows, by ${wanted.period}.`,
        {
          path: rangePath(plan),
          hint: 'Use a shorter range, or set a longer period or fewer periods in the file.',
        },
      ),
    );
}

/** True if the range is not empty and begins in the past; otherwise adds an issue. */
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

/** The path of the range in a query. */
export function rangePath({ times }: Plan): readonly (string | number)[] {
  return times.some(({ range }) => range) ? ['timeDimensions', 0, 'dateRange'] : ['filters'];
}

/** The filters of an analysis of one kind of event. All conditions of a list must hold. */
export interface BoundActive {
  readonly active: readonly Condition[];
  readonly where: readonly Condition[];
  /** See `Followed`. */
  readonly follow: Omit<BoundDimension, 'column'> | undefined;
}

/** `key`: the key of the analysis in its file. */
export function bindActive({ active, where, follow }: ActiveUsers, tools: DefinitionTools, key: string): BoundActive {
  return {
    active: tools.bindFilters(active.where, [key, 'active', 'where']),
    where: tools.bindFilters(where, [key, 'where']),
    follow: follow === undefined ? undefined : tools.findDimension(follow, [key, 'follow']),
  };
}
