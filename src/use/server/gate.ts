import { AbortedError, throwIfAborted } from '../../ask/sluice-error.ts';
import { Refusal } from './refusal.ts';

export interface GateOptions {
  /** So many requests are worked on at once. */
  readonly concurrency: number;
  /** So many more may wait; past them requests are refused. */
  readonly queue: number;
}

/** Lets a bounded number of requests through at once; the others wait in line, or are sent away. */
export interface Gate {
  /** Resolves with what is to be called when the work is done. Throws a `Refusal` of 429, `AbortedError`. */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function openGate({ concurrency, queue }: GateOptions): Gate {
  const waiting = new Set<() => void>();
  let running = 0;

  const leave = () => {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    // The place goes to the next in line; the number of the running ones stays.
    waiting.delete(next);
    next();
  };

  return {
    async enter(signal) {
      throwIfAborted(signal);
      if (running < concurrency) {
        running += 1;
        return callOnce(leave);
      }
      if (waiting.size >= queue) throw new Refusal(429, 'Too many requests are waiting. Retry later.', { headers: { 'retry-after': '1' } });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const giveUp = () => {
        waiting.delete(resolve);
        reject(new AbortedError(signal.reason));
      };
      waiting.add(resolve);
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        await promise;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
      return callOnce(leave);
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
