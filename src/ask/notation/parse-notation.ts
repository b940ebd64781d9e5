import { columnProperty } from '../query/property-name.ts';
import { didYouMean } from '../suggest.ts';
import { granularities } from '../time/granularity.ts';
import { parseComparison } from './parse-comparison.ts';
import { parseCondition, quoteHint, toConjunction } from './parse-condition.ts';
import { parseFormula, startsFormula } from './parse-formula.ts';
import { mayBeName, parseBucket, parseGroupList, parseGroups } from './parse-groups.ts';
import { type NameReach, startsMeasure, startsName, takeName, wordsAhead } from './parse-name.ts';
import { endsWithComma, parseRange, skipComma, startsRange, wordsBeforeRange } from './parse-range.ts';
import { parseTimeOfDay, startsTimeOfDay } from './parse-time-of-day.ts';
import type {
  ConditionNode,
  GroupNode,
  MeasureNode,
  NameNode,
  NumberNode,
  OrderNode,
  PickNode,
  RangeNode,
  Syntax,
} from './syntax.ts';
import type { Span } from '../outcome.ts';
import { hintOnColumn, hintOnSpeech } from './terms.ts';
import { describeToken, type Token, type TokenReader } from './tokens.ts';
import { calendarHint, clauseWords, isClauseWord, isReserved, rangeWords, toGranularity } from './words.ts';

type Draft = {
  rows: Span | undefined;
  measures: MeasureNode[];
  groups: GroupNode[];
  compare: RangeNode[];
  conditions: ConditionNode[];
  segments: NameNode[];
  order: OrderNode[];
  range: RangeNode | undefined;
  pick: PickNode | undefined;
  zone: NameNode | undefined;
  limit: NumberNode | undefined;
  other: Span | undefined;
  offset: NumberNode | undefined;
};

/** Parses the clauses of a line. Reports and skips words that it does not understand. */
export function parseNotation(reader: TokenReader, names: NameReach): Syntax {
  const draft: Draft = {
    rows: undefined,
    measures: [],
    groups: [],
    compare: [],
    conditions: [],
    segments: [],
    order: [],
    range: undefined,
    pick: undefined,
    limit: undefined,
    other: undefined,
    offset: undefined,
    zone: undefined,
  };
  if (startsRows(reader)) parseRows(reader, names, draft);
  else {
    takeOpening(reader, names);
    takeAdjective(reader, draft);
    if (startsFormula(reader)) draft.measures.push(...parseMeasures(reader, names));
  }
  while (reader.peek().kind !== 'end') if (!parseClause(reader, names, draft)) reader.recover();
  return draft;
}

/** Takes words of a request before its measures: `show me page views`, `what is the bounce rate`. */
function takeOpening(reader: TokenReader, names: NameReach): void {
  const words = [0, 1, 2].map((ahead) => reader.peek(ahead).text.toLowerCase());
  const [opening = ''] =
    /^(?:show(?: me)?|give me|what (?:is|are|was|were))(?: the)?(?= )/.exec(`${words.join(' ')} `) ?? [];
  const count = opening === '' ? 0 : opening.split(' ').length;
  if (count > 0 && names.reach(words) === 0 && startsMeasure(reader, names, count)) reader.takeSeveral(count);
}

/** Takes a granularity before the measures: `hourly page views`. */
function takeAdjective(reader: TokenReader, { groups }: Draft): void {
  const { kind, text, span } = reader.peek();
  const granularity = kind === 'word' && /ly$/i.test(text) ? toGranularity(text) : undefined;
  if (granularity === undefined) return;
  reader.take();
  groups.push({ kind: 'bucket', granularity, span, after: undefined });
}

/** Whether the line lists rows: `raw events`, or `events where …`. `events` without a condition is a count. */
function startsRows(reader: TokenReader): boolean {
  const [first, second] = [reader.peek(), reader.peek(1)].map(({ kind, text }) =>
    kind === 'word' ? text.toLowerCase() : '',
  );
  return (first === 'events' && second === 'where') || (first === 'raw' && second === 'events');
}

function parseRows(reader: TokenReader, names: NameReach, draft: Draft): void {
  const first = reader.take();
  if (first.text.toLowerCase() === 'raw') reader.take();
  draft.rows = reader.spanFrom(first);
  if (mayBeName(reader.peek()) && !startsRange(reader)) parseGroupList(reader, names, draft.groups);
}

function parseClause(reader: TokenReader, names: NameReach, draft: Draft): boolean {
  if (endsWithComma(reader)) reader.take();
  reader.takeSeveral(wordsBeforeRange(reader));
  if (startsRange(reader)) return once(reader, draft, 'range', () => parseRange(reader));
  const token = reader.peek();
  const word = token.kind === 'word' ? token.text.toLowerCase() : '';
  if (toGranularity(word)) return parseBucket(reader, names, draft.groups);
  switch (word) {
    case 'by':
    case 'per':
      return ranksBy(reader, names, draft)
        ? parseRanking(reader, names, draft)
        : parseGroups(reader, names, draft.groups);
    case 'group':
      return isBy(reader.peek(1))
        ? (reader.take(), parseGroups(reader, names, draft.groups))
        : unexpected(reader, names, draft);
    case 'where':
      return reader.take(), parseWhere(reader, names, draft);
    case 'segment':
    case 'segments':
      return reader.take(), draft.segments.push(...parseNames(reader, names, 'A segment')) > 0;
    case 'top':
    case 'bottom':
      return once(reader, draft, 'pick', () => parsePick(reader, names, draft, token));
    case 'limit':
    case 'offset':
      return once(reader, draft, word, () => parseNumber(reader));
    case 'order':
      return reader.take(), parseOrder(reader, names, draft);
    case 'in':
    case 'zone':
    case 'timezone':
      return once(reader, draft, 'zone', () => parseZone(reader));
    case 'compare':
    case 'compared':
      reader.take();
      if (draft.measures.length === 0 && startsMeasure(reader, names, 0))
        draft.measures.push(...parseMeasures(reader, names));
      return parseComparison(reader, draft.compare, startsOther);
    case 'with':
      return startsOther(reader) ? parseOther(reader, draft) : unexpected(reader, names, draft);
    case 'on':
    case 'between':
      return startsTimeOfDay(reader) ? parseHours(reader, draft) : unexpected(reader, names, draft);
    case 'vs':
    case 'versus':
      return draft.range ? parseVersus(reader, draft, draft.range) : unexpected(reader, names, draft);
    default:
      return unexpected(reader, names, draft);
  }
}

function parseHours(reader: TokenReader, draft: Draft): boolean {
  const condition = parseTimeOfDay(reader);
  if (condition) draft.conditions.push(condition);
  return condition !== undefined;
}

/** Whether `with other` follows: a row for all groups beyond the limit. */
function startsOther(reader: TokenReader): boolean {
  return reader.isWord('with') && /^others?$/i.test(reader.peek(1).text);
}

function parseOther(reader: TokenReader, draft: Draft): boolean {
  const first = reader.take();
  reader.take();
  draft.other = reader.spanFrom(first);
  return true;
}

/** Parses a clause that may occur once. Takes its keyword, except for the first word of a range. */
function once<Key extends keyof typeof single>(
  reader: TokenReader,
  draft: Draft,
  key: Key,
  parse: () => Draft[Key],
): boolean {
  const first = key === 'range' ? reader.peek() : reader.take();
  const value = parse();
  if (value === undefined) return false;
  if (draft[key] !== undefined) {
    reader.complain(
      'notation-twice',
      `The line already has ${single[key]}.`,
      'Keep one of them.',
      reader.spanFrom(first),
    );
  }
  draft[key] = value;
  return true;
}

const single = {
  range: 'a time range',
  pick: '"top" or "bottom"',
  limit: '"limit"',
  offset: '"offset"',
  zone: 'a time zone',
} as const;

function startsGroup(reader: TokenReader, names: NameReach): boolean {
  return reader.peek().kind === 'text' || startsName(reader, names);
}

function parseNames(reader: TokenReader, known: NameReach, what: string): readonly NameNode[] {
  const names: NameNode[] = [];
  do {
    const token = reader.peek();
    if (token.kind !== 'word' || isClauseWord(token.text)) {
      reader.miss('notation-name', what);
      return names;
    }
    names.push(takeName(reader, known, 'list'));
  } while (skipComma(reader) || reader.skip('and') || startsName(reader, known));
  return names;
}

/** Parses measures and formulas: `count, count / uniqueUsersCount as eventsPerUser`. */
export function parseMeasures(reader: TokenReader, known: NameReach): readonly MeasureNode[] {
  const measures: MeasureNode[] = [];
  do {
    const first = reader.peek();
    const formula = parseFormula(reader, known);
    const text = reader.textFrom(first);
    const as = formula && reader.skip('as') ? parseAlias(reader) : undefined;
    if (!formula || as === 'wrong') {
      reader.recover();
      return measures;
    }
    const span = reader.spanFrom(first);
    const isMember = formula.kind === 'measure' && !formula.change && !as;
    measures.push(isMember ? formula.name : { text, span, formula, as });
  } while (skipComma(reader) || reader.skip('and') || startsName(reader, known));
  return measures;
}

function parseAlias(reader: TokenReader): NameNode | 'wrong' {
  const token = reader.peek();
  if (token.kind === 'word' && /^[a-zA-Z_]\w*$/.test(token.text) && !isReserved(token.text)) {
    reader.take();
    return { text: token.text, span: token.span };
  }
  reader.miss('notation-name', 'A name', 'Names are letters, digits and _, such as `viewsPerUser`.');
  return 'wrong';
}

/** Parses `top 5`, or `top 5 docPath`, which also groups. */
function parsePick(reader: TokenReader, names: NameReach, draft: Draft, first: Token): PickNode | undefined {
  const { kind, text } = reader.peek();
  const isGroup = kind === 'word' && draft.measures.length === 0 && /^\p{L}[\p{L}\d_]*$/u.test(text);
  const count = parseNumber(
    reader,
    isGroup
      ? 'Write, for example, ' +
          `\`count by ${names.kindOf(text, 'group') ? text : (names.columnLike(text) ?? 'COLUMN')} top 10\`.`
      : undefined,
    isGroup ? columnProperty(text) : undefined,
  );
  if (!count) return undefined;
  // `top 5 brands`: the name is looked up later.
  const isStranger = draft.measures.length + draft.groups.length === 0 && reader.peek().kind === 'word';
  if (startsGroup(reader, names) || (isStranger && !isClauseStart(reader))) parseGroupList(reader, names, draft.groups);
  return { ...count, clause: reader.spanFrom(first), direction: first.text.toLowerCase() === 'top' ? 'desc' : 'asc' };
}

/** Whether a measure follows `by` in `top 5 docPath by pageViewsCount`, in a line that begins without measures. */
function ranksBy(reader: TokenReader, names: NameReach, { measures, pick, groups }: Draft): boolean {
  const isMeasure = reader.peek(1).text === '(' || startsMeasure(reader, names, 1);
  return pick !== undefined && groups.length > 0 && measures.length === 0 && isMeasure;
}

function parseRanking(reader: TokenReader, names: NameReach, draft: Draft): boolean {
  reader.take();
  draft.measures.push(...parseMeasures(reader, names));
  return true;
}

function isBy({ kind, text }: Token): boolean {
  return kind === 'word' && /^(?:by|per)$/i.test(text);
}

function parseWhere(reader: TokenReader, names: NameReach, draft: Draft): boolean {
  const first = reader.peek();
  const condition = parseCondition(reader, names, { manyValues: false });
  if (!condition) return false;
  draft.conditions.push(...toConjunction(condition));
  const next = reader.peek();
  if (next.kind === 'end' || isClauseStart(reader) || endsWithComma(reader)) return true;
  reader.complain(
    'notation-unexpected',
    `${describeToken(next)} is not expected after a condition.`,
    /^[-+*/]$/.test(next.text) && draft.measures[0]
      ? 'Put a figure and its own condition in brackets: ' +
          `\`(${draft.measures[0].text} where ${reader.textFrom(first)}) ${next.text} …\`.`
      : `${quoteHint} Join conditions with \`and\` or \`or\`.`,
  );
  return false;
}

function parseOrder(reader: TokenReader, names: NameReach, draft: Draft): boolean {
  if (!reader.skip('by')) {
    reader.miss('notation-order', '"by"', 'Write `order by count desc`.');
    return false;
  }
  do {
    const token = reader.peek();
    if (!mayBeName(token)) {
      reader.miss('notation-name', 'A member', 'Write `order by count desc`.');
      return false;
    }
    const granularity = token.kind === 'word' ? toGranularity(token.text) : undefined;
    const by = granularity ? { granularity, span: reader.take().span } : takeName(reader, names, 'list');
    const descending = reader.skip('desc') || reader.skip('descending');
    if (!descending && !reader.skip('asc')) reader.skip('ascending');
    draft.order.push({ by, direction: descending ? 'desc' : 'asc' });
  } while (skipComma(reader));
  return true;
}

/** Parses `this month vs last month`: the line's range is the first of several. */
function parseVersus(reader: TokenReader, draft: Draft, first: RangeNode): boolean {
  reader.take();
  draft.range = undefined;
  draft.compare.push(first);
  return parseComparison(reader, draft.compare, startsOther);
}

/** Parses `Europe/Berlin`, after `in`, `in zone`, `in time zone` or `zone`. */
function parseZone(reader: TokenReader): NameNode | undefined {
  if (reader.isWord('time') && /^zone$/i.test(reader.peek(1).text)) reader.take();
  if (!reader.skip('zone')) reader.skip('timezone');
  const token = reader.peek();
  if (token.kind === 'end' || token.kind === 'sign') {
    return reader.miss('notation-zone', 'A time zone', 'Write, for example, `in Europe/Berlin`.');
  }
  const hint = calendarHint(token.text);
  if (hint !== undefined)
    return reader.complain('notation-range', `${describeToken(token)} is not a time range.`, hint);
  reader.take();
  return { text: token.text, span: token.span };
}

function parseNumber(
  reader: TokenReader,
  hint = 'Write, for example, `top 10` or `limit 10`.',
  name?: string,
): NumberNode | undefined {
  const token = reader.peek();
  const value = Number(token.text);
  if (token.kind !== 'word' || !/^\d+$/.test(token.text) || !Number.isSafeInteger(value)) {
    return reader.miss('notation-number', 'A whole number', hint, name);
  }
  reader.take();
  return { value, span: token.span };
}

function isClauseStart(reader: TokenReader): boolean {
  const { kind, text } = reader.peek();
  if (reader.isWord('group')) return isBy(reader.peek(1));
  if (startsOther(reader) || startsTimeOfDay(reader)) return true;
  if (kind !== 'word') return false;
  if (startsRange(reader) || wordsBeforeRange(reader) > 0 || reader.isWord('compared')) return true;
  return isClauseWord(text) || toGranularity(text) !== undefined;
}

function unexpected(reader: TokenReader, names: NameReach, draft: Draft): boolean {
  const token = reader.peek();
  const measure = draft.measures.at(-1)?.text ?? 'count';
  const several = hintOnSeveralWords(reader, draft);
  const isSecondWord = reader.position() > 1 && token.kind === 'word' && /^as$/i.test(reader.peek(-2).text);
  const meant = isSecondWord
    ? `A name is one word: write \`as ${reader.peek(-1).text}_${token.text}\`.`
    : /^(?:share|rolling|moving|cumulative)$/i.test(token.text)
      ? `Write it right after a measure, such as \`${measure} ${changeExamples[token.text.toLowerCase()]}\`.`
      : reader.isWord('having')
        ? `Write \`where ${measure} > 10\`.`
        : token.kind === 'word'
          ? (hintOnSpeech(token.text, wordsAhead(reader, 1), measure, several !== undefined, names.conditionOf) ??
            hintOnColumn(reader.position() > 0 ? reader.peek(-1).text : '', names.columnLike(token.text)) ??
            hintFor(token.text, names) ??
            several)
          : token.kind === 'text' && draft.measures.length === 0
            ? `Start with a measure, such as \`count by "${token.text}"\` or \`sum("${token.text}")\`.`
            : undefined;
  const start = draft.measures.length === 0 ? 'Start with measures, then write' : 'After the measures, write';
  const hint =
    meant ?? `${start} \`by\`, \`where\`, a range such as \`last 7 days\`, \`top\`, \`order by\`, \`limit\`.`;
  // The word may name an event, or a column.
  const name = token.kind === 'word' ? columnProperty(token.text) : undefined;
  reader.complain('notation-unexpected', `${describeToken(token)} is not expected here.`, hint, undefined, name);
  reader.take();
  return false;
}

const changeExamples: Readonly<Record<string, string>> = {
  share: 'share of total',
  rolling: 'rolling 28 days',
  moving: 'moving average 7',
  cumulative: 'cumulative',
};

/** A word right after a group may belong to its name. */
function hintOnSeveralWords(reader: TokenReader, { groups }: Draft): string | undefined {
  const last = groups.at(-1);
  return last?.kind === 'name' && last.next === reader.position()
    ? `Quote a name of several words: \`by "${last.name.text} ${reader.peek().text}"\`.`
    : undefined;
}

function hintFor(word: string, names: NameReach): string | undefined {
  // A word of two letters is near to many others.
  const near = word.length > 2 ? didYouMean(word, [...clauseWords, ...rangeWords, ...granularities]) : undefined;
  return calendarHint(word) ?? near ?? names.nearMember(word);
}
