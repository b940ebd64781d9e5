import type { Value } from '../../plan/column.ts';
import { addDecimals, toDecimal, writeDecimal, type Decimal } from './decimal.ts';
import type { Values } from './values.ts';

/**
 * The sum of numbers: exact for integers (bigint where a number would bend) and for decimal text, compensated for floats.
 * Nulls count for nothing; null where there is nothing but nulls, and where a value is no number.
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
