import { closeSync, openSync } from 'node:fs';
import { access, constants, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { BackendError } from '../../ask/sluice-error.ts';
import { ownerOnly } from './owner-only.ts';

interface LockTools {
  /** The holder's name for others: `process 4711 (node)`. */
  readonly holder: string;
  /** The kind of thing locked, for messages. */
  readonly what: 'store' | 'export' | 'report' | 'listener' | 'sync';
}

/** Held until disposed. `holder`: the name of the current holder, for messages. */
export type TakenLock = ({ readonly kind: 'held' } & Disposable) | { readonly kind: 'taken'; readonly holder: string };

/**
 * Takes a lock, or returns its holder. It is a kernel lock on a small SQLite file, with a transaction that never ends.
 * The system releases it when the process ends, so no stale lock remains. Errors: `store-lock-damaged`, and system
 * errors, including ENOENT if the file is removed meanwhile.
 */
export async function takeLock(file: string, { holder, what }: LockTools): Promise<TakenLock> {
  const { DatabaseSync: Database } = await import('node:sqlite');
  let lock: DatabaseSync | undefined;
  try {
    makeLockFile(file);
    lock = new Database(file);
    while (begin(lock)) {
      if (readHolder(lock) === holder) {
        const held = lock;
        return { kind: 'held', [Symbol.dispose]: () => held.close() };
      }
      // Others see only committed data, so commit the name first. A process that begins in between becomes the holder
      // and has committed its own name.
      lock.exec('CREATE TABLE IF NOT EXISTS holder (name TEXT NOT NULL); DELETE FROM holder');
      lock.prepare('INSERT INTO holder VALUES (?)').run(holder);
      lock.exec('COMMIT');
    }
    const other = whileFree(() => readHolder(lock!)) ?? 'another process';
    lock.close();
    return { kind: 'taken', holder: other === holder ? 'this process' : other };
  } catch (error) {
    lock?.close();
    throw await toLockError(error, file, what);
  }
}

/**
 * Creates the file, because SQLite would make it readable for everyone. Never opens an existing one: closing it would
 * release this process's own locks on it.
 */
function makeLockFile(file: string): void {
  try {
    // Do it at once, or other code in this process could take the lock in between.
    closeSync(openSync(file, 'wx', ownerOnly.file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * False if another process holds the lock. Does not wait for it; other operations wait for readers of the holder's
 * name.
 */
function begin(lock: DatabaseSync): boolean {
  lock.exec('PRAGMA busy_timeout = 0');
  const isBegun = whileFree(() => {
    lock.exec('BEGIN IMMEDIATE');
    return true;
  });
  lock.exec('PRAGMA busy_timeout = 2000');
  return isBegun ?? false;
}

function readHolder(lock: DatabaseSync): string | undefined {
  const isThere =
    lock.prepare("SELECT count(*) AS tables FROM sqlite_schema WHERE name = 'holder'").get()?.['tables'] === 1;
  const name = isThere ? lock.prepare('SELECT name FROM holder').get()?.['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** SQLite's codes; the last byte is the kind. Source: sqlite.org/rescode.html. */
const codes = { busy: 5, readOnly: 8, ioError: 10, full: 13, cannotOpen: 14, corrupt: 11, notADatabase: 26 } as const;

function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

function whileFree<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codeOf(error) === codes.busy) return undefined;
    throw error;
  }
}

async function toLockError(error: unknown, file: string, what: LockTools['what']): Promise<unknown> {
  const code = codeOf(error);
  if (code === codes.corrupt || code === codes.notADatabase) {
    return new BackendError(`The ${what}'s lock ${file} is damaged.`, {
      code: `${what}-lock-damaged`,
      cause: error,
      hint: `Remove that file while no other sluice process uses the ${what}. No data is lost.`,
    });
  }
  const refused = (system: string) =>
    Object.assign(new Error(`${system}: write '${file}'`, { cause: error }), {
      code: system,
      syscall: 'write',
      path: file,
    });
  if (error instanceof Error && 'syscall' in error) return refused((error as NodeJS.ErrnoException).code ?? 'EIO');
  // The extended code for a file that was moved or removed.
  if ((error as { readonly errcode?: number }).errcode === 1032) return refused('ENOENT');
  if (code === codes.full) return refused('ENOSPC');
  if (code === codes.ioError) return refused(await whyUnwritten(file));
  if (code !== codes.cannotOpen && code !== codes.readOnly) return error;
  // The system's own error gives a better reason.
  return access(path.dirname(file), constants.W_OK)
    .then(() => access(file, constants.W_OK))
    .then(
      () => error,
      (system: NodeJS.ErrnoException) => refused(system.code ?? 'EIO'),
    );
}

/** SQLite does not tell a quota from a broken device. Writing as much beside it does. */
async function whyUnwritten(file: string): Promise<string> {
  const probe = `${file}-probe`;
  try {
    await writeFile(probe, Buffer.alloc(pageBytes * 2), { mode: ownerOnly.file });
    return 'EIO';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EIO';
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

/** The size of SQLite's pages. */
const pageBytes = 4096;
