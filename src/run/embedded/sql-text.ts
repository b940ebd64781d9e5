/** Text as an SQL literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Paths as an SQL list in which every path means itself: DuckDB would read `*`, `?` and `[` as patterns. */
export function quotePaths(paths: readonly string[]): string {
  return `[${paths.map((path) => quoteText(path.replaceAll(/[*?[]/g, '[$&]'))).join(', ')}]`;
}

/** `{'a': 'VARCHAR', …}`: every column is read as text. */
export function textColumns(names: readonly string[]): string {
  return `{${names.map((name) => `${quoteName(name)}: 'VARCHAR'`).join(', ')}}`;
}
