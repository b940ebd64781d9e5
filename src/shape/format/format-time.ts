import { UTCDateMini } from '@date-fns/utc/date/mini';
import { getISOWeek } from 'date-fns/getISOWeek';
import { getISOWeekYear } from 'date-fns/getISOWeekYear';
import { isMonday } from 'date-fns/isMonday';
import { day, type Granularity } from '../../ask/time/granularity.ts';
import { toDate } from '../../ask/time/calendar.ts';

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

const wholeDays = /^(\d{4,}-\d\d-\d\d)T00:00:00\.000 - (\d{4,}-\d\d-\d\d)T23:59:59\.999$/;

/** The days of a comparison's range, and its months if these are whole; undefined if a day of it is not whole. */
function readWholeDays(label: string) {
  const [, first, last] = wholeDays.exec(label) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const [start, end] = [new Date(startOf(first)), new Date(startOf(last) + day)];
  const months = 12 * (end.getUTCFullYear() - start.getUTCFullYear()) + end.getUTCMonth() - start.getUTCMonth();
  const isWhole = start.getUTCDate() === 1 && end.getUTCDate() === 1;
  return { first, last, days: (end.getTime() - start.getTime()) / day, months: isWhole ? months : undefined };
}

function startOf(date: string): number {
  const [year = 0, month = 0, dayOfMonth = 0] = date.split('-').map(Number);
  return toDate(year, month - 1, dayOfMonth);
}

/**
 * Formats the label of a comparison's range for people: `2024-03` for a whole month, `2024-03-08` for a day,
 * `2024-03-01 to 2024-03-14` for whole days, or else the first and last instant.
 */
export function formatComparison(label: string): string {
  const range = readWholeDays(label);
  if (!range) return label.replace(' - ', ' to ').replaceAll('T', ' ');
  const { first, last, months } = range;
  if (first === last) return first;
  return months === 1 ? first.slice(0, -'-01'.length) : `${first} to ${last}`;
}

/**
 * The lengths of the ranges of a comparison, such as `4 and 2 days`. undefined if they are equal, or equally many whole
 * months, or if a range is not of whole days.
 */
export function unequalLengths(labels: readonly string[]): string | undefined {
  const ranges = labels.flatMap((label) => readWholeDays(label) ?? []);
  const days = ranges.map((range) => range.days);
  const areMonths = ranges.every(({ months }) => months !== undefined && months === ranges[0]?.months);
  if (areMonths || ranges.length < labels.length || new Set(days).size < 2) return undefined;
  return `${days.slice(0, -1).join(', ')} and ${days.at(-1)} days`;
}
