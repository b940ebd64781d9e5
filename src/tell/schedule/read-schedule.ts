import { didYouMean } from '../../ask/did-you-mean.ts';
import { bad, errorIssue, good, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { weekdays } from '../../ask/time/range.ts';
import { readCron } from './read-cron.ts';
import type { Schedule } from './schedule.ts';

const examples = 'Such as daily at 06:00, weekdays at 06:00, weekly on monday at 06:00, monthly on day 1 at 06:00, quarterly on day 1 at 06:00, hourly, or five fields of cron: 0 6 1 * *.';

/** A schedule in words, or as cron has it. Issue: `invalid-schedule`. */
export function readSchedule(text: string): Outcome<Schedule> {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const cron = /^[\d*]/.test(words) ? good(words) : toCron(words, text);
  if (!cron.ok) return cron;
  const fields = readCron(cron.value);
  return fields.ok ? good({ text: text.trim(), cron: cron.value, fields: fields.value }) : bad(fields.issues);
}

function toCron(words: string, text: string): Outcome<string> {
  const { unit, rest, time, minute } = /^(?<unit>\w+)(?<rest> on .*?)?(?: at (?:(?<time>\d{1,2}:\d\d)|minute (?<minute>\d{1,2})))?$/.exec(words)?.groups ?? {};
  const on = rest?.slice(' on '.length);
  if (unit === 'hourly' && on === undefined && time === undefined) return good(`${Number(minute ?? 0)} * * * *`);
  const clock = time === undefined ? minute === undefined ? '0 6' : undefined : readClock(time);
  if (clock === undefined) return refuse(text, examples);
  switch (unit) {
    case 'daily':
    case 'weekdays':
      return on === undefined ? good(`${clock} * * ${unit === 'daily' ? '*' : '1-5'}`) : refuse(text, `Leave ${quote(`on ${on}`)} out.`);
    case 'weekly':
      return weekly(clock, on ?? 'monday', text);
    case 'monthly':
    case 'quarterly':
      return dayOfMonth(clock, on ?? 'day 1', unit === 'monthly' ? '*' : '1,4,7,10', text);
    default:
      return refuse(text, unit === undefined ? examples : didYouMean(unit, ['hourly', 'daily', 'weekdays', 'weekly', 'monthly', 'quarterly']) ?? examples);
  }
}

function readClock(time: string): string | undefined {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour <= 23 && minute <= 59 ? `${minute} ${hour}` : undefined;
}

function weekly(clock: string, on: string, text: string): Outcome<string> {
  const days = on.split(/, | and |,/).map((name) => weekdays.findIndex((weekday) => weekday === name || weekday.slice(0, 3) === name));
  if (days.includes(-1)) return refuse(text, `Days of the week are ${weekdays.join(', ')}.`);
  return good(`${clock} * * ${days.map((day) => (day + 1) % 7).sort((a, b) => a - b).join(',')}`);
}

function dayOfMonth(clock: string, on: string, months: string, text: string): Outcome<string> {
  const [, day] = /^(?:the )?(?:day )?(\d{1,2})(?:st|nd|rd|th)?$/.exec(on) ?? [];
  const number = Number(day);
  if (!(number >= 1 && number <= 31)) return refuse(text, 'Name the day of the month, such as on day 1.');
  if (number > 28) return refuse(text, `Not every month has a day ${number}: take one until 28, or the first day of the next month.`);
  return good(`${clock} ${number} ${months} *`);
}

function refuse(text: string, hint: string): Outcome<never> {
  return bad([errorIssue('invalid-schedule', `${quote(text)} is no schedule.`, { hint })]);
}
