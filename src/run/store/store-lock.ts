import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import type { Engine } from '../embedded/engine.ts';
import { takeLock } from './take-lock.ts';

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
 * Makes the caller the only writer of a store, until disposed. As `takeLock` tells processes apart and nothing within
 * one, writers of one process queue. Errors: `AbortedError`,
 * `store-lock-damaged`, and those of the system.
 */
export async function lockStore(options: LockOptions): Promise<AsyncDisposable> {
  const { folder, signal } = options;
  await mkdir(path.join(folder, 'segments'), { recursive: true });
  const key = await realpath(folder);
  const leave = await queueUp(key, options);
  try {
    const release = await takeWhenFree(path.join(key, 'lock'), options);
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

async function takeWhenFree(file: string, { engine, randomText, signal, onWait }: LockOptions): Promise<() => Promise<void>> {
  for (let told = false; ; told = true) {
    throwIfAborted(signal);
    const taken = await takeLock(file, { engine, randomText, what: 'store' });
    if (taken.kind === 'held') return () => taken.release();
    if (!told) onWait?.(taken.holder);
    await pause(100, undefined, signal ? { signal } : {});
  }
}
