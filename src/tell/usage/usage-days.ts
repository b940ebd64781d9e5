import type { Query } from '../../ask/query/query.ts';
import { usualTimeMember } from '../../ask/query/member-name.ts';
import { addUnits, toDate } from '../../ask/time/calendar.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { writeRange } from '../../ask/time/previous-range.ts';
import { toInstant } from '../../ask/time/zone.ts';
import type { Value } from '../../plan/column.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import { toSteadyProvenance } from '../../shape/result/provenance.ts';
import type { Result } from '../../shape/result/result.ts';
import { nameMonth } from './month.ts';
import { isLost } from '../../shape/data-extent.ts';
import type { UsageMonth, UsagePlan } from './usage-plan.ts';
import type { DataCoverage, ProjectAnswer, Usage } from './usage.ts';

/** The cube of events. */
export const eventsCube = 'TrackedEvents';
const count = `${eventsCube}.count`;

/**
 * The question for each project: its events by day. `time`: full name of the time dimension, if it is not the default.
 */
export function usageQuery({ asked, zone }: UsagePlan, time: string = usualTimeMember(eventsCube)): Query {
  return {
    measures: [count],
    timeDimensions: [{ dimension: time, granularity: 'day', dateRange: [...writeRange(asked, zone)] }],
    timezone: zone,
  };
}

/**
 * Reads the answer, with or without days that have no events. A null count means that the project has not been
 * onboarded.
 */
export function toProjectAnswer(result: Result): ProjectAnswer {
  const days = readDays(result);
  if (result.rowCount > 0 && days.size === 0) return { state: 'not-onboarded' };
  return {
    state: 'counted',
    days,
    provenance: toSteadyProvenance(result.provenance),
    refreshed: result.provenance.refreshed,
  };
}

/** The latest day with events in the answer; null if there is none. */
export function lastDayOf(result: Result): string | null {
  return (
    [...readDays(result)]
      .flatMap(([label, events]) => (Number(events) > 0 ? label : []))
      .sort()
      .at(-1) ?? null
  );
}

function readDays(result: Result): ReadonlyMap<string, Value> {
  const days = new Map<string, Value>();
  const axis = result.columns.find(({ kind }) => kind === 'time');
  const labels = axis ? result.values(axis.key) : [];
  const counts = result.values(count);
  for (let row = 0; row < result.rowCount; row++) {
    const events = counts[row] ?? null;
    if (events !== null) days.set(String(labels[row]).slice(0, 10), events);
  }
  return days;
}

/**
 * True if the data ends before the reported month, so its sums are partial. Local events must reach the month's last
 * day; a server must have computed its figures after the month's end.
 */
export function isStale({ reported, open, zone }: UsagePlan, { lastDay, refreshed }: DataCoverage): boolean {
  if (reported === open) return false;
  if (refreshed !== undefined && Date.parse(refreshed) < reported.range.end) return true;
  return lastDay !== undefined && (lastDay ?? '') < dayOf(reported.range.end - 1, zone);
}

/**
 * True if the data is known to continue after the reported month: later events exist, or the server has seen its end.
 */
export function coversReported(plan: UsagePlan, { lastDay, refreshed }: DataCoverage): boolean {
  const { reported, zone } = plan;
  if (lastDay === undefined) return !isStale(plan, { refreshed });
  return lastDay !== null && lastDay >= dayOf(reported.range.end, zone) && !isStale(plan, { refreshed });
}

/** True if the first event that there is came after the reported month. */
export function isBeforeEvents({ reported }: UsagePlan, { earliest }: DataCoverage): boolean {
  return earliest !== undefined && Date.parse(earliest) >= reported.range.end;
}

/** True if the store lacks events of a month, so that its sum is too low. */
export function lacksEvents({ lost }: DataCoverage, month: UsageMonth | undefined): boolean {
  return month !== undefined && isLost({ lost }, month.range);
}

/** The end of counting in the month in progress: the reference time, or the end of the data if that is earlier. */
export function countedUntil({ now, zone }: UsagePlan, { lastDay, refreshed }: DataCoverage): number {
  const ofServer = refreshed === undefined ? now : Date.parse(refreshed);
  return Math.min(now, ofServer, typeof lastDay === 'string' ? endOfDay(lastDay, zone) : now);
}

/** The alert that the data ends before the reported month. */
export function describeStale({ plan, coverage }: Pick<Usage, 'plan' | 'coverage'>): readonly string[] {
  if (!isStale(plan, coverage)) return [];
  const part = coverage.lastDay === null ? '' : ' It counts as part of a month, and is not compared.';
  return [`${describeDataEnd(plan, coverage)}: ${nameMonth(plan.reported.month)} may be incomplete.${part}`];
}

/** `The latest available events are from 2026-10-29`. */
export function describeDataEnd({ reported, asked, zone }: UsagePlan, { lastDay, refreshed }: DataCoverage): string {
  if (refreshed !== undefined && Date.parse(refreshed) < reported.range.end) {
    return `The server computed its figures at ${formatTime(writeInstantLocal(Date.parse(refreshed), zone), 'minute')}`;
  }
  return typeof lastDay === 'string'
    ? `The latest available events are from ${lastDay}`
    : `No events from ${dayOf(asked.start, zone)} on are available`;
}

function dayOf(instant: number, zone: string): string {
  return writeInstantLocal(instant, zone).slice(0, 10);
}

function endOfDay(label: string, zone: string): number {
  const [year = 0, month = 1, date = 1] = label.split('-').map(Number);
  return toInstant(addUnits(toDate(year, month - 1, date), 'day', 1), zone, 'first');
}
