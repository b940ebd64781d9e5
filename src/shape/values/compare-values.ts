import type { Column, Value } from '../../plan/column.ts';
import { compareDecimals, toDecimal } from './decimal.ts';

/**
 * Orders values of one column as DuckDB does: text by code point, false before true, NaN after every number, null last.
 * Numbers are compared exactly, in any form.
 */
export function compareValues(a: Value, b: Value, type: Column['type']): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (type === 'number') return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string')
    return type === 'time' ? compareTimes(a, b) : compareCodePoints(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares values of a column in its usual order. Others follow. */
export function compareInColumn(a: Value, b: Value, { values, type }: Pick<Column, 'values' | 'type'>): number {
  const known: readonly Value[] = values ?? [];
  const [one, other] = [known.indexOf(a), known.indexOf(b)];
  return one < 0 || other < 0 ? Number(one < 0) - Number(other < 0) || compareValues(a, b, type) : one - other;
}

/** Compares text by code point. (JavaScript's `<` compares UTF-16 units, which puts U+FF5E after an emoji.) */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Ranks surrogates above all other units, because their code points are higher. */
function rank(unit: number): number {
  return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const offset = /(?:Z|[+-]\d\d:\d\d)$/;

/** Compares labels with an offset as instants: when clocks go back, 02:30+02:00 is before 02:00+01:00. */
function compareTimes(a: string, b: string): number {
  const difference = offset.test(a) && offset.test(b) ? Date.parse(a) - Date.parse(b) : Number.NaN;
  return Number.isNaN(difference) ? compareCodePoints(a, b) : difference;
}

function compareNumbers(a: Exclude<Value, null>, b: Exclude<Value, null>): number {
  if (isPlain(a) && isPlain(b)) {
    if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1;
    if (Number.isNaN(b)) return -1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  const x = toDecimal(a as number | bigint | string);
  const y = toDecimal(b as number | bigint | string);
  if (x && y) return compareDecimals(x, y);
  return compareNumbers(Number(a), Number(b));
}

function isPlain(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
