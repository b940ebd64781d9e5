import type { Column, Value } from '../../plan/column.ts';
import { formatNumber } from './format-number.ts';
import { formatComparison, formatTime } from './format-time.ts';

/** What stands where there is no value. */
export const noValue = '–';

/**
 * A value as people read it. Text stays as it is: whoever prints it must make it harmless first.
 * The same on every machine: no locale, no zone of the host.
 */
export function formatValue(
  value: Value,
  column: Pick<Column, 'type' | 'format' | 'granularity'> & { readonly kind?: Column['kind'] },
): string {
  if (value === null) return noValue;
  if (typeof value === 'boolean') return String(value);
  if (column.type === 'time' && typeof value === 'string') return formatTime(value, column.granularity);
  if (column.kind === 'compare' && typeof value === 'string') return formatComparison(value);
  if (column.type === 'number' || typeof value !== 'string') return formatNumber(value, column.format);
  return value;
}
