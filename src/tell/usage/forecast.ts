import { addUnits, startOf } from '../../ask/time/calendar.ts';
import { day } from '../../ask/time/granularity.ts';
import { writeDay } from '../../ask/time/previous-range.ts';
import { toInstant, toLocal } from '../../ask/time/zone.ts';

/** The expected total of a month, based on past weeks. */
export interface Forecast {
  /** Whole events. */
  readonly expected: number;
  /** An 80% interval, if the site continues as before. */
  readonly low: number;
  readonly high: number;
}

/** A month in progress, by day. */
export interface MonthInProgress {
  /** Events by day: `2026-10-05`. Missing days had none. */
  readonly days: ReadonlyMap<string, number>;
  /** The month's first instant, epoch milliseconds. If omitted, `now` is within the month. */
  readonly start?: number | undefined;
  /** The first instant after it. */
  readonly end: number;
  /** Events of the month until now. */
  readonly soFar: number;
  /** Events are counted up to here; may be before the month. */
  readonly now: number;
  readonly zone: string;
}

/** Number of past days to consider: older ones tell little about the current traffic. */
export const historyDays = 56;
/** Each weekday twice: with fewer days, one busy Monday would determine all Mondays. */
const fewestDays = 14;

/**
 * Adds to the events so far, for each remaining day, the mean of its weekday in past weeks. The interval covers 80 %.
 * It includes the variance of past days (proportional to the mean, because busy days vary more), the uncertainty of the
 * means, and the correlation of neighbouring days. Undefined if there are fewer than 14 whole past days, counted from
 * the first event.
 */
export function forecastMonth({
  days,
  start = -Infinity,
  end,
  soFar,
  now,
  zone,
}: MonthInProgress): Forecast | undefined {
  const today = startOf(toLocal(now, zone), 'day');
  const past = historyOf(days, today);
  if (past.length < fewestDays) return undefined;
  const weekdays = Array.from({ length: 7 }, (_, weekday) =>
    past.filter((each) => weekdayOf(each.local) === weekday).map(({ events }) => events),
  );
  const means = weekdays.map((events) => events.reduce((sum, value) => sum + value, 0) / Math.max(1, events.length));
  const residuals = past.map(({ local, events }) => {
    const mean = means[weekdayOf(local)]!;
    return (events - mean) / Math.sqrt(Math.max(mean, 1));
  });
  // Each weekday costs a degree of freedom.
  const freedom = past.length - 7;
  const dispersion = residuals.reduce((sum, residual) => sum + residual ** 2, 0) / freedom;
  const left = daysLeft(today, { start, end, now, zone });
  const expected = left.reduce((sum, { weekday, share }) => sum + share * means[weekday]!, 0);
  const ofDays = left.reduce((sum, { weekday, share }) => sum + share * Math.max(means[weekday]!, 1), 0);
  const ofMeans = weekdays.reduce((sum, { length }, weekday) => {
    const times = left.filter((each) => each.weekday === weekday).reduce((shares, { share }) => shares + share, 0);
    return sum + (times ** 2 * Math.max(means[weekday]!, 1)) / Math.max(1, length);
  }, 0);
  const spread =
    Math.sqrt(dispersion * (ofDays + ofMeans) * correlationFactor(residuals, left.length)) * quantile(freedom);
  return {
    expected: Math.round(soFar + expected),
    low: Math.floor(soFar + Math.max(0, expected - spread)),
    high: Math.ceil(soFar + expected + spread),
  };
}

/** Whole days before today, starting with the first one that has events. */
function historyOf(
  days: ReadonlyMap<string, number>,
  today: number,
): readonly { readonly local: number; readonly events: number }[] {
  const all = Array.from({ length: historyDays }, (_, index) => today - (historyDays - index) * day).map((local) => ({
    local,
    events: days.get(writeDay(local)) ?? 0,
  }));
  const first = all.findIndex(({ events }) => events > 0);
  return first === -1 ? [] : all.slice(first);
}

/** The rest of today, and the later days of the month. */
function daysLeft(
  today: number,
  { start, end, now, zone }: Required<Pick<MonthInProgress, 'end' | 'now' | 'zone'>> & { readonly start: number },
): readonly { readonly weekday: number; readonly share: number }[] {
  const left: { weekday: number; share: number }[] = [];
  for (let local = today; toInstant(local, zone, 'first') < end; local = addUnits(local, 'day', 1)) {
    const [from, to] = [toInstant(local, zone, 'first'), toInstant(addUnits(local, 'day', 1), zone, 'first')];
    const share = local === today ? (to - now) / (to - from) : 1;
    if (share > 0 && from >= start) left.push({ weekday: weekdayOf(local), share });
  }
  return left;
}

/** 0 is Thursday, the weekday of 1970-01-01. Only equality of weekdays matters. */
function weekdayOf(local: number): number {
  return ((Math.floor(local / day) % 7) + 7) % 7;
}

/**
 * The factor by which correlation increases the variance of a sum of days, if neighbours correlate as in the past
 * (first-order autoregression); 1 without correlation. The means of few weeks hide some correlation, which is added
 * back.
 */
function correlationFactor(residuals: readonly number[], count: number): number {
  const squares = residuals.reduce((sum, value) => sum + value ** 2, 0);
  if (squares === 0 || count < 2) return 1;
  const products = residuals.slice(1).reduce((sum, value, index) => sum + value * residuals[index]!, 0);
  const alike = Math.min(0.9, Math.max(0, products / squares + 4 / residuals.length));
  return 1 + (2 * alike * (1 - (1 - alike ** count) / (count * (1 - alike)))) / (1 - alike);
}

/** 90th percentile of Student's t, by its expansion around the normal one. Source: Abramowitz and Stegun, 26.7.5. */
function quantile(freedom: number): number {
  const z = 1.2815515655446004;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}
