import { quote } from '../quote.ts';

/** A found value in a few words: `the text "ten"`, `the number 5`, `a list`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string': return value === '' ? 'an empty text' : `the text ${quote(value)}`;
    case 'number': case 'bigint': return `the number ${value}`;
    case 'boolean': return String(value);
    case 'object': return 'a mapping';
    default: return `a ${typeof value}`;
  }
}

/** The kinds of value that schemas ask for, in the words of `describeValue`. */
export function describeKind(expected: string): string {
  return kinds[expected] ?? `a ${expected}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list', tuple: 'a list',
  object: 'a mapping', record: 'a mapping', null: 'empty', nan: 'a number',
};

/** `a, b or c`; of a long list the beginning. */
export function listOf(words: readonly string[]): string {
  if (words.length > 12) return `${words.slice(0, 10).join(', ')} …`;
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
