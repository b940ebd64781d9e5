import { addUnits } from '../time/calendar.ts';
import { granularities, type Granularity } from '../time/granularity.ts';
import { previousRange, writeRange, yearBefore } from '../time/previous-range.ts';
import type { TimeContext } from '../time/range.ts';
import { readDateRange } from '../time/read-date-range.ts';
import { toInstant, toLocal } from '../time/zone.ts';
import type { DateRangeText } from './query.ts';

const toDate = new RegExp(`^\\s*(${granularities.join('|')})s?\\s+to\\s+date\\s*$`, 'i');

/**
 * The range that a range is compared with, as a query writes it. `previous`: the stretch before; of *month to date* the
 * same days of the month before. `previous 7 days`, `previous month`: those before the range, not before the present.
 * `a year before`: the same stretch of that year. Anything else is a range of its own. Undefined where the range itself
 * cannot be read.
 */
export function earlierRange(
  written: DateRangeText,
  other: DateRangeText,
  context: TimeContext,
): DateRangeText | undefined {
  const preference = typeof other === 'string' ? other.trim().toLowerCase() : undefined;
  if (preference === undefined || !/^(?:previous\b|a year before$)/.test(preference)) return other;
  const read = readDateRange(written, context);
  if (!read.ok) return undefined;
  const { zone } = context;
  if (preference !== 'previous' && preference !== 'a year before') {
    const counted = readDateRange(preference, { ...context, now: read.value.start });
    return counted.ok ? writeRange(counted.value, zone) : other;
  }
  if (preference === 'a year before') return writeRange(yearBefore(read.value, zone), zone);
  const unit = typeof written === 'string' ? toDate.exec(written)?.[1] : undefined;
  if (unit === undefined) return writeRange(previousRange(read.value, zone), zone);
  const { start, end } = read.value;
  const before = (instant: number) =>
    toInstant(addUnits(toLocal(instant, zone), unit.toLowerCase() as Granularity, -1), zone, 'first');
  // The month before may be shorter.
  return writeRange({ start: before(start), end: Math.min(before(end), start) }, zone);
}
