import { type BigIntStats, closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { sourceName } from '../../../file/source-copy.ts';
import { lookAt, placeOf } from '../../../looks.ts';
import { type DatabaseKind, databaseKind, kindBytes, leastBytes } from '../formats/database-kind.ts';
import { changedDatabase } from '../formats/unfit-file.ts';

/** A database, and the table or view in it that a path names: `app.db/hits`. */
export interface DatabasePath {
  readonly kind: DatabaseKind;
  readonly file: string;
  /** Undefined if the path is that of the database. */
  readonly table: string | undefined;
}

/**
 * The database that an absolute path names, or the one that it leads into; undefined for any other path. `mayBe`
 * excludes files by their paths, so that these are not opened.
 */
export function databaseAt(place: string, mayBe: (file: string) => boolean = () => true): DatabasePath | undefined {
  try {
    for (let file = place; ; file = path.dirname(file)) {
      const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
      const database = stats?.isFile() && mayBe(file) ? openedDatabase(file, stats) : undefined;
      if (database)
        return { kind: database.kind, file, table: place === file ? undefined : place.slice(file.length + 1) };
      if (stats || path.dirname(file) === file) return undefined;
    }
  } catch {
    // The reader of the file reports why it cannot be read.
    return undefined;
  }
}

/** The path of the table that a file is a copy of: `app.db/hits`. It stays the same when the table is copied again. */
export function tableOfCopy(file: string): string | undefined {
  const name = sourceName(file);
  return name !== file && databaseAt(name)?.table !== undefined ? name : undefined;
}

/** Whether a SQLite database keeps its changes in a file beside it, the write-ahead log. */
export function usesLog(file: string): boolean {
  const database = openedDatabase(file, statSync(file, { bigint: true }));
  const header = Buffer.alloc(kindBytes);
  if (database) readSync(database.descriptor, header, 0, header.length, 0);
  return header[18] === 2 || header[19] === 2;
}

/** The path of the write-ahead log, which has the latest rows. It need not exist. */
export function logOfDatabase(file: string): string {
  const database = openedDatabase(file, statSync(file, { bigint: true }));
  return `${realpathSync(file)}${database?.kind === 'duckdb' ? '.' : '-'}wal`;
}

/** Whether a path may be that of a write-ahead log, which comes and goes. */
export const isLog = (path: string) => /[-.]wal$/.test(path);

/** Changes with the rows of a database. */
export function markOfDatabase(file: string): string {
  return `${lookAt(file).mark} ${lookAt(logOfDatabase(file)).mark}`;
}

const mostAttempts = 3;

/** An attempt to read a database. */
interface Attempt<T> {
  readonly read: () => Promise<T>;
  /** Whether the database is as it was when it was read. */
  readonly isSteady: () => boolean;
}

/** Reads a database, again if it changed meanwhile. Errors: `file-changed`, and what `toError` makes of others. */
export async function readSteadily<T>(
  file: string,
  begin: () => Attempt<T>,
  toError: (error: unknown, file: string) => unknown,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { read, isSteady } = begin();
    try {
      const done = await read();
      if (isSteady()) return done;
    } catch (error) {
      if (attempt === mostAttempts || isSteady()) throw toError(error, file);
    }
    if (attempt === mostAttempts) throw changedDatabase(file);
  }
}

/** The files whose bytes are the rows of a database: itself, and its write-ahead log if there is one. */
export function filesOfDatabase(file: string): readonly string[] {
  const log = logOfDatabase(file);
  return existsSync(log) ? [file, log] : [file];
}

interface OpenedDatabase {
  readonly kind: DatabaseKind;
  readonly descriptor: number;
  readonly inode: string;
}

/** Databases by their paths. */
const opened = new Map<string, OpenedDatabase>();

/**
 * A file that is a database. Its descriptor stays open, because closing any descriptor of a file releases the locks
 * that this process has on it, also those of a program that uses the same database.
 */
function openedDatabase(file: string, stats: BigIntStats): OpenedDatabase | undefined {
  const inode = placeOf(stats);
  const known = opened.get(file);
  if (known?.inode === inode) return known;
  if (known) {
    // The file was replaced.
    closeSync(known.descriptor);
    opened.delete(file);
  }
  if (stats.size < leastBytes) return undefined;
  const descriptor = openSync(file, 'r');
  const start = Buffer.alloc(kindBytes);
  readSync(descriptor, start, 0, start.length, 0);
  const kind = databaseKind(start);
  if (kind === undefined) {
    closeSync(descriptor);
    return undefined;
  }
  const database = { kind, descriptor, inode };
  opened.set(file, database);
  return database;
}
