import { findFiles } from './reading/find-files.ts';
import type { Engine } from './engine.ts';
import { readableFiles, type ReadableFile } from './reading/readable-files.ts';
import { jsonCompression, quoteName, quotePaths, quoteText } from './sql-text.ts';
import { quote } from '../../ask/quote.ts';

/** Files behind the tables of a model, by the tables' names; `schema.table` stands in a schema. */
export type TableFiles = Readonly<Record<string, string | readonly string[]>>;

/**
 * Makes a view of each table, straight over its files, whatever their formats; columns are put together by name.
 * The files are of the model's own making: their types are taken as DuckDB finds them in the whole of the files.
 * Gives the files. Errors: `table-files-not-found`, those of DuckDB.
 */
export async function openTables(engine: Engine, tables: TableFiles, workingDirectory: string): Promise<readonly string[]> {
  const opened: string[] = [];
  for (const [table, patterns] of Object.entries(tables)) {
    const files = await findFiles([patterns].flat(), workingDirectory, {
      code: 'table-files-not-found', what: `files of the table ${quote(table)}`, hint: 'Correct the setting `tables:`.',
    });
    opened.push(...files);
    const selects: string[] = [];
    for (const group of byFormat(await readableFiles(engine, files))) selects.push(await selectOf(engine, group));
    const path = table.split('.');
    if (path.length > 1) await engine.rows(`CREATE SCHEMA IF NOT EXISTS ${path.slice(0, -1).map(quoteName).join('.')}`);
    await engine.rows(`CREATE VIEW ${path.map(quoteName).join('.')} AS ${selects.join(' UNION ALL BY NAME ')}`);
  }
  return opened;
}

function byFormat(files: readonly ReadableFile[]): readonly (readonly ReadableFile[])[] {
  const kind = (file: ReadableFile) => JSON.stringify({ ...file, path: '' });
  return [...Map.groupBy(files, kind).values()];
}

async function selectOf(engine: Engine, group: readonly ReadableFile[]): Promise<string> {
  const paths = quotePaths(group.map((file) => file.path));
  const file = group[0]!;
  switch (file.format) {
    case 'parquet':
      return `SELECT * FROM read_parquet(${paths}, hive_partitioning = false${group.length > 1 ? ', union_by_name = true' : ''})`;
    case 'csv':
      return typed(engine, `read_csv(${paths}, header = true, delim = ${quoteText(file.delimiter)}, compression = '${file.compression}', hive_partitioning = false, union_by_name = true`);
    case 'empty':
      return 'SELECT NULL WHERE false';
    default:
      return typed(engine, `read_json(${paths}, format = '${file.format === 'ndjson' ? 'newline_delimited' : 'array'}', compression = '${jsonCompression(file.compression)}', hive_partitioning = false, union_by_name = true`);
  }
}

/** The types are found once, over all rows: a view would look for them again in every statement. */
async function typed(engine: Engine, reader: string): Promise<string> {
  const described = await engine.rows(`DESCRIBE SELECT * FROM ${reader}, sample_size = -1)`);
  const columns = described.map(([name, type]) => `${quoteName(String(name))}: ${quoteText(String(type))}`);
  return `SELECT * FROM ${reader.replace(', union_by_name = true', '')}, columns = {${columns.join(', ')}})`;
}
