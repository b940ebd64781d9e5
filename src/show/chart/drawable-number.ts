import type { Value } from '../../plan/column.ts';
import { toDecimal } from '../../shape/values/decimal.ts';

/** A value as a number to draw; null where it is none, or none that is finite. */
export function toDrawable(value: Value): number | null {
  if (typeof value === 'string' && !toDecimal(value)) return null;
  if (value === null || typeof value === 'boolean') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
