import { isRelativeRange } from '../query/earlier-range.ts';
import type { DateRangeText } from '../query/query.ts';
import { touchWords } from '../query/touch-name.ts';
import { quote } from '../text.ts';
import { toMonthNumber } from '../time/calendar.ts';
import { toNumbers } from '../time/read-written-time.ts';
import type { RangeNode } from './syntax.ts';
import type { Token, TokenReader } from './tokens.ts';
import { calendarHint, isClauseWord, isDateLike, isRangeWord, toGranularity } from './words.ts';

/**
 * Whether a range of time begins here: `last 7 days`, `2024-03`, `from … to …`, `between … and …`, `month to date`, `3
 * days ago`, `May 2024`, `Q3 2024`, `Jan 5, 2024`.
 */
export function startsRange(reader: TokenReader, ahead = 0): boolean {
  const [first, second, third] = [reader.peek(ahead), reader.peek(ahead + 1), reader.peek(ahead + 2)];
  if (first.kind !== 'word' || touchWords([first.text, second.text]) > 0) return false;
  if (isRangeWord(first.text) || isDateLike(first.text) || twoEnds(first.text)) return true;
  return (
    isToDate(first, second, third) ||
    isAgo(first, third) ||
    isFromNow(reader, ahead) ||
    spokenDate(reader, ahead) !== undefined ||
    (/^between$/i.test(first.text) && startsRange(reader, ahead + 1))
  );
}

/** Takes a comma between two parts of a list. */
export function skipComma(reader: TokenReader): boolean {
  return !endsWithComma(reader) && reader.skip(',');
}

/** Whether a comma before a clause or a range is next: `count by docPath, last 7 days`. */
export function endsWithComma(reader: TokenReader): boolean {
  const { kind, text } = reader.peek(1);
  if (!reader.isSign(',') || kind !== 'word') return false;
  // A formula such as `2024 + count` begins with a number, not with a year.
  if (/^\d+$/.test(text) && reader.peek(2).kind === 'word' && /^[-+*/]/.test(reader.peek(2).text)) return false;
  return isClauseWord(text) || startsRange(reader, 1) || wordsBeforeRange(reader, 1) > 0;
}

/** The number of words before a range that only lead to it: `in the last 7 days`, `over the past week`. */
export function wordsBeforeRange(reader: TokenReader, ahead = 0): number {
  const lead = /^(?:in|on|over|during|for|within)$/i.test(reader.peek(ahead).text) ? 1 : 0;
  const words = lead + (/^the$/i.test(reader.peek(ahead + lead).text) ? 1 : 0);
  const isAhead = words > 0 && reader.peek(ahead).kind === 'word' && startsRange(reader, ahead + words);
  return isAhead ? words : 0;
}

/**
 * Takes the words of a range. It finds only their extent, and not their meaning, except that `May 2024` becomes
 * `2024-05`. Two days or instants become a pair; other ranges stay phrases. `isCompared`: `to` leads to the range that
 * it is compared with.
 */
export function parseRange(reader: TokenReader, { isCompared = false } = {}): RangeNode | undefined {
  const first = reader.peek();
  if (!startsRange(reader)) {
    const hint = 'Write, for example, `last 7 days`, `this month`, `2024-03`, or `from 2024-03-01 to 2024-03-31`.';
    return reader.miss('notation-range', 'A time range', hint);
  }
  const words: string[] = [];
  let ends = first.kind === 'word' ? twoEnds(first.text) : undefined;
  if (ends) {
    reader.take();
    words.push('from', ends[0], 'to', ends[1]);
  } else if (reader.isWord('from', 'between')) {
    const [opening, joint] = reader.isWord('from') ? ['from', 'to'] : ['between', 'and'];
    const form = `Write \`${opening} … ${joint} …\`, or \`since …\`.`;
    reader.take();
    const from = takePoint(reader);
    if (!reader.isWord(joint))
      return reader.miss('notation-range', quote(joint), calendarHint(reader.peek().text) ?? form);
    reader.take();
    const until = takePoint(reader);
    if (until.length === 0) return reader.complain('notation-range', 'The end of the range is missing.', form);
    words.push('from', ...from, 'to', ...until);
    ends = [from.join(' '), until.join(' ')];
  } else if (reader.isWord('since')) {
    words.push(reader.take().text, ...takePoint(reader));
  } else {
    words.push(...takePoint(reader));
    // As notes and titles write a range: `2024-03-01 to 2024-03-31`.
    if (!isCompared && reader.isWord('to') && startsRange(reader, 1)) {
      const from = words.splice(0).join(' ');
      reader.take();
      const until = takePoint(reader);
      words.push('from', from, 'to', ...until);
      ends = [from, until.join(' ')];
    }
  }
  const span = reader.spanFrom(first);
  const named = words.find((word) => calendarHint(word) !== undefined);
  if (named !== undefined)
    return reader.complain(
      'notation-range',
      `${quote(named)} is not valid in a time range.`,
      calendarHint(named),
      span,
    );
  return { range: ends?.every(isDayOrInstant) ? ends : words.join(' '), span };
}

/** A range before that of the line, in words, and the unit of time that it lies earlier. */
const spokenEarlier =
  /^(?:the )?(?:(day|week|month|quarter|year) before|same (?:days?|dates?|period|time) last (week|month|quarter|year))$/i;

/**
 * Parses an earlier range: `previous`, `-1y`, `a year before`, each with or without `by weekday`, `the day before`,
 * `the same period last year`.
 */
export function parseEarlier(reader: TokenReader): RangeNode | undefined {
  const words = [0, 1, 2, 3, 4]
    .map((ahead) => reader.peek(ahead))
    .map(({ kind, text }) => (kind === 'word' ? text : ''));
  const count = [5, 4, 3, 2, 1].find((length) => {
    const said = words.slice(0, length);
    const text = said.join(' ');
    return !said.includes('') && (isRelativeRange(text) || (spokenEarlier.test(text) && !startsRange(reader, length)));
  });
  const follows = toGranularity((words[1] ?? '').replace(/s$/i, '')) !== undefined || /^\d+$/.test(words[1] ?? '');
  if (count === undefined || (count === 1 && /^previous$/i.test(words[0] ?? '') && follows)) return undefined;
  const first = reader.peek();
  const text = reader
    .takeSeveral(count)
    .map((token) => token.text)
    .join(' ')
    .toLowerCase();
  const [, before, last] = spokenEarlier.exec(text) ?? [];
  const unit = before ?? last;
  const range = unit === undefined ? text : `-1${unit[0]}`;
  return { range, span: reader.spanFrom(first), earlier: true };
}

/** The two ends of a range in one word: `2024-03-01..2024-03-31`. */
function twoEnds(word: string): readonly [string, string] | undefined {
  const [from, to, ...more] = word.split('..');
  return from && to && more.length === 0 && isDateLike(from) && isDateLike(to) ? [from, to] : undefined;
}

/** Whether a text can be an end of a range `[from, to]`. */
export function isDayOrInstant(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}(?:[tT]\S+)?$/.test(text);
}

/** Writes a range for a line. A line may read it differently, so read it back to be sure. */
export function writeRange(range: DateRangeText): string {
  return typeof range === 'string' ? range : `from ${range[0]} to ${range[1]}`;
}

/** Takes the words of one point or unit of time. */
function takePoint(reader: TokenReader): readonly string[] {
  const first = reader.peek();
  if (first.kind !== 'word' || isClauseWord(first.text)) return [];
  if (isToDate(first, reader.peek(1), reader.peek(2)) || isAgo(first, reader.peek(2))) return takeWords(reader, 3);
  if (isFromNow(reader)) return takeWords(reader, 4);
  const spoken = spokenDate(reader);
  if (spoken) {
    reader.takeSeveral(spoken.tokens);
    return [spoken.text];
  }
  if (!/^(?:last|past|previous|next|this)$/i.test(first.text)) {
    const hasClock = isDateLike(first.text) && /^\d{2}:\d{2}/.test(reader.peek(1).text);
    return takeWords(reader, hasClock ? 2 : 1);
  }
  // A lone `previous` is a comparison with the period before.
  if (
    /^previous$/i.test(first.text) &&
    !/^(?:\d+|closed)$/i.test(reader.peek(1).text) &&
    toGranularity(reader.peek(1).text.replace(/s$/i, '')) === undefined
  )
    return takeWords(reader, 1);
  // `last closed week`
  const words = /^closed$/i.test(reader.peek(1).text) ? 2 : 1;
  return takeWords(reader, words + (/^\d+$/.test(reader.peek(words).text) ? 2 : 1));
}

function takeWords(reader: TokenReader, count: number): readonly string[] {
  const words: string[] = [];
  while (words.length < count && reader.peek().kind === 'word' && !isClauseWord(reader.peek().text))
    words.push(reader.take().text);
  return words;
}

function isToDate(unit: Token, to: Token, date: Token): boolean {
  return toGranularity(unit.text) !== undefined && to.text.toLowerCase() === 'to' && date.text.toLowerCase() === 'date';
}

function isAgo(count: Token, ago: Token): boolean {
  return /^\d+$/.test(count.text) && ago.text.toLowerCase() === 'ago';
}

/** Recognizes `2 days from now`. */
function isFromNow(reader: TokenReader, ahead = 0): boolean {
  const [count, , from, now] = [0, 1, 2, 3].map((index) => reader.peek(ahead + index).text.toLowerCase());
  return /^\d+$/.test(count ?? '') && from === 'from' && now === 'now';
}

/** A date with the name of its month, or a quarter of a year, written in numbers, and its number of tokens. */
function spokenDate(reader: TokenReader, ahead = 0): { readonly text: string; readonly tokens: number } | undefined {
  const pair = [reader.peek(ahead), reader.peek(ahead + 1)].map(({ kind, text }) => (kind === 'word' ? text : ''));
  const year = pair.find((text) => /^\d{4}$/.test(text));
  const quarter = pair.find((text) => /^q[1-4]$/i.test(text));
  if (year !== undefined && quarter !== undefined) return { text: `${year}-${quarter.toUpperCase()}`, tokens: 2 };
  const named = [reader.peek(ahead), reader.peek(ahead + 1)].some(
    ({ kind, text }) => kind === 'word' && toMonthNumber(text) !== undefined,
  );
  if (!named) return undefined;
  for (const tokens of [4, 3, 2]) {
    const said = Array.from({ length: tokens }, (_, index) => reader.peek(ahead + index));
    if (said.some(({ kind, text }, index) => kind !== 'word' && !(text === ',' && index === tokens - 2))) continue;
    const text = said
      .map(({ text: word }) => word)
      .join(' ')
      .replace(' ,', ',');
    const numbers = toNumbers(text);
    if (numbers !== text) return { text: numbers, tokens };
  }
  return undefined;
}
