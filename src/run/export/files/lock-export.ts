import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder } from '../../file/owner-only.ts';
import { takeLock, type TakenLock } from '../../file/take-lock.ts';
import { isThere } from '../../file/is-there.ts';

export const lockName = '.export.lock';

/**
 * Makes the caller the only one who exports into a folder, until disposed, or tells who is; nobody waits. `holder`: the
 * caller, for others. Errors: `export-lock-damaged`, and those of the system.
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
    // The folder may have been removed by the run that had it until now.
    if (lock && (await isThere(file))) return lock;
    lock?.[Symbol.dispose]();
  }
}
