export type DatabaseKind = 'sqlite' | 'duckdb';

export const databaseNames: Readonly<Record<DatabaseKind, string>> = { sqlite: 'SQLite', duckdb: 'DuckDB' };

const magic = 'SQLite format 3\0';

/** The bytes that tell what a file is, and those that one has at least. */
export const [kindBytes, leastBytes] = [20, magic.length];

/** What the first bytes of a file show: DuckDB writes its name after a checksum, and before the version of the form. */
export function databaseKind(start: Buffer): DatabaseKind | undefined {
  if (start.toString('latin1', 0, magic.length) === magic) return 'sqlite';
  const isDuckDb = start.length >= kindBytes && start.toString('latin1', 8, 12) === 'DUCK';
  return isDuckDb && start.readBigUInt64LE(12) < 256n ? 'duckdb' : undefined;
}
