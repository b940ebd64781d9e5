import { rm } from 'node:fs/promises';
import { nameSource, newSourceCopy, noteWritten, sourceName } from '../../../file/source-copy.ts';
import { chooseTable, demandTable, type OpenedDatabase, type TablePurpose } from './choose-table.ts';
import type { DatabaseKind } from '../formats/database-kind.ts';
import { type DatabasePath, markOfDatabase } from './database-path.ts';

/** A table as a file that sluice reads. */
interface UnpackedTable {
  /** A temporary copy, called `app.db/hits`. */
  readonly path: string;
  /** A sentence if the table was chosen among others. */
  readonly chosen?: string | undefined;
}

interface Unpacked extends UnpackedTable {
  readonly table: string;
}

/** By what is copied and by its content: a table, or the one that is chosen. */
const unpacked = new Map<string, Promise<Unpacked>>();
/** The copies of each table, oldest first, and their keys in `unpacked`. */
const copies = new Map<string, Map<string, readonly string[]>>();
/** Questions that are still being answered read the former copy. */
const mostCopies = 2;

/**
 * Copies the rows of a table or view of a database. Without a table, the only one for this purpose is copied. An
 * unchanged database is read only once. Errors: `table-unclear`, `table-not-found`, those of `readSqlite` and
 * `readDuckDb`.
 */
export async function unpackDatabase(
  { kind, file, table }: DatabasePath,
  purpose: TablePurpose,
): Promise<UnpackedTable> {
  const keyOf = (what: string) => JSON.stringify([file, markOfDatabase(file), what]);
  const key = table === undefined ? keyOf(`/${purpose}`) : keyOf(table);
  const known = unpacked.get(key);
  if (known) return known;
  const unpacking = copyTable({ kind, file, table }, purpose, (name) => unpacked.get(keyOf(name)));
  unpacked.set(key, unpacking);
  try {
    const { path, table: name } = await unpacking;
    unpacked.set(keyOf(name), unpacking);
    await keepLatest(`${file}/${name}`, path, [key, keyOf(name)]);
  } catch (error) {
    unpacked.delete(key);
    throw error;
  }
  return unpacking;
}

async function copyTable(
  { kind, file, table: asked }: DatabasePath,
  purpose: TablePurpose,
  known: (table: string) => Promise<Unpacked> | undefined,
): Promise<Unpacked> {
  let copy: string | undefined;
  try {
    const read = await readerOf(kind);
    return await read(file, async (database) => {
      const { table, chosen } =
        asked === undefined
          ? await chooseTable(file, database.tables, purpose)
          : { table: demandTable(file, database.tables, asked), chosen: undefined };
      const before = asked === table ? undefined : await known(table);
      if (before) return { ...before, chosen };
      copy ??= newSourceCopy(`${file}/table${database.copyEnding}`);
      noteWritten(copy);
      nameSource(copy, `${sourceName(file)}/${table}`);
      await database.copy(table, copy);
      return { path: copy, table, chosen };
    });
  } catch (error) {
    if (copy !== undefined) await rm(copy, { force: true });
    throw error;
  }
}

type Read = <T>(file: string, work: (database: OpenedDatabase) => Promise<T>) => Promise<T>;

async function readerOf(kind: DatabaseKind): Promise<Read> {
  return kind === 'sqlite'
    ? (await import('./read-sqlite.ts')).readSqlite
    : (await import('./read-duckdb.ts')).readDuckDb;
}

/** Removes earlier copies of a table, because a database that a program writes to is copied again and again. */
async function keepLatest(name: string, copy: string, keys: readonly string[]): Promise<void> {
  const all = copies.get(name) ?? new Map<string, readonly string[]>();
  copies.set(name, all);
  all.set(copy, [...(all.get(copy) ?? []), ...keys]);
  for (const [old, oldKeys] of [...all].slice(0, -mostCopies)) {
    all.delete(old);
    for (const key of oldKeys) unpacked.delete(key);
    await rm(old, { force: true });
  }
}
