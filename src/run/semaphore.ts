import { AbortedError, throwIfAborted } from '../ask/sluice-error.ts';

/** Runs a limited number of tasks at once. The others wait and start in order of arrival. */
export interface Semaphore {
  /** Number of waiting tasks. */
  readonly waiting: number;
  /** True if the next task must wait. */
  readonly isFull: boolean;
  /**
   * Waits for a place. Call the returned function to free the place; further calls do nothing. Throws `AbortedError`.
   */
  enter(signal?: AbortSignal): Promise<() => void>;
  /** Runs a task when a place is free. Rejects like the task, and with `AbortedError` while it waits. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function openSemaphore(places: number): Semaphore {
  const waiting = new Set<() => void>();
  let running = 0;

  const leave = () => {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    // The place goes to the next in line, so the number of running tasks stays the same.
    waiting.delete(next);
    next();
  };

  const waitInLine = async (signal: AbortSignal | undefined) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      waiting.delete(resolve);
      reject(new AbortedError(signal?.reason));
    };
    waiting.add(resolve);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  };

  const enter = async (signal?: AbortSignal) => {
    throwIfAborted(signal);
    if (running < places) running += 1;
    else await waitInLine(signal);
    return callOnce(leave);
  };

  return {
    get waiting() {
      return waiting.size;
    },
    get isFull() {
      return running >= places;
    },
    enter,
    async run(task, signal) {
      const release = await enter(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}

function callOnce(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
