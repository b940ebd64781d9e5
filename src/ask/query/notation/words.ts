import { monthWords, toMonthNumber } from '../../time/calendar.ts';
import { granularities, type Granularity } from '../../time/granularity.ts';
import { weekdays } from '../../time/range.ts';

/** Words that begin a clause. */
export const clauseWords = [
  'by', 'per', 'where', 'segment', 'segments', 'top', 'bottom', 'limit', 'offset', 'order', 'in', 'zone', 'timezone', 'compare',
] as const;

/** Words that begin a range of time. A date does, too. */
export const rangeWords = ['last', 'past', 'previous', 'next', 'this', 'today', 'yesterday', 'tomorrow', 'now', 'from', 'since'] as const;

const joiningWords = ['group', 'vs', 'versus', 'and', 'or', 'not', 'is', 'set', 'null', 'to', 'with', 'ago', 'before', 'after', 'on', 'between', 'asc', 'desc', 'ascending', 'descending'];

const adjectives: Readonly<Record<string, Granularity>> = {
  hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month', quarterly: 'quarter', yearly: 'year',
};

const reserved: ReadonlySet<string> = new Set([
  ...clauseWords, ...rangeWords, ...joiningWords, ...granularities, ...Object.keys(adjectives), ...monthWords,
]);

/** The bucket that a word asks for: `day`, `daily`. */
export function toGranularity(word: string): Granularity | undefined {
  const lower = word.toLowerCase();
  return granularities.find((granularity) => granularity === lower) ?? (Object.hasOwn(adjectives, lower) ? adjectives[lower] : undefined);
}

/** Whether a word has a meaning of its own, so that a member of this name needs its cube before it. */
export function isReserved(word: string): boolean {
  return reserved.has(word.toLowerCase());
}

export function isClauseWord(word: string): boolean {
  return (clauseWords as readonly string[]).includes(word.toLowerCase());
}

export function isRangeWord(word: string): boolean {
  return (rangeWords as readonly string[]).includes(word.toLowerCase());
}

/** `2024`, `2024-03`, `2024-W09`, `2024-03-08`, `2024-03-08T10:00`. */
export function isDateLike(word: string): boolean {
  return /^\d{4}(?:-\d{2}(?:-\d{2}(?:[tT]\S+)?)?|-[wW]\d{2})?$/.test(word);
}

/** What to write for the name of a month or a weekday, which is no range of time; undefined for every other word. */
export function calendarHint(word: string): string | undefined {
  const month = toMonthNumber(word);
  if (month !== undefined) return `Write the month with its year, such as \`2024-${month}\`, and days as \`from 2024-${month}-01 to 2024-${month}-07\`.`;
  const isWeekday = weekdays.some((weekday) => weekday === word.toLowerCase());
  return isWeekday ? 'Write days as dates, such as `from 2024-03-04 to 2024-03-08`, or `last 7 days`.' : undefined;
}
