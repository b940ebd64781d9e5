import { toCanonicalQuery } from '../canonical-query.ts';
import type { CanonicalFilter, CanonicalMemberFilter, Filter } from '../query.ts';
import { isDayOrInstant } from './parse-range.ts';

const signs: Readonly<Record<string, string>> = {
  equals: '=', notEquals: '!=', gt: '>', gte: '>=', lt: '<', lte: '<=',
  contains: '~', notContains: '!~', startsWith: '^=', endsWith: '$=',
};

const words: Readonly<Record<string, string>> = {
  notIn: 'not in', set: 'is set', notSet: 'is not set', beforeDate: 'before', afterDate: 'after', onTheDate: 'on',
};

/** Filters that all hold, as the line says them behind `where`. */
export function writeConditions(filters: readonly Filter[], writeName: (name: string) => string): string {
  const canonical = toCanonicalQuery({ filters }).filters ?? [];
  const write = (filter: CanonicalFilter, inside: 'and' | 'or' | undefined): string => {
    if ('member' in filter) return writeTest(filter, writeName);
    const [word, parts] = 'and' in filter ? (['and', filter.and] as const) : (['or', filter.or] as const);
    const text = parts.map((part) => write(part, word)).join(` ${word} `);
    return inside === undefined || (inside === 'or' && word === 'and') ? text : `(${text})`;
  };
  const [only, ...others] = canonical;
  if (only && others.length === 0) return 'and' in only ? `(${write(only, undefined)})` : write(only, undefined);
  return canonical.map((filter) => write(filter, 'and')).join(' and ');
}

function writeTest({ member, operator, values = [] }: CanonicalMemberFilter, writeName: (name: string) => string): string {
  const name = writeName(member);
  const sign = signs[operator] ?? words[operator] ?? operator;
  if (values.length === 0) return `${name} ${sign}`;
  const isRange = operator === 'inDateRange' || operator === 'notInDateRange';
  if (isRange && values.length === 2 && values.every((value) => value !== null && isDayOrInstant(value))) {
    return `${name} ${operator === 'inDateRange' ? '' : 'not '}between ${values.join(' and ')}`;
  }
  const [only = null, ...others] = values;
  if (isRange && others.length === 0 && only !== null && plainPhrase.test(only)) return `${name} ${operator === 'inDateRange' ? 'in' : 'not in'} ${only}`;
  const takesList = values.length > 1 || operator === 'in' || operator === 'notIn';
  return `${name} ${sign} ${takesList ? `(${values.map(writeValue).join(', ')})` : writeValue(only)}`;
}

const plainPhrase = /^(?:today|yesterday|tomorrow|(?:last|past|previous|next|this)(?: \d+)? [a-z]+)$/i;

/** A value bare where that reads back, else in quotes. */
export function writeValue(value: string | null): string {
  if (value === null) return 'null';
  if (/^[\p{L}\p{N}_/.:@%+*-]+$/u.test(value) && value.toLowerCase() !== 'null') return value;
  return `'${value.replace(/[\\'\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, escape)}'`;
}

function escape(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`;
  return { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character] ?? `\\u{${character.charCodeAt(0).toString(16)}}`;
}
