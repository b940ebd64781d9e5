import { didYouMean } from '../../ask/did-you-mean.ts';
import { describeValue } from '../../ask/document/describe-value.ts';
import { bad, errorIssue, good, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { addUnits, startOf } from '../../ask/time/calendar.ts';
import { writeLocal } from '../../ask/time/local-time.ts';
import type { TimeContext, TimeRange } from '../../ask/time/range.ts';
import { readDateRange } from '../../ask/time/read-date-range.ts';
import { toLocal } from '../../ask/time/zone.ts';
import { formatComparison } from '../../shape/format/format-comparison.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import type { Param, ParamValue } from './param.ts';
import { previousRange, writeDay, writeRange } from '../../ask/time/previous-range.ts';

type Shown = Pick<ParamValue, 'value' | 'text'>;

/**
 * What is given for a parameter, on a command line or as its default, as its value. Times are phrases as everywhere, read against the
 * context's clock and zone, and *last closed month* is *last month*. Issues: `invalid-param`, and those of `readDateRange`.
 */
export function readParamValue(param: Param, given: string | number, context: TimeContext): Outcome<ParamValue> {
  switch (param.type) {
    case 'text':
      return plain(param, String(given), String(given));
    case 'number':
      return readNumber(param, given);
    case 'choice':
      return readChoice(param, String(given));
    case 'month':
    case 'week':
    case 'date':
    case 'range':
      return readTime(param, String(given), context);
  }
}

function plain(param: Param, value: ParamValue['value'], text: string): Outcome<ParamValue> {
  return good({ param, value, text, parts: {} });
}

function readNumber(param: Param, given: string | number): Outcome<ParamValue> {
  const text = String(given).trim();
  const number = Number(text);
  if (text === '' || !Number.isFinite(number)) return invalid(`${quote(param.name)} must be a number, not ${describeValue(given)}.`, 'Write digits, such as 100.');
  return plain(param, number, formatNumber(number));
}

function readChoice(param: Param, given: string): Outcome<ParamValue> {
  const { options = [] } = param;
  if (options.includes(given)) return plain(param, given, given);
  return invalid(`${quote(param.name)} cannot be ${quote(given)}.`, didYouMean(given, options) ?? `It can be ${options.join(', ')}.`);
}

const units = { month: 'month', week: 'week', date: 'day' } as const;

function readTime(param: Param, given: string, context: TimeContext): Outcome<ParamValue> {
  const read = readDateRange(given.trim().replace(/^(last|past|previous) closed /i, '$1 '), context);
  if (!read.ok) return bad(read.issues);
  const range = read.value;
  if (range.end <= range.start) return invalid(`${quote(given)} is no stretch of time: nothing lies in it.`, 'Put the earlier end first.');
  if (param.type !== 'month' && param.type !== 'week' && param.type !== 'date') return good(toTime(param, range, context));
  const unit = units[param.type];
  const local = toLocal(range.start, context.zone);
  if (startOf(local, unit, context.weekStart) !== local || toLocal(range.end, context.zone) !== addUnits(local, unit, 1)) {
    return invalid(`${quote(given)} is not one ${unit}.`, `Write ${examples[param.type]}.`);
  }
  return good(toTime(param, range, context));
}

const examples = { month: '2026-10, or last month', week: '2026-W41, or last week', date: '2026-10-05, or yesterday' } as const;

function toTime(param: Param, range: TimeRange, context: TimeContext): ParamValue {
  const [start, end] = writeRange(range, context.zone);
  const day = (text: string) => ({ value: text, text });
  return { param, ...show(param, range, context), parts: { start: day(start), end: day(end), previous: show(param, previousRange(range, context.zone), context) } };
}

function show({ type }: Param, range: TimeRange, { zone, weekStart = 'monday' }: TimeContext): Shown {
  const local = toLocal(range.start, zone);
  if (type === 'month') return same(writeLocal(local).slice(0, 7));
  if (type === 'date') return same(writeDay(local));
  // Only weeks from Monday have a number.
  if (type === 'week' && weekStart === 'monday') return same(formatTime(writeLocal(local), 'week'));
  const text = formatComparison(`${writeLocal(local)} - ${writeLocal(toLocal(range.end - 1, zone))}`);
  return { value: writeRange(range, zone), text };
}

function same(text: string): Shown {
  return { value: text, text };
}

function invalid(message: string, hint: string): Outcome<never> {
  return bad([errorIssue('invalid-param', message, { hint })]);
}
