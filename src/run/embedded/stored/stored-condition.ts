import { invariant } from '../../../ask/invariant.ts';
import { toNumberNeedle, toTimeNeedle } from '../../row-needle.ts';
import type { RowFilter } from '../../stored-view.ts';
import type { StoredColumn } from './stored-column.ts';
import { comparable, searchable } from './stored-text.ts';

/** A condition in SQL, the values for its `?` in their order. */
export interface StoredCondition {
  readonly text: string;
  readonly parameters: readonly string[];
}

const always: StoredCondition = { text: 'true', parameters: [] };
const never: StoredCondition = { text: 'false', parameters: [] };

/** The rows of a file that pass all filters; see `RowFilter`. The file's columns are `c0`, `c1` … */
export function toStoredCondition(filters: readonly RowFilter[], columns: readonly StoredColumn[], zone: string): StoredCondition {
  const conditions = filters.map((filter) => toCondition(filter, columns, zone));
  if (conditions.length === 0) return always;
  return { text: conditions.map(({ text }) => `(${text})`).join(' AND '), parameters: conditions.flatMap(({ parameters }) => parameters) };
}

type TestFilter = Extract<RowFilter, { kind: 'test' }>;

function toCondition(filter: RowFilter, columns: readonly StoredColumn[], zone: string): StoredCondition {
  if (filter.kind === 'anywhere') return anywhere(filter.text, columns, zone);
  const stored = columns[filter.column];
  invariant(stored, `there is a column ${filter.column}`);
  const name = `c${filter.column}`;
  if (filter.kind !== 'test') return { text: `${comparable(stored, name)} IS ${filter.kind === 'missing' ? '' : 'NOT '}NULL`, parameters: [] };
  if (/^(?:!?~|\^=|\$=)$/.test(filter.operator)) return textTest(searchable(stored, zone, name), filter);
  if (isTime(stored)) return timeTest(searchable(stored, zone, name), filter);
  if (stored.column.type === 'number') return numberTest(stored, name, filter);
  return { text: orNull(filter, comparable(stored, name), `${textOf(stored, name)} ${signs[filter.operator]} ?`), parameters: [filter.text] };
}

const signs: Readonly<Record<string, string>> = { '=': '=', '!=': '<>', '>': '>', '>=': '>=', '<': '<', '<=': '<=' };

function isTime({ column, kind }: StoredColumn): boolean {
  return kind === 'instant' || (kind === 'date' && column.type === 'time');
}

function textOf(stored: StoredColumn, name: string): string {
  return stored.kind === 'text' ? stored.fromStored(name) : `CAST(${comparable(stored, name)} AS VARCHAR)`;
}

/** Null is not the value, and does not hold the text. */
function orNull({ operator }: TestFilter, value: string, test: string): string {
  return operator === '!=' || operator === '!~' ? `${value} IS NULL OR ${test}` : test;
}

function anywhere(text: string, columns: readonly StoredColumn[], zone: string): StoredCondition {
  const number = toNumberNeedle(text);
  const found = columns.flatMap((stored, index) => {
    const isNumber = stored.column.type === 'number';
    const needle = isNumber ? number : isTime(stored) ? toTimeNeedle(text).toLowerCase() : text.toLowerCase();
    return needle === undefined ? [] : [{ text: `coalesce(contains(lower(${searchable(stored, zone, `c${index}`)}), ?), false)`, needle }];
  });
  return found.length === 0 ? never : { text: found.map((one) => one.text).join(' OR '), parameters: found.map(({ needle }) => needle) };
}

function textTest(value: string, filter: TestFilter): StoredCondition {
  const { operator, text } = filter;
  const call = { '~': 'contains', '!~': 'NOT contains', '^=': 'starts_with', '$=': 'ends_with' }[operator as '~'];
  return { text: orNull(filter, value, `${call}(lower(${value}), lower(?))`), parameters: [text] };
}

/** A shorter time is the whole of what begins with it. */
function timeTest(value: string, filter: TestFilter): StoredCondition {
  const needle = toTimeNeedle(filter.text);
  const inside = `starts_with(${value}, ?)`;
  switch (filter.operator) {
    case '=': return { text: inside, parameters: [needle] };
    case '!=': return { text: orNull(filter, value, `NOT ${inside}`), parameters: [needle] };
    case '>': return { text: `${value} > ? AND NOT ${inside}`, parameters: [needle, needle] };
    case '<=': return { text: `${value} <= ? OR ${inside}`, parameters: [needle, needle] };
    default: return { text: `${value} ${signs[filter.operator]} ?`, parameters: [needle] };
  }
}

/** `-12.50`, without exponent; undefined for what is no number. */
function toPlain(text: string): { readonly whole: bigint; readonly isWhole: boolean; readonly isNegative: boolean } | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text.trim());
  if (!match || (match[2] === '' && (match[3] ?? '') === '')) return undefined;
  return { whole: BigInt(match[2] || '0'), isWhole: !/[1-9]/.test(match[3] ?? ''), isNegative: match[1] === '-' };
}

/** Integers are compared as such, whatever their length; everything else as doubles. */
function numberTest(stored: StoredColumn, name: string, filter: TestFilter): StoredCondition {
  const value = comparable(stored, name);
  const plain = stored.kind === 'integer' ? toPlain(filter.text) : undefined;
  if (plain) return { text: orNull(filter, value, integerTest(value, filter, plain)), parameters: [] };
  return { text: orNull(filter, value, `CAST(${value} AS DOUBLE) ${signs[filter.operator]} TRY_CAST(? AS DOUBLE)`), parameters: [filter.text] };
}

const hugest = 2n ** 126n;

function integerTest(value: string, { operator }: TestFilter, { whole, isWhole, isNegative }: NonNullable<ReturnType<typeof toPlain>>): string {
  const floor = isNegative ? -whole - (isWhole ? 0n : 1n) : whole;
  const known = `${value} IS NOT NULL`;
  if (floor > hugest || floor < -hugest) return operator === '!=' || (floor > 0n) === operator.startsWith('<') && operator !== '=' ? known : 'false';
  const than = (sign: string) => `CAST(${value} AS HUGEINT) ${sign} ${floor}::HUGEINT`;
  if (isWhole) return than(signs[operator] ?? '=');
  if (operator === '=') return 'false';
  if (operator === '!=') return known;
  return than(operator.startsWith('>') ? '>' : '<=');
}
