import { weekdays } from '../../ask/time/range.ts';
import { toDecimal, writeDecimal } from '../values/decimal.ts';
import { formatDuration } from './format-time.ts';
import { plural, capitalize } from '../../ask/text.ts';

/**
 * Formats a number for people: `1,234,567`, `6.56%`, `0.00123`. Integers and decimal text keep every digit. A float
 * keeps two decimals, or three significant digits if it is smaller than 0.1. `format` is the model's: `percent`,
 * `currency` (two decimals, no sign, since the model names no currency), `id` (no separators). Or it is sluice's:
 * `seconds` (as in `formatDuration`), `hour` (0 to 23: `09:00`), `weekday` (1 to 7: `Monday`). Other text stays.
 */
export function formatNumber(value: number | bigint | string, format?: string): string {
  if (format === 'id') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞';
  if (format === 'seconds' && Number.isFinite(Number(value))) return formatDuration(Number(value) * 1000);
  const part = format === 'hour' || format === 'weekday' ? toTimePart(Number(value), format) : undefined;
  if (part !== undefined) return part;
  const digits = format === 'currency' ? toCurrency(value) : toDigits(value);
  const sign = format === 'percent' ? '%' : '';
  if (digits === undefined)
    return typeof value === 'number' ? `${Number(value.toPrecision(3))}${sign}` : value.toString();
  return groupDigits(digits) + sign;
}

/** `09:00`, `Monday`; undefined for numbers that are no hour or weekday. */
function toTimePart(value: number, format: 'hour' | 'weekday'): string | undefined {
  if (format === 'weekday') return weekdayTitles[value - 1];
  return Number.isInteger(value) && value >= 0 && value < 24 ? `${String(value).padStart(2, '0')}:00` : undefined;
}

const weekdayTitles = weekdays.map(capitalize);

/** `-1234567.5` becomes `-1,234,567.5`. */
function groupDigits(digits: string): string {
  const point = digits.indexOf('.');
  const whole = point < 0 ? digits : digits.slice(0, point);
  const sign = whole.startsWith('-') ? '-' : '';
  const groups: string[] = [];
  for (let end = whole.length; end > sign.length; end -= 3)
    groups.push(whole.slice(Math.max(sign.length, end - 3), end));
  return sign + groups.reverse().join(',') + (point < 0 ? '' : digits.slice(point));
}

/** Exact decimals have 38 digits, a sign and a point. */
const mostDigits = 40;

function toDigits(value: number | bigint | string): string | undefined {
  if (typeof value !== 'number') return exactDigits(value);
  if (Number.isInteger(value) || Math.abs(value) >= 1e21) return exactDigits(value);
  const small = Math.abs(value) < 0.1;
  if (small && Math.abs(value) < 1e-6) return undefined;
  const rounded = small ? exactDigits(Number(value.toPrecision(3))) : value.toFixed(2);
  return rounded === undefined ? undefined : trimZeros(rounded);
}

function toCurrency(value: number | bigint | string): string | undefined {
  if (typeof value === 'number' && Math.abs(value) < 1e21) return withoutMinusZero(value.toFixed(2));
  const exact = exactDigits(value);
  if (exact === undefined) return undefined;
  const [whole = '', fraction = ''] = exact.split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/** undefined for text that is no number, and for numbers such as 1e300 and 1e-300, which nobody reads as digits. */
function exactDigits(value: number | bigint | string): string | undefined {
  const decimal = toDecimal(value);
  const digits = decimal && writeDecimal(decimal);
  return digits !== undefined && digits.length <= mostDigits ? digits : undefined;
}

function trimZeros(digits: string): string {
  return withoutMinusZero(digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits);
}

function withoutMinusZero(digits: string): string {
  return /^-0(?:\.0*)?$/.test(digits) ? digits.slice(1) : digits;
}

/** A number with its noun: `1,234 events`, `1 event`. */
export function formatCount(count: number, one: string, many?: string): string {
  return `${formatNumber(count)} ${plural(count, one, many)}`;
}
