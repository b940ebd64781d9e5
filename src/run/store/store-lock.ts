import { link, mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AbortedError, BackendError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { Engine } from '../embedded/engine.ts';
import { quoteName, quoteText } from '../embedded/sql-text.ts';

export interface LockOptions {
  readonly folder: string;
  readonly engine: Engine;
  /** For names. */
  readonly randomText: () => string;
  readonly signal?: AbortSignal | undefined;
  /** Told once, where another writer is at work: who it is. */
  readonly onWait?: ((holder: string) => void) | undefined;
}

/** Writers of this process, by folder: each waits for the one before it. */
const queues = new Map<string, Promise<void>>();

/**
 * Makes the caller the only writer of a store, until disposed. The lock is the kernel's own on a small DuckDB file that
 * the engine attaches: it goes with the process that holds it, however that ends, so none is ever left over. As the
 * kernel tells processes apart and nothing within one, writers of one process queue. Errors: `AbortedError`,
 * `store-lock-damaged`, and those of the system.
 */
export async function lockStore(options: LockOptions): Promise<AsyncDisposable> {
  const { folder, signal } = options;
  await mkdir(path.join(folder, 'segments'), { recursive: true });
  const key = await realpath(folder);
  const leave = await queueUp(key, options);
  try {
    const release = await attachWhenFree(path.join(key, 'lock'), options);
    return {
      async [Symbol.asyncDispose]() {
        await release().finally(leave);
      },
    };
  } catch (error) {
    leave();
    throw signal?.aborted ? new AbortedError(error) : error;
  }
}

async function queueUp(key: string, { signal, onWait }: LockOptions): Promise<() => void> {
  throwIfAborted(signal);
  const before = queues.get(key);
  const turn = Promise.withResolvers<void>();
  const queue = (before ?? Promise.resolve()).then(() => turn.promise);
  queues.set(key, queue);
  const leave = () => {
    turn.resolve();
    if (queues.get(key) === queue) queues.delete(key);
  };
  if (!before) return leave;
  onWait?.('another command of this process');
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const stop = () => aborted.reject(new AbortedError(signal?.reason));
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([before, aborted.promise]);
    return leave;
  } catch (error) {
    leave();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

async function attachWhenFree(file: string, options: LockOptions): Promise<() => Promise<void>> {
  const { engine, signal, onWait } = options;
  if (!(await isThere(file))) await makeLockFile(file, options);
  const name = `store_lock_${engine.nextNumber()}`;
  for (let told = false; ; told = true) {
    throwIfAborted(signal);
    try {
      await attach(engine, file, name);
      return async () => void (await engine.rows(`DETACH ${quoteName(name)}`));
    } catch (error) {
      const text = error instanceof Error ? error.message : '';
      const holder = /Conflicting lock is held in (.+?) \(PID (\d+)\)/.exec(text);
      if (!holder && /not a valid DuckDB|corrupt|checksum/i.test(text)) throw damagedLock(file, error);
      if (!holder && !/Could not set lock/.test(text)) throw error;
      if (!told) onWait?.(holder ? `process ${holder[2]!} (${path.basename(holder[1]!)})` : 'another process');
    }
    await pause(100, undefined, signal ? { signal } : {});
  }
}

/** Made beside its place, so that whoever finds one finds it whole. */
async function makeLockFile(file: string, { engine, randomText }: LockOptions): Promise<void> {
  const beside = `${file}.${randomText()}.part`;
  try {
    const name = `store_lock_${engine.nextNumber()}`;
    await attach(engine, beside, name);
    await engine.rows(`DETACH ${quoteName(name)}`);
    await using made = await open(beside, 'r+');
    await made.sync();
    await link(beside, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

async function attach(engine: Engine, file: string, name: string): Promise<void> {
  await engine.rows(`ATTACH ${quoteText(file)} AS ${quoteName(name)} (TYPE duckdb, READ_WRITE)`);
}

function damagedLock(file: string, cause: unknown): BackendError {
  return new BackendError(`The store's lock ${file} is damaged.`, { code: 'store-lock-damaged', cause, hint: 'Remove that file while no other sluice is at work on the store; nothing is lost with it.' });
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(() => true, () => false);
}
