import { nearest } from '../../nearest.ts';
import { granularities } from '../../time/granularity.ts';
import { parseCondition } from './parse-condition.ts';
import { parseRange, startsRange } from './parse-range.ts';
import { quoteHint } from './parse-test.ts';
import type { ConditionNode, GroupNode, NameNode, NumberNode, OrderNode, PickNode, RangeNode, Syntax } from './syntax.ts';
import { describeToken, type TokenReader } from './token-reader.ts';
import { clauseWords, isClauseWord, isReserved, rangeWords, toGranularity } from './words.ts';

type Draft = {
  measures: NameNode[]; groups: GroupNode[]; compare: RangeNode[]; conditions: ConditionNode[]; segments: NameNode[]; order: OrderNode[];
  range: RangeNode | undefined; pick: PickNode | undefined; zone: NameNode | undefined;
  limit: NumberNode | undefined; offset: NumberNode | undefined;
};

/** The clauses of a line. What cannot be understood is told and left out. */
export function parseNotation(reader: TokenReader): Syntax {
  const draft: Draft = {
    measures: [], groups: [], compare: [], conditions: [], segments: [], order: [],
    range: undefined, pick: undefined, limit: undefined, offset: undefined, zone: undefined,
  };
  const { kind, text } = reader.peek();
  if (kind === 'word' && !isReserved(text) && !startsRange(reader)) draft.measures.push(...parseNames(reader, 'A measure'));
  while (reader.peek().kind !== 'end') if (!parseClause(reader, draft)) reader.recover();
  return draft;
}

function parseClause(reader: TokenReader, draft: Draft): boolean {
  if (startsRange(reader)) return once(reader, draft, 'range', () => parseRange(reader));
  const token = reader.peek();
  const word = token.kind === 'word' ? token.text.toLowerCase() : '';
  const granularity = toGranularity(word);
  if (granularity) {
    draft.groups.push({ kind: 'bucket', granularity, span: token.span, after: nameRightBefore(reader, draft, false) });
    reader.take();
    return true;
  }
  switch (word) {
    case 'by': return parseGroups(reader, draft);
    case 'where': return reader.take(), parseWhere(reader, draft);
    case 'segment': case 'segments': return reader.take(), draft.segments.push(...parseNames(reader, 'A segment')) > 0;
    case 'top': case 'bottom': return once(reader, draft, 'pick', () => {
      const count = parseNumber(reader);
      return count && { ...count, direction: word === 'top' ? 'desc' as const : 'asc' as const };
    });
    case 'limit': case 'offset': return once(reader, draft, word, () => parseNumber(reader));
    case 'order': return reader.take(), parseOrder(reader, draft);
    case 'in': case 'zone': case 'timezone': return once(reader, draft, 'zone', () => parseZone(reader));
    case 'compare': return reader.take(), parseComparison(reader, draft);
    default: return unexpected(reader, draft);
  }
}

/** A clause that may stand once. Its keyword (but a range's first word) is taken here. */
function once<Key extends keyof typeof single>(reader: TokenReader, draft: Draft, key: Key, parse: () => Draft[Key]): boolean {
  const first = key === 'range' ? reader.peek() : reader.take();
  const value = parse();
  if (value === undefined) return false;
  if (draft[key] !== undefined) {
    reader.complain('notation-twice', `The line already has ${single[key]}.`, 'Keep one of them.', reader.spanFrom(first));
  }
  draft[key] = value;
  return true;
}

const single = { range: 'a range of time', pick: '"top" or "bottom"', limit: '"limit"', offset: '"offset"', zone: 'a time zone' } as const;

function parseNames(reader: TokenReader, what: string): readonly NameNode[] {
  const names: NameNode[] = [];
  do {
    const token = reader.peek();
    if (token.kind !== 'word' || isClauseWord(token.text)) {
      reader.complain('notation-name', `${what} is expected here, not ${describeToken(token)}.`);
      return names;
    }
    reader.take();
    names.push({ text: token.text, span: token.span });
  } while (reader.skip(',') || reader.skip('and'));
  return names;
}

function parseGroups(reader: TokenReader, draft: Draft): boolean {
  let after = nameRightBefore(reader, draft, true);
  reader.take();
  do {
    const token = reader.peek();
    const granularity = token.kind === 'word' ? toGranularity(token.text) : undefined;
    if (token.kind !== 'word' || isClauseWord(token.text)) {
      const message = `A dimension or a bucket of time is expected here, not ${describeToken(token)}.`;
      reader.complain('notation-name', message, 'Such as by docPath, or by day.');
      return false;
    }
    reader.take();
    const name = { text: token.text, span: token.span };
    draft.groups.push(granularity ? { kind: 'bucket', granularity, span: token.span, after } : { kind: 'name', name, next: reader.position() });
    after = undefined;
  } while (reader.skip(',') || reader.skip('and'));
  return true;
}

/** The name that ends where the reader stands: a bucket that follows may belong to it. */
function nameRightBefore(reader: TokenReader, draft: Draft, joined: boolean) {
  const last = draft.groups.at(-1);
  return last?.kind === 'name' && last.next === reader.position() ? { group: draft.groups.length - 1, joined } : undefined;
}

function parseWhere(reader: TokenReader, draft: Draft): boolean {
  const condition = parseCondition(reader, { manyValues: false });
  if (!condition) return false;
  draft.conditions.push(...toConjunction(condition));
  const next = reader.peek();
  if (next.kind === 'end' || isClauseStart(reader)) return true;
  reader.complain('notation-unexpected', `${describeToken(next)} is not expected behind a condition.`, `${quoteHint} Conditions are joined by and, or.`);
  return false;
}

/** The conditions that all hold: those of an `and` that stands in no brackets. */
export function toConjunction(condition: ConditionNode): readonly ConditionNode[] {
  return condition.kind === 'and' && !condition.grouped ? condition.parts : [condition];
}

function parseOrder(reader: TokenReader, draft: Draft): boolean {
  if (!reader.skip('by')) {
    reader.complain('notation-order', `"by" is expected here, not ${describeToken(reader.peek())}.`, 'Write order by count desc.');
    return false;
  }
  do {
    const token = reader.peek();
    if (token.kind !== 'word' || isClauseWord(token.text)) {
      reader.complain('notation-name', `A member is expected here, not ${describeToken(token)}.`, 'Write order by count desc.');
      return false;
    }
    reader.take();
    const granularity = toGranularity(token.text);
    const descending = reader.skip('desc') || reader.skip('descending');
    if (!descending && !reader.skip('asc')) reader.skip('ascending');
    const by = granularity ? { granularity, span: token.span } : { text: token.text, span: token.span };
    draft.order.push({ by, direction: descending ? 'desc' : 'asc' });
  } while (reader.skip(','));
  return true;
}

function parseComparison(reader: TokenReader, draft: Draft): boolean {
  do {
    const range = parseRange(reader);
    if (!range) return false;
    draft.compare.push(range);
  } while (reader.skip('with') || reader.skip(',') || reader.skip('and'));
  if (draft.compare.length > 1) return true;
  reader.complain('notation-compare', `"with" and another range are expected here, not ${describeToken(reader.peek())}.`, 'Write compare this month with last month.');
  return false;
}

function parseZone(reader: TokenReader): NameNode | undefined {
  const token = reader.peek();
  if (token.kind === 'end' || token.kind === 'sign') {
    return reader.complain('notation-zone', `A time zone is expected here, not ${describeToken(token)}.`, 'Such as in Europe/Berlin.');
  }
  reader.take();
  return { text: token.text, span: token.span };
}

function parseNumber(reader: TokenReader): NumberNode | undefined {
  const token = reader.peek();
  const value = Number(token.text);
  if (token.kind !== 'word' || !/^\d+$/.test(token.text) || !Number.isSafeInteger(value)) {
    return reader.complain('notation-number', `A whole number is expected here, not ${describeToken(token)}.`);
  }
  reader.take();
  return { value, span: token.span };
}

function isClauseStart(reader: TokenReader): boolean {
  const { kind, text } = reader.peek();
  return kind === 'word' && (isClauseWord(text) || toGranularity(text) !== undefined || startsRange(reader));
}

function unexpected(reader: TokenReader, draft: Draft): boolean {
  const token = reader.peek();
  const meant = token.kind === 'word' ? nearest(token.text, [...clauseWords, ...rangeWords, ...granularities]) : undefined;
  const start = draft.measures.length === 0 ? 'A line starts with measures; then come' : 'Behind the measures come';
  const hint = meant ? `Did you mean "${meant}"?` : `${start} by, where, a range such as last 7 days, top, order by, limit.`;
  reader.complain('notation-unexpected', `${describeToken(token)} is not expected here.`, hint);
  reader.take();
  return false;
}
