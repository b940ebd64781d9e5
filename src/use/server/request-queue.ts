import { throwIfAborted } from '../../ask/sluice-error.ts';
import { openSemaphore } from '../../run/semaphore.ts';
import { Refusal } from './refusal.ts';

export interface RequestQueueOptions {
  /** Number of requests that run in parallel. */
  readonly concurrency: number;
  /** Maximum number of waiting requests. Further ones are rejected. */
  readonly queue: number;
}

/** Limits how many requests run in parallel. Others wait in order, or are rejected. */
export interface RequestQueue {
  /** Resolves with a function to call when the work is done. Throws a `Refusal` of 429, `AbortedError`. */
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
