import { monthWords, toMonthNumber } from '../time/calendar.ts';
import { granularities, type Granularity } from '../time/granularity.ts';
import type { FilterOperator } from '../query/query.ts';
import { weekdays } from '../time/range.ts';
import type { TestNode } from './syntax.ts';

/** Words that begin a clause. */
export const clauseWords: readonly string[] =
  'by per where segment segments top bottom limit offset order in zone timezone compare'.split(' ');

/** Words that begin a range of time. A date begins one too. */
export const rangeWords: readonly string[] =
  'last past previous next this today yesterday tomorrow now from since'.split(' ');

const joiningWords: readonly string[] =
  'group vs versus and or not is set null to with ago before after on between asc desc ascending descending'.split(' ');

const adjectives: Readonly<Record<string, Granularity>> = {
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  quarterly: 'quarter',
  yearly: 'year',
};

const reserved: ReadonlySet<string> = new Set([
  ...clauseWords,
  ...rangeWords,
  ...joiningWords,
  ...granularities,
  ...Object.keys(adjectives),
  ...monthWords,
]);

/** The granularity that a word names: `day`, `daily`. */
export function toGranularity(word: string): Granularity | undefined {
  const lower = word.toLowerCase();
  return (
    granularities.find((granularity) => granularity === lower) ??
    (Object.hasOwn(adjectives, lower) ? adjectives[lower] : undefined)
  );
}

/** Whether the notation uses a word, so that a member of this name needs its cube before it. */
export function isReserved(word: string): boolean {
  return reserved.has(word.toLowerCase());
}

export function isClauseWord(word: string): boolean {
  return clauseWords.includes(word.toLowerCase());
}

export function isRangeWord(word: string): boolean {
  return rangeWords.includes(word.toLowerCase());
}

/** `2024`, `2024-Q1`, `2024-03`, `2024-W09`, `2024-03-08`, `2024-03-08T10:00`. */
export function isDateLike(word: string): boolean {
  return /^\d{4}(?:-\d{2}(?:-\d{2}(?:[tT]\S+)?)?|-[wW]\d{2}|-[qQ]\d)?$/.test(word);
}

/** A hint for the name of a month or a weekday, which is no range of time; undefined for other words. */
export function calendarHint(word: string): string | undefined {
  const month = toMonthNumber(word);
  if (month !== undefined)
    return (
      `Write the month with its year, such as \`2024-${month}\`, ` +
      `and days as \`from 2024-${month}-01 to 2024-${month}-07\`.`
    );
  const isWeekday = weekdays.some((weekday) => weekday === word.toLowerCase());
  return isWeekday ? 'Write days as dates, such as `from 2024-03-04 to 2024-03-08`, or `last 7 days`.' : undefined;
}

/** Ranges that completion offers, the likeliest first. */
export const suggestedRanges = [
  'last 7 days',
  'last 30 days',
  'today',
  'yesterday',
  'last 12 weeks',
  'this week',
  'last week',
  'this month',
  'last month',
  'last 12 months',
  'month to date',
  'this quarter',
  'last quarter',
  'this year',
  'last year',
  'year to date',
  'last 24 hours',
] as const;

/** The operators that are signs. */
export const operatorSigns: Readonly<Record<string, FilterOperator>> = {
  '=': 'equals',
  '!=': 'notEquals',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  '~': 'contains',
  '!~': 'notContains',
  '^=': 'startsWith',
  '$=': 'endsWith',
};

/** An operator in words. `sign`: a synonym of a sign, which compares dates if the member is a time. */
interface WordedOperator {
  readonly words: readonly string[];
  readonly operator: TestNode['operator'];
  readonly sign: boolean;
}

const phrases: readonly (readonly [operator: TestNode['operator'], ...phrases: readonly string[]])[] = [
  ['set', 'is set', 'is not empty'],
  ['notSet', 'is not set', 'not set', 'is empty'],
  ['in', 'in', 'is in'],
  ['notIn', 'not in', 'is not in'],
  ['contains', 'contains', 'like'],
  ['notContains', 'not contains', 'not like', 'does not contain'],
  ['startsWith', 'starts with', 'begins with'],
  ['notStartsWith', 'not starts with', 'does not start with'],
  ['endsWith', 'ends with'],
  ['notEndsWith', 'not ends with', 'does not end with'],
  ['matches', 'matches'],
  ['notMatches', 'not matches', 'does not match'],
  ['beforeDate', 'before'],
  ['afterDate', 'after'],
  ['onTheDate', 'on'],
  ['between', 'between'],
  ['notBetween', 'not between'],
];

const signs: readonly (readonly [operator: TestNode['operator'], phrase: string])[] = [
  ['equals', 'is'],
  ['notEquals', 'is not'],
];

/** The operators in words, those of most words first. */
export const wordedOperators: readonly WordedOperator[] = [
  ...phrases.flatMap(([operator, ...written]) =>
    written.map((phrase) => ({ words: phrase.split(' '), operator, sign: false })),
  ),
  ...signs.map(([operator, phrase]) => ({ words: phrase.split(' '), operator, sign: true })),
].toSorted((a, b) => b.words.length - a.words.length);
