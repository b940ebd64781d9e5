import { UTCDateMini } from '@date-fns/utc/date/mini';
import { format } from 'date-fns/format';
import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/text.ts';
import { addUnits, startOf, toDate } from '../../ask/time/calendar.ts';
import { writeLocal } from '../../ask/time/local-time.ts';
import type { TimeContext, TimeRange } from '../../ask/time/range.ts';
import { readDateRange } from '../../ask/time/read-date-range.ts';
import { toInstant, toLocal } from '../../ask/time/zone.ts';

/** A calendar month: `2026-10`. */
export type Month = string;

/** The month of an instant, on the zone's calendar. */
export function monthOf(instant: number, zone: string): Month {
  return writeLocal(toLocal(instant, zone)).slice(0, 7);
}

/** Adds months; `count` may be negative. */
export function addMonths(month: Month, count: number): Month {
  return writeLocal(addUnits(startOfMonth(month), 'month', count)).slice(0, 7);
}

/** From the month's first instant in the zone to that of the next month. */
export function rangeOfMonth(month: Month, zone: string): TimeRange {
  const start = startOfMonth(month);
  return { start: toInstant(start, zone, 'first'), end: toInstant(addUnits(start, 'month', 1), zone, 'first') };
}

/** `October 2026`; `short`, for narrow columns: `Oct 2026`. */
export function nameMonth(month: Month, length: 'long' | 'short' = 'long'): string {
  return format(new UTCDateMini(startOfMonth(month)), length === 'short' ? 'MMM yyyy' : 'MMMM yyyy');
}

/** Reads a month: `2026-10`, `last month`, `this month`. Issues: `invalid-month`, and those of `readDateRange`. */
export function readMonth(text: string, context: TimeContext): Outcome<Month> {
  const read = readDateRange(text, context);
  if (!read.ok) return read;
  const month = monthOf(read.value.start, context.zone);
  const { start, end } = rangeOfMonth(month, context.zone);
  if (read.value.start === start && read.value.end === end) return good(month);
  return badWith('invalid-month', `${quote(text)} is not one month.`, {
    hint: 'Write 2026-10, last month or this month.',
  });
}

function startOfMonth(month: Month): number {
  return startOf(toDate(Number(month.slice(0, 4)), Number(month.slice(5, 7)) - 1, 1), 'month');
}
