import { mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { takeLock, type LockTools } from '../store/take-lock.ts';

export const lockName = '.export.lock';

/** Folders that this process exports into. */
const held = new Set<string>();

export type ExportLock = ({ readonly kind: 'held' } & AsyncDisposable) | { readonly kind: 'taken'; readonly holder: string };

/**
 * Makes the caller the only one who exports into a folder, until disposed, or tells who is; nobody waits. Errors:
 * `export-lock-damaged`, and those of the system.
 */
export async function lockExport(folder: string, tools: Omit<LockTools, 'what'>): Promise<ExportLock> {
  const key = await realpath(folder);
  if (held.has(key)) return { kind: 'taken', holder: 'this process' };
  held.add(key);
  try {
    const file = path.join(key, lockName);
    for (;;) {
      await mkdir(key, { recursive: true });
      const lock = await takeLock(file, { ...tools, what: 'export' });
      if (lock.kind === 'taken') {
        held.delete(key);
        return lock;
      }
      // The folder may have been removed by the run that had it until now.
      if (await isThere(file)) {
        let releasing: Promise<void> | undefined;
        return { kind: 'held', [Symbol.asyncDispose]: () => (releasing ??= lock.release().finally(() => held.delete(key))) };
      }
      await lock.release();
    }
  } catch (error) {
    held.delete(key);
    throw error;
  }
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(() => true, () => false);
}
