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

/** Texts that mean an earlier range: `previous`, `-1y`, `a year before`, each with `by weekday` or without. */
const relative = /^(?:(previous(?:\s+period)?)|(a year before)|-(\d{1,4})([hdwmqy]))(\s+by\s+weekdays?)?$/;

/** Whether a text means an earlier range relative to another one: `previous`, `-1y`, `-1y by weekday`. */
export function isRelativeRange(text: string): boolean {
  return relative.test(text.trim().toLowerCase());
}

/**
 * The range that a range is compared with, as a query writes it. `previous`: the stretch before; of *month to date* the
 * same days of the month before. `-1y`, `-2w`: the same stretch by so much earlier (h, d, w, m for months, q, y).
 * `by weekday` behind these: as many days, moved so that both begin on the same weekday; `previous` still ends where
 * the range begins, or before. `previous 7 days`, `previous month`: those before the range, not before the present.
 * `a year before`: the same stretch of that year. Anything else is a range of its own. Undefined where the range itself
 * cannot be read.
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
  // The month before may be shorter.
  return { start: before.start, end: Math.min(before.end, range.start) };
}
