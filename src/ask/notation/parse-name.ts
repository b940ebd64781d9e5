import { toPerUser } from './formula.ts';
import { nearest } from '../suggest.ts';
import { filterOperators } from '../query/query.ts';
import { touchWords } from '../query/touch-name.ts';
import type { NameScope } from './name-scope.ts';
import { startsRange, wordsBeforeRange } from './parse-range.ts';
import type { NameNode } from './syntax.ts';
import type { TokenReader } from './tokens.ts';
import { clauseWords, isClauseWord, isReserved, wordedOperators } from './words.ts';

/** Decides how many words form one name. */
export type NameReach = Pick<NameScope, 'reach' | 'strangers' | 'kindOf' | 'nearMember' | 'conditionOf' | 'columnLike'>;

/**
 * Takes the name that begins here: a quoted one, one word, or several words that form a known name (`page views`).
 * Several unknown words form one name too, in a condition those before its operator. Except among measures, words in
 * brackets may follow: `by Duration (s)`.
 */
export function takeName(reader: TokenReader, names: NameReach, place: 'measure' | 'list' | 'condition'): NameNode {
  const first = reader.peek();
  if (first.kind === 'text') {
    reader.take();
    return { text: first.text, span: first.span, quoted: true };
  }
  const part = timePartAhead(reader);
  if (part) {
    reader.takeSeveral(part.words);
    return { text: part.name, span: reader.spanFrom(first) };
  }
  const words = wordsAhead(reader);
  const touch = touchWords(words);
  const column = touch > 0 && touch === words.length ? reader.peek(touch) : undefined;
  if (column?.kind === 'text') {
    reader.takeSeveral(touch + 1);
    return { text: `${words.join(' ')} ${column.text}`, span: reader.spanFrom(first) };
  }
  const before = touch < words.length ? touch : 0;
  const after = words.slice(before);
  const strangers = () =>
    place !== 'condition'
      ? names.strangers(after.slice(0, meantClause(after)))
      : wordsBeforeOperator(reader, after, before);
  const count = Math.max(names.reach(words), before + Math.max(1, names.reach(after) || strangers()));
  reader.takeSeveral(count);
  const text = words.slice(0, count).join(' ');
  const isLonger = place !== 'measure' && count === words.length && takeBrackets(reader);
  const name = isLonger ? reader.textFrom(first) : text;
  if (place === 'measure' || !perUserAhead(reader, 0)) return { text: name, span: reader.spanFrom(first) };
  reader.take();
  reader.take();
  return { text: `${name} per user`, span: reader.spanFrom(first) };
}

/**
 * The number of words of a name that begins with a clause's word here, or `ahead` tokens later: `order value`, `top
 * speed`. 0 if the clause begins.
 */
export function clauseNameAhead(reader: TokenReader, ahead = 0): number {
  const [word, next] = [reader.peek(ahead).text.toLowerCase(), reader.peek(ahead + 1)];
  const begins = word === 'order' ? /^by$/i : /^(?:top|bottom|limit|offset)$/.test(word) ? /^\d/ : undefined;
  if (begins === undefined || reader.peek(ahead).kind !== 'word' || next.kind !== 'word' || begins.test(next.text))
    return 0;
  const count = wordsAhead(reader, ahead).length;
  return count > 1 ? count : 0;
}

/** Words that begin a clause, and are names of columns, too. */
const clauseNames: readonly string[] = ['segment', 'segments', 'top', 'bottom', 'limit', 'offset', 'order', 'zone'];

/** Whether a clause's word cannot begin its clause here, so that it is a whole name: `by order top 3`, `by zone`. */
export function isClauseNameAlone(reader: TokenReader): boolean {
  const [word, next] = [reader.peek(), reader.peek(1)];
  const isName = word.kind === 'word' && clauseNames.includes(word.text.toLowerCase());
  const isAlone =
    next.kind === 'end' ||
    next.text === ',' ||
    startsRange(reader, 1) ||
    (next.kind === 'word' && isClauseWord(next.text));
  return isName && isAlone && !/^(?:by|per|\d+)$/i.test(next.text);
}

/** Whether `per user` stands here, or `ahead` tokens later. */
export function perUserAhead(reader: TokenReader, ahead: number): boolean {
  return /^per users?$/i.test(`${reader.peek(ahead).text} ${reader.peek(ahead + 1).text}`);
}

/** The most words in brackets at the end of a name. */
const mostInBrackets = 5;

/** Takes words in brackets that end a name, such as `(s)`. Returns false if there are none. */
export function takeBrackets(reader: TokenReader): boolean {
  if (!reader.isSign('(')) return false;
  for (let ahead = 1; ahead <= mostInBrackets + 1; ahead += 1) {
    const { kind, text } = reader.peek(ahead);
    if (ahead > 1 && kind === 'sign' && text === ')') {
      reader.takeSeveral(ahead + 1);
      return true;
    }
    if (kind !== 'word' && !(kind === 'sign' && text === ',')) return false;
  }
  return false;
}

/** The part of a time that several words name: `hour of day`, `day of the week`. */
export function timePartAhead(reader: TokenReader): { readonly name: string; readonly words: number } | undefined {
  const ahead = Array.from({ length: 4 }, (_, index) => reader.peek(index).text).join(' ');
  const [written, unit, whole] = /^(hour|time|day) of (?:the )?(day|week)(?= |$)/i.exec(ahead) ?? [];
  if (written === undefined || (unit?.toLowerCase() === 'day') !== (whole?.toLowerCase() === 'week')) return undefined;
  return { name: unit?.toLowerCase() === 'day' ? 'weekday' : 'hourOfDay', words: written.split(' ').length };
}

/** The number of words before the operator of a condition; 1 if no operator follows them. */
function wordsBeforeOperator(reader: TokenReader, words: readonly string[], from: number): number {
  const index = words.findIndex((_, at) => startsOperator(reader, from + at + 1));
  return index === -1 ? 1 : index + 1;
}

function startsOperator(reader: TokenReader, ahead: number): boolean {
  const { kind, text } = reader.peek(ahead);
  if (kind !== 'word') return kind === 'sign' && !'(),'.includes(text);
  return (
    filterOperators.some((name) => name.toLowerCase() === text.toLowerCase()) ||
    wordedOperators.some(({ words }) =>
      words.every((word, index) => reader.peek(ahead + index).text.toLowerCase() === word),
    )
  );
}

/** Index of the first word that looks like a misspelled clause. */
function meantClause(words: readonly string[]): number | undefined {
  const index = words.findIndex((word, at) => at > 0 && nearest(word, clauseWords) !== undefined);
  return index === -1 ? undefined : index;
}

/** Whether a known name begins here, so that no comma is needed before it. */
export function startsName(reader: TokenReader, names: NameReach): boolean {
  const { kind, text } = reader.peek();
  if (kind !== 'word') return false;
  const words = wordsAhead(reader);
  const touch = touchWords(words);
  if (touch > 0) return names.reach(words.slice(touch)) > 0;
  return !isReserved(text) && !startsRange(reader) && names.reach(words) > 0;
}

/** Whether words only say that something is counted: `number of users`, `count of users`, `how many users`. */
export function saysCount(words: readonly string[]): boolean {
  return /^(?:(?:number|count) of|how many)$/i.test(words.slice(0, 2).join(' '));
}

/** Whether a measure begins here, or `ahead` tokens later. */
export function startsMeasure(reader: TokenReader, names: NameReach, ahead: number): boolean {
  const words = wordsAhead(reader, ahead);
  const count = names.reach(words);
  if (count < 2 && saysCount(words)) return startsMeasure(reader, names, ahead + 2);
  return count > 0 && names.kindOf(words.slice(0, count).join(' '), 'measure') === 'measure';
}

/** The next word, and the words after it up to a reserved one. */
export function wordsAhead(reader: TokenReader, from = 0): readonly string[] {
  const words: string[] = [];
  for (let ahead = from; words.length < 8; ahead += 1) {
    const { kind, text } = reader.peek(ahead);
    if (
      kind !== 'word' ||
      (ahead > from && (endsName(reader, ahead) || isReserved(text) || startsRange(reader, ahead)))
    )
      break;
    words.push(text);
  }
  return words;
}

/** Whether a word can only follow a name: `/ 2`, `rolling 28 days`, `as views`, `over the last week`. */
function endsName(reader: TokenReader, ahead: number): boolean {
  const [word, next] = [reader.peek(ahead).text.toLowerCase(), reader.peek(ahead + 1).text];
  if (/^[-+*/]/.test(word) || word === 'as' || perUserAhead(reader, ahead)) return true;
  if (wordsBeforeRange(reader, ahead) > 0) return true;
  if (perUserAhead(reader, ahead + 1) && toPerUser(word)) return true;
  return (word === 'rolling' && /^\d+$/.test(next)) || (word === 'moving' && /^(?:average|avg|mean)$/i.test(next));
}
