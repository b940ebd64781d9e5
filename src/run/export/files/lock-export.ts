import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder } from '../../file/owner-only.ts';
import { takeLock, type TakenLock } from '../../file/take-lock.ts';
import { isThere } from '../../file/is-there.ts';

export const lockName = '.export.lock';

/**
 * Locks an export folder until disposed, or returns the current holder without waiting. `holder`: the caller's name,
 * shown to others. Throws `export-lock-damaged` and system errors.
 */
export async function lockExport(folder: string, holder: string): Promise<TakenLock> {
  const file = path.join(await realpath(folder), lockName);
  for (;;) {
    await makeOwnFolder(path.dirname(file));
    const lock = await takeLock(file, { holder, what: 'export' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    if (lock?.kind === 'taken') return lock;
    // The run that held the lock until now may have removed the folder.
    if (lock && (await isThere(file))) return lock;
    lock?.[Symbol.dispose]();
  }
}
