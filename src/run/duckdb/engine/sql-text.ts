import { duckDb } from '../../../plan/sql/duckdb.ts';
import type { Compression } from '../../file/read-bytes.ts';

/** Text as an SQL literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Texts as an SQL list. */
export function quoteTexts(texts: readonly string[]): string {
  return `[${texts.map(quoteText).join(', ')}]`;
}

/** With more values, binding takes less time than parsing. */
const mostValues = 1000;

/** DuckDB replaces such spaces in the text of statements. */
const unusualSpace = /[\u00a0\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]/;

/**
 * A statement with the values of its parameters `$1`, `$2` … as literals. Undefined if the text could then mean
 * something else: a placeholder that does not occur exactly once may be part of a text, and `;` may end a statement.
 */
export function withValues(text: string, values: readonly ParameterValue[]): string | undefined {
  if (values.length > mostValues) return undefined;
  const marks = text.match(/\$\d+/g) ?? [];
  if (marks.length !== values.length || new Set(marks).size !== marks.length) return undefined;
  const literals = new Map(values.map((value, index) => [`$${index + 1}`, toLiteral(value)]));
  if (marks.some((mark) => literals.get(mark) === undefined)) return undefined;
  const whole = text.replaceAll(/\$\d+/g, (mark) => literals.get(mark)!);
  return whole.includes(';') ? undefined : whole;
}

export type ParameterValue = string | number | bigint | boolean | null;

/** A literal of the type that a parameter with the value has; undefined if the text of a statement cannot hold it. */
function toLiteral(value: ParameterValue): string | undefined {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number') return `CAST('${Object.is(value, -0) ? '-0.0' : value}' AS DOUBLE)`;
  if (typeof value === 'bigint')
    return `CAST('${value}' AS ${BigInt.asIntN(64, value) === value ? 'BIGINT' : 'HUGEINT'})`;
  const isPlain = value.isWellFormed() && !value.includes('\0') && !unusualSpace.test(value);
  return isPlain ? `CAST(${quoteText(value)} AS VARCHAR)` : undefined;
}

/** A name as an SQL identifier. */
export const { quoteName } = duckDb;

/** Paths as an SQL list, escaped because DuckDB reads `*`, `?` and `[` as patterns. */
export function quotePaths(paths: readonly string[]): string {
  return quoteTexts(paths.map((path) => path.replaceAll(/[*?[]/g, '[$&]')));
}

/** The name of a compression for `read_json`. */
export function jsonCompression(compression: Compression): string {
  return compression === 'none' ? 'uncompressed' : compression;
}

/** `{'a': 'VARCHAR', …}`: reads every column as text. */
export function textColumns(names: readonly string[]): string {
  return `{${names.map((name) => `${quoteName(name)}: 'VARCHAR'`).join(', ')}}`;
}
