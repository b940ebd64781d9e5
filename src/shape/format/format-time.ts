import { UTCDateMini } from '@date-fns/utc/date/mini';
import { getISOWeek } from 'date-fns/getISOWeek';
import { getISOWeekYear } from 'date-fns/getISOWeekYear';
import { isMonday } from 'date-fns/isMonday';
import type { Granularity } from '../../ask/time/granularity.ts';
import { daysInMonth } from '../../ask/time/calendar.ts';

const parts = /^(\d{4,}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d(?::\d\d)?)?$/;

/**
 * Formats a time for people, by the size of its bucket: `2024`, `2024-Q1`, `2024-03`, `2024-W10`, `2024-03-08`,
 * `2024-03-08 10:00`; without a bucket `2024-03-08 10:00:05.250`. An offset stays, except the `Z` of a bucket. Weeks
 * that do not begin on a Monday have no ISO number: `week of 2024-03-10`. Other text stays.
 */
export function formatTime(text: string, granularity?: Granularity): string {
  const match = parts.exec(text);
  if (!match) return text;
  const [, date = '', clock = '', seconds = '00', fraction = '', offset = ''] = match;
  switch (granularity) {
    case 'year':
      return date.slice(0, -6);
    case 'quarter':
      return `${date.slice(0, -6)}-Q${Math.ceil(Number(date.slice(-5, -3)) / 3)}`;
    case 'month':
      return date.slice(0, -3);
    case 'week':
      return formatWeek(date);
    case 'day':
      // Custom days of a model may begin at another hour.
      return clock === '00:00' && /^0*$/.test(seconds) ? date : `${date} ${clock}`;
    case 'hour':
    case 'minute':
      return `${date} ${clock}${offset === 'Z' ? '' : offset}`;
    case 'second':
      return `${date} ${clock}:${seconds}${offset === 'Z' ? '' : offset}`;
    case undefined:
      return `${date} ${clock}:${seconds}${/[1-9]/.test(fraction) ? fraction : ''}${offset}`;
  }
}

/** The ISO week of a Monday; its year is that of the week's Thursday. */
function formatWeek(date: string): string {
  const start = new UTCDateMini(`${date}T00:00:00Z`);
  if (!isMonday(start)) return `week of ${date}`;
  return `${getISOWeekYear(start)}-W${String(getISOWeek(start)).padStart(2, '0')}`;
}

/**
 * Formats milliseconds as a duration for people: `320 ms`, `4.2 s`, `2 min 05 s`, `1 h 03 min`, `3 d 04 h`; `–` for NaN
 * and infinite values.
 */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return '–';
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${Math.round(milliseconds / 100) / 10} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return pair(seconds, 60, 'min', 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return pair(minutes, 60, 'h', 'min');
  return pair(Math.round(minutes / 60), 24, 'd', 'h');
}

function pair(amount: number, size: number, large: string, small: string): string {
  return `${Math.floor(amount / size)} ${large} ${String(amount % size).padStart(2, '0')} ${small}`;
}

const wholeDays = /^(\d{4,}-\d\d)-(\d\d)T00:00:00\.000 - (\d{4,}-\d\d)-(\d\d)T23:59:59\.999$/;

/**
 * Formats the label of a comparison's range for people: `2024-03` for a whole month, `2024-03-08` for a day,
 * `2024-03-01 to 2024-03-14` for whole days, or else the first and last instant.
 */
export function formatComparison(label: string): string {
  const match = wholeDays.exec(label);
  if (!match) return label.replace(' - ', ' to ').replaceAll('T', ' ');
  const [, firstMonth = '', firstDay = '', lastMonth = '', lastDay = ''] = match;
  const [first, last] = [`${firstMonth}-${firstDay}`, `${lastMonth}-${lastDay}`];
  if (first === last) return first;
  return firstMonth === lastMonth && firstDay === '01' && Number(lastDay) === lengthOf(firstMonth)
    ? firstMonth
    : `${first} to ${last}`;
}

/** The lengths of the ranges of a comparison, if they differ other than those of months do: `4 and 2 days`. */
export function unequalLengths(labels: readonly string[]): string | undefined {
  const ranges = labels.map((label) => wholeDays.exec(label));
  const days = ranges.flatMap((found) =>
    found
      ? [(Date.parse(`${found[3]}-${found[4]}`) - Date.parse(`${found[1]}-${found[2]}`)) / (24 * 60 * 60 * 1000) + 1]
      : [],
  );
  const months = ranges.map((found) => {
    const [, first = '', firstDay, last = '', lastDay] = found ?? [];
    const isWhole = found && firstDay === '01' && Number(lastDay) === lengthOf(last);
    return isWhole ? monthNumber(last) - monthNumber(first) : undefined;
  });
  const areMonths = months[0] !== undefined && new Set(months).size === 1;
  if (areMonths || days.length < labels.length || new Set(days).size < 2) return undefined;
  return `${days.slice(0, -1).join(', ')} and ${days.at(-1)} days`;
}

function monthNumber(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return year * 12 + number;
}

function lengthOf(month: string): number {
  const [year, number] = month.split('-').map(Number);
  return daysInMonth(year!, number! - 1);
}
