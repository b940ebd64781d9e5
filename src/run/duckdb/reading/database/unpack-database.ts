import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DatabaseSync } from 'node:sqlite';
import { nameSource, newSourceCopy, noteWritten, sourceName } from '../../../file/source-copy.ts';
import type { DatabasePath } from './database-path.ts';
import { chooseTable, demandTable, type FoundTable, type TablePurpose } from './choose-table.ts';
import { markOfDatabase, readDatabase } from './read-database.ts';
import { rowsOf } from './table-rows.ts';

/** A table as a file of NDJSON. */
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
 * Copies the rows of a table or view of a SQLite database. Without a table, the only one for this purpose is copied. An
 * unchanged database is read only once. Errors: `table-unclear`, `table-not-found`, those of `readDatabase`.
 */
export async function unpackDatabase({ file, table }: DatabasePath, purpose: TablePurpose): Promise<UnpackedTable> {
  const keyOf = (what: string) => JSON.stringify([file, markOfDatabase(file), what]);
  const key = table === undefined ? keyOf(`/${purpose}`) : keyOf(table);
  const known = unpacked.get(key);
  if (known) return known;
  const unpacking = copyTable(file, table, purpose, (name) => unpacked.get(keyOf(name)));
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
  file: string,
  asked: string | undefined,
  purpose: TablePurpose,
  known: (table: string) => Promise<Unpacked> | undefined,
): Promise<Unpacked> {
  let copy: string | undefined;
  try {
    return await readDatabase(file, async (database) => {
      const tables = listTables(database);
      const { table, chosen } =
        asked === undefined
          ? await chooseTable(file, tables, purpose)
          : { table: demandTable(file, tables, asked), chosen: undefined };
      const before = asked === table ? undefined : await known(table);
      if (before) return { ...before, chosen };
      copy ??= newSourceCopy(`${file}/table.ndjson`);
      noteWritten(copy);
      nameSource(copy, `${sourceName(file)}/${table}`);
      const pieces = inPieces(rowsOf(database, table).lines());
      await pipeline(Readable.from(pieces), createWriteStream(copy, { mode: 0o600 }));
      return { path: copy, table, chosen };
    });
  } catch (error) {
    if (copy !== undefined) await rm(copy, { force: true });
    throw error;
  }
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

const pieceLength = 1 << 17;

function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

const sampleRows = 100;

/** Whether a path can name it: `..` and slashes at its ends mean other paths. */
const isName = (name: string) => resolve('/', name) === `/${name}`;

/**
 * The tables and views that paths can name, without SQLite's own and without those that hold the data of virtual
 * tables.
 */
function listTables(database: DatabaseSync): readonly FoundTable[] {
  const found = database
    .prepare(
      "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all() as unknown as readonly { readonly name: string; readonly type: string }[];
  return found
    .filter(({ name, type }) => type !== 'shadow' && isName(name))
    .sort(
      (one, other) => Number(one.type === 'view') - Number(other.type === 'view') || (one.name < other.name ? -1 : 1),
    )
    .map(({ name, type }) => {
      let rows: ReturnType<typeof rowsOf> | undefined;
      try {
        rows = rowsOf(database, name, sampleRows);
      } catch {
        // A view of missing tables, or a virtual table of an extension. Reading it reports why it cannot be read.
      }
      return {
        name,
        isView: type === 'view',
        columns: rows?.columns ?? [],
        sample: () => [...(rows?.lines() ?? [])].map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
      };
    });
}
