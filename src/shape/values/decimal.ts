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
 * The sum of numbers: exact for integers (a bigint if a number would be inexact) and for decimal text, compensated for
 * floats. Skips nulls. Null if there are only nulls, or if a value is no number.
 */
export function sumValues(values: Values | Iterable<Value>): Value {
  let whole = 0n;
  let small = 0;
  let float = 0;
  let lost = 0;
  let decimal: Decimal | undefined;
  let seen = false;
  let floats = false;
  for (const value of values) {
    if (value === null) continue;
    seen = true;
    if (typeof value === 'number') {
      if (Number.isSafeInteger(value) && Number.isSafeInteger(small + value)) {
        small += value;
      } else if (Number.isSafeInteger(value)) {
        whole += BigInt(value);
      } else {
        floats = true;
        const sum = float + value;
        lost += Math.abs(float) >= Math.abs(value) ? float - sum + value : value - sum + float;
        float = sum;
      }
    } else if (typeof value === 'bigint') {
      whole += value;
    } else {
      const exact = typeof value === 'string' ? toDecimal(value) : undefined;
      if (!exact) return null;
      decimal = decimal ? addDecimals(decimal, exact) : exact;
    }
  }
  if (!seen) return null;
  whole += BigInt(small);
  if (!floats) return decimal ? writeDecimal(addDecimals(decimal, { units: whole, scale: 0 })) : toInteger(whole);
  const rest = Number.isFinite(float) ? float + lost : float;
  const fraction = Number.isFinite(rest) && decimal ? toDecimal(rest) : undefined;
  if (decimal && fraction) return writeDecimal(addDecimals(addDecimals(decimal, fraction), { units: whole, scale: 0 }));
  return rest + Number(whole);
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
