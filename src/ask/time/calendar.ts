import { UTCDateMini } from '@date-fns/utc/date/mini';
import { addMonths } from 'date-fns/addMonths';
import { getISOWeekYear } from 'date-fns/getISOWeekYear';
import { setISOWeek } from 'date-fns/setISOWeek';
import { startOfISOWeek } from 'date-fns/startOfISOWeek';
import { startOfMonth } from 'date-fns/startOfMonth';
import { startOfQuarter } from 'date-fns/startOfQuarter';
import { startOfYear } from 'date-fns/startOfYear';
import { invariant } from '../invariant.ts';
import { type BucketGrid, type BucketSize, day, type Granularity, hour, minute, second } from './granularity.ts';
import { type Weekday, weekdays } from './range.ts';

/**
 * All functions here compute with wall clocks: epoch ms as if the clock were at UTC, in the proleptic Gregorian
 * calendar, without zones and clock changes. date-fns gets UTC dates, so the machine's zone does not matter.
 */

const fixedLengths = { second, minute, hour, day, week: 7 * day } as const;
const monthsOf = { month: 1, quarter: 3, year: 12 } as const;
const startsOf = { month: startOfMonth, quarter: startOfQuarter, year: startOfYear } as const;

function hasFixedLength(granularity: Granularity): granularity is keyof typeof fixedLengths {
  return granularity in fixedLengths;
}

/** Length in ms of a unit that is always equally long on the clock. */
export function fixedLength(granularity: keyof typeof fixedLengths): number {
  return fixedLengths[granularity];
}

/** Wall time at which the bucket that contains `local` begins. */
export function startOf(local: number, granularity: BucketSize, weekStart: Weekday = 'monday'): number {
  if (typeof granularity !== 'string') {
    const grid = gridOf(granularity);
    return startAt(grid, placeOnGrid(local, grid));
  }
  if (granularity === 'week') {
    const dayNumber = Math.floor(local / day);
    return (dayNumber - modulo(dayNumber + thursday - weekdays.indexOf(weekStart), 7)) * day;
  }
  if (hasFixedLength(granularity)) {
    const length = fixedLengths[granularity];
    return Math.floor(local / length) * length;
  }
  return startsOf[granularity](new UTCDateMini(local)).getTime();
}

/** 1970-01-01 was a Thursday. */
const thursday = weekdays.indexOf('thursday');

/** `local` moved by n units. If the new month is too short for the day, the result is its last day. */
export function addUnits(local: number, granularity: Granularity, n: number): number {
  if (hasFixedLength(granularity)) return local + n * fixedLengths[granularity];
  return addMonths(new UTCDateMini(local), n * monthsOf[granularity]).getTime();
}

/** The start of the bucket n buckets later; `local` is the start of a bucket. */
export function addBuckets(local: number, size: BucketSize, n: number): number {
  if (typeof size === 'string') return addUnits(local, size, n);
  const grid = gridOf(size);
  return startAt(grid, placeOnGrid(local, grid) + n);
}

function gridOf({ name, grid }: Exclude<BucketSize, string>): BucketGrid {
  invariant(grid, `only an engine knows where the buckets of ${name} begin`);
  return grid;
}

function startAt({ origin, step, offset }: BucketGrid, place: number): number {
  const month = step.months === 0 ? origin : addUnits(origin, 'month', step.months * place);
  return month + step.length * place + offset;
}

/** Mean length of a month in the Gregorian calendar. */
const meanMonth = 365.2425 * (day / 12);

/** The mean length of the grid's buckets. */
export function meanLength({ step }: BucketGrid): number {
  return step.months * meanMonth + step.length;
}

/** The number of the bucket that contains `local`. The mean length only estimates it, so it is then corrected. */
function placeOnGrid(local: number, grid: BucketGrid): number {
  let place = Math.floor((local - startAt(grid, 0)) / meanLength(grid));
  while (startAt(grid, place) > local) place -= 1;
  while (startAt(grid, place + 1) <= local) place += 1;
  return place;
}

/**
 * Wall time at which a day begins. The month counts from 0 and may be outside the year, as in `Date.UTC`. Years below
 * 100 are not mapped to the 20th century.
 */
export function toDate(year: number, month: number, dayOfMonth: number): number {
  return new Date(0).setUTCFullYear(year, month, dayOfMonth);
}

/** The month counts from 0 and may be outside the year. */
export function daysInMonth(year: number, month: number): number {
  return new Date(toDate(year, month + 1, 0)).getUTCDate();
}

/** Monday of the ISO 8601 week, or undefined if the year has no such week. */
export function toIsoWeek(year: number, week: number): number | undefined {
  // By definition, the first week contains 4 January.
  const start = startOfISOWeek(setISOWeek(new UTCDateMini(toDate(year, 0, 4)), week));
  return week >= 1 && getISOWeekYear(start) === year ? start.getTime() : undefined;
}

const monthNames: readonly string[] =
  'january february march april may june july august september october november december'.split(' ');

/** The English names of months, in full and as three letters, in lower case. */
export const monthWords: readonly string[] = [...monthNames, ...monthNames.map((name) => name.slice(0, 3))];

/** `05` for `May`; accepts full names and three letters. */
export function toMonthNumber(word: string): string | undefined {
  const index = monthWords.indexOf(word.toLowerCase());
  return index === -1 ? undefined : String((index % 12) + 1).padStart(2, '0');
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
