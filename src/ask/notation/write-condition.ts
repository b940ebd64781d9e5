import { toCanonicalQuery } from '../query/canonical-query.ts';
import type { CanonicalFilter, CanonicalMemberFilter, Filter } from '../query/query.ts';
import { isDayOrInstant } from './parse-range.ts';
import { operatorSigns } from './words.ts';
import { writeValue } from './write-value.ts';

const signs: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(operatorSigns).map(([sign, operator]) => [operator, sign]),
);

const words: Readonly<Record<string, string>> = {
  notIn: 'not in',
  set: 'is set',
  notSet: 'is not set',
  beforeDate: 'before',
  afterDate: 'after',
  onTheDate: 'on',
};

/** Writes filters that must all hold, as after `where`. */
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

function writeTest(
  { member, operator, values = [] }: CanonicalMemberFilter,
  writeName: (name: string) => string,
): string {
  const name = writeName(member);
  const sign = signs[operator] ?? words[operator] ?? operator;
  if (values.length === 0) return `${name} ${sign}`;
  const isRange = operator === 'inDateRange' || operator === 'notInDateRange';
  if (isRange && values.length === 2 && values.every((value) => value !== null && isDayOrInstant(value))) {
    return `${name} ${operator === 'inDateRange' ? '' : 'not '}between ${values.join(' and ')}`;
  }
  const [only = null, ...others] = values;
  if (isRange && others.length === 0 && only !== null && plainPhrase.test(only))
    return `${name} ${operator === 'inDateRange' ? 'in' : 'not in'} ${only}`;
  const takesList = values.length > 1 || operator === 'in' || operator === 'notIn';
  return `${name} ${sign} ${takesList ? `(${values.map(writeValue).join(', ')})` : writeValue(only)}`;
}

const plainPhrase = /^(?:today|yesterday|tomorrow|(?:last|past|previous|next|this)(?: \d+)? [a-z]+)$/i;
