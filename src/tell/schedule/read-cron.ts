import { bad, errorIssue, good, type Issue, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import type { CronFields } from './schedule.ts';

interface Field {
  readonly what: string;
  readonly least: number;
  readonly most: number;
  /** Names of the values from the least on. */
  readonly names?: readonly string[];
}

const fields: readonly Field[] = [
  { what: 'minute', least: 0, most: 59 },
  { what: 'hour', least: 0, most: 23 },
  { what: 'day of the month', least: 1, most: 31 },
  { what: 'month', least: 1, most: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { what: 'day of the week', least: 0, most: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/**
 * Five fields of cron, each `*`, values, ranges, lists and steps; names of months and days of the week. What only some crons know
 * (`L`, `#`, seconds) is refused: the schedule could not be handed to the others. Issue: `invalid-schedule`.
 */
export function readCron(text: string): Outcome<CronFields> {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length) return bad([invalid(`${quote(text)} has ${parts.length} ${parts.length === 1 ? 'field' : 'fields'}, and cron has five.`)]);
  const read = parts.map((part, index) => readField(part, fields[index]!));
  const issues = read.flatMap((field) => field.issues);
  if (issues.length > 0) return bad(issues);
  const [minutes, hours, days, months, weekdays] = read.map((field) => (field.ok ? field.value : undefined));
  return good({ minutes, hours, days, months, weekdays: weekdays && [...new Set(weekdays.map((weekday) => weekday % 7))].sort((a, b) => a - b) });
}

function readField(text: string, field: Field): Outcome<readonly number[] | undefined> {
  if (text === '*') return good(undefined);
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, from, to, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
    const first = from === '*' ? field.least : valueOf(from, field);
    const by = step === undefined ? 1 : Number(step);
    const last = to !== undefined ? valueOf(to, field) : from === '*' || step !== undefined ? field.most : first;
    if (first === undefined || last === undefined || first > last || by < 1 || (from === '*' && to !== undefined)) {
      return bad([invalid(`${quote(part)} is no ${field.what}: those are ${field.least} to ${field.most}.`)]);
    }
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return good([...values].sort((a, b) => a - b));
}

function valueOf(text: string | undefined, { least, most, names = [] }: Field): number | undefined {
  const named = names.indexOf(text?.toLowerCase() ?? '');
  if (named !== -1) return named + least;
  const value = /^\d{1,2}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function invalid(message: string): Issue {
  return errorIssue('invalid-schedule', message, { hint: 'Fields are minute, hour, day of the month, month, day of the week, such as 0 6 1 * *. In words: monthly on day 1 at 06:00.' });
}
