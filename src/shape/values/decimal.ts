import type { Value } from '../../plan/column.ts';
import { writeUnscaled } from '../../plan/to-unscaled.ts';
import type { Values } from './values.ts';

/** An exact decimal number: `units` × 10^−`scale`. */
export interface Decimal {
  readonly units: bigint;
  /** Digits after the decimal point, 0 or more. */
  readonly scale: number;
}

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** A number as an exact decimal; a float counts as its shortest decimal text. Undefined if it is no finite decimal. */
export function toDecimal(value: number | bigint | string): Decimal | undefined {
  if (typeof value === 'bigint') return { units: value, scale: 0 };
  const match = pattern.exec(typeof value === 'number' ? String(value) : value.trim());
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const units = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: toScale(a, scale) + toScale(b, scale), scale };
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { units: -b.units, scale: b.scale });
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** Negative if a is less than b, 0 if they are equal. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = toScale(a, scale) - toScale(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function writeDecimal({ units, scale }: Decimal): string {
  return writeUnscaled(units, scale);
}

function toScale({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}

/**
 * The sum of numbers: exact for integers (a bigint if a number would be inexact) and for decimal text. Numbers with few
 * decimals count as these decimals, so that 0.1 and 0.2 are 0.3; other floats are added with compensation. Skips nulls.
 * Null if there are only nulls, or if a value is no number.
 */
export function sumValues(values: Values | Iterable<Value>): Value {
  let exact: Decimal = { units: 0n, scale: 0 };
  // The sum of short decimals, in units of 10^-places, is added to `exact` only if it becomes too large.
  let units = 0;
  let places = 0;
  let float = 0;
  let lost = 0;
  let seen = false;
  let fractions = false;
  let floats = false;
  let texts = false;
  const flush = () => {
    exact = addDecimals(exact, { units: BigInt(units), scale: places });
    units = 0;
  };
  for (const value of values) {
    if (value === null) continue;
    seen = true;
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      const short = decimalPlaces(value, places);
      if (short === undefined) {
        floats = true;
        const sum = float + value;
        lost += Math.abs(float) >= Math.abs(value) ? float - sum + value : value - sum + float;
        float = sum;
        continue;
      }
      fractions = true;
      if (short > places) flush();
      places = Math.max(short, places);
    }
    const own = typeof value === 'number' ? unitsAt(value, places) : undefined;
    if (own !== undefined) {
      if (!Number.isSafeInteger(units + own)) flush();
      units += own;
      continue;
    }
    const decimal = typeof value === 'boolean' ? undefined : toDecimal(value);
    if (!decimal) return null;
    texts ||= typeof value === 'string';
    exact = addDecimals(exact, decimal);
  }
  if (!seen) return null;
  flush();
  const rest = Number.isFinite(float) ? float + lost : float;
  const addend = texts && Number.isFinite(rest) ? toDecimal(rest) : undefined;
  if (addend) return writeDecimal(addDecimals(exact, addend));
  if (floats) return rest + Number(writeDecimal(exact));
  return fractions ? Number(writeDecimal(exact)) : toInteger(exact.units);
}

/** The most decimals of a number that is added as a decimal. */
const mostPlaces = 9;

/** The decimals of a number, at least `least`; undefined if there are too many. */
function decimalPlaces(value: number, least: number): number | undefined {
  for (let places = least; places <= mostPlaces; places++) if (unitsAt(value, places) !== undefined) return places;
  return undefined;
}

/** `value * 10^places` if that is an integer of at most 15 digits, which a number represents uniquely. */
function unitsAt(value: number, places: number): number | undefined {
  const power = 10 ** places;
  const units = Math.round(value * power);
  return Math.abs(units) < 1e15 && units / power === value ? units : undefined;
}

function toInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** a − b, exact if both are exact; null if one is missing. */
export function subtractValues(a: Value, b: Value): Value {
  return a === null || b === null ? null : sumValues([a, negate(b)]);
}

function negate(value: Exclude<Value, null>): Value {
  if (typeof value === 'number' || typeof value === 'bigint') return -value;
  return typeof value === 'string' && value.startsWith('-') ? value.slice(1) : `-${value}`;
}
