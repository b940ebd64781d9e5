import {
  type Change,
  type Formula,
  type Operator,
  type PerUser,
  mapConditionals,
  mapNames,
  mostPeriods,
  operators,
  partsOf,
  toPerUser,
} from './formula.ts';
import { isPropertyName } from '../query/property-name.ts';
import { readTimeSpan } from '../query/time-span.ts';
import type { Granularity } from '../time/granularity.ts';
import { parseCondition } from './parse-condition.ts';
import { clauseNameAhead, perUserAhead, type NameReach, saysCount, startsMeasure, takeName } from './parse-name.ts';
import { startsRange } from './parse-range.ts';
import { openScope } from './name-scope.ts';
import { resolveConditional } from './resolve-condition.ts';
import type { ConditionNode, NameNode } from './syntax.ts';
import { callInWords, describeToken, functionOf, readTokens, type TokenReader, tokenize } from './tokens.ts';
import { isClauseWord, isReserved, toGranularity } from './words.ts';
import { type Outcome, bad, errorIssue, settle } from '../outcome.ts';
import { memberPattern } from '../query/member-name.ts';
import { quote } from '../text.ts';

type Node = Formula<NameNode, ConditionNode>;

/** The deepest nesting of brackets, so that no text overflows the stack. */
const deepest = 50;

/** The most operations of a formula, for the same reason: `a + b + c` is nested, too. */
const mostOperations = 500;

/** What a formula has so far. */
interface Parsed {
  operations: number;
}

/** Whether a measure or a formula of measures begins here. */
export function startsFormula(reader: TokenReader): boolean {
  const { kind, text } = reader.peek();
  if (reader.isSign('(')) return true;
  if (kind !== 'word') return false;
  if (isNumber(text)) return toOperator(reader.peek(1).text[0]) !== undefined && reader.peek(1).kind === 'word';
  if (toOperator(text[0])) return !startsRange(reader);
  return !isReserved(text) && !startsRange(reader);
}

/**
 * Parses a measure or a formula: `(pageViewsCount + 1) / uniqueUsersCount rolling 28 days`. Reports an issue and
 * returns undefined on errors.
 */
export function parseFormula(reader: TokenReader, names: NameReach): Node | undefined {
  return parseSum(reader, names, 0, { operations: 0 });
}

function parseSum(reader: TokenReader, names: NameReach, depth: number, parsed: Parsed): Node | undefined {
  const parseFactor = () => parseOperand(reader, names, depth, parsed);
  const parseProduct = () => parseOperations(reader, ['*', '/'], parseFactor, parsed);
  return parseOperations(reader, ['+', '-'], parseProduct, parsed);
}

function parseOperations(
  reader: TokenReader,
  taken: readonly Operator[],
  parsePart: () => Node | undefined,
  parsed: Parsed,
): Node | undefined {
  let left = parsePart();
  while (left) {
    if (!reader.isSign('(')) splitOperator(reader);
    const operator = reader.peek().kind === 'word' ? toOperator(reader.peek().text) : undefined;
    if (!operator || !taken.includes(operator)) return left;
    parsed.operations += 1;
    if (parsed.operations > mostOperations)
      return reader.complain('notation-formula', `A formula has at most ${mostOperations} operations.`);
    reader.take();
    const right = parsePart();
    left = right && { kind: 'operation', operator, left, right };
  }
  return undefined;
}

function parseOperand(reader: TokenReader, names: NameReach, depth: number, parsed: Parsed): Node | undefined {
  if (depth > deepest)
    return reader.complain('notation-formula', `A formula has at most ${deepest} levels of brackets.`);
  splitWord(reader, names);
  const token = reader.peek();
  if (reader.skip('(')) {
    const inner = parseSum(reader, names, depth + 1, parsed);
    if (!inner) return undefined;
    if (reader.skip('where')) {
      const where = parseCondition(reader, names, { manyValues: false });
      if (!where) return undefined;
      if (reader.skip(')')) return withChange({ kind: 'where', of: inner, where }, reader);
    }
    if (reader.skip(')')) return inner;
    return reader.miss('notation-formula', '")"');
  }
  if (token.kind === 'word' && token.text === '-') {
    reader.take();
    const of = parseOperand(reader, names, depth + 1, parsed);
    return of && { kind: 'negative', of };
  }
  if (token.kind === 'word' && isNumber(token.text)) {
    reader.take();
    return { kind: 'number', text: token.text };
  }
  if (token.kind !== 'word' || isClauseWord(token.text) || reader.isWord('as') || toOperator(token.text[0]))
    return reader.miss('notation-name', 'A measure');
  const before = parseChangeBefore(reader, names);
  const name = takeMeasure(reader, names);
  const change = before ?? parseChange(reader);
  return change === 'wrong' ? undefined : { kind: 'measure', name, ...(change && { change }) };
}

/** Takes a change after the bracket, too: `(count where plan = pro) cumulative` for `(count cumulative where …)`. */
function withChange(node: Extract<Node, { kind: 'where' }>, reader: TokenReader): Node | undefined {
  if (node.of.kind !== 'measure' || node.of.change) return node;
  const change = parseChange(reader);
  return change === 'wrong' ? undefined : { ...node, of: { ...node.of, ...(change && { change }) } };
}

/**
 * A measure, also in words: `average of price` and `average price` are `avg(price)`; `number of users`, `how many
 * users` and `total users` are `users`.
 */
function takeMeasure(reader: TokenReader, names: NameReach): NameNode {
  const first = reader.peek();
  const ahead = [0, 1, 2].map((index) => reader.peek(index));
  const words = ahead.map(({ text }) => text.toLowerCase());
  const [word = '', next = ''] = words;
  const { kind, text } = ahead[2]!;
  if (word === 'total' && names.reach(words) === 0 && startsMeasure(reader, names, 1)) {
    reader.take();
    return takeMeasure(reader, names);
  }
  const isCount = saysCount(words);
  const isCall = next === 'of' && functionOf(word) !== undefined;
  if (next !== 'of' && functionOf(word) !== undefined && names.reach(words) === 0) {
    const after = [1, 2, 3, 4, 5].map((index) => reader.peek(index).text);
    const operand = after.slice(0, names.reach(after)).join(' ');
    if (operand !== '' && names.kindOf(callInWords(word, { text: operand }), 'measure') === 'measure') {
      reader.take();
      return { text: callInWords(word, takeName(reader, names, 'measure')), span: reader.spanFrom(first) };
    }
  }
  const ofClause = functionOf(word) === undefined ? 0 : clauseNameAhead(reader, 1);
  if (ofClause > 0) {
    reader.take();
    const operand = reader.takeSeveral(ofClause).map((token) => token.text);
    // A term such as `average order value` has a hint of its own.
    const isTerm = names.reach(words) > 1;
    const text = isTerm ? [word, ...operand].join(' ') : callInWords(word, { text: operand.join(' ') });
    return { text, span: reader.spanFrom(first) };
  }
  const isFree = kind === 'word' && !isReserved(text) && !startsRange(reader, 2);
  const isNamed = kind === 'text' || isFree || clauseNameAhead(reader, 2) > 0;
  if (!(isCount || isCall) || !isNamed || names.reach(ahead.map((token) => token.text)) > 1)
    return takeName(reader, names, 'measure');
  reader.take();
  reader.take();
  const name = takeName(reader, names, 'measure');
  return isCall ? { text: callInWords(word, name), span: reader.spanFrom(first) } : name;
}

/** Parses a change that stands before its measure: `share of page views`, `cumulative users`. */
function parseChangeBefore(reader: TokenReader, names: NameReach): Change | undefined {
  const [first, second] = [reader.peek(), reader.peek(1)].map(({ text }) => text.toLowerCase());
  const kind = first === 'cumulative' ? first : first === 'share' && second === 'of' ? first : undefined;
  if (kind === undefined) return undefined;
  const words = kind === 'share' ? 2 : 1;
  if (names.reach([first!, second!]) > 0 || !startsMeasure(reader, names, words)) return undefined;
  reader.takeSeveral(words);
  return { kind };
}

/**
 * Parses the change after a measure: `rolling 28 days`, `moving average 7`, `cumulative`, `avg per user`,
 * `share of total`.
 */
function parseChange(reader: TokenReader): Change | 'wrong' | undefined {
  if (reader.isWord('rolling')) {
    reader.take();
    const amount = takeCount(reader, '`rolling 28 days`');
    if (amount === undefined) return 'wrong';
    const unit = takeUnit(reader);
    if (unit) return { kind: 'rolling', amount, unit };
    reader.miss('notation-formula', 'A unit of time', 'Write the length of the window, such as `rolling 28 days`.');
    return 'wrong';
  }
  if (reader.isWord('moving') && /^(?:average|avg|mean)$/i.test(reader.peek(1).text)) {
    reader.take();
    reader.take();
    const count = takeCount(reader, '`moving average 7`');
    if (count === undefined) return 'wrong';
    const unit = takeUnit(reader);
    return { kind: 'average', count, ...(unit && { unit }) };
  }
  const compute = perUserWord(reader);
  if (compute) {
    reader.takeSeveral(3);
    return { kind: 'perUser', compute };
  }
  if (reader.skip('cumulative')) return { kind: 'cumulative' };
  if (!reader.skip('share')) return undefined;
  if (reader.isWord('of') && /^total$/i.test(reader.peek(1).text)) {
    reader.take();
    reader.take();
  }
  return { kind: 'share' };
}

/** Recognizes `avg per user` and `p90 per user`. */
function perUserWord(reader: TokenReader): PerUser | undefined {
  return perUserAhead(reader, 1) ? toPerUser(reader.peek().text) : undefined;
}

function takeCount(reader: TokenReader, example: string): number | undefined {
  const { kind, text } = reader.peek();
  const count = Number(text);
  if (kind !== 'word' || !/^\d+$/.test(text) || count < 1 || count > mostPeriods) {
    return reader.miss('notation-number', `A whole number from 1 to ${mostPeriods}`, `Such as ${example}.`);
  }
  reader.take();
  return count;
}

function takeUnit(reader: TokenReader): Granularity | undefined {
  const { kind, text } = reader.peek();
  const unit = kind === 'word' ? toGranularity(text.replace(/s$/i, '')) : undefined;
  if (unit === undefined || /ly$/i.test(text)) return undefined;
  reader.take();
  return unit;
}

function isNumber(text: string): boolean {
  return /^\d{1,30}(?:\.\d{1,30})?$/.test(text);
}

function toOperator(text: string | undefined): Operator | undefined {
  return operators.find((operator) => operator === text);
}

/** Splits `a/b` into three tokens, unless a member has this name. */
function splitWord(reader: TokenReader, names: NameReach): void {
  const { kind, text } = reader.peek();
  if (kind !== 'word' || text.length === 1 || !/[-+*/]/.test(text) || isPropertyName(text) || readTimeSpan(text))
    return;
  if (names.reach([text]) === 0) reader.split(/[-+*/]|[^-+*/]+/g);
}

/** Splits an operator from the text after it: `/b` after a measure becomes two tokens. */
function splitOperator(reader: TokenReader): void {
  const { kind, text } = reader.peek();
  if (kind === 'word' && text.length > 1 && toOperator(text[0])) reader.split(/^[-+*/]|[^]+/g);
}

/**
 * Reads a formula of measures: `Shop.sales / Shop.users rolling 28 days`. Names without a cube belong to `cube`.
 * Returns all issues at once, each with its span. Never throws.
 */
export function readFormula(text: string, cube: string): Outcome<Formula> {
  const { tokens, issues } = tokenize(text);
  const reader = readTokens(text, tokens, issues);
  const node = parseFormula(reader, noNames);
  if (node && reader.peek().kind !== 'end')
    reader.complain(
      'notation-formula',
      `${describeToken(reader.peek())} is not expected in a formula.`,
      'A formula is made of measures, numbers, `+ - * /` and brackets.',
    );
  if (!node) return bad(reader.issues);
  const scope = openScope(cube, undefined);
  const formula = mapConditionals(
    mapNames<NameNode, string, ConditionNode>(node, ({ text: name }, change) => ({
      kind: 'measure',
      name: memberPattern().test(name) ? name : `${cube}.${name}`,
      ...(change && { change }),
    })),
    (conditional) => resolveConditional(conditional, scope),
  );
  const wrong = partsOf(formula).filter(({ name }) => !memberPattern().test(name));
  return settle(formula, [
    ...reader.issues,
    ...scope.issues,
    ...wrong.map(({ name }) =>
      errorIssue('not-a-name', `${quote(name)} is not a valid measure name.`, {
        hint: 'Write `Cube.measure`, and put spaces around `+ - * /`.',
      }),
    ),
  ]);
}

/** Without known names, each word is a name. */
const noNames = {
  reach: () => 0,
  strangers: () => 1,
  kindOf: () => undefined,
  nearMember: () => undefined,
  conditionOf: () => undefined,
  columnLike: () => undefined,
};
