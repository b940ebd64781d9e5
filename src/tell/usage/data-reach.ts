import { addUnits, toDate } from '../../ask/time/calendar.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { toInstant } from '../../ask/time/zone.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import { nameMonth } from './month.ts';
import type { UsagePlan } from './usage-plan.ts';
import type { DataReach, Usage } from './usage.ts';

/**
 * The data end before the reported month does, so that its sums are those of a part. Events at hand must go on to the
 * month's last day; figures of a server must have been computed after its end.
 */
export function isStale({ reported, open, zone }: UsagePlan, { lastDay, refreshed }: DataReach): boolean {
  if (reported === open) return false;
  if (refreshed !== undefined && Date.parse(refreshed) < reported.range.end) return true;
  return typeof lastDay === 'string' && lastDay < dayOf(reported.range.end - 1, zone);
}

/** The data are known to go on beyond the reported month: later events are there, or the server has seen its end. */
export function coversReported(plan: UsagePlan, { lastDay, refreshed }: DataReach): boolean {
  const { reported, zone } = plan;
  if (lastDay === undefined) return !isStale(plan, { refreshed });
  return lastDay !== null && lastDay >= dayOf(reported.range.end, zone) && !isStale(plan, { refreshed });
}

/** Until when the month in progress is counted: the present, or the end of the data where that is earlier. */
export function countedUntil({ now, zone }: UsagePlan, { lastDay, refreshed }: DataReach): number {
  const ofServer = refreshed === undefined ? now : Date.parse(refreshed);
  return Math.min(now, ofServer, typeof lastDay === 'string' ? endOfDay(lastDay, zone) : now);
}

/** What a reader must know before the figures: that the data end before the reported month does. */
export function tellStale({ plan, reach }: Pick<Usage, 'plan' | 'reach'>): readonly string[] {
  if (!isStale(plan, reach)) return [];
  const month = nameMonth(plan.reported.month);
  return [`${tellEnd(plan, reach)}: ${month} may lack its end. It is counted as a part of a month, and not compared.`];
}

/** `The latest events at hand are of 2026-10-29`. */
export function tellEnd({ reported, zone }: UsagePlan, { lastDay, refreshed }: DataReach): string {
  if (refreshed !== undefined && Date.parse(refreshed) < reported.range.end) {
    return `The server computed its figures at ${formatTime(writeInstantLocal(Date.parse(refreshed), zone), 'minute')}`;
  }
  return typeof lastDay === 'string' ? `The latest events at hand are of ${lastDay}` : 'There are no events at hand';
}

function dayOf(instant: number, zone: string): string {
  return writeInstantLocal(instant, zone).slice(0, 10);
}

function endOfDay(label: string, zone: string): number {
  const [year = 0, month = 1, date = 1] = label.split('-').map(Number);
  return toInstant(addUnits(toDate(year, month - 1, date), 'day', 1), zone, 'first');
}
