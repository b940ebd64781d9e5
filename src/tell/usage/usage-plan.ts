import { badWith, good, type Outcome } from '../../ask/outcome.ts';
import { startOf } from '../../ask/time/calendar.ts';
import { day } from '../../ask/time/granularity.ts';
import type { TimeContext, TimeRange } from '../../ask/time/range.ts';
import { toInstant, toLocal } from '../../ask/time/zone.ts';
import { historyDays } from './forecast.ts';
import { addMonths, type Month, monthOf, nameMonth, rangeOfMonth, readMonth } from './month.ts';

/** The months of a usage report. */
export interface UsagePlan {
  /** Oldest first. The reported month is last, or followed by the month in progress. */
  readonly months: readonly UsageMonth[];
  /** The month that is reported. */
  readonly reported: UsageMonth;
  /** The month in progress, if included. */
  readonly open: UsageMonth | undefined;
  /** The days to ask for: the months, and the history for a forecast. */
  readonly asked: TimeRange;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Canonical IANA name of the time zone. */
  readonly zone: string;
}

export interface UsageMonth {
  readonly month: Month;
  readonly range: TimeRange;
}

export interface UsageRequest {
  /** A month phrase (default: the last closed month). */
  readonly month?: string | undefined;
  /** Number of months, including the reported one (default: 6). */
  readonly months?: number | undefined;
}

/** Half a year shows the trend and fits on a screen. */
const usualMonths = 6;

/**
 * The months of a report. The last closed month is followed by the month in progress, as on the platform's usage page.
 * Issues: `invalid-month`, `month-in-future`.
 */
export function planUsage({ month, months = usualMonths }: UsageRequest, time: TimeContext): Outcome<UsagePlan> {
  const { now, zone } = time;
  const present = monthOf(now, zone);
  const read = month === undefined ? good(addMonths(present, -1)) : readMonth(month, time);
  if (!read.ok) return read;
  if (read.value > present)
    return badWith(
      'month-in-future',
      `${nameMonth(read.value)} has not begun: the current month is ${nameMonth(present)}.`,
      { hint: 'Specify an earlier month, or another reference time with `--as-of`.' },
    );
  const shown = Array.from({ length: months }, (_, index) => addMonths(read.value, index + 1 - months));
  const withPresent = read.value === addMonths(present, -1) ? [...shown, present] : shown;
  const all = withPresent.map((each) => ({ month: each, range: rangeOfMonth(each, zone) }));
  const reported = all[months - 1]!;
  const open = all.find((each) => each.month === present);
  const first = all[0]!.range.start;
  const today = startOf(toLocal(now, zone), 'day');
  const history = toInstant(today - historyDays * day, zone, 'first');
  // Ignore events in the future: their clock was wrong.
  const asked = open ? { start: Math.min(first, history), end: now } : { start: first, end: all.at(-1)!.range.end };
  return good({ months: all, reported, open, asked, now, zone });
}
