import { isCalendarUnit } from '../ask/time/granularity.ts';
import type { Column, TypeClaim } from '../plan/column.ts';
import { writeUtc, writeWithOffset, writeLocal } from '../ask/time/local-time.ts';
import { writeUnscaled } from '../plan/to-unscaled.ts';

/** The quotient, rounded down. `by`: above 0. */
export function floorDivide(value: bigint, by: bigint): bigint {
  return value >= 0n ? value / by : -((-value + by - 1n) / by);
}

export function timeWriter(column: Column, zone: string): (instant: number) => string {
  if (column.kind === 'measure') return writeUtc;
  if (column.kind === 'time' && column.granularity !== undefined && !isCalendarUnit(column.granularity))
    return (instant) => writeWithOffset(instant, zone);
  return writeLocal;
}

/** The decimal `unscaled / 10^scale`: a number if that is the same decimal, otherwise its text. */
export function decodeDecimal(unscaled: bigint, scale: number): number | string {
  // A double keeps fifteen digits, and dividing two exact numbers rounds only once.
  if (scale <= 22 && unscaled > -1_000_000_000_000_000n && unscaled < 1_000_000_000_000_000n)
    return Number(unscaled) / 10 ** scale;
  const text = writeUnscaled(unscaled, scale);
  const number = Number(text);
  return writeDigits(String(number)) === writeDigits(text) ? number : text;
}

/** A number's significant digits and exponent as text: equal for equal decimals. */
function writeDigits(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const negative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const place = Number(exponent) - fraction.length + (digits.length - significant.length);
  return significant === '' ? '0' : `${negative ? '-' : ''}${significant}e${place}`;
}

/** Decodes the text of a decimal number like `decodeDecimal`; other text stays as it is. */
export function decodeNumericText(text: string): number | bigint | string {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text)) return text;
  const number = Number(text);
  if (writeDigits(String(number)) === writeDigits(text)) return Object.is(number, -0) ? 0 : number;
  return /[.e]/i.test(text) ? text : BigInt(text);
}

export function decodeInteger(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** Buckets of a day and longer are wall times without zone; other times are instants. See `Value`. */
export function toTime({ kind, granularity }: Column): TypeClaim {
  return { kind: 'time', utc: !(kind === 'time' && granularity !== undefined && isCalendarUnit(granularity)) };
}
