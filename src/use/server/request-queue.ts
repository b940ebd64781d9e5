import { throwIfAborted } from '../../ask/sluice-error.ts';
import { openSemaphore } from '../../run/semaphore.ts';
import { Refusal } from './refusal.ts';

export interface RequestQueueOptions {
  /** So many requests are worked on at once. */
  readonly concurrency: number;
  /** So many more may wait; past them requests are refused. */
  readonly queue: number;
}

/** Lets a bounded number of requests through at once; the others wait in line, or are sent away. */
export interface RequestQueue {
  /** Resolves with what is to be called when the work is done. Throws a `Refusal` of 429, `AbortedError`. */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function openRequestQueue({ concurrency, queue }: RequestQueueOptions): RequestQueue {
  const semaphore = openSemaphore(concurrency);
  return {
    async enter(signal) {
      throwIfAborted(signal);
      if (semaphore.isFull && semaphore.waiting >= queue)
        throw new Refusal(429, 'Too many requests are waiting. Retry later.', { headers: { 'retry-after': '1' } });
      return semaphore.enter(signal);
    },
  };
}
