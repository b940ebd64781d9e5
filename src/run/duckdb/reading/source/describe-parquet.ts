import type { Engine } from '../../engine/engine.ts';
import { quotePaths } from '../../engine/sql-text.ts';
import type { SourceColumn } from '../columns/event-columns.ts';
import { textsOfBytes } from './parquet-bytes.ts';
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
    `SELECT file_name, name, num_children, duckdb_type FROM parquet_schema(${quotePaths(paths)})`,
  );
  const found = new Map<string, SourceColumn[]>();
  /** The columns with bytes that are not declared as text, by file. */
  const undeclared = new Map<string, Set<string>>();
  /** Remaining nested elements of the current column. */
  let inside = 0;
  let file: unknown;
  for (const [fileName, name, children, type] of rows) {
    const count = Number(children ?? 0);
    const columns = found.get(String(fileName));
    const holdBytes = (column: unknown) => {
      if (count === 0 && type === 'BLOB') undeclared.get(String(fileName))!.add(String(column));
    };
    if (fileName !== file) {
      file = fileName;
      inside = 0;
      found.set(String(fileName), []);
      undeclared.set(String(fileName), new Set());
      continue;
    }
    if (inside > 0) {
      inside += count - 1;
      holdBytes(columns!.at(-1)!.name);
      continue;
    }
    inside = count;
    // No SQL statement can name such a column.
    if (String(name).includes('\0'))
      throw damagedFile(String(fileName), new Error('a column name holds a NUL character'));
    holdBytes(name);
    columns!.push({ name: String(name), type: count > 0 ? 'STRUCT' : textual(String(type)) });
  }
  for (const [path, columns] of found) columns.push(...columnsOfFolders(path, columns));
  return withTexts(engine, found, undeclared);
}

/**
 * Folders such as `country=DE` are columns, because those that write such folders leave these columns out of the files.
 * Columns in the files go first: a folder above them may be called so by chance.
 */
function columnsOfFolders(path: string, columns: readonly SourceColumn[]): readonly SourceColumn[] {
  const names = folderColumns(path);
  const has = new Set(columns.map(({ name }) => name.toLowerCase()));
  if (names.some((name) => has.has(name.toLowerCase()))) return [];
  return names.map((name) => ({ name, type: 'VARCHAR', ofFolder: true }));
}

/** The names in the folders of a path: `day` and `country` in `day=2024-03-08/country=DE/`. */
export function folderColumns(path: string): readonly string[] {
  return folderPairs(path).map(([name]) => name);
}

/** These names with their values. */
export function folderPairs(path: string): readonly (readonly [name: string, value: string])[] {
  // The pattern takes long on paths without such folders, and there may be many.
  if (!path.includes('=')) return [];
  return Array.from(path.matchAll(/([^/\\=]+)=([^/\\]*)[/\\]/g), ([, name, value]) => [name!, value!]);
}

/** The columns with SQL for the texts of those that hold bytes. Files with the same columns are of one kind. */
async function withTexts(
  engine: Engine,
  found: ReadonlyMap<string, readonly SourceColumn[]>,
  undeclared: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<ReadonlyMap<string, readonly SourceColumn[]>> {
  const files = [...found].filter(([file]) => undeclared.get(file)!.size > 0);
  const all = new Map(found);
  for (const alike of Map.groupBy(files, ([, columns]) => JSON.stringify(columns)).values()) {
    const paths = alike.map(([file]) => file);
    const names = new Set(paths.flatMap((path) => [...undeclared.get(path)!]));
    const texts = await textsOfBytes(engine, paths, [...names]);
    if (texts.size === 0) continue;
    for (const [file, columns] of alike)
      all.set(
        file,
        columns.map((column) => ({ ...column, ofBytes: texts.get(column.name) })),
      );
  }
  return all;
}

/** Read bytes as text: writers often omit the annotation. */
function textual(type: string): string {
  return type === 'BLOB' ? 'VARCHAR' : type;
}
