import { type Outcome, bad, errorIssue, good } from '../outcome.ts';
import { toBucketEnd, toBucketStart, toUnitStart } from './buckets.ts';
import { addUnits, fixedLength, toDate } from './calendar.ts';
import { type Granularity, type ShortUnit, isCalendarUnit } from './granularity.ts';
import type { TimeContext, TimeRange } from './range.ts';
import { toInstant } from './zone.ts';
import { plural } from '../plural.ts';

/** How many units a phrase may count. */
const mostUnits = 1_000_000;

const firstYear = toDate(1, 0, 1);
const lastYearEnd = toDate(10_000, 0, 1);

/**
 * `count` whole units, the first of which lies `from` units after the present one (before it where negative).
 * Issues: `invalid-count` where the phrase's own number is 0 or above a million, `range-out-of-reach` beyond the years 0001 to 9999.
 */
export function readUnits(number: number, from: number, count: number, unit: Granularity, context: TimeContext): Outcome<TimeRange> {
  return counted(number, unit, () => [toBoundary(from, unit, context), toBoundary(from + count, unit, context)]);
}

/**
 * The day that lies so many units before the present one (`direction` -1) or after it, as Cube reads `1 month ago`: on 13 March the
 * 13 February. Of hours and shorter units, that whole unit. Issues: as `readUnits`.
 */
export function readDistance(number: number, direction: -1 | 1, unit: Granularity, context: TimeContext): Outcome<TimeRange> {
  if (!isCalendarUnit(unit)) return readUnits(number, direction * number, 1, unit, context);
  return counted(number, unit, () => {
    const day = addUnits(toUnitStart(context.now, 'day', context.zone), unit, direction * number);
    return [day, addUnits(day, 'day', 1)].map((local) => (within(local) === undefined ? undefined : toInstant(local, context.zone, 'first')));
  });
}

function counted(number: number, unit: Granularity, toEnds: () => readonly (number | undefined)[]): Outcome<TimeRange> {
  if (number < 1 || number > mostUnits) {
    const hint = number < 1 ? `Did you mean "${unit === 'day' ? 'today' : `this ${unit}`}"?` : undefined;
    return bad([errorIssue('invalid-count', `A number of ${unit}s runs from 1 to ${mostUnits}.`, { hint })]);
  }
  const [start, end] = toEnds();
  if (start !== undefined && end !== undefined) return good({ start, end });
  return bad([errorIssue('range-out-of-reach', `${number} ${plural(number, unit)} ${plural(number, 'leads', 'lead')} out of the years 0001 to 9999.`)]);
}

/** The instant at which the unit begins that lies n units after the present one. */
function toBoundary(n: number, unit: Granularity, context: TimeContext): number | undefined {
  if (!isCalendarUnit(unit)) return within(toShortBoundary(n, unit, context));
  const local = within(addUnits(toUnitStart(context.now, unit, context.zone, context.weekStart), unit, n));
  return local === undefined ? undefined : toInstant(local, context.zone, 'first');
}

/** Elapsed time, rounded down to a bucket where the clock changed by less than an hour in between. */
function toShortBoundary(n: number, unit: ShortUnit, { now, zone }: TimeContext): number {
  const length = fixedLength(unit);
  const near = n <= 0 ? toBucketStart(now, unit, zone) + n * length : toBucketEnd(now, unit, zone) + (n - 1) * length;
  return toBucketStart(near, unit, zone);
}

function within(time: number): number | undefined {
  return time >= firstYear && time <= lastYearEnd ? time : undefined;
}
