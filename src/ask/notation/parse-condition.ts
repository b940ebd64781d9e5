import { type Issue, warningIssue } from '../outcome.ts';
import { dateOperators, type FilterOperator, filterOperators, type FilterValue, needsValues } from '../query/query.ts';
import { didYouMean } from '../suggest.ts';
import { quote } from '../text.ts';
import { toMonthNumber } from '../time/calendar.ts';
import { type NameReach, takeName } from './parse-name.ts';
import { isDayOrInstant, parseRange, startsRange } from './parse-range.ts';
import { withTimeParts } from './parse-time-of-day.ts';
import type { ConditionNode, NameNode, TestNode } from './syntax.ts';
import type { TokenReader } from './tokens.ts';
import { isClauseWord, isRangeWord, operatorSigns, wordedOperators } from './words.ts';

/** The deepest nesting of brackets that a line may have. */
const maxDepth = 50;

/**
 * Parses conditions joined by `and` and `or`; `and` binds tighter. Reports an issue and returns undefined on errors.
 */
export function parseCondition(
  reader: TokenReader,
  names: NameReach,
  options: TestOptions,
  depth = 0,
): ConditionNode | undefined {
  return parseJoined(reader, 'or', () => parseJoined(reader, 'and', () => parsePart(reader, names, options, depth)));
}

/** The conditions that `and` joins, unless it is in brackets. */
export function toConjunction(condition: ConditionNode): readonly ConditionNode[] {
  return condition.kind === 'and' && !condition.grouped ? condition.parts : [condition];
}

function parseJoined(
  reader: TokenReader,
  word: 'and' | 'or',
  parse: () => ConditionNode | undefined,
): ConditionNode | undefined {
  const parts: ConditionNode[] = [];
  do {
    const part = parse();
    if (!part) return undefined;
    parts.push(part);
  } while (reader.skip(word));
  return parts.length === 1 ? parts[0] : { kind: word, parts };
}

function parsePart(
  reader: TokenReader,
  names: NameReach,
  options: TestOptions,
  depth: number,
): ConditionNode | undefined {
  const token = reader.peek();
  if (depth >= maxDepth && (reader.isSign('(') || reader.isWord('not')))
    return reader.complain('too-deep', 'The brackets are nested too deeply.', undefined, token.span);
  if (reader.skip('not')) {
    const part = parsePart(reader, names, options, depth + 1);
    if (!part || !countsRows(part)) return part && negate(part);
    const message = '"measureFilter" has no opposite.';
    return reader.complain('notation-operator', message, 'Compare its dimensions instead.', reader.spanFrom(token));
  }
  if (reader.skip('(')) {
    const inner = parseCondition(reader, names, options, depth + 1);
    if (!inner) return undefined;
    if (reader.skip(')')) return inner.kind === 'test' ? inner : { ...inner, grouped: true };
    return reader.complain(
      'notation-bracket',
      'This bracket is not closed.',
      'Write ")" after the condition.',
      token.span,
    );
  }
  if (token.kind !== 'word' && token.kind !== 'text') {
    return reader.miss('notation-name', 'A member', 'Write, for example, `where eventType = pageview`.');
  }
  const test = parseTest(reader, takeName(reader, names, 'condition'), options);
  return test && withTimeParts(test, names);
}

/** The opposite of a condition: it holds for all other rows, also for those with missing values. */
function negate(node: ConditionNode): ConditionNode {
  if (node.kind === 'test') return { ...node, operator: opposites[node.operator], negated: !node.negated };
  return { kind: node.kind === 'and' ? 'or' : 'and', parts: node.parts.map(negate), grouped: true };
}

function countsRows(node: ConditionNode): boolean {
  return node.kind === 'test' ? node.operator === 'measureFilter' : node.parts.some(countsRows);
}

const pairs = [
  ['equals', 'notEquals'],
  ['in', 'notIn'],
  ['contains', 'notContains'],
  ['startsWith', 'notStartsWith'],
  ['endsWith', 'notEndsWith'],
  ['matches', 'notMatches'],
  ['set', 'notSet'],
  ['gt', 'lte'],
  ['gte', 'lt'],
  ['between', 'notBetween'],
  ['inDateRange', 'notInDateRange'],
  ['beforeDate', 'afterOrOnDate'],
  ['afterDate', 'beforeOrOnDate'],
] as const;

const opposites = {
  ...(Object.fromEntries(
    pairs.flatMap(([one, other]) => [
      [one, other],
      [other, one],
    ]),
  ) as Readonly<Record<(typeof pairs)[number][number], TestNode['operator']>>),
  onTheDate: 'notInDateRange',
  measureFilter: 'measureFilter',
} satisfies Record<TestNode['operator'], TestNode['operator']>;

const ranged: Partial<Readonly<Record<TestNode['operator'], FilterOperator>>> = {
  in: 'inDateRange',
  notIn: 'notInDateRange',
};

export const quoteHint = "Quote values that contain spaces or symbols: `'two words'`.";

interface Operator {
  readonly operator: TestNode['operator'];
  readonly sign: boolean;
}

interface TestOptions {
  /** Allows several values without brackets after an operator's name, as in a flag. */
  readonly manyValues: boolean;
}

/** Parses the test of a member, after its name: a sign or an operator's name, and the values. */
function parseTest(reader: TokenReader, name: NameNode, options: TestOptions): TestNode | undefined {
  const first = reader.peek();
  const parsed = parseOperator(reader);
  if (!parsed) return undefined;
  const operatorSpan = reader.spanFrom(first);
  // `in last 7 days` is a range; `in (a, b)` is a list.
  const { kind, text } = reader.peek();
  const isRange = kind === 'word' && (isRangeWord(text) || (toMonthNumber(text) !== undefined && startsRange(reader)));
  const inRange = isRange ? ranged[parsed.operator] : undefined;
  const operator: Operator = inRange ? { operator: inRange, sign: false } : parsed;
  const values = parseValues(reader, operator, options);
  return values && { kind: 'test', name, ...operator, operatorSpan, values };
}

function parseOperator(reader: TokenReader): Operator | undefined {
  const token = reader.peek();
  const bySign = token.kind === 'sign' ? operatorSigns[token.text] : undefined;
  if (bySign) return reader.take(), { operator: bySign, sign: true };
  if (token.kind === 'word') {
    const worded = parseWordedOperator(reader);
    if (worded) return worded;
    const operator = filterOperators.find((name) => name.toLowerCase() === token.text.toLowerCase());
    if (operator) return reader.take(), { operator, sign: false };
  }
  const meant = token.kind === 'word' ? didYouMean(token.text, filterOperators) : undefined;
  const examples =
    'Use `=`, `!=`, `>`, `<`, `~` (contains), `not contains`, `^=` (starts with), `$=`, ' +
    '`matches`, `in (a, b)`, `not in`, `is set`, `is not set`, `before`, ' +
    '`after` or `between x and y`.';
  return reader.miss('notation-operator', 'A comparison', meant ?? examples);
}

/** Parses `is not`, `starts with`, `not in`, `before` … */
function parseWordedOperator(reader: TokenReader): Operator | undefined {
  const worded = wordedOperators.find(({ words }) =>
    words.every((word, ahead) => {
      const { kind, text } = reader.peek(ahead);
      return kind === 'word' && text.toLowerCase() === word;
    }),
  );
  worded?.words.forEach(() => reader.take());
  return worded;
}

type Values = TestNode['values'];

function parseValues(reader: TokenReader, { operator, sign }: Operator, options: TestOptions): Values | undefined {
  if (operator === 'between' || operator === 'notBetween') return parseEnds(reader);
  if (!needsValues(operator)) return [];
  if (reader.isSign('(')) return parseList(reader);
  if (isDateOperator(operator)) return parseDates(reader);
  const value = parseValue(reader);
  if (!value) return undefined;
  const values = [value];
  while (options.manyValues && !sign && !reader.isWord('and', 'or') && isValue(reader)) {
    const more = parseValue(reader);
    if (more) values.push(more);
  }
  return values;
}

function parseList(reader: TokenReader): Values | undefined {
  reader.take();
  const values = [];
  do {
    const value = parseValue(reader);
    if (!value) return undefined;
    values.push(value);
  } while (reader.skip(','));
  if (!reader.skip(')')) {
    return reader.miss('notation-list', 'A comma or ")"', quoteHint);
  }
  return values;
}

/** Parses one phrase or date, or two dates as a range. */
function parseDates(reader: TokenReader): Values | undefined {
  if (!startsRange(reader)) {
    const value = parseValue(reader);
    return value && [value];
  }
  const range = parseRange(reader);
  if (!range) return undefined;
  const { span } = range;
  if (typeof range.range !== 'string') return range.range.map((value) => ({ value, span }));
  const values = [{ value: range.range as FilterValue, span }];
  if (isDayOrInstant(range.range) && isDayOrInstant(reader.peek().text)) {
    const end = reader.take();
    values.push({ value: end.text, span: end.span });
  }
  return values;
}

function parseEnds(reader: TokenReader): Values | undefined {
  const from = startsRange(reader) ? parseDates(reader)?.[0] : parseValue(reader);
  if (!from) return undefined;
  if (!reader.skip('and')) {
    return reader.miss('notation-between', '"and"', 'Write `between x and y`.');
  }
  const to = startsRange(reader) ? parseDates(reader)?.[0] : parseValue(reader);
  return to && [from, to];
}

function parseValue(reader: TokenReader): Values[number] | undefined {
  const token = reader.peek();
  if (token.kind === 'text' || token.kind === 'word') {
    reader.take();
    const isNull = token.kind === 'word' && token.text.toLowerCase() === 'null';
    return { value: isNull ? null : token.text, span: token.span };
  }
  return reader.miss('notation-value', 'A value', quoteHint);
}

function isValue(reader: TokenReader): boolean {
  const { kind, text } = reader.peek();
  return kind === 'text' || (kind === 'word' && !isClauseWord(text));
}

function isDateOperator(operator: TestNode['operator']): boolean {
  return (dateOperators as readonly string[]).includes(operator);
}

/** Warns about values that look like patterns: `docPath = /blog*` compares with the star itself. */
export function warnOfStars(conditions: readonly ConditionNode[]): readonly Issue[] {
  return conditions.flatMap((node) => (node.kind === 'test' ? warnOfTest(node) : warnOfStars(node.parts)));
}

function warnOfTest({ name, operator, values }: TestNode): readonly Issue[] {
  if (operator === 'matches' || operator === 'notMatches') return [];
  return values.flatMap(({ value, span }) => {
    const parts = typeof value === 'string' ? /^(\*?)([^*]+)(\*?)$/.exec(value) : null;
    if (!parts || !(parts[1] || parts[3])) return [];
    const [, before, text = '', after] = parts;
    const sign = before && after ? '~' : before ? '$=' : '^=';
    const plain = /^[\w/.:-]+$/.test(text) ? text : `'${text}'`;
    const hint =
      operator === 'equals' && values.length === 1 && plain.length < 40
        ? `Write \`${name.text} ${sign} ${plain}\`.`
        : 'Use `^=` to match the start, `$=` the end, `~` any part.';
    return [
      warningIssue('literal-star', `The * in ${quote(String(value))} matches only a literal *.`, {
        span,
        hint,
      }),
    ];
  });
}
