import type { Column, Value } from '../../plan/column.ts';
import { toDecimal } from '../../shape/values/decimal.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { formatValue, noValue } from '../../shape/format/format.ts';
import type { QuoteFilter } from '../notebook/quote.ts';

/** A value as its filter wants it. What is no number stays as its column reads it. */
export function writeFigure(value: Value, column: Pick<Column, 'type' | 'format' | 'granularity' | 'kind'>, filter: QuoteFilter | undefined): string {
  if (value === null) return noValue;
  if (filter === undefined || typeof value === 'boolean' || (typeof value === 'string' && toDecimal(value) === undefined)) return formatValue(value, column);
  switch (filter) {
    case 'number':
      return formatNumber(value);
    case 'whole':
      return formatNumber(typeof value === 'bigint' ? value : Math.round(Number(value)));
    case 'percent':
      return formatNumber(value, 'percent');
    case 'signed':
      return withSign(value, formatValue(value, column));
    case 'change':
      return withSign(value, formatNumber(value, 'percent'));
  }
}

/** A rise has its sign, too. */
export function withSign(value: Value, text: string): string {
  return Number(value) > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}
