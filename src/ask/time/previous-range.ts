import { addUnits, startOf } from './calendar.ts';
import { day } from './granularity.ts';
import { writeLocal, writeUtc } from './local-time.ts';
import type { TimeRange } from './range.ts';
import { toInstant, toLocal } from './zone.ts';

/**
 * The stretch before a range: as many months for whole months, as many days where the range ends at the clock time
 * at which it begins,
 * else as much elapsed time. It ends where the range begins.
 */
export function previousRange({ start, end }: TimeRange, zone: string): TimeRange {
  const from = toLocal(start, zone);
  const to = toLocal(end, zone);
  const months = wholeMonths(from, to);
  if (months > 0) return { start: toInstant(addUnits(from, 'month', -months), zone, 'first'), end: start };
  const days = (to - from) / day;
  if (days > 0 && Number.isInteger(days))
    return { start: toInstant(addUnits(from, 'day', -days), zone, 'first'), end: start };
  return { start: start - (end - start), end: start };
}

/** The same stretch of the calendar year before. 29 February becomes 28 February. */
export function yearBefore({ start, end }: TimeRange, zone: string): TimeRange {
  const shift = (instant: number) => toInstant(addUnits(toLocal(instant, zone), 'year', -1), zone, 'first');
  return { start: shift(start), end: shift(end) };
}

/**
 * A range as a query's `dateRange`: first and last day where it is made of whole days, else first and last millisecond
 * in UTC.
 */
export function writeRange({ start, end }: TimeRange, zone: string): readonly [string, string] {
  const from = toLocal(start, zone);
  const to = toLocal(end, zone);
  if (isDayStart(from) && isDayStart(to) && to > from) return [writeDay(from), writeDay(to - day)];
  return [writeUtc(start), writeUtc(Math.max(start, end - 1))];
}

/** The day of a wall time. */
export function writeDay(local: number): string {
  return writeLocal(local).slice(0, 10);
}

/** How many whole months lie between two wall times that both begin one; 0 where they do not. */
export function wholeMonths(from: number, to: number): number {
  if (to <= from || startOf(from, 'month') !== from || startOf(to, 'month') !== to) return 0;
  const [first, last] = [new Date(from), new Date(to)];
  return (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth();
}

export function isDayStart(local: number): boolean {
  return startOf(local, 'day') === local;
}
