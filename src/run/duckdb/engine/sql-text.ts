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
