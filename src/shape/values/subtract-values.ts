import type { Value } from '../../plan/column.ts';
import { sumValues } from './sum-values.ts';

/** a − b, exact where both are; null where one is missing. */
export function subtractValues(a: Value, b: Value): Value {
  return a === null || b === null ? null : sumValues([a, negate(b)]);
}

function negate(value: Exclude<Value, null>): Value {
  if (typeof value === 'number' || typeof value === 'bigint') return -value;
  return typeof value === 'string' && value.startsWith('-') ? value.slice(1) : `-${value}`;
}
