import { type BigIntStats, closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { sourceName } from '../../../file/source-copy.ts';
import { placeOf } from '../../../looks.ts';

/** A SQLite database, and the table or view in it that a path names: `app.db/hits`. */
export interface DatabasePath {
  readonly file: string;
  /** Undefined if the path is that of the database. */
  readonly table: string | undefined;
}

const magic = Buffer.from('SQLite format 3\0', 'latin1');

/**
 * The database that an absolute path names, or the one that it leads into; undefined for any other path. `mayBe`
 * excludes files by their paths, so that these are not opened.
 */
export function databaseAt(place: string, mayBe: (file: string) => boolean = () => true): DatabasePath | undefined {
  try {
    for (let file = place; ; file = path.dirname(file)) {
      const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
      if (stats?.isFile() && mayBe(file) && openedDatabase(file, stats) !== undefined)
        return { file, table: place === file ? undefined : place.slice(file.length + 1) };
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

/** Whether the database keeps its changes in a file beside it, the write-ahead log. */
export function usesLog(file: string): boolean {
  const opened = openedDatabase(file, statSync(file, { bigint: true }));
  const header = Buffer.alloc(magic.length + 4);
  if (opened !== undefined) readSync(opened, header, 0, header.length, 0);
  return header[18] === 2 || header[19] === 2;
}

/** The path of the write-ahead log, which has the latest rows. It need not exist. */
export function logOfDatabase(file: string): string {
  return `${realpathSync(file)}-wal`;
}

/** The files whose bytes are the rows of a database: itself, and its write-ahead log if there is one. */
export function filesOfDatabase(file: string): readonly string[] {
  const log = logOfDatabase(file);
  return existsSync(log) ? [file, log] : [file];
}

/** Descriptors of databases by their paths. */
const opened = new Map<string, { readonly descriptor: number; readonly inode: string }>();

/**
 * A descriptor of a file that is a database. It stays open, because closing any descriptor of a file releases the locks
 * that this process has on it, also those of a program that uses the same database.
 */
function openedDatabase(file: string, stats: BigIntStats): number | undefined {
  const inode = placeOf(stats);
  const known = opened.get(file);
  if (known?.inode === inode) return known.descriptor;
  if (known) {
    // The file was replaced.
    closeSync(known.descriptor);
    opened.delete(file);
  }
  if (stats.size < magic.length) return undefined;
  const descriptor = openSync(file, 'r');
  const start = Buffer.alloc(magic.length);
  readSync(descriptor, start, 0, start.length, 0);
  if (!start.equals(magic)) {
    closeSync(descriptor);
    return undefined;
  }
  opened.set(file, { descriptor, inode });
  return descriptor;
}
