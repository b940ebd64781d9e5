import { badWith, good, type Outcome } from '../outcome.ts';
import { quote } from '../text.ts';
import { daysInMonth, toDate, toIsoWeek, toMonthNumber } from './calendar.ts';
import { hour, minute } from './granularity.ts';

/** A written date or time, before its zone is known. */
export interface WrittenTime {
  /** Wall time of its start, epoch ms as if UTC. */
  readonly local: number;
  /** The unit that the text names: a calendar unit, or one millisecond. */
  readonly unit: 'year' | 'quarter' | 'month' | 'week' | 'day' | 'millisecond';
  /** The written offset from UTC in ms; `Z` is 0. */
  readonly offset: number | undefined;
}

const yearPattern = /^(\d{4})$/;
const quarterPattern = /^(\d{4})-q(\d)$/i;
const monthPattern = /^(\d{4})-(\d\d)$/;
const weekPattern = /^(\d{4})-w(\d\d)$/i;
const monthFirst = /^([a-z]+)\.? (\d\d?)(?:st|nd|rd|th)?,? (\d{4})$/i;
const dayFirst = /^(\d\d?)(?:st|nd|rd|th)?\.? ([a-z]+)\.?,? (\d{4})$/i;
const monthOfYear = /^([a-z]+)\.?,? (\d{4})$/i;
const dayPattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const timePattern =
  /^(\d{4}-\d\d-\d\d)[t ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?(z|([+-])(\d\d):?(\d\d)(?::(\d\d))?)?$/i;

/**
 * Reads `YYYY`, `YYYY-Qq`, `YYYY-MM`, `YYYY-Www` (ISO 8601), `YYYY-MM-DD` and `YYYY-MM-DD[T ]HH:mm[:ss[.fff…]]` with
 * `Z` or `±HH:mm`, years 0001 to 9999, and in English `Jan 5, 2024` and `5 January 2024`. It does not read
 * `March 2024`, which is a month for people and its first day for Cube. Fractions finer than a millisecond are cut off.
 * Returns undefined for other text, and the issue `invalid-date` for a date that does not exist.
 */
export function readWrittenTime(text: string): Outcome<WrittenTime> | undefined {
  const time = timePattern.exec(text);
  const numbers = toNumbers(text);
  const date = readDate(time ? time[1]! : dayPattern.test(numbers) ? numbers : text);
  if (date === undefined) return undefined;
  const problem = date.problem ?? (time ? clockProblem(time) : undefined);
  if (problem !== undefined) {
    return badWith('invalid-date', `${quote(text)} is not a date: ${problem}.`, {
      hint: 'Write dates as YYYY-MM-DD and times as YYYY-MM-DDTHH:mm:ss.',
    });
  }
  if (!time) return good({ local: date.local, unit: date.unit, offset: undefined });
  const [, , hours, minutes, seconds = '0', fraction = ''] = time;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const local = date.local + Number(hours) * hour + Number(minutes) * minute + Number(seconds) * 1000 + milliseconds;
  return good({ local, unit: 'millisecond', offset: readOffset(time) });
}

/** Writes `Jan 5, 2024` as `2024-01-05` and `Jan 2024` as `2024-01`, without checking the day. Other text stays. */
export function toNumbers(text: string): string {
  const [, first = '', second = '', third] =
    monthFirst.exec(text) ?? dayFirst.exec(text) ?? monthOfYear.exec(text) ?? [];
  const month = toMonthNumber(first) ?? toMonthNumber(second);
  if (month === undefined) return text;
  if (third === undefined) return `${second}-${month}`;
  return `${third}-${month}-${(toMonthNumber(first) === undefined ? first : second).padStart(2, '0')}`;
}

interface DateRead {
  readonly local: number;
  readonly unit: Exclude<WrittenTime['unit'], 'millisecond'>;
  /** Why the date does not exist. */
  readonly problem?: string | undefined;
}

function readDate(text: string): DateRead | undefined {
  const week = weekPattern.exec(text);
  if (week) {
    const start = toIsoWeek(Number(week[1]), Number(week[2]));
    const problem = yearProblem(week[1]!) ?? (start === undefined ? `${week[1]} has no week ${week[2]}` : undefined);
    return { local: start ?? 0, unit: 'week', problem };
  }
  const [, quarterYear, quarter] = quarterPattern.exec(text) ?? [];
  if (quarterYear !== undefined) {
    const local = toDate(Number(quarterYear), 3 * (Number(quarter) - 1), 1);
    const isQuarter = Number(quarter) >= 1 && Number(quarter) <= 4;
    const problem = yearProblem(quarterYear) ?? (isQuarter ? undefined : 'quarters run from 1 to 4');
    return { local, unit: 'quarter', problem };
  }
  const found = yearPattern.exec(text) ?? monthPattern.exec(text) ?? dayPattern.exec(text);
  if (!found) return undefined;
  const [, year, month, day] = found;
  const unit = day !== undefined ? 'day' : month !== undefined ? 'month' : 'year';
  const local = toDate(Number(year), Number(month ?? 1) - 1, Number(day ?? 1));
  return { local, unit, problem: yearProblem(year!) ?? dateProblem(year!, month ?? '01', day ?? '01') };
}

function yearProblem(year: string): string | undefined {
  return year === '0000' ? 'years run from 0001 to 9999' : undefined;
}

function dateProblem(year: string, month: string, day: string): string | undefined {
  if (Number(month) < 1 || Number(month) > 12) return `there is no month ${month}`;
  const last = daysInMonth(Number(year), Number(month) - 1);
  if (Number(day) < 1 || Number(day) > last) return `${year}-${month} has ${last} days`;
  return undefined;
}

function clockProblem(time: RegExpExecArray): string | undefined {
  const [, , hours, minutes, seconds = '0', , , , offsetHours = '0', offsetMinutes = '0', offsetSeconds = '0'] = time;
  if (Number(hours) > 23) return 'hours run from 00 to 23';
  if (Number(minutes) > 59) return 'minutes run from 00 to 59';
  if (Number(seconds) > 59) return 'seconds run from 00 to 59';
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59 || Number(offsetSeconds) > 59)
    return 'its UTC offset is not valid';
  return undefined;
}

function readOffset(time: RegExpExecArray): number | undefined {
  const [, , , , , , zone, sign, hours = '0', minutes = '0', seconds = '0'] = time;
  if (zone === undefined) return undefined;
  const size = Number(hours) * hour + Number(minutes) * minute + Number(seconds) * 1000;
  return sign === '-' ? 0 - size : size;
}
