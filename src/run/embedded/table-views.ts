import { findFiles } from './reading/find-files.ts';
import type { Engine } from './engine.ts';
import { findDamage, readBytes, type Compression } from './reading/read-bytes.ts';
import { readableFiles, type ReadableFile } from './reading/readable-files.ts';
import { damagedFile } from './reading/unfit-file.ts';
import { toBackendError } from './to-backend-error.ts';
import { jsonCompression, quoteName, quotePaths, quoteText } from './sql-text.ts';
import { quote } from '../../ask/quote.ts';

/** Files behind the tables of a model, by the tables' names; `schema.table` stands in a schema. */
export type TableFiles = Readonly<Record<string, string | readonly string[]>>;

/** The files of each table. Error: `table-files-not-found`. */
export async function findTables(tables: TableFiles, workingDirectory: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const [table, patterns] of Object.entries(tables)) {
    found.set(table, await findFiles([patterns].flat(), workingDirectory, {
      code: 'table-files-not-found', what: `files of the table ${quote(table)}`, hint: 'Correct the setting `tables:`.',
    }));
  }
  return found;
}

/**
 * Makes a view of each table, straight over its files, whatever their formats; columns are put together by name.
 * The files are of the model's own making: their types are taken as DuckDB finds them in the whole of the files.
 * Errors: `file-corrupt`, those of `sniffFormat` and of DuckDB.
 */
export async function openTables(engine: Engine, tables: ReadonlyMap<string, readonly string[]>): Promise<void> {
  for (const [table, files] of tables) {
    const selects: string[] = [];
    for (const group of byFormat(await readableFiles(engine, files))) selects.push(await selectOf(engine, group).catch(named(engine, group)));
    const path = table.split('.');
    if (path.length > 1) await engine.rows(`CREATE SCHEMA IF NOT EXISTS ${path.slice(0, -1).map(quoteName).join('.')}`);
    await engine.rows(`CREATE VIEW ${path.map(quoteName).join('.')} AS ${selects.join(' UNION ALL BY NAME ')}`);
  }
}

function named(engine: Engine, group: readonly ReadableFile[]): (error: unknown) => Promise<never> {
  return async (error) => {
    throw await toBackendError(error, { files: group.map(({ path }) => path), tables: [], hasEvents: false, engine });
  };
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
      // DuckDB would take the quotation marks for letters in a file that is cut off between two of them.
      return typed(engine, group, file.compression, `read_csv(${paths}, header = true, delim = ${quoteText(file.delimiter)}, quote = '"', escape = '"', comment = '', compression = '${file.compression}', hive_partitioning = false, union_by_name = true`);
    case 'empty':
      return 'SELECT NULL WHERE false';
    default:
      return typed(engine, group, file.compression, `read_json(${paths}, format = '${file.format === 'ndjson' ? 'newline_delimited' : 'array'}', compression = '${jsonCompression(file.compression)}', hive_partitioning = false, union_by_name = true`);
  }
}

/** The types are found once, over all rows: a view would look for them again in every statement. */
async function typed(engine: Engine, group: readonly ReadableFile[], compression: Compression, reader: string): Promise<string> {
  const describing = engine.rows(`DESCRIBE SELECT * FROM ${reader}, sample_size = -1)`);
  describing.catch(() => undefined);
  // DuckDB takes half of a packed file for the whole, and blames the half line at its end.
  for (const { path } of group) await demandWhole(engine, path, compression);
  const columns = (await describing).map(([name, type]) => `${quoteName(String(name))}: ${quoteText(String(type))}`);
  return `SELECT * FROM ${reader.replace(', union_by_name = true', '')}, columns = {${columns.join(', ')}})`;
}

async function demandWhole(engine: Engine, path: string, compression: Compression): Promise<void> {
  const damage = await findDamage(path, compression, { signal: engine.closed });
  if (damage) throw damagedFile(path, damage, damage.complete ? undefined : `after line ${await countLines(path, compression)}`);
}

/** Those that come whole before the damage. */
async function countLines(path: string, compression: Compression): Promise<number> {
  let lines = 0;
  try {
    for await (const piece of readBytes(path, compression)) {
      for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines += 1;
    }
  } catch {
    // It is the damage that was found before.
  }
  return lines;
}
