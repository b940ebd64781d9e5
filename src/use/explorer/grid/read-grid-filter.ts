import { toSpan } from '../../../ask/document/located.ts';
import { bad, errorIssue, good, type Issue, type Outcome } from '../../../ask/outcome.ts';
import { shortNameOf } from '../../../ask/query/member-name.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import { quote } from '../../../ask/text.ts';
import type { Column, Value } from '../../../plan/column.ts';
import { toNumberNeedle, toTimeNeedle } from '../../../run/row-needle.ts';
import { type RowFilter, type RowOperator, rowOperators } from '../../../run/stored-view.ts';
import type { Result } from '../../../shape/result/result.ts';
import { compareCodePoints, compareValues } from '../../../shape/values/compare-values.ts';
import { toDecimal, writeDecimal } from '../../../shape/values/decimal.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { cellAt } from './grid-pages.ts';
import type { GridColumn, GridState } from './grid-state.ts';

const test = new RegExp(
  `^(?<name>.*?)\\s*(?<operator>${rowOperators
    .toSorted((a, b) => b.length - a.length)
    .map((sign) => sign.replace(/[$^]/g, '\\$&'))
    .join('|')})\\s*(?<value>.*)$`,
  's',
);
const presence = /^(?<name>.*\S)\s+is\s+(?<not>not\s+)?(?:set|(?<nothing>null|empty))$/i;

/**
 * Reads a filter: `column > 5`, `page ~ blog and count >= 10`, `referrer is not set`. Any other text is searched in all
 * cells. Columns match by heading, name or key, ignoring case.
 */
export function readGridFilter(text: string, columns: readonly GridColumn[]): Outcome<readonly RowFilter[]> {
  const whole = text.trim();
  if (whole === '') return good([]);
  const quoted = /^(['"])(.+)\1$/s.exec(whole)?.[2];
  if (quoted !== undefined) return good([{ kind: 'anywhere', text: quoted }]);
  const parts = cutAtAnd(text);
  const tests = parts.map((part) => readTest(part.text, columns));
  if (!tests.every((one) => one !== undefined)) {
    const missing = parts.find((part, index) => tests[index] === undefined && isComparison(part.text));
    // `a = b` may be a search text; a comparison of sizes, or one next to a valid condition, is not.
    if (missing && (tests.some((one) => one !== undefined) || /[<>]/.test(missing.text)))
      return bad([noColumn(missing, columns, text)]);
    return good([{ kind: 'anywhere', text: whole }]);
  }
  const issues = tests.flatMap((one, index) =>
    'message' in one
      ? [
          errorIssue('grid-filter', one.message, {
            hint: one.hint,
            span: toSpan(text, parts[index]?.start ?? 0, parts[index]?.end ?? text.length),
          }),
        ]
      : [],
  );
  return issues.length > 0 ? bad(issues) : good(tests.flatMap((one) => ('message' in one ? [] : [one])));
}

function cutAtAnd(text: string): readonly { readonly text: string; readonly start: number; readonly end: number }[] {
  let start = 0;
  return splitAtAnd(text).flatMap((part, index) => {
    const from = start;
    start += part.length;
    return index % 2 === 1
      ? []
      : [{ text: part.trim(), start: from + part.length - part.trimStart().length, end: from + part.trimEnd().length }];
  });
}

function isComparison(text: string): boolean {
  const { name = '', value = '' } = test.exec(text)?.groups ?? {};
  return /^[\p{L}_][\p{L}\p{N}_. %()-]*$/u.test(name) && value !== '';
}

function noColumn(
  { text: part, start, end }: { readonly text: string; readonly start: number; readonly end: number },
  columns: readonly GridColumn[],
  text: string,
): Issue {
  const name = test.exec(part)?.groups?.['name'] ?? '';
  const headings = columns.map(({ heading }) => heading);
  return errorIssue('grid-filter', `There is no column ${quote(name)}.`, {
    hint:
      `${didYouMean(name, headings) ?? `The columns are ${headings.slice(0, 8).map(quote).join(', ')}.`}` +
      ' To search for the text, quote it.',
    span: toSpan(text, start, end),
  });
}

/** Texts and the `and` between them, in turn; an `and` in quotes does not separate. */
function splitAtAnd(text: string): readonly string[] {
  const parts: string[] = [''];
  for (const [piece] of text.matchAll(/(?<=\s*[=~<>]\s*)(?:"[^"]*"|'[^']*')|\s+and\s+|[^]/gi)) {
    if (/^\s+and\s+$/i.test(piece)) parts.push(piece, '');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

interface Problem {
  readonly message: string;
  readonly hint: string;
}

/** Returns undefined if the text is not a condition on a column. */
function readTest(text: string, columns: readonly GridColumn[]): RowFilter | Problem | undefined {
  const present = presence.exec(text)?.groups;
  if (present) {
    const column = findColumn(present['name'] ?? '', columns);
    if (column !== undefined)
      return {
        kind: (present['not'] === undefined) === (present['nothing'] === undefined) ? 'present' : 'missing',
        column,
      };
  }
  const { name, operator, value = '' } = test.exec(text)?.groups ?? {};
  const column = name === undefined ? undefined : findColumn(name, columns);
  if (column === undefined || operator === undefined) return undefined;
  const quoted = /^(['"])(.*)\1$/s.exec(value);
  const wanted = quoted?.[2] ?? value;
  if (!quoted && wanted === '')
    return {
      message: `Expected a value after ${quote(operator)}.`,
      hint: 'Write for example `> 5` or `~ blog`. For an empty text, write "".',
    };
  const isText = ['~', '!~', '^=', '$='].includes(operator);
  if (columns[column]?.column.type !== 'number' || isText)
    return { kind: 'test', column, operator: operator as RowOperator, text: wanted };
  const number = wanted.replaceAll(/(?<=\d),(?=\d{3}\b)/g, '').replace(/%$/, '');
  if (!toDecimal(number))
    return {
      message: `${quote(wanted)} is not a number.`,
      hint: `${quote(columns[column]?.heading ?? '')} contains numbers.`,
    };
  return { kind: 'test', column, operator: operator as RowOperator, text: number };
}

/** Finds a column by any name that only it has, its key first. */
function findColumn(name: string, columns: readonly GridColumn[]): number | undefined {
  const wanted = squeeze(name);
  if (wanted === '') return undefined;
  for (const call of calls) {
    const found = columns.flatMap((column, index) => (squeeze(call(column)) === wanted ? [index] : []));
    if (found.length === 1) return found[0];
  }
  return undefined;
}

const calls: readonly ((column: GridColumn) => string)[] = [
  ({ column }) => column.key,
  ({ heading }) => heading,
  ({ column }) => column.member,
  ({ column }) => shortNameOf(column.key),
  ({ column }) => shortNameOf(column.member),
  ({ column }) => column.title,
];

function squeeze(text: string): string {
  return text.replaceAll(/[\s_]+/g, '').toLowerCase();
}

type RowTest = (row: number) => boolean;

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
  const needle =
    column.type === 'number'
      ? toNumberNeedle(text)
      : column.type === 'time'
        ? toTimeNeedle(text).toLowerCase()
        : text.toLowerCase();
  if (needle === undefined) return undefined;
  return (row) => {
    const value = values[row] ?? null;
    return value !== null && textOf(value, column).toLowerCase().includes(needle);
  };
}

/** A value as text, for comparison with filters. */
function textOf(value: Filled, { type }: Column): string {
  if (type === 'time') return String(value).slice(0, 19).replace('T', ' ');
  if (type !== 'number' || typeof value === 'boolean') return String(value);
  const decimal = typeof value === 'string' ? toDecimal(value) : undefined;
  return decimal
    ? writeDecimal(decimal)
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '')
    : String(value);
}

function valueTest(column: Column, filter: TestFilter): (value: Filled) => boolean {
  const { operator, text } = filter;
  const wanted = text.toLowerCase();
  switch (operator) {
    case '~':
      return (value) => textOf(value, column).toLowerCase().includes(wanted);
    case '!~':
      return (value) => !textOf(value, column).toLowerCase().includes(wanted);
    case '^=':
      return (value) => textOf(value, column).toLowerCase().startsWith(wanted);
    case '$=':
      return (value) => textOf(value, column).toLowerCase().endsWith(wanted);
    default: {
      const order =
        column.type === 'number'
          ? (value: Filled) => compareValues(value, text, 'number')
          : (value: Filled) => compareCodePoints(String(value), text);
      return (value) => holds(operator, order(value));
    }
  }
}

function holds(operator: '=' | '!=' | '>' | '>=' | '<' | '<=', order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
  }
}

/** A shorter time matches every time that begins with it. */
function timeTest(column: Column, filter: TestFilter): (value: Filled) => boolean {
  const { operator } = filter;
  if (operator === '~' || operator === '!~' || operator === '^=' || operator === '$=') return valueTest(column, filter);
  const needle = toTimeNeedle(filter.text);
  return (value) => {
    const text = textOf(value, column);
    return holds(
      operator,
      text.startsWith(needle)
        ? operator === '>=' || operator === '<'
          ? compareCodePoints(text, needle)
          : 0
        : compareCodePoints(text, needle),
    );
  };
}

/** Number of loaded rows that are searched for values. */
const mostRows = 500;
const mostOffered = 6;

/** Completions at the end of a filter, each as the whole line: column names, or values of the named column. */
export function completeFilter(text: string, state: GridState): readonly string[] {
  const [, before = '', last = ''] = /^(.*\sand\s+)?(.*)$/is.exec(text) ?? [];
  const [, name, sign = '', quote = '', begun = ''] = /^(.*?)(\s*(?:!=|[\^$]?=)\s*)(["']?)(.*)$/s.exec(last) ?? [];
  const offered =
    name === undefined
      ? startingWith(
          state.columns.map(({ heading }) => heading),
          last,
        ).map((heading) => `${before}${heading} `)
      : startingWith(valuesOf(name, state), begun).map(
          (value) => `${before}${name}${sign}${/["'\s]/.test(value) || quote !== '' ? JSON.stringify(value) : value}`,
        );
  return offered.filter((line) => line.trim() !== text.trim()).slice(0, mostOffered);
}

function startingWith(words: readonly string[], begun: string): readonly string[] {
  const wanted = begun.trimStart().toLowerCase();
  return [...new Set(words)].filter((word) => wanted !== '' && word.toLowerCase().startsWith(wanted));
}

/** Loaded values of a column, most common first. */
function valuesOf(name: string, state: GridState): readonly string[] {
  const index = state.columns.findIndex(({ heading }) => heading.toLowerCase() === name.trim().toLowerCase());
  if (index === -1) return [];
  const counts = new Map<string, number>();
  for (let row = 0; row < Math.min(mostRows, state.rowCount); row += 1) {
    const value = cellAt(state, row, index)?.value;
    // Skip values that change when sanitized: the user could not type them.
    if (typeof value === 'string' && value !== '' && sanitize(value) === value)
      counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
}
