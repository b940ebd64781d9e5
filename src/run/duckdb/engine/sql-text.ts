import { duckDb } from '../../../plan/sql/duckdb.ts';
import type { Compression } from '../../file/read-bytes.ts';

/** Text as an SQL literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier. */
export const { quoteName } = duckDb;

/** Paths as an SQL list in which every path means itself: DuckDB would read `*`, `?` and `[` as patterns. */
export function quotePaths(paths: readonly string[]): string {
  return `[${paths.map((path) => quoteText(path.replaceAll(/[*?[]/g, '[$&]'))).join(', ')}]`;
}

/** What `read_json` calls a compression. */
export function jsonCompression(compression: Compression): string {
  return compression === 'none' ? 'uncompressed' : compression;
}

/** `{'a': 'VARCHAR', …}`: every column is read as text. */
export function textColumns(names: readonly string[]): string {
  return `{${names.map((name) => `${quoteName(name)}: 'VARCHAR'`).join(', ')}}`;
}
