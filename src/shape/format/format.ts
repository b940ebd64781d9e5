import type { Column, Value } from '../../plan/column.ts';
import { formatNumber } from './format-number.ts';
import { formatComparison, formatTime } from './format-time.ts';

/** Replaces a missing value. */
export const noValue = '–';

/**
 * Formats a value for people. Text stays unchanged, so callers must sanitize it before printing. The result does not
 * depend on the machine's locale or zone. Numbers of dimensions keep every digit, because two groups must not look the
 * same.
 */
export function formatValue(
  value: Value,
  column: Pick<Column, 'type' | 'format' | 'granularity'> & { readonly kind?: Column['kind'] },
): string {
  if (value === null) return noValue;
  if (typeof value === 'boolean') return String(value);
  if (column.type === 'time' && typeof value === 'string') return formatTime(value, column.granularity);
  if (column.kind === 'compare' && typeof value === 'string') return formatComparison(value);
  const isName = column.kind === 'dimension' && column.format === undefined && Number.isFinite(value);
  if (column.type === 'number' || typeof value !== 'string')
    return formatNumber(isName ? String(value) : value, column.format);
  return value;
}
