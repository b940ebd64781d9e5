import { granularities, type Granularity } from '../time/granularity.ts';
import { previousRange, rangeBefore, sameWeekdays, writeRange, yearBefore } from '../time/previous-range.ts';
import type { TimeContext, TimeRange } from '../time/range.ts';
import { readDateRange } from '../time/read-date-range.ts';
import type { DateRangeText } from './query.ts';

const toDate = new RegExp(`^\\s*(${granularities.join('|')})s?\\s+to\\s+date\\s*$`, 'i');

const shiftUnits: Readonly<Record<string, Granularity>> = {
  h: 'hour',
  d: 'day',
  w: 'week',
  m: 'month',
  q: 'quarter',
  y: 'year',
};

/** Matches relative ranges: `previous`, `-1y`, `a year before`, each with or without `by weekday`. */
const relative = /^(?:(previous(?:\s+period)?)|(a year before)|-(\d{1,4})([hdwmqy]))(\s+by\s+weekdays?)?$/;

/** Whether a text is an earlier range that depends on another range: `previous`, `-1y`, `-1y by weekday`. */
export function isRelativeRange(text: string): boolean {
  return relative.test(text.trim().toLowerCase());
}

/**
 * The range to compare a range with, in the form of a query:
 *
 * - `previous`: the period before. For *month to date*, the same days of the previous month.
 * - `-1y`, `-2w`: the same period, shifted back (h, d, w, m for months, q, y).
 * - `by weekday` after one of these: shifted so that both ranges begin on the same weekday, with equal length.
 *   `previous by weekday` ends at the start of the range or earlier.
 * - `previous 7 days`, `previous month`: counted back from the range, and not from the present.
 * - `a year before`: the same period of the previous year.
 *
 * Any other text is returned unchanged. Undefined if the range itself cannot be read.
 */
export function earlierRange(
  written: DateRangeText,
  other: DateRangeText,
  context: TimeContext,
): DateRangeText | undefined {
  const preference = typeof other === 'string' ? other.trim().toLowerCase() : undefined;
  const match = preference === undefined ? undefined : relative.exec(preference);
  if (preference === undefined || !(match || /^previous\b/.test(preference))) return other;
  const read = readDateRange(written, context);
  if (!read.ok) return undefined;
  const { zone } = context;
  if (!match) {
    const counted = readDateRange(preference, { ...context, now: read.value.start });
    return counted.ok ? writeRange(counted.value, zone) : other;
  }
  const [, previous, , amount, letter, byWeekday] = match;
  const unit = shiftUnits[letter ?? ''];
  const shifted = unit && rangeBefore(read.value, unit, Number(amount), zone);
  const plain = shifted ?? (previous ? stretchBefore(read.value, written, zone) : yearBefore(read.value, zone));
  return writeRange(byWeekday ? sameWeekdays(read.value, plain, zone, previous !== undefined) : plain, zone);
}

function stretchBefore(range: TimeRange, written: DateRangeText, zone: string): TimeRange {
  const unit = typeof written === 'string' ? toDate.exec(written)?.[1] : undefined;
  if (unit === undefined) return previousRange(range, zone);
  const before = rangeBefore(range, unit.toLowerCase() as Granularity, 1, zone);
  // The previous month may be shorter.
  return { start: before.start, end: Math.min(before.end, range.start) };
}
