import { existsSync, statSync } from 'node:fs';
import { constants, copyFile, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { BackendError } from '../../../../ask/sluice-error.ts';
import { shellWord, showText } from '../../../../ask/text.ts';
import { sourceName } from '../../../file/source-copy.ts';
import { makeTemporaryFolder } from '../../../file/temporary-folder.ts';
import { notADatabase } from '../formats/unfit-file.ts';
import type { OpenedDatabase } from './choose-table.ts';
import { logOfDatabase, markOfDatabase, readSteadily, usesLog } from './database-path.ts';
import { tablesOf } from './sqlite-tables.ts';

/**
 * How a database is read without leaving files in its folder:
 *
 * - `locked`: in a read transaction. SQLite opens a database with a write-ahead log so only if the files of that log
 *   are there; otherwise it would create them.
 * - `unlocked`: without a log to read, as if nothing could change the file. That it did not is checked afterwards.
 * - `copied`: a log that no program has open, for example after a crash or in a backup, is read from a copy of both
 *   files.
 */
type Way = 'locked' | 'unlocked' | 'copied';

function wayTo(file: string): Way {
  const log = statSync(logOfDatabase(file), { throwIfNoEntry: false });
  if (!log) return usesLog(file) ? 'unlocked' : 'locked';
  if (existsSync(logOfDatabase(file).replace(/wal$/, 'shm'))) return 'locked';
  return log.size === 0 ? 'unlocked' : 'copied';
}

/**
 * Runs work on a SQLite database as it is at one moment. Errors: `file-corrupt`, `file-unreadable`, those of
 * `readSteadily`.
 */
export async function readSqlite<T>(file: string, work: (database: OpenedDatabase) => Promise<T>): Promise<T> {
  const begin = () => {
    const way = wayTo(file);
    let before = markOfDatabase(file);
    const begun = (database: DatabaseSync) => {
      // The first statement takes the lock, which keeps the rows as they are now.
      database.exec('SELECT count(*) FROM sqlite_schema');
      if (way === 'locked') before = markOfDatabase(file);
      return work(tablesOf(database));
    };
    return {
      read: async () => readOnce(await realpath(file), way, begun),
      isSteady: () => (way === 'locked' && usesLog(file)) || markOfDatabase(file) === before,
    };
  };
  return readSteadily(file, begin, toReadError);
}

async function readOnce<T>(file: string, way: Way, work: (database: DatabaseSync) => Promise<T>): Promise<T> {
  if (way !== 'copied') return readAt(way === 'locked' ? file : `${pathToFileURL(file).href}?immutable=1`, work);
  await using folder = makeTemporaryFolder();
  const copy = path.join(folder.path, 'copy.db');
  for (const end of ['', '-wal']) await copyFile(`${file}${end}`, `${copy}${end}`, constants.COPYFILE_FICLONE);
  const done = await readAt(copy, work);
  await rm(copy);
  return done;
}

async function readAt<T>(place: string, work: (database: DatabaseSync) => Promise<T>): Promise<T> {
  const { DatabaseSync: Database } = await import('node:sqlite');
  const database = new Database(place, { readOnly: true });
  try {
    database.exec('PRAGMA busy_timeout = 1000; PRAGMA trusted_schema = OFF; BEGIN');
    return await work(database);
  } finally {
    database.close();
  }
}

/** SQLite's codes. Source: sqlite.org/rescode.html. */
const codes = { busy: 5, locked: 6, readOnly: 8, corrupt: 11, notADatabase: 26 } as const;

function toReadError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  const name = sourceName(file);
  const word = shellWord(showText(name));
  switch (Number(error.errcode) & 0xff) {
    case codes.busy:
    case codes.locked:
      return new BackendError(`${name} is locked: another program writes to it.`, {
        code: 'file-unreadable',
        cause: error,
        hint: `Run the same command again, or read a copy: \`sqlite3 ${word} '.backup copy.db'\`.`,
      });
    case codes.readOnly:
      return new BackendError(`${name} has changes that a program began and did not finish.`, {
        code: 'file-corrupt',
        cause: error,
        hint: 'Open it with that program, which completes or reverts them.',
      });
    case codes.notADatabase:
      return notADatabase(file, error);
    case codes.corrupt:
      return new BackendError(`${name} is damaged: it cannot be read as a SQLite database.`, {
        code: 'file-corrupt',
        cause: error,
        hint: `Restore it from a backup, or save what is left: \`sqlite3 ${word} .recover | sqlite3 recovered.db\`.`,
      });
    default:
      return new BackendError(`${name} cannot be read: ${showText(error.message)}.`, {
        code: 'file-unreadable',
        cause: error,
        hint: 'Check that you can read the file and its folder, and that its program can read the table.',
      });
  }
}
