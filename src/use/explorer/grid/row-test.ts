import { toNumberNeedle, toTimeNeedle } from '../../../run/row-needle.ts';
import type { RowFilter } from '../../../run/stored-view.ts';
import type { Column, Value } from '../../../plan/column.ts';
import { compareCodePoints, compareValues } from '../../../shape/values/compare-values.ts';
import { toDecimal, writeDecimal } from '../../../shape/values/decimal.ts';
import type { Result } from '../../../shape/result.ts';

export type RowTest = (row: number) => boolean;

/** Whether a row of a result passes all filters; see `RowFilter`. */
export function toRowTest(result: Result<object>, filters: readonly RowFilter[]): RowTest {
  const tests = filters.map((filter) => toTest(result, filter));
  return (row) => tests.every((test) => test(row));
}

function toTest(result: Result<object>, filter: RowFilter): RowTest {
  if (filter.kind === 'anywhere') {
    const tests = result.columns.flatMap((column) => anywhere(column, result.values(column.key), filter.text) ?? []);
    return (row) => tests.some((test) => test(row));
  }
  const column = result.columns[filter.column] as Column;
  const values = result.values(column.key);
  if (filter.kind !== 'test') return (row) => ((values[row] ?? null) === null) === (filter.kind === 'missing');
  const passes = column.type === 'time' ? timeTest(column, filter) : valueTest(column, filter);
  const ofNull = filter.operator === '!=' || filter.operator === '!~';
  return (row) => {
    const value = values[row] ?? null;
    return value === null ? ofNull : passes(value);
  };
}

type Filled = Exclude<Value, null>;
type TestFilter = Extract<RowFilter, { kind: 'test' }>;

function anywhere(column: Column, values: ArrayLike<Value>, text: string): RowTest | undefined {
  const needle = column.type === 'number' ? toNumberNeedle(text) : column.type === 'time' ? toTimeNeedle(text).toLowerCase() : text.toLowerCase();
  if (needle === undefined) return undefined;
  return (row) => {
    const value = values[row] ?? null;
    return value !== null && textOf(value, column).toLowerCase().includes(needle);
  };
}

/** A value as filters look at it. */
function textOf(value: Filled, { type }: Column): string {
  if (type === 'time') return String(value).slice(0, 19).replace('T', ' ');
  if (type !== 'number' || typeof value === 'boolean') return String(value);
  const decimal = typeof value === 'string' ? toDecimal(value) : undefined;
  return decimal ? writeDecimal(decimal).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') : String(value);
}

function valueTest(column: Column, filter: TestFilter): (value: Filled) => boolean {
  const { operator, text } = filter;
  const wanted = text.toLowerCase();
  switch (operator) {
    case '~': return (value) => textOf(value, column).toLowerCase().includes(wanted);
    case '!~': return (value) => !textOf(value, column).toLowerCase().includes(wanted);
    case '^=': return (value) => textOf(value, column).toLowerCase().startsWith(wanted);
    case '$=': return (value) => textOf(value, column).toLowerCase().endsWith(wanted);
    default: {
      const order = column.type === 'number' ? (value: Filled) => compareValues(value, text, 'number') : (value: Filled) => compareCodePoints(String(value), text);
      return (value) => holds(operator, order(value));
    }
  }
}

function holds(operator: '=' | '!=' | '>' | '>=' | '<' | '<=', order: number): boolean {
  switch (operator) {
    case '=': return order === 0;
    case '!=': return order !== 0;
    case '>': return order > 0;
    case '>=': return order >= 0;
    case '<': return order < 0;
    case '<=': return order <= 0;
  }
}

/** A shorter time is the whole of what begins with it. */
function timeTest(column: Column, filter: TestFilter): (value: Filled) => boolean {
  const { operator } = filter;
  if (operator === '~' || operator === '!~' || operator === '^=' || operator === '$=') return valueTest(column, filter);
  const needle = toTimeNeedle(filter.text);
  return (value) => {
    const text = textOf(value, column);
    return holds(operator, text.startsWith(needle) ? (operator === '>=' || operator === '<' ? compareCodePoints(text, needle) : 0) : compareCodePoints(text, needle));
  };
}
