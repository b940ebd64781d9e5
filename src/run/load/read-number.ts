import type { Value } from '../../plan/column.ts';
import { decodeNumericText } from '../decode-value.ts';

/**
 * Reads a plain decimal text of up to fifteen digits (`335`, `12.5`); NaN for all other texts. Most figures are such
 * texts. The digits and the power of ten are exact, so the division rounds once, as parsing would.
 */
export function readShortNumber(text: string): number {
  const { length } = text;
  if (length === 0 || length > 16) return Number.NaN;
  let value = 0;
  let point = -1;
  for (let at = 0; at < length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
    else if (digit === -2 && point < 0 && at > 0 && at < length - 1) point = at;
    else return Number.NaN;
  }
  if (point < 0) return length > 15 ? Number.NaN : value;
  return value / (powers[length - 1 - point] as number);
}

const powers = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/**
 * Reads a number as servers write it, exactly (see `Value`), including NaN and infinities; undefined if it is not a
 * number.
 */
export function readNumericText(text: string): Value | undefined {
  // A server wrote this text from a number of its own, so they are equal.
  const whole = Number(text);
  if (Number.isFinite(whole) && String(whole) === text) return whole;
  const unusual = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text);
  if (unusual) return unusual[2]?.toLowerCase() === 'nan' ? Number.NaN : unusual[1] === '-' ? -Infinity : Infinity;
  // Some databases write `+5`, `.5` and `5.`.
  if (!decimal.test(text)) return undefined;
  return decodeNumericText(
    text
      .replace(/^\+/, '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.(?=e|$)/i, ''),
  );
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** Reads a minimum or maximum: a number as in `readNumericText`, a time as UTC with `Z`, otherwise text. */
export function readExtremeText(text: string): Value {
  const number = readNumericText(text);
  return number === undefined ? (readMoment(text) ?? text) : number;
}

function readMoment(text: string): string | undefined {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|\+00:?00)?$/.exec(text);
  return found ? `${found[1]}T${found[2]}.${(found[3] ?? '').slice(0, 3).padEnd(3, '0')}Z` : undefined;
}
