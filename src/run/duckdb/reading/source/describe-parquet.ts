import type { Engine } from '../../engine/engine.ts';
import { quotePaths } from '../../engine/sql-text.ts';
import type { SourceColumn } from '../columns/event-columns.ts';
import { damagedFile } from '../formats/unfit-file.ts';

/**
 * The columns of Parquet files, by file, in one query. Rejects with `file-corrupt` or DuckDB's error if a file is
 * damaged.
 */
export async function describeParquet(
  engine: Engine,
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly SourceColumn[]>> {
  if (paths.length === 0) return new Map();
  const rows = await engine.rows(
    `SELECT file_name, name, num_children, duckdb_type, type FROM parquet_schema(${quotePaths(paths)})`,
  );
  const found = new Map<string, SourceColumn[]>();
  /** Remaining nested elements of the current column. */
  let inside = 0;
  let file: unknown;
  for (const [fileName, name, children, type, physical] of rows) {
    const count = Number(children ?? 0);
    if (fileName !== file) {
      file = fileName;
      inside = 0;
      found.set(String(fileName), []);
      continue;
    }
    if (inside > 0) {
      inside += count - 1;
      continue;
    }
    inside = count;
    // No SQL statement can name such a column.
    if (String(name).includes('\0'))
      throw damagedFile(String(fileName), new Error('a column name holds a NUL character'));
    found
      .get(String(fileName))!
      .push({ name: String(name), type: count > 0 ? 'STRUCT' : textual(String(type), physical) });
  }
  return found;
}

/** Read bytes as text: writers often omit the annotation. */
function textual(type: string, physical: unknown): string {
  return physical === 'BYTE_ARRAY' && type === 'BLOB' ? 'VARCHAR' : type;
}
