import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Engine } from '../../../run/embedded/engine.ts';
import { takeLock } from '../../../run/store/take-lock.ts';

/** Locks that this process has, which the kernel does not tell apart. */
const held = new Set<string>();

export type ReportLock = ({ readonly kind: 'held' } & AsyncDisposable) | { readonly kind: 'taken'; readonly holder: string };

/** Makes the caller the only one who runs a report, until disposed, or tells who does; nobody waits. Errors: `report-lock-damaged`, and those of the system. */
export async function lockReport(file: string, tools: { readonly engine: Engine; readonly randomText: () => string }): Promise<ReportLock> {
  await mkdir(path.dirname(file), { recursive: true });
  const key = path.join(await realpath(path.dirname(file)), path.basename(file));
  if (held.has(key)) return { kind: 'taken', holder: 'this process' };
  held.add(key);
  try {
    const lock = await takeLock(key, { ...tools, what: 'report' });
    if (lock.kind === 'held') return { kind: 'held', [Symbol.asyncDispose]: () => lock.release().finally(() => held.delete(key)) };
    held.delete(key);
    return lock;
  } catch (error) {
    held.delete(key);
    throw error;
  }
}
