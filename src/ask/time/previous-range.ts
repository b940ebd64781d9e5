import { addUnits, startOf } from './calendar.ts';
import { day, type Granularity, isCalendarUnit } from './granularity.ts';
import { writeLocal, writeUtc } from './local-time.ts';
import type { TimeRange } from './range.ts';
import { toInstant, toLocalEdge } from './zone.ts';

/**
 * The period before a range, which ends at the range's start. Its length is the same number of months if the range is
 * whole months, the same number of days if the range ends at the clock time of its start, or else the same elapsed
 * time.
 */
export function previousRange({ start, end }: TimeRange, zone: string): TimeRange {
  const from = toLocalEdge(start, zone);
  const to = toLocalEdge(end, zone);
  const months = wholeMonths(from, to);
  if (months > 0) return { start: toInstant(addUnits(from, 'month', -months), zone, 'first'), end: start };
  const days = (to - from) / day;
  if (days > 0 && Number.isInteger(days))
    return { start: toInstant(addUnits(from, 'day', -days), zone, 'first'), end: start };
  return { start: start - (end - start), end: start };
}

/** The same period of the previous calendar year. 29 February becomes 28 February. */
export function yearBefore(range: TimeRange, zone: string): TimeRange {
  return rangeBefore(range, 'year', 1, zone);
}

/**
 * The range moved back by some units on the wall clock; hours and shorter units are elapsed time. Whole months stay
 * whole months. Of other whole days, the last one is moved: 30 March becomes the last day of February.
 */
export function rangeBefore({ start, end }: TimeRange, unit: Granularity, amount: number, zone: string): TimeRange {
  if (!isCalendarUnit(unit)) return { start: addUnits(start, unit, -amount), end: addUnits(end, unit, -amount) };
  const [from, to] = [toLocalEdge(start, zone), toLocalEdge(end, zone)];
  const lastDay = to > from && isDayStart(to) && wholeMonths(from, to) === 0 ? day : 0;
  const shift = (local: number) => addUnits(local, unit, -amount);
  return { start: toInstant(shift(from), zone, 'first'), end: toInstant(shift(to - lastDay) + lastDay, zone, 'first') };
}

/**
 * Moves `earlier` by less than a week, so that it begins on the weekday and at the clock time of `range`, and lasts as
 * long on the clock. If `before`, it moves back until it ends at the start of `range` or earlier; otherwise to the
 * nearest such day.
 */
export function sameWeekdays(range: TimeRange, earlier: TimeRange, zone: string, before: boolean): TimeRange {
  const [from, to] = [toLocalEdge(range.start, zone), toLocalEdge(range.end, zone)];
  const week = 7 * day;
  const weeks = (from - toLocalEdge(earlier.start, zone)) / week;
  const back = before ? Math.ceil((to - from) / week) : Math.round(weeks);
  const move = (local: number) => toInstant(local - back * week, zone, 'first');
  return { start: move(from), end: move(to) };
}

/**
 * A range as a query's `dateRange`: its first and last day if it is made of whole days, or else its first and last
 * millisecond in UTC.
 */
export function writeRange({ start, end }: TimeRange, zone: string): readonly [string, string] {
  const from = toLocalEdge(start, zone);
  const to = toLocalEdge(end, zone);
  if (isDayStart(from) && isDayStart(to) && to > from) return [writeDay(from), writeDay(to - day)];
  return [writeUtc(start), writeUtc(Math.max(start, end - 1))];
}

/** The day of a wall time. */
export function writeDay(local: number): string {
  return writeLocal(local).slice(0, 10);
}

/** The number of whole months between two wall times; 0 if one of them is not the start of a month. */
function wholeMonths(from: number, to: number): number {
  if (to <= from || startOf(from, 'month') !== from || startOf(to, 'month') !== to) return 0;
  const [first, last] = [new Date(from), new Date(to)];
  return (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth();
}

function isDayStart(local: number): boolean {
  return startOf(local, 'day') === local;
}
