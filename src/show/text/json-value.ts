import { hiddenCharacters } from '../../ask/safe-cell.ts';
import type { Value } from '../../plan/column.ts';

const numberLiteral = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

// JSON escapes only C0 characters. These are escaped too; the value stays the same.
const needsEscape = new RegExp(hiddenCharacters.source);

/** Writes a text, or any plain data, as JSON that is safe to display. */
export function toSafeJson(data: unknown): string {
  const json = JSON.stringify(data);
  return needsEscape.test(json)
    ? json.replace(hiddenCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
}

/**
 * A number with all its digits. NaN and infinities are text, because JSON has no such numbers and null means no value.
 */
export function toJsonNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : `"${value}"`;
}

/** A value of a number column. Integers and decimals of any length are full number literals. */
export function toJsonNumeric(value: Value): string {
  if (typeof value === 'number') return toJsonNumber(value);
  if (typeof value === 'string') return numberLiteral.test(value) ? value : toSafeJson(value);
  return String(value);
}

/** A value of any other column. */
export function toJsonValue(value: Value): string {
  if (typeof value === 'string') return toSafeJson(value);
  if (typeof value === 'number') return toJsonNumber(value);
  return String(value);
}
