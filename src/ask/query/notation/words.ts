import { granularities, type Granularity } from '../../time/granularity.ts';

/** Words that begin a clause. */
export const clauseWords = [
  'by', 'where', 'segment', 'segments', 'top', 'bottom', 'limit', 'offset', 'order', 'in', 'zone', 'timezone', 'compare',
] as const;

/** Words that begin a range of time. A date does, too. */
export const rangeWords = ['last', 'past', 'previous', 'next', 'this', 'today', 'yesterday', 'tomorrow', 'now', 'from', 'since'] as const;

const joiningWords = ['and', 'or', 'not', 'is', 'set', 'null', 'to', 'with', 'ago', 'before', 'after', 'on', 'between', 'asc', 'desc', 'ascending', 'descending'];

const adjectives: Readonly<Record<string, Granularity>> = {
  hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month', quarterly: 'quarter', yearly: 'year',
};

const reserved: ReadonlySet<string> = new Set([...clauseWords, ...rangeWords, ...joiningWords, ...granularities, ...Object.keys(adjectives)]);

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
