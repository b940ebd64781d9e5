import { quote } from '../text.ts';

/** A found value in a few words: `the text "ten"`, `the number 5`, `a list`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty text' : `the text ${quote(value)}`;
    case 'number':
    case 'bigint':
      return `the number ${value}`;
    case 'boolean':
      return String(value);
    case 'object':
      return value instanceof Date ? 'a Date' : 'a mapping';
    default:
      return `a ${typeof value}`;
  }
}
