import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AbortedError, throwIfAborted, toAborted } from '../../ask/sluice-error.ts';
import { takeLock } from '../file/take-lock.ts';
import { makeOwnFolder } from '../file/owner-only.ts';

interface LockOptions {
  readonly folder: string;
  /** The writer's name for others that wait: `process 4711 (node)`. */
  readonly holder: string;
  readonly signal?: AbortSignal | undefined;
  /** Called once with the name of the current writer if the caller must wait. */
  readonly onWait?: ((holder: string) => void) | undefined;
}

/** Writers of this process by folder; each waits for the one before it. */
const queues = new Map<string, Promise<void>>();

/**
 * Makes the caller the only writer of a store until disposed. Writers of one process queue. Errors: `AbortedError`,
 * `store-lock-damaged`, and system errors.
 */
export async function lockStore(options: LockOptions): Promise<Disposable> {
  const { folder, signal } = options;
  await makeOwnFolder(path.join(folder, 'segments'));
  const key = await realpath(folder);
  const leave = await queueUp(key, options);
  try {
    const lock = await takeWhenFree(path.join(key, 'lock'), options);
    return {
      [Symbol.dispose]() {
        lock[Symbol.dispose]();
        leave();
      },
    };
  } catch (error) {
    leave();
    throw toAborted(error, signal);
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

async function takeWhenFree(file: string, { holder, signal, onWait }: LockOptions): Promise<Disposable> {
  for (let told = false; ; told = true) {
    throwIfAborted(signal);
    const taken = await takeLock(file, { holder, what: 'store' });
    if (taken.kind === 'held') return taken;
    if (!told) onWait?.(taken.holder);
    await pause(100, undefined, signal ? { signal } : {});
  }
}
