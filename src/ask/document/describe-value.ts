import { quote } from '../text.ts';

/** Describes a value in a few words: `the text "ten"`, `the number 5`, `a list`, `nothing`. */
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
      return describeObject(value);
    default:
      return `a ${typeof value}`;
  }
}

/** Objects that are no mappings get their own name: a promise that was not awaited, a Map. */
function describeObject(value: object): string {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind === 'Promise') return 'a promise';
  return ['Date', 'Map', 'Set', 'RegExp', 'Error'].includes(kind) ? `a ${kind}` : 'a mapping';
}
