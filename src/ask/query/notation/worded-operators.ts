import type { TestNode } from './syntax.ts';

/** An operator in words. `sign`: it means the same as a sign, so that of a time it compares dates. */
export interface WordedOperator {
  readonly words: readonly string[];
  readonly operator: TestNode['operator'];
  readonly sign: boolean;
}

const phrases: readonly (readonly [operator: TestNode['operator'], ...phrases: readonly string[]])[] = [
  ['set', 'is set'], ['notSet', 'is not set'],
  ['in', 'in', 'is in'], ['notIn', 'not in', 'is not in'],
  ['contains', 'contains', 'like'], ['notContains', 'not contains', 'not like', 'does not contain'],
  ['startsWith', 'starts with', 'begins with'], ['notStartsWith', 'not starts with', 'does not start with'],
  ['endsWith', 'ends with'], ['notEndsWith', 'not ends with', 'does not end with'],
  ['beforeDate', 'before'], ['afterDate', 'after'], ['onTheDate', 'on'],
  ['between', 'between'], ['notBetween', 'not between'],
];

const signs: readonly (readonly [operator: TestNode['operator'], phrase: string])[] = [['equals', 'is'], ['notEquals', 'is not']];

/** The operators that a line may say in words, those of most words first. */
export const wordedOperators: readonly WordedOperator[] = [
  ...phrases.flatMap(([operator, ...written]) => written.map((phrase) => ({ words: phrase.split(' '), operator, sign: false }))),
  ...signs.map(([operator, phrase]) => ({ words: phrase.split(' '), operator, sign: true })),
].toSorted((a, b) => b.words.length - a.words.length);
