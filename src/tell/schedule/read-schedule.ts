import { bad, badWith, errorIssue, good, type Issue, type Outcome } from '../../ask/outcome.ts';
import { didYouMean } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import { weekdays } from '../../ask/time/range.ts';
import type { CronFields, Schedule } from './schedule.ts';

const examples =
  'Write, for example, daily at 06:00, weekdays at 06:00, weekly on monday at 06:00, monthly on day 1 at 06:00, ' +
  'monthly on the last day at 06:00, quarterly on day 1 at 06:00, hourly, or five fields of cron: 0 6 1 * *.';

/** Reads a schedule in words or in cron notation. Issue: `invalid-schedule`. */
export function readSchedule(text: string): Outcome<Schedule> {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const cron = /^[\d*]/.test(words) ? good(words.replace(/\bl\b/, lastDay)) : toCron(words, text);
  if (!cron.ok) return cron;
  const fields = readCron(cron.value);
  return fields.ok ? good({ text: text.trim(), cron: cron.value, fields: fields.value }) : bad(fields.issues);
}

function toCron(words: string, text: string): Outcome<string> {
  const { unit, rest, time, minute } =
    /^(?<unit>\w+)(?<rest> on .*?)?(?: at (?:(?<time>\d{1,2}:\d\d)|minute (?<minute>\d{1,2})))?$/.exec(words)?.groups ??
    {};
  const on = rest?.slice(' on '.length);
  if (unit === 'hourly' && on === undefined && time === undefined) return good(`${Number(minute ?? 0)} * * * *`);
  const clock = time === undefined ? (minute === undefined ? '0 6' : undefined) : readClock(time);
  if (clock === undefined) return refuse(text, examples);
  switch (unit) {
    case 'daily':
    case 'weekdays':
      return on === undefined
        ? good(`${clock} * * ${unit === 'daily' ? '*' : '1-5'}`)
        : refuse(text, `Leave ${quote(`on ${on}`)} out.`);
    case 'weekly':
      return weekly(clock, on ?? 'monday', text);
    case 'monthly':
    case 'quarterly':
      return dayOfMonth(clock, on ?? 'day 1', unit === 'monthly' ? '*' : '1,4,7,10', text);
    default:
      return refuse(
        text,
        unit === undefined
          ? examples
          : (didYouMean(unit, ['hourly', 'daily', 'weekdays', 'weekly', 'monthly', 'quarterly']) ?? examples),
      );
  }
}

function readClock(time: string): string | undefined {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour <= 23 && minute <= 59 ? `${minute} ${hour}` : undefined;
}

function weekly(clock: string, on: string, text: string): Outcome<string> {
  const days = on
    .split(/, | and |,/)
    .map((name) => weekdays.findIndex((weekday) => weekday === name || weekday.slice(0, 3) === name));
  if (days.includes(-1)) return refuse(text, `Days of the week are ${weekdays.join(', ')}.`);
  return good(
    `${clock} * * ${days
      .map((day) => (day + 1) % 7)
      .sort((a, b) => a - b)
      .join(',')}`,
  );
}

function dayOfMonth(clock: string, on: string, months: string, text: string): Outcome<string> {
  if (/^(?:the )?last day$/.test(on)) return good(`${clock} ${lastDay} ${months === '*' ? '*' : '3,6,9,12'} *`);
  const [, day] = /^(?:the )?(?:day )?(\d{1,2})(?:st|nd|rd|th)?$/.exec(on) ?? [];
  const number = Number(day);
  if (!(number >= 1 && number <= 31)) return refuse(text, 'Name the day of the month, such as on day 1.');
  if (number > 28) return refuse(text, `Use a day up to 28, or on the last day: not every month has a day ${number}.`);
  return good(`${clock} ${number} ${months} *`);
}

function refuse(text: string, hint: string): Outcome<never> {
  return badWith('invalid-schedule', `${quote(text)} is not a valid schedule.`, { hint });
}

/** Allowed only alone, in the field of days of the month. */
const lastDay = 'L';

interface Field {
  readonly what: string;
  readonly least: number;
  readonly most: number;
  /** Names of the values, starting with the least. */
  readonly names?: readonly string[];
}

const fields: readonly Field[] = [
  { what: 'minute', least: 0, most: 59 },
  { what: 'hour', least: 0, most: 23 },
  { what: 'day of the month', least: 1, most: 31 },
  {
    what: 'month',
    least: 1,
    most: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { what: 'day of the week', least: 0, most: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/**
 * Reads five cron fields, each `*`, values, ranges, lists and steps; names of months and weekdays; and `L`, the last
 * day of the month. Extensions of some crons (`#`, seconds) are refused, because other schedulers could not use them.
 * Issue: `invalid-schedule`.
 */
export function readCron(text: string): Outcome<CronFields> {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length)
    return bad([
      invalid(`${quote(text)} has ${parts.length} ${parts.length === 1 ? 'field' : 'fields'}, but cron needs five.`),
    ]);
  const onLastDay = parts[2]?.toUpperCase() === lastDay && parts[4] === '*';
  const read = parts.map((part, index) => readField(index === 2 && onLastDay ? '*' : part, fields[index]!));
  const issues = read.flatMap((field) => field.issues);
  if (issues.length > 0) return bad(issues);
  const [minutes, hours, days, months, weekdays] = read.map((field) => (field.ok ? field.value : undefined));
  return good({
    minutes,
    hours,
    days,
    ...(onLastDay ? { onLastDay } : {}),
    months,
    weekdays: weekdays && [...new Set(weekdays.map((weekday) => weekday % 7))].sort((a, b) => a - b),
  });
}

function readField(text: string, field: Field): Outcome<readonly number[] | undefined> {
  if (text === '*') return good(undefined);
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, from, to, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
    const first = from === '*' ? field.least : fieldValue(from, field);
    const by = step === undefined ? 1 : Number(step);
    const last = to !== undefined ? fieldValue(to, field) : from === '*' || step !== undefined ? field.most : first;
    if (first === undefined || last === undefined || first > last || by < 1 || (from === '*' && to !== undefined)) {
      return bad([invalid(`${quote(part)} is not a valid ${field.what}: use ${field.least} to ${field.most}.`)]);
    }
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return good([...values].sort((a, b) => a - b));
}

function fieldValue(text: string | undefined, { least, most, names = [] }: Field): number | undefined {
  const named = names.indexOf(text?.toLowerCase() ?? '');
  if (named !== -1) return named + least;
  const value = /^\d{1,2}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function invalid(message: string): Issue {
  return errorIssue('invalid-schedule', message, {
    hint:
      'Write minute, hour, day of the month, month, day of the week, such as 0 6 1 * *. ' +
      'Or in words: monthly on day 1 at 06:00.',
  });
}
