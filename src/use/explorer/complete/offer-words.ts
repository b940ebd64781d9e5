import { suggestedRanges } from '../../../ask/query/notation/suggested-ranges.ts';
import { granularities } from '../../../ask/time/granularity.ts';
import type { Candidate, CandidateKind } from './completion.ts';

function words(kind: CandidateKind, list: readonly (readonly [text: string, title: string])[]): readonly Candidate[] {
  return list.map(([text, title]) => ({ text, label: text, title, description: '', kind }));
}

/** Words that begin a clause, and those that join what stands before with what comes; the parser knows which of them fit. */
export const clauses: readonly Candidate[] = words('clause', [
  ['by', 'group by dimensions, or by time'], ['where', 'only what meets a condition'], ['top', 'the greatest first'], ['bottom', 'the least first'],
  ['and', 'and this holds, too'], ['or', 'or this holds'], ['order by', 'in this order'], ['desc', 'the greatest first'], ['asc', 'the least first'],
  ['segment', 'only what belongs to a segment'], ['limit', 'so many rows at most'], ['offset', 'without the first rows'],
  ['compare', 'two ranges of time beside each other'], ['vs', 'beside another range of time'], ['with', 'the range beside it'], ['to', 'to the end of the range'], ['in', 'in a time zone'],
]);

export const buckets: readonly Candidate[] = granularities.map((granularity) => ({ text: granularity, label: granularity, title: `one row a ${granularity}`, description: '', kind: 'granularity' }));

export const ranges: readonly Candidate[] = words('range', suggestedRanges.map((range) => [range, '']));

/** A range of which a part is written already: `last 14 …`, `from 2024-03-01 to …`. */
export function offerRanges(typed: string): readonly Candidate[] {
  const counted = /^(last|past|previous|next)\s+(\d+)(?:\s|$)/i.exec(typed);
  if (counted) return words('range', granularities.toReversed().map((unit) => [`${counted[1]} ${counted[2]} ${unit}${counted[2] === '1' ? '' : 's'}`, '']));
  const single = /^(last|previous|this|next)\s+\D*$/i.exec(typed);
  const units = single ? words('range', granularities.slice(3).map((unit) => [`${single[1]} ${unit}`, ''])) : [];
  const ended = /^(from\s+.+\s+to)(?:\s|$)/i.exec(typed);
  if (ended) return words('range', ['today', 'yesterday', 'now'].map((end) => [`${ended[1]} ${end}`, '']));
  const since = /^since(?:\s|$)/i.test(typed) ? words('range', ['since yesterday', 'since last week', 'since last month'].map((range) => [range, ''])) : [];
  return [...units, ...since, ...ranges];
}

export const numbers: readonly Candidate[] = words('number', ['10', '5', '20', '50', '100', '1000'].map((number) => [number, '']));

const operators = {
  text: words('operator', [
    ['=', 'is'], ['!=', 'is not'], ['~', 'contains'], ['!~', 'does not contain'], ['^=', 'begins with'], ['$=', 'ends with'],
    ['in (', 'is one of'], ['not in (', 'is none of'], ['is set', 'has a value'], ['is not set', 'has no value'],
  ]),
  number: words('operator', [
    ['=', 'is'], ['!=', 'is not'], ['>', 'is more than'], ['>=', 'is at least'], ['<', 'is less than'], ['<=', 'is at most'],
    ['between', 'lies between'], ['is set', 'has a value'], ['is not set', 'has no value'],
  ]),
  time: words('operator', [
    ['in', 'lies in a range of time'], ['not in', 'lies outside'], ['before', 'is before a day'], ['after', 'is after a day'], ['on', 'is on a day'],
    ['between', 'lies between two days'], ['is set', 'has a value'], ['is not set', 'has no value'],
  ]),
  boolean: words('operator', [['=', 'is'], ['!=', 'is not'], ['is set', 'has a value'], ['is not set', 'has no value']]),
} as const;

/** What can be asked of a value of this type. */
export function offerOperators(type: string | undefined): readonly Candidate[] {
  if (type === 'string' || type === undefined) return operators.text;
  return operators[type as keyof typeof operators] ?? operators.number;
}
