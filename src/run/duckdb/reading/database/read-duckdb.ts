import { rename } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { BackendError } from '../../../../ask/sluice-error.ts';
import { shellWord, showText } from '../../../../ask/text.ts';
import { sourceName } from '../../../file/source-copy.ts';
import { makeTemporaryFolder } from '../../../file/temporary-folder.ts';
import { usualMemory } from '../../engine/engine-memory.ts';
import { quoteName, quoteText, quoteTexts } from '../../engine/sql-text.ts';
import { type FoundTable, isNameable, type OpenedDatabase, sampleRows, sortTables } from './choose-table.ts';
import { markOfDatabase, readSteadily } from './database-path.ts';

/**
 * Runs work on a DuckDB database as it is at one moment; this process may write to it, too. Rows in the write-ahead log
 * count. Errors: `file-corrupt`, `file-unreadable`, those of `readSteadily`.
 */
export async function readDuckDb<T>(file: string, work: (database: OpenedDatabase) => Promise<T>): Promise<T> {
  const begin = () => {
    const before = markOfDatabase(file);
    return { read: () => readOnce(file, work), isSteady: () => markOfDatabase(file) === before };
  };
  return readSteadily(file, begin, toReadError);
}

/** Reads in an instance of its own, because views of the database are the work of others: they may read no files. */
async function readOnce<T>(file: string, work: (database: OpenedDatabase) => Promise<T>): Promise<T> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  await using folder = makeTemporaryFolder();
  const database = await DuckDBInstance.create(file, {
    access_mode: 'READ_ONLY',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    memory_limit: usualMemory(),
    temp_directory: path.join(folder.path, 'spill'),
  });
  try {
    const connection = await database.connect();
    await connection.run(
      [
        "SET GLOBAL TimeZone = 'UTC'",
        `SET GLOBAL allowed_directories = ${quoteTexts([folder.path])}`,
        'SET GLOBAL enable_external_access = false',
        'SET GLOBAL lock_configuration = true',
      ].join('; '),
    );
    return await work(await tablesOf(connection, folder.path));
  } finally {
    database.closeSync();
  }
}

/**
 * The tables of a database, which are copied as Parquet. Those of other schemas than `main` are named with theirs.
 * `folder`: the only one that the connection can write to.
 */
async function tablesOf(connection: DuckDBConnection, folder: string): Promise<OpenedDatabase> {
  const rows = async (sql: string) => (await connection.run(sql)).getRows();
  const found = await rows(`
    SELECT schema_name, table_name, false FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT internal
    UNION ALL SELECT schema_name, view_name, true FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal`);
  const places = new Map(
    found.map(([schema, name, isView]) => [
      schema === 'main' ? String(name) : `${schema}.${name}`,
      { sql: `${quoteName(String(schema))}.${quoteName(String(name))}`, isView: isView === true },
    ]),
  );
  const names = [...places].flatMap(([name, { isView }]) => (isNameable(name) ? [{ name, isView }] : []));
  const tables: FoundTable[] = [];
  for (const table of sortTables(names)) {
    const { sql } = places.get(table.name)!;
    // A view of missing tables, or of files. Reading it reports why it cannot be read.
    const columns = await columnsOf(connection, sql).catch(() => []);
    const sample = async () =>
      (await rows(`SELECT CAST(to_json(t) AS VARCHAR) FROM (FROM ${sql} LIMIT ${sampleRows}) AS t`)).map(
        ([json]) => JSON.parse(String(json)) as Readonly<Record<string, unknown>>,
      );
    tables.push({ ...table, columns: columns.map(({ name }) => name), sample });
  }
  const copy = async (table: string, file: string) => {
    const { sql } = places.get(table)!;
    const columns = (await columnsOf(connection, sql)).map(toCopied).join(', ');
    const written = path.join(folder, 'table.parquet');
    await connection.run(`COPY (SELECT ${columns} FROM ${sql}) TO ${quoteText(written)} (FORMAT parquet)`);
    await rename(written, file);
  };
  return { tables, copy, copyEnding: '.parquet' };
}

interface Column {
  readonly name: string;
  readonly type: string;
}

async function columnsOf(connection: DuckDBConnection, table: string): Promise<readonly Column[]> {
  const rows = (await connection.run(`DESCRIBE FROM ${table}`)).getRows();
  return (await rows).map(([name, type]) => ({ name: String(name), type: String(type) }));
}

/** Parquet has no integers of 128 bits, and DuckDB would write their nearest floats. */
function toCopied({ name, type }: Column): string {
  const column = quoteName(name);
  if (/^U?HUGEINT$/.test(type)) return `CAST(${column} AS DECIMAL(38, 0)) AS ${column}`;
  return textTypes.test(type) ? `CAST(${column} AS VARCHAR) AS ${column}` : column;
}

/** Types that Parquet does not have, or that sluice shows as text. */
const textTypes = /^(?:BIT|BIGNUM|INTERVAL|TIME|TIME_NS|TIME WITH TIME ZONE|UNION\(.*\)|VARIANT|GEOMETRY.*)$/s;

/** Says what is wrong with the database, by the text of DuckDB's error. */
function toReadError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof BackendError) return error;
  const { message } = error;
  const name = sourceName(file);
  const word = shellWord(showText(name));
  const fail = (what: string, code: 'file-corrupt' | 'file-unreadable', hint: string) =>
    new BackendError(`${name} ${what}`, { code, cause: error, hint });
  if (/Conflicting lock/.test(message))
    return fail(
      'is locked: another program writes to it.',
      'file-unreadable',
      'Close it there, for example by ending `duckdb`, and run the same command again.',
    );
  if (/version number/.test(message))
    return fail(
      'was written by another version of DuckDB, which sluice cannot read.',
      'file-unreadable',
      `Export its tables with that version: \`duckdb ${word} "COPY TABLE TO 'events.parquet'"\`.`,
    );
  if (/encrypt/i.test(message))
    return fail('is encrypted.', 'file-unreadable', "Export its tables: `COPY TABLE TO 'events.parquet'`.");
  if (/disabled by configuration/.test(message))
    return fail(
      'has a view that reads other files, which sluice does not allow.',
      'file-unreadable',
      'Name those files instead, or make a table of the view.',
    );
  if (/corrupt|checksum|serializ|INTERNAL|enough bytes|not a valid DuckDB/i.test(message))
    return fail(
      'is damaged: it cannot be read as a DuckDB database.',
      'file-corrupt',
      'Restore it from a backup, or export its tables with `duckdb`.',
    );
  return fail(
    `cannot be read: ${showText(message.split('\n', 1)[0]!)}.`,
    'file-unreadable',
    'Check that you can read the file and its folder, and that `duckdb` can read the table.',
  );
}
